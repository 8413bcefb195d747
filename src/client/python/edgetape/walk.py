"""A walk through the orders of one security on one day, page after page, that survives its lines.

The walk continues by the cursor of the deployment that made it. When another one answers, or the cursor is
not known any more, it continues by position (`position.py`): by a cursor without a date, and where that is
not taken by a time window that begins at the millisecond. A day that changed meanwhile is read anew, once.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from .envelope import Answer
from .errors import BadRequest, DataRebuilt, ProtocolError, RebuildWarning, ServiceError
from .lines import Payload
from .page import Page, Row, parse_page
from .position import BEGINNING, Position, moved
from .selection import Selection

#: How a walk calls: an interface's name and a payload for each base address; gives any answer.
Call = Callable[[str, Callable[[str], Payload]], Answer]

#: Cursors that a deployment does not know; what is asked for is fine.
_UNKNOWN_CURSOR = ("cursor_invalid", "cursor_old_format")

#: Refused cursors in a row, without a row between them, before the walk gives up.
_MOST_FALLBACKS = 4

#: What the service gives at most.
MOST_ROWS = 10_000

#: A walk needs it to continue elsewhere, whatever columns were asked for.
_HELPER = "time"


class Rows(NamedTuple):
    """Rows that were not there before."""

    fields: List[str]
    rows: List[Row]
    begins_anew: bool
    """They are the first ones again: the day was rebuilt, and earlier rows are of its former content."""


class _Way(NamedTuple):
    """How one request continues, and which rows it must repeat first."""

    params: Dict[str, Any]
    kind: str
    """``cursor``, ``undated`` or ``window``."""
    unseen: int
    """Rows before the overlap that were read, but are not kept."""
    overlap: List[Row]


class Walk:
    """The state of one walk; `next_rows` until it gives None. An error leaves the walk where it was.

    Parameters
    ----------
    call : Call
    selection : Selection
    page_size : int
        Rows of a page, 1 to 10,000.
    compares : bool
        Whether there are several lines, so that their day must be compared after a switch.
    """

    def __init__(self, call: Call, selection: Selection, page_size: int, compares: bool) -> None:
        self._call = call
        self._selection = selection
        self._page_size = page_size
        self._compares = compares
        wanted = selection.fields
        self._asked = wanted if wanted is None or _HELPER in wanted else [*wanted, _HELPER]
        self.tradedate = selection.tradedate
        self.restarts = 0
        self._begins_anew = False
        self._begin()

    def _begin(self) -> None:
        self.is_complete = False
        self.revision: Optional[int] = None
        self._position: Position = BEGINNING
        self._next: Optional[_Way] = None
        self._line: Optional[str] = None
        self._fallback = "undated"
        self._fallbacks = 0
        self._cursors: Set[str] = set()
        self._revisions: Dict[str, int] = {}
        self._days: Dict[str, Optional[Tuple[int, int]]] = {}

    def next_rows(self) -> Optional[Rows]:
        """The rows of the next page (perhaps none), or None after the last one.

        Raises
        ------
        ServiceError
            For a refusal. Calling again continues at the same place.
        DataRebuilt
            When the day changed once more after the walk began anew.
        """
        if self.is_complete:
            return None
        while True:
            try:
                page = self._fetch()
            except _Changed as change:
                self._restart(change)
                continue
            begins_anew, self._begins_anew = self._begins_anew, False
            return Rows(page.fields, page.rows, begins_anew)

    def _fetch(self) -> Page:
        """One page, without what was read before."""
        way = self._way_on("")

        def payload_for(base_url: str) -> Payload:
            nonlocal way
            way = self._way_on(base_url)
            # What is read twice comes on top, so that every answer leads on.
            page_size = min(MOST_ROWS, self._page_size + len(way.overlap) + way.unseen)
            return self._payload({**way.params, "page_size": page_size})

        answer = self._call("level2_order_history", payload_for)
        not_before = "" if way.overlap or way.unseen else self._position.last_time
        try:
            page = parse_page(answer, self._asked, not_before)
        except BadRequest as refusal:
            if refusal.reason == "data_rebuilt":
                raise _Changed(str(refusal), refusal) from refusal
            if refusal.reason not in _UNKNOWN_CURSOR or not self._forget_cursor(way.kind):
                raise
            return self._fetch()
        self._same_day(answer, page)
        return self._advance(answer.base_url, way, page)

    def _way_on(self, base_url: str) -> _Way:
        if self._next is not None and self._line == base_url:
            return self._next
        params = {**self._selection.params()}
        if self.tradedate is not None:
            params["tradedate"] = self.tradedate
        position = self._position
        if not position.overlap:
            return _Way(params, "cursor", 0, [])
        if self._fallback == "undated":
            params["cursor"] = position.undated_cursor
            return _Way(params, "undated", 0, position.overlap)
        params["start_time"] = position.time
        return _Way(params, "window", position.skip, position.overlap)

    def _forget_cursor(self, kind: str) -> bool:
        """Chooses the next way to continue after a cursor was refused; False when there is none."""
        self._fallbacks += 1
        if not self._position.overlap or kind == "window" or self._fallbacks > _MOST_FALLBACKS:
            return False
        self._next = None
        self._fallback = "undated" if kind == "cursor" else "window"
        return True

    def _same_day(self, answer: Answer, page: Page) -> None:
        """Refuses a page of another content of the day than the rows read so far."""
        base_url = answer.base_url
        if self.tradedate not in (None, page.tradedate):
            raise ProtocolError(f"{base_url} answered for {page.tradedate} instead of {self.tradedate}")
        self.tradedate = page.tradedate
        if page.revision is not None:
            known = self._revisions.setdefault(base_url, page.revision)
            if known != page.revision:
                raise _Changed(f"{base_url} now serves revision {page.revision} of {page.tradedate}")
        if self._compares and (page.next_cursor is not None or self._line not in (None, base_url)):
            self._compare_days(base_url)

    def _compare_days(self, base_url: str) -> None:
        """Compares what two lines hold of the day: rows, and bytes of their Parquet file. Costs no quota."""
        if base_url in self._days:
            return
        params = {"symbol": self._selection.symbol, "tradedate": self.tradedate}
        answer = self._call("order_history_estimate", lambda _: {"params": params})
        self._days.setdefault(base_url, None)
        revision = self._revisions.get(answer.base_url, answer.revision)
        if answer.revision is not None and answer.revision != revision:
            raise _Changed(f"{answer.base_url} now serves revision {answer.revision} of {self.tradedate}")
        try:
            estimate = answer.served()
            # Of a whole day both bounds are the same number.
            day = (estimate["rows"]["at_most"], estimate["parquet_bytes"])
        except (ServiceError, KeyError, TypeError):
            return  # A deployment without this operation: the overlap alone has to tell.
        self._days[answer.base_url] = day
        others = {each for each in self._days.values() if each is not None}
        if len(others) > 1:
            raise _Changed(f"{answer.base_url} holds {self.tradedate} with another content")

    def _advance(self, base_url: str, way: _Way, page: Page) -> Page:
        rows, times, unseen, overlap = page.rows, page.times, way.unseen, way.overlap
        passed = min(unseen, len(rows))
        rows, times, unseen = rows[passed:], times[passed:], unseen - passed
        repeated = min(len(overlap), len(rows))
        is_over = page.next_cursor is None
        if rows[:repeated] != overlap[:repeated] or (is_over and (unseen or repeated < len(overlap))):
            raise _Changed(f"{base_url} holds other orders of {page.tradedate} than were read before")
        rows, times, overlap = rows[repeated:], times[repeated:], overlap[repeated:]
        self._line = base_url
        if way.kind != "cursor":
            self._cursors = set()  # What is read twice may lead to the same place twice.
        if page.next_cursor is not None:
            if page.next_cursor in self._cursors:
                raise ProtocolError(f"{base_url} gave the same cursor twice, which would never end")
            self._cursors.add(page.next_cursor)
            params = {**way.params, "tradedate": page.tradedate, "cursor": page.next_cursor}
            self._next = _Way(params, "cursor", unseen, overlap)
        self._position = moved(self._position, rows, times)
        self._fallback = "undated"
        self._fallbacks = 0 if rows else self._fallbacks
        self.revision = page.revision
        self.is_complete = is_over
        return page._replace(fields=self._shown(page.fields), rows=self._stripped(rows), times=times)

    def _shown(self, fields: List[str]) -> List[str]:
        return fields if self._asked == self._selection.fields else fields[:-1]

    def _stripped(self, rows: List[Row]) -> List[Row]:
        return rows if self._asked == self._selection.fields else [row[:-1] for row in rows]

    def _restart(self, change: "_Changed") -> None:
        if self.restarts > 0:
            refusal = change.refusal
            raise DataRebuilt(
                f"the day changed again while it was read anew: {change}",
                code=422,
                reason="data_rebuilt",
                request_id=None if refusal is None else refusal.request_id,
            ) from change
        self.restarts += 1
        self._begins_anew = True
        self._begin()
        what = f"{self._selection.symbol} of {self.tradedate}"
        told = f"{what} changed while it was read, beginning anew: {change}"
        warnings.warn(told, RebuildWarning, stacklevel=2)

    def _payload(self, params: Dict[str, Any]) -> Payload:
        return {"params": params} if self._asked is None else {"params": params, "fields": self._asked}


class _Changed(Exception):
    """The day is another one than the rows read so far are of."""

    def __init__(self, what: str, refusal: Optional[ServiceError] = None) -> None:
        super().__init__(what)
        self.refusal = refusal
