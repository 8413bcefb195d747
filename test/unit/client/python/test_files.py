"""Journals and progress lines."""

import io
import unittest
from unittest import mock

from edgetape.disk import Journal
from edgetape.progress import Progress
from fake_drive import InFolder


class Journals(InFolder):
    def test_remember_the_last_entry_of_a_name(self):
        journal = Journal(self.path("j"))
        journal.put("a", {"x": 1})
        journal.put("a", {"x": 2})
        self.assertEqual(journal.get("a"), {"x": 2})
        self.assertEqual(Journal(self.path("j")).get("a"), {"x": 2})
        self.assertIsNone(Journal(self.path("j")).get("b"))

    def test_pass_over_a_torn_line_and_write_behind_it(self):
        Journal(self.path("j")).put("a", {"x": 1})
        with open(self.path("j"), "a") as file:
            file.write('{"name": "b", "x"')
        Journal(self.path("j")).put("c", {"x": 3})
        again = Journal(self.path("j"))
        self.assertEqual([again.get(name) for name in "abc"], [{"x": 1}, None, {"x": 3}])

    def test_drop_lines_that_do_not_count_any_more(self):
        journal = Journal(self.path("j"))
        for number in range(400):
            journal.put("a", {"x": number})
        Journal(self.path("j"))
        with open(self.path("j")) as file:
            self.assertEqual(len(file.readlines()), 1)
        self.assertEqual(Journal(self.path("j")).get("a"), {"x": 399})


class ProgressLines(unittest.TestCase):
    def test_are_shown_on_a_terminal_alone(self):
        quiet, shown = io.StringIO(), io.StringIO()
        for stream, shows in ((quiet, None), (shown, True)):
            with mock.patch("edgetape.progress.import_module", side_effect=ImportError):
                with Progress(2, 2_000, shows, stream) as bar:
                    bar.moved(1_500)
                    bar.finished()
        self.assertEqual(quiet.getvalue(), "")
        self.assertIn("1 of 2 files, 1.5 kB of 2.0 kB", shown.getvalue())

    def test_are_tqdm_s_where_it_is_installed(self):
        tqdm = mock.Mock()
        with mock.patch("edgetape.progress.import_module", return_value=tqdm):
            with Progress(1, 10, True, io.StringIO()) as bar:
                bar.moved(10)
        tqdm.tqdm.return_value.update.assert_called_once_with(10)
        tqdm.tqdm.return_value.close.assert_called_once_with()


if __name__ == "__main__":
    unittest.main()
