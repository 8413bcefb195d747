"""Tests how `sync` finds out whether a file of an earlier run still equals the service's content, even after a restore
of the catalog."""

import unittest

from edgetape.sync import Revisions

DAY, URL = "20260311", "https://one.example"
EARLY, LATE = "2026-03-11T18:00:00+08:00", "2026-03-12T18:00:00+08:00"


class Told:
    """A client whose service has this list of changes."""

    present_url = URL

    def __init__(self, *changes):
        self._changes = [change(*each) for each in changes]
        self.asked_since = []

    def changes(self, since=None, dataset="orders"):
        self.asked_since.append(since)
        return iter(self._changes)


def change(previous, revision, *changed, kind="restored"):
    securities = {"added": [], "removed": [], "changed": list(changed)}
    return {
        "tradedate": DAY,
        "kind": kind,
        "previous": previous,
        "revision": revision,
        "securities": securities,
    }


def followed(client, now, noted):
    """Returns the result of `follow` for an entry, as (revision, instant). `noted` is the state in the entry, `now` the
    state of the day."""
    day = {"tradedate": DAY, "revision": now[0], "published_at": now[1]}
    entry = {
        "url": URL,
        "revision": noted[0],
        "published": noted[1],
        "file": "600519.SH/x.parquet",
        "size": 9,
    }
    revisions = Revisions(client, URL, {DAY: day})
    revisions.expect(DAY, entry)
    found = revisions.follow("600519", DAY, entry)
    return None if found is None else (found["revision"], found["published"])


class Followed(unittest.TestCase):
    def test_an_equal_revision_and_instant_need_no_request(self):
        client = Told()
        self.assertEqual(followed(client, (2, EARLY), (2, EARLY)), (2, EARLY))
        self.assertEqual(client.asked_since, [])

    def test_a_lower_revision_is_followed_through_the_changes(self):
        self.assertEqual(followed(Told((3, 2, "000001.SZ")), (2, EARLY), (3, LATE)), (2, EARLY))
        self.assertIsNone(followed(Told((3, 2, "600519.SH")), (2, EARLY), (3, LATE)))

    def test_a_lower_revision_without_changes_is_downloaded_again(self):
        self.assertIsNone(followed(Told(), (2, EARLY), (3, LATE)))

    def test_a_revision_number_issued_twice_is_distinguished_by_its_instant(self):
        self.assertIsNone(followed(Told(), (2, EARLY), (2, LATE)))
        self.assertIsNone(followed(Told((2, 2, "600519.SH")), (2, EARLY), (2, LATE)))
        self.assertEqual(followed(Told((2, 2, "000001.SZ")), (2, EARLY), (2, LATE)), (2, EARLY))

    def test_changes_are_requested_from_the_instant_of_the_entry(self):
        client = Told((2, 2, "000001.SZ"))
        followed(client, (2, EARLY), (2, LATE))
        self.assertEqual(client.asked_since, [LATE])

    def test_an_entry_without_an_instant_is_followed_from_the_first_change(self):
        client = Told((1, 2, "000001.SZ"), (2, 3, "000001.SZ"))
        self.assertEqual(followed(client, (3, LATE), (2, None)), (3, LATE))
        self.assertEqual(client.asked_since, [None])
