"""Tests journals and the display of progress."""

import contextlib
import io
import sys
import unittest
from unittest import mock

from edgetape.disk import Journal
from edgetape.progress import Progress, is_watched
from fake_drive import InFolder


def without_tqdm():
    return mock.patch("edgetape.progress.import_module", side_effect=ImportError)


@contextlib.contextmanager
def clock():
    """Replaces the clock with one that advances only when the yielded function is called."""
    now = [1_000.0]

    def wait(seconds):
        now[0] += seconds

    with mock.patch("edgetape.progress.time.monotonic", lambda: now[0]):
        yield wait


class Journals(InFolder):
    def test_return_the_last_entry_of_a_name(self):
        journal = Journal(self.path("j"))
        journal.put("a", {"x": 1})
        journal.put("a", {"x": 2})
        self.assertEqual(journal.get("a"), {"x": 2})
        self.assertEqual(Journal(self.path("j")).get("a"), {"x": 2})
        self.assertIsNone(Journal(self.path("j")).get("b"))

    def test_skip_a_truncated_line_and_append_after_it(self):
        Journal(self.path("j")).put("a", {"x": 1})
        with open(self.path("j"), "a") as file:
            file.write('{"name": "b", "x"')
        Journal(self.path("j")).put("c", {"x": 3})
        again = Journal(self.path("j"))
        self.assertEqual([again.get(name) for name in "abc"], [{"x": 1}, None, {"x": 3}])

    def test_remove_outdated_lines(self):
        journal = Journal(self.path("j"))
        for number in range(400):
            journal.put("a", {"x": number})
        Journal(self.path("j"))
        with open(self.path("j")) as file:
            self.assertEqual(len(file.readlines()), 1)
        self.assertEqual(Journal(self.path("j")).get("a"), {"x": 399})


class ProgressLines(unittest.TestCase):
    def test_are_shown_only_on_a_terminal(self):
        quiet, shown = io.StringIO(), io.StringIO()
        for stream, shows in ((quiet, None), (shown, True)):
            with mock.patch("edgetape.progress.import_module", side_effect=ImportError):
                with Progress(2, 2_000, shows, stream) as bar:
                    bar.moved(1_500)
                    bar.finished()
        self.assertEqual(quiet.getvalue(), "")
        self.assertIn("1 of 2 files, 1.5 kB of 2.0 kB", shown.getvalue())

    def test_use_tqdm_if_it_is_installed(self):
        tqdm = mock.Mock()
        with mock.patch("edgetape.progress.import_module", return_value=tqdm):
            with Progress(1, 10, True, io.StringIO()) as bar:
                bar.moved(10)
        tqdm.tqdm.return_value.update.assert_called_once_with(10)
        tqdm.tqdm.return_value.close.assert_called_once_with()


class Notebooks(unittest.TestCase):
    def test_show_progress(self):
        with mock.patch.dict("sys.modules"):
            sys.modules.pop("ipykernel", None)
            self.assertFalse(is_watched(io.StringIO()))
            sys.modules["ipykernel"] = mock.Mock()
            self.assertTrue(is_watched(io.StringIO()))

    def test_show_no_progress_of_work_shorter_than_two_seconds(self):
        shown = io.StringIO()
        with mock.patch("edgetape.progress.is_watched", return_value=True), without_tqdm(), clock() as wait:
            with Progress(3, stream=shown) as bar:
                bar.finished()
                self.assertEqual(shown.getvalue(), "")
                wait(2.5)
                bar.finished()
        self.assertEqual(shown.getvalue().split("\r")[1].strip(), "2 of 3 files")


class Counts(unittest.TestCase):
    def shown(self, count, *steps, **named):
        shown = io.StringIO()
        with without_tqdm(), Progress(count, 0, True, shown, **named) as bar:
            for step in steps:
                bar.finished(step)
        return shown.getvalue()

    def test_are_shown_without_a_total_if_it_is_unknown(self):
        self.assertIn("20,000 rows", self.shown(None, 10_000, 10_000, noun="rows"))

    def test_inside_another_bar_are_not_shown(self):
        with mock.patch("edgetape.progress.is_watched", return_value=True):
            with Progress(1, 0, True, io.StringIO()):
                self.assertEqual(self.shown(1, 1), "")
        self.assertIn("1 of 1 files", self.shown(1, 1))

    def test_become_bytes_once_the_size_is_known(self):
        shown = io.StringIO()
        with without_tqdm(), Progress(1, 0, True, shown) as bar:
            bar.expect(2_000)
            bar.moved(500)
        self.assertIn("500 B of 2.0 kB", shown.getvalue())
