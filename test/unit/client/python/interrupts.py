"""Raises an interrupt before a chosen line of the package, as Ctrl-C can at any moment."""

import os
import sys

import edgetape

PACKAGE = os.path.dirname(os.path.abspath(edgetape.__file__)) + os.sep


class Interrupts:
    """Counts the lines of `modules` that run in this thread, and raises KeyboardInterrupt before line `at`.

    Parameters
    ----------
    modules : sequence of str
        Names of the package's files. If empty, all of them.
    at : int, optional
        Index of the line, from 0. If None, the lines are only counted.
    """

    def __init__(self, modules=(), at=None):
        self.lines = 0
        self.places = []
        self.hit = None
        self._files = {f"{PACKAGE}{name}.py" for name in modules}
        self._at = at

    def __enter__(self):
        sys.settrace(self._called)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def _called(self, frame, event, _):
        path = frame.f_code.co_filename
        if path in self._files or (not self._files and path.startswith(PACKAGE)):
            return self._traced
        return None

    def _traced(self, frame, event, _):
        if event == "line":
            place = self.lines
            self.lines += 1
            if self._at is None:
                self.places.append((os.path.basename(frame.f_code.co_filename), frame.f_lineno))
            if place == self._at:
                self.hit = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
                sys.settrace(None)
                raise KeyboardInterrupt(self.hit)
        return self._traced


def places_of(work, modules=(), most=2):
    """Runs `work` once and returns the indices, from 0, of the lines in the order in which they ran. A source line that
    ran more than once has one index for each of its first `most` runs and one for its last run."""
    with Interrupts(modules) as counted:
        work()
    by_line = {}
    for place, line in enumerate(counted.places):
        by_line.setdefault(line, []).append(place)
    return sorted({place for found in by_line.values() for place in (*found[:most], found[-1])})
