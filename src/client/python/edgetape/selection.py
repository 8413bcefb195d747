"""Converts a caller's dates, times of day, symbols and fields to the API's forms."""

from __future__ import annotations

import datetime
import re
import warnings
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from .datasets import ORDERS, Dataset
from .errors import SymbolWarning

DateLike = Union[str, datetime.date]
TimeLike = Union[str, datetime.time]
Fields = Union[str, Sequence[str]]

_SUFFIXES = {
    "SH": "SH", "SS": "SH", "SSE": "SH", "XSHG": "SH",
    "SZ": "SZ", "SZSE": "SZ", "XSHE": "SZ",
}  # fmt: skip


def tradedate(value: DateLike) -> str:
    """Returns a day as ``YYYYMMDD``, from ``"20260311"``, ``"2026-03-11"``, a date, or a datetime (its own day,
    whatever its time zone). Raises `ValueError` for an invalid date, `TypeError` for anything else, numbers
    included."""
    if isinstance(value, datetime.date):
        return f"{value.year:04}{value.month:02}{value.day:02}"
    if not isinstance(value, str):
        raise TypeError(f"a date is a string like '20260311' or a datetime.date, not {value!r}")
    text = value.strip()
    match = re.fullmatch(r"(\d{4})(-?)(\d{2})\2(\d{2})", text, re.ASCII)
    if match is None:
        raise ValueError(f"{value!r} is not a date: write YYYYMMDD or YYYY-MM-DD")
    year, _, month, day = match.groups()
    try:
        datetime.date(int(year), int(month), int(day))
    except ValueError as error:
        raise ValueError(f"{value!r} is not a date: {error}") from None
    return year + month + day


def days_between(first: DateLike, last: DateLike) -> Tuple[str, str]:
    """Returns both ends of a range of days as ``YYYYMMDD``. Raises `ValueError` when the first is after the last."""
    ends = tradedate(first), tradedate(last)
    if ends[0] > ends[1]:
        raise ValueError(f"the first day {ends[0]} is after the last day {ends[1]}")
    return ends


def month_of(value: Optional[DateLike]) -> Optional[str]:
    """Returns a month as ``YYYYMM``, from ``"202603"``, ``"2026-03"`` or any day of the month; None for None."""
    if isinstance(value, str) and re.fullmatch(r"\d{4}-?\d{2}", value.strip(), re.ASCII):
        return value.strip().replace("-", "")
    return None if value is None else tradedate(value)[:6]


def time_of_day(value: Optional[TimeLike]) -> Optional[str]:
    """Returns a time of day for the API: a string unchanged, a `datetime.time` as ``HHMMSSmmm``. Raises `ValueError`
    for a time that is finer than a millisecond. Raises `TypeError` for any other type, because a number loses its
    leading zero."""
    if isinstance(value, datetime.time):
        if value.microsecond % 1000:
            raise ValueError(f"{value} is finer than a millisecond")
        return f"{value.hour:02}{value.minute:02}{value.second:02}{value.microsecond // 1000:03}"
    if value is not None and not isinstance(value, str):
        raise TypeError(f"a time is a string like '09:30' or a datetime.time, not {value!r}")
    return value


def symbol(value: str) -> str:
    """Returns a symbol as the caller wrote it. Raises `TypeError` for a number: 000001 would have become 1."""
    if not isinstance(value, str):
        raise TypeError(f"a symbol is a string like '000001', not {value!r}: a number loses its leading zeros")
    return value.strip()


def security_code(value: str) -> str:
    """Returns the same spelling of a security for every form: ``600519.SH`` for ``sh600519`` and ``600519.XSHG``.

    Digits without an exchange, and text that the service would refuse, stay unchanged.
    """
    text = symbol(value).upper()
    match = re.fullmatch(r"(\d{6})\.([A-Z]+)", text, re.ASCII)
    if match is not None and match.group(2) in _SUFFIXES:
        return f"{match.group(1)}.{_SUFFIXES[match.group(2)]}"
    match = re.fullmatch(r"(SH|SZ)(\d{6})", text, re.ASCII)
    return f"{match.group(2)}.{match.group(1)}" if match is not None else text


def can_mean(digits: str, code: str) -> bool:
    """Returns whether six digits without an exchange can mean the security `code`, such as ``600519.SH``. As in the
    service, they never mean an index in Shanghai (000...SH)."""
    return code[:6] == digits and not (code.startswith("000") and code.endswith(".SH"))


def check_alike(codes: Iterable[str], stacklevel: int) -> None:
    """Checks for different codes with the same six digits, whose rows would have the same ``symbol``.

    Raises
    ------
    ValueError
        For the same digits with and without an exchange. Both can mean the same security, whose rows would then be read
        twice.

    Warns
    -----
    SymbolWarning
        For the same digits at both exchanges.
    """
    groups: Dict[str, List[str]] = {}
    for code in sorted(set(codes)):
        groups.setdefault(code[:6], []).append(code)
    alike = [group for group in groups.values() if len(group) > 1]
    for group in alike:
        if group[0] == group[0][:6]:
            raise ValueError(f"{' and '.join(group)} can be the same security: write each with its exchange")
    if alike:
        others = f", and so do {len(alike) - 1:,} other pairs" if len(alike) > 1 else ""
        told = f"{' and '.join(alike[0])} have the same value of the column symbol{others}: read them separately"
        warnings.warn(told, SymbolWarning, stacklevel=stacklevel + 1)


def field_names(value: Optional[Fields]) -> Optional[List[str]]:
    """Returns column names in the requested order without repeats; None (the standard fields) for an empty selection.
    """
    if value is None:
        return None
    names = value.split(",") if isinstance(value, str) else list(value)
    wanted = [name.strip() for name in names if name.strip()]
    return list(dict.fromkeys(wanted)) or None


class Selection(NamedTuple):
    """The rows of one security on one day, or in a time window of that day."""

    symbol: str
    tradedate: Optional[str]
    start: Optional[str]
    end: Optional[str]
    fields: Optional[List[str]]
    dataset: Dataset = ORDERS

    @property
    def is_whole_day(self) -> bool:
        """Whether the selection has no time window."""
        return self.start is None and self.end is None

    def params(self) -> Dict[str, Any]:
        """Returns the `params` of a request, without omitted parameters."""
        given = {
            "symbol": self.symbol,
            "tradedate": self.tradedate,
            "start_time": self.start,
            "end_time": self.end,
        }
        return {name: value for name, value in given.items() if value is not None}


def select(
    security: str,
    date: Optional[DateLike],
    start: Optional[TimeLike] = None,
    end: Optional[TimeLike] = None,
    fields: Optional[Fields] = None,
    dataset: Dataset = ORDERS,
) -> Selection:
    """Returns a selection after checking its types; the service checks its values."""
    return Selection(
        symbol(security),
        None if date is None else tradedate(date),
        time_of_day(start) or None,
        time_of_day(end) or None,
        field_names(fields),
        dataset,
    )
