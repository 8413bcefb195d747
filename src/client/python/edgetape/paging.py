"""Pages through the rows of one security on one day, and continues when connections break.

Paging continues with the last cursor while the deployment that issued it answers. When another deployment answers, or
the cursor is no longer accepted, paging continues by position. A position is a time and the number of earlier rows in
that millisecond; it is valid on every deployment. For orders, it is sent as a cursor without a date. For other
datasets, or when that cursor is refused, it is sent as a time window that begins at the millisecond. The last rows
before the interruption are read again and compared. A day that has changed is read again from its first row, once.

All mutable data is in one `State`, which a single assignment replaces. An interrupt therefore never leaves a state in
which a page is only partly read.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from .calls import Answer, Payload
from .datasets import KINDS, ORDERS
from .errors import BadRequest, DataRebuilt, ProtocolError, RebuildWarning, ServiceError
from .selection import Selection

#: One row; its values are in the order of `fields`.
Row = Tuple[Union[str, int, float], ...]


class Page(NamedTuple):
    """One page of rows."""

    fields: List[str]
    rows: List[Row]
    tradedate: str
    next_cursor: Optional[str]
    revision: Optional[int]
    times: List[str]
    """The time of each row, HHMMSSmmm, in ascending order."""


def parse_page(answer: Answer, asked: Optional[Sequence[str]], not_before: str) -> Page:
    """Returns the page in an answer. `asked` are the requested columns; `not_before` is the time of the last row read.

    Raises the refusal, and `ProtocolError` when the answer is not a page, has different columns or rows out of time
    order, or announces more rows without a cursor."""
    data = answer.served()
    try:
        fields, items = data["fields"], data["items"]
        day, cursor, has_more = data["tradedate"], data["next_cursor"], data["has_more"]
        place = fields.index("time")
        if set(map(len, items)) - {len(fields)}:
            raise ValueError("rows that are not as long as the list of columns")
        columns = [_typed(name, values) for name, values in zip(fields, zip(*items))]
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise _wrong(answer, f"a member is missing or invalid: {error!r}") from error
    if asked is not None and list(asked) != fields:
        raise _wrong(answer, f"the columns are {fields} instead of {list(asked)}")
    rows: List[Row] = list(zip(*columns))
    times: List[Any] = list(columns[place]) if rows else []
    if not _ascend(times, not_before):
        raise _wrong(answer, "the rows are not in time order")
    if has_more and (not isinstance(cursor, str) or not rows):
        raise _wrong(answer, "it announces more rows, but has no cursor or no row")
    return Page(fields, rows, day, cursor if has_more else None, answer.revision, times)


def _typed(name: str, values: Sequence[Any]) -> Sequence[Any]:
    """Converts prices and amounts to floats, because JSON writes 1500 yuan as an integer."""
    return tuple(map(float, values)) if KINDS.get(name) == "yuan" else values


def _ascend(times: List[Any], not_before: str) -> bool:
    if not all(isinstance(time, str) for time in times):
        return False
    return not times or (not_before <= times[0] and all(map(str.__le__, times, times[1:])))


def _wrong(answer: Answer, what: str) -> ProtocolError:
    error = ProtocolError(f"{answer.base_url} sent an invalid page: {what} [{answer.request_id}]")
    error.request_id = answer.request_id
    return error


#: Maximum number of rows that are read again and compared when paging continues by position.
MOST_OVERLAP = 64


class Position(NamedTuple):
    """A position between two rows: after the first `skip` rows of the millisecond `time`. `overlap` holds the rows read
    after the position.
    """

    time: str
    skip: int
    overlap: List[Row]
    times: List[str]
    """The times of the rows in `overlap`."""

    @property
    def last_time(self) -> str:
        """The time of the last row that was read; the empty text before the first row."""
        return self.times[-1] if self.times else ""

    @property
    def undated_cursor(self) -> str:
        """The undated cursor for this position."""
        return f"v2.{self.time}-{self.skip}"


#: The position before the first row.
BEGINNING = Position("", 0, [], [])


def moved(position: Position, rows: Sequence[Row], times: Sequence[str]) -> Position:
    """Returns the new position after reading `rows`, which follow the rows of `position`."""
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
        # Rows of this millisecond precede the known rows; `position.skip` counts them.
        skip += position.skip
    return Position(time, skip, known_rows[first:], known_times[first:])


#: Sends a request. Takes the interface's name and a function that returns the payload for a base URL; returns any
#: answer.
Call = Callable[[str, Callable[[str], Payload]], Answer]

#: Reasons for refusing a cursor that the deployment did not issue. The rest of the request is valid.
_UNKNOWN_CURSOR = ("cursor_invalid", "cursor_old_format")

#: Paging gives up after this many refused cursors without a new row between them.
_MOST_FALLBACKS = 4

#: Largest page that the service sends, in rows.
MOST_ROWS = 10_000

#: Always requested, because paging needs it to continue on another deployment.
_HELPER = "time"


class _Way(NamedTuple):
    """How one request continues, and which rows its answer must repeat first."""

    params: Dict[str, Any]
    kind: str
    """``cursor``, ``undated`` or ``window``."""
    unseen: int
    """Number of rows that the answer repeats before `overlap`. They are skipped without a comparison."""
    overlap: List[Row]


class State(NamedTuple):
    """The rows read and how paging continues. The containers `kept` and `cursors` only grow; `row_count` and `pages`
    say which of their entries are valid. Nothing else is changed in place."""

    tradedate: Optional[str]
    kept: List[Row]
    """The rows read; those after `row_count` belong to an interrupted page and do not count."""
    cursors: Dict[str, int]
    """Cursors received, each with the number of pages before it. Cursors with `pages` or more before them do not count.
    """
    row_count: int = 0
    pages: int = 0
    fields: Optional[List[str]] = None
    is_complete: bool = False
    revision: Optional[int] = None
    build: Optional[str] = None
    position: Position = BEGINNING
    next: Optional[_Way] = None
    base_url: Optional[str] = None
    fallback: str = "undated"
    fallbacks: int = 0
    restarts: int = 0
    superseded: Optional[List[Row]] = None
    """The rows of the day's previous content; None before reading has restarted."""


class Paging:
    """Reads pages of at most `page_size` rows (1 to 10,000) with `next_rows` until it returns None. An error or
    interrupt loses nothing: the next call continues at the same place."""

    def __init__(self, call: Call, selection: Selection, page_size: int) -> None:
        self._call = call
        self._selection = selection
        self._page_size = page_size
        wanted = selection.fields
        self._asked = wanted if wanted is None or _HELPER in wanted else [*wanted, _HELPER]
        self.state = State(selection.tradedate, [], {})

    def next_rows(self) -> Optional[List[Row]]:
        """Returns the new rows of the next page (perhaps none), or None after the last page. After a rebuild of the
        day, returns its first rows again and sets `state.restarts` to 1.

        Raises the refusal, and `DataRebuilt` when the day changed again after reading had restarted."""
        state = self.state
        if state.is_complete:
            return None
        while True:
            try:
                state, page = self._fetch(state)
                break
            except _Changed as change:
                state = self._restarted(state, change)
        del state.kept[state.row_count :]
        state.kept.extend(page.rows)
        self.state = state._replace(row_count=state.row_count + len(page.rows), fields=page.fields)
        return page.rows

    def _fetch(self, state: State) -> Tuple[State, Page]:
        """Fetches one page. Returns the state after this page, and the page's new rows."""
        way = self._way_on(state, "")

        def payload_for(base_url: str) -> Payload:
            nonlocal way
            way = self._way_on(state, base_url)
            # The page size is increased by the number of repeated rows, so that every answer has new rows.
            page_size = min(MOST_ROWS, self._page_size + len(way.overlap) + way.unseen)
            return self._payload({**way.params, "page_size": page_size})

        while True:
            answer = self._call(self._selection.dataset.interface, payload_for)
            not_before = "" if way.overlap or way.unseen else state.position.last_time
            try:
                page = parse_page(answer, self._asked, not_before)
                break
            except BadRequest as refusal:
                if refusal.reason == "data_rebuilt":
                    raise _Changed(str(refusal), refusal) from refusal
                if refusal.reason not in _UNKNOWN_CURSOR or not _has_fallback(state, way.kind):
                    raise
                fallback = "undated" if way.kind == "cursor" else "window"
                state = state._replace(next=None, fallback=fallback, fallbacks=state.fallbacks + 1)
        state = _same_day(state, answer, page)
        return self._advanced(state, answer.base_url, way, page)

    def _way_on(self, state: State, base_url: str) -> _Way:
        if state.next is not None and state.base_url == base_url:
            return state.next
        params = {**self._selection.params()}
        if state.tradedate is not None:
            params["tradedate"] = state.tradedate
        position = state.position
        if not position.overlap:
            return _Way(params, "cursor", 0, [])
        # Only orders have undated cursors.
        if state.fallback == "undated" and self._selection.dataset.name == ORDERS.name:
            params["cursor"] = position.undated_cursor
            return _Way(params, "undated", 0, position.overlap)
        params["start_time"] = position.time
        return _Way(params, "window", position.skip, position.overlap)

    def _advanced(self, state: State, base_url: str, way: _Way, page: Page) -> Tuple[State, Page]:
        rows, times, unseen, overlap = page.rows, page.times, way.unseen, way.overlap
        passed = min(unseen, len(rows))
        rows, times, unseen = rows[passed:], times[passed:], unseen - passed
        repeated = min(len(overlap), len(rows))
        is_over = page.next_cursor is None
        if rows[:repeated] != overlap[:repeated] or (is_over and (unseen or repeated < len(overlap))):
            name = self._selection.dataset.name
            raise _Changed(f"{base_url} now has different {name} of {page.tradedate} from those read before")
        rows, times, overlap = rows[repeated:], times[repeated:], overlap[repeated:]
        # After a fallback, the service may return earlier cursors again, so only cursors received since then count.
        cursors = state.cursors if way.kind == "cursor" else {}
        following: Optional[_Way] = None
        if page.next_cursor is not None:
            if cursors.get(page.next_cursor, state.pages) < state.pages:
                raise ProtocolError(f"{base_url} returned the same cursor twice, so paging would never end")
            cursors[page.next_cursor] = state.pages
            params = {**way.params, "tradedate": page.tradedate, "cursor": page.next_cursor}
            following = _Way(params, "cursor", unseen, overlap)
        advanced = state._replace(
            cursors=cursors,
            pages=state.pages + 1,
            is_complete=is_over,
            revision=page.revision,
            position=moved(state.position, rows, times),
            next=following,
            base_url=base_url,
            fallback="undated",
            fallbacks=0 if rows else state.fallbacks,
        )
        return advanced, page._replace(
            fields=self._shown(page.fields), rows=self._stripped(rows), times=times
        )

    def _shown(self, fields: List[str]) -> List[str]:
        return fields if self._asked == self._selection.fields else fields[:-1]

    def _stripped(self, rows: List[Row]) -> List[Row]:
        return rows if self._asked == self._selection.fields else [row[:-1] for row in rows]

    def _restarted(self, state: State, change: "_Changed") -> State:
        """Returns the state before the first row. Raises `DataRebuilt` if reading has restarted before."""
        if state.restarts > 0:
            refusal = change.refusal
            raise DataRebuilt(
                f"the day changed again after reading had restarted, so read it again later: {change}",
                code=422,
                reason="data_rebuilt",
                request_id=None if refusal is None else refusal.request_id,
            ) from change
        what = f"{self._selection.dataset.name} of {self._selection.symbol} of {state.tradedate}"
        told = f"{what} changed during reading, which restarts at the first row: {change}"
        warnings.warn(told, RebuildWarning, stacklevel=3)
        superseded = state.kept[: state.row_count]
        return State(state.tradedate, [], {}, restarts=1, superseded=superseded)

    def _payload(self, params: Dict[str, Any]) -> Payload:
        return {"params": params} if self._asked is None else {"params": params, "fields": self._asked}


def _has_fallback(state: State, kind: str) -> bool:
    """Returns whether another way to continue remains after a cursor of this kind was refused."""
    return bool(state.position.overlap) and kind != "window" and state.fallbacks < _MOST_FALLBACKS


def _same_day(state: State, answer: Answer, page: Page) -> State:
    """Returns the state with the page's day and build. Refuses a page whose content differs from the rows read so far.

    Pages with equal build ids have the same content. A proxy can drop the build id, and an older service sends none. In
    these cases revisions are compared, but only if both are from the same base URL.
    """
    base_url, former = answer.base_url, state.base_url
    if state.tradedate not in (None, page.tradedate):
        raise ProtocolError(f"{base_url} answered for {page.tradedate} instead of {state.tradedate}")
    if former is not None and state.build and answer.build:
        if state.build != answer.build:
            raise _Changed(f"{base_url} serves build {answer.build} of {page.tradedate}, not {state.build}")
    elif former not in (None, base_url):
        raise _Changed(f"{base_url} may serve a different build of {page.tradedate}: the build id is missing")
    elif (
        former is not None and None not in (state.revision, page.revision) and state.revision != page.revision
    ):
        raise _Changed(f"{base_url} now serves revision {page.revision} of {page.tradedate}")
    return state._replace(tradedate=page.tradedate, build=answer.build or state.build)


class _Changed(Exception):
    """The day's content has changed since the first rows were read."""

    def __init__(self, what: str, refusal: Optional[ServiceError] = None) -> None:
        super().__init__(what)
        self.refusal = refusal
