"""One page of orders as the service sends it, checked before anybody sees a row of it."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

from .envelope import Answer
from .errors import ProtocolError

#: One order; the values stand as `fields` names them.
Row = Tuple[Union[str, int, float], ...]


class Page(NamedTuple):
    """A page."""

    fields: List[str]
    rows: List[Row]
    tradedate: str
    next_cursor: Optional[str]
    revision: Optional[int]
    times: List[str]
    """The time of every row, HHMMSSmmm, ascending."""


def parse_page(answer: Answer, asked: Optional[Sequence[str]], not_before: str) -> Page:
    """The page in a served answer; `asked` are the columns asked for, `not_before` the last time seen.

    Raises
    ------
    ServiceError
        When it was refused.
    ProtocolError
        When it is no page, has other columns, goes back in time, or promises more without saying where.
    """
    data = answer.served()
    try:
        fields, items = data["fields"], data["items"]
        day, cursor, has_more = data["tradedate"], data["next_cursor"], data["has_more"]
        place = fields.index("time")
        if set(map(len, items)) - {len(fields)}:
            raise ValueError("rows that are not as long as the list of columns")
        columns = [_typed(name, values) for name, values in zip(fields, zip(*items))]
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise _wrong(answer, f"it lacks something or holds what it should not: {error!r}") from error
    if asked is not None and list(asked) != fields:
        raise _wrong(answer, f"the columns are {fields} instead of {list(asked)}")
    rows: List[Row] = list(zip(*columns))
    times: List[Any] = list(columns[place]) if rows else []
    if not _ascend(times, not_before):
        raise _wrong(answer, "the rows are not in the order of time")
    if has_more and (not isinstance(cursor, str) or not rows):
        raise _wrong(answer, "there is more, but no cursor or no row leads there")
    return Page(fields, rows, day, cursor if has_more else None, answer.revision, times)


def _typed(name: str, values: Sequence[Any]) -> Sequence[Any]:
    """Prices and amounts as the doubles they are: JSON writes 1500 yuan as an integer, and 2^60 too."""
    return tuple(map(float, values)) if name in ("price", "amount") else values


def _ascend(times: List[Any], not_before: str) -> bool:
    if not all(isinstance(time, str) for time in times):
        return False
    return not times or (not_before <= times[0] and all(map(str.__le__, times, times[1:])))


def _wrong(answer: Answer, what: str) -> ProtocolError:
    error = ProtocolError(f"{answer.base_url} sent a wrong page: {what} [{answer.request_id}]")
    error.request_id = answer.request_id
    return error
