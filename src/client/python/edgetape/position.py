"""Where a walk stands, in terms that every deployment understands: a time, and rows of that millisecond.

A cursor belongs to the deployment that made it. Another one is asked for the rows from a place a little
before the last row read, and what comes twice must be the same twice.
"""

from __future__ import annotations

from typing import List, NamedTuple, Sequence

from .page import Row

#: Rows that are read once more, and compared, when another deployment continues.
MOST_OVERLAP = 64


class Position(NamedTuple):
    """Before the row of `time` that has `skip` rows of its millisecond before it; `overlap` follows."""

    time: str
    skip: int
    overlap: List[Row]
    times: List[str]
    """Of the rows in `overlap`."""

    @property
    def last_time(self) -> str:
        """The time of the last row read; the empty text before any."""
        return self.times[-1] if self.times else ""

    @property
    def undated_cursor(self) -> str:
        """The cursor without a date for this place."""
        return f"v2.{self.time}-{self.skip}"


#: Before the first row.
BEGINNING = Position("", 0, [], [])


def moved(position: Position, rows: Sequence[Row], times: Sequence[str]) -> Position:
    """The position after `rows` were read as well."""
    known_rows = [*position.overlap, *rows]
    known_times = [*position.times, *times]
    first = max(0, len(known_rows) - MOST_OVERLAP)
    if not known_rows:
        return position
    time = known_times[first]
    before = first
    while before > 0 and known_times[before - 1] == time:
        before -= 1
    skip = first - before
    if before == 0 and known_times[0] == position.time:
        # The millisecond began before what is known: those rows were counted when they were let go.
        skip += position.skip
    return Position(time, skip, known_rows[first:], known_times[first:])
