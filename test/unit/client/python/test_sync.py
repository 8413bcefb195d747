"""What a run of `sync` reports, and what it does not start."""

import datetime
import unittest

from edgetape import Client, QuotaUsed
from edgetape.sync import SyncReport


class Reports(unittest.TestCase):
    def test_say_in_one_line_what_was_done(self):
        file = ("600519", "20260302")
        self.assertEqual(
            str(SyncReport([file], [file, file], [], [], [], None)), "fetched 1, kept 2, without rows 0"
        )

    def test_name_the_days_that_are_not_there_by_their_state(self):
        missing = [("20260225", "missing"), ("20260304", "pending"), ("20260226", "missing")]
        said = str(SyncReport([], [], [], missing, [], None))
        self.assertIn("days not available: 2 missing (20260225 to 20260226), 1 pending (20260304)", said)

    def test_say_what_is_left_and_when_it_goes_on(self):
        quota = QuotaUsed("used up", code=429)
        quota.resets_at = datetime.datetime(2026, 3, 13)
        said = str(SyncReport([], [], [], [], [("600519", "20260302")], quota))
        self.assertIn("left 1; can continue after 2026-03-13 00:00", said)


class Spans(unittest.TestCase):
    def test_that_end_before_they_begin_are_refused_before_anything_is_asked(self):
        client = Client("key", "http://127.0.0.1:1")
        with self.assertRaisesRegex(ValueError, "20260302 is after the last day 20260301"):
            client.sync("600519", "20260302", "2026-03-01", "never-made")


if __name__ == "__main__":
    unittest.main()
