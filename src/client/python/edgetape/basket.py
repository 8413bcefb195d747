"""The orders of several securities over a range of days, as one sequence: by day, then security, then time.

Days that are not loaded and securities without orders are left out and listed; finding them out costs nothing. Parts
that were read to their end are kept as packed columns, about a sixth of what their rows would take.
"""

from __future__ import annotations

import logging
import math
import sys
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import frame
from .enquiries import EMPTY, UNREADABLE
from .errors import BadRequest, NoData
from .frame import Block
from .paging import Row
from .parquet import PathLike
from .progress import Progress, is_watched
from .selection import Fields, TimeLike, security_code

if TYPE_CHECKING:
    import pandas
    import polars

    from .client import Client
    from .ticks import Orders

log = logging.getLogger("edgetape")

#: Parts that a plan asks estimates of; where there are more, it asks for some of them, evenly spread.
_MOST_ESTIMATES = 60

_INTERFACE = "level2_order_history"


class Plan(NamedTuple):
    """What it takes to read the rest of a basket; see `Basket.plan`. Nothing of it has been counted yet.

    Attributes
    ----------
    days : int
        Loaded days.
    security_days : int
        Securities times days that are still to be read.
    rows, requests : int
        Expected; exact up to 60 security days, beyond that extrapolated from 60 of them (`is_exact`).
    files : int
        Files, each of which is a request too, that `Client.sync` takes for the same days instead.
    is_exact : bool
    requests_left, files_left : int or None
        What is left of today's quota; None: unlimited.
    quota_days : int or None
        Days of quota that the requests take, today included; None when the plan allows none.
    """

    days: int
    security_days: int
    rows: int
    requests: int
    files: int
    is_exact: bool
    requests_left: Optional[int]
    files_left: Optional[int]
    quota_days: Optional[int]

    def __str__(self) -> str:
        """One line for people."""
        about = "" if self.is_exact else "about "
        left = (
            "unlimited requests"
            if self.requests_left is None
            else f"{self.requests_left:,} requests left today"
        )
        files = "" if self.files_left is None else f" ({self.files_left:,} left)"
        days = {None: "the plan allows no requests", 1: "done today"}.get(
            self.quota_days, f"takes {self.quota_days} days of quota"
        )
        return (
            f"{self.security_days:,} security days on {self.days:,} days: {about}{self.rows:,} rows in "
            f"{about}{self.requests:,} requests, {left}: {days}; sync takes {self.files:,} files instead{files}"
        )


class Basket:
    """Orders of several securities and days; made by `Client.orders` with a list, nothing is asked before the first
    use. What was read is kept: after an error (a used-up quota, a broken connection, Ctrl-C) the same call continues
    where it stopped, also on another day. For use by one thread at a time.

    Attributes
    ----------
    empty : list of (symbol, tradedate)
        Securities without orders on a day, found so far.
    missing : list of (tradedate, state)
        Trading days that cannot be read: pending, missing, withdrawn, damaged.
    window_from : str or None
        First day that the plan covers, when the range begins before it: earlier days are left out.

    Examples
    --------
    >>> basket = client.orders(["600519", "300750"], "20260105", "20260311")
    >>> print(basket.plan())
    >>> frame = basket.to_df()
    """

    def __init__(
        self,
        client: "Client",
        symbols: Sequence[str],
        first: str,
        last: str,
        start: Optional[TimeLike],
        end: Optional[TimeLike],
        fields: Optional[Fields],
        page_size: int,
    ) -> None:
        self._client = client
        self._symbols = list(dict.fromkeys(map(security_code, symbols)))
        self._range = (first, last)
        self._parts: Optional[List[_Part]] = None
        self._make: Dict[str, Any] = {"start": start, "end": end, "fields": fields, "page_size": page_size}
        self._days = 0
        self._is_announced = False
        self.empty: List[Tuple[str, str]] = []
        self.missing: List[Tuple[str, str]] = []
        self.window_from: Optional[str] = None
        for symbol in self._symbols:
            client.orders(symbol, first, **self._make)  # Checks all arguments before anything is asked.

    def __repr__(self) -> str:
        first, last = self._range
        done = "nothing read yet"
        if self._parts is not None:
            over = sum(part.is_over for part in self._parts)
            done = f"{over} of {len(self._parts)} security days read, {self.row_count:,} rows"
        return f"<Basket of {len(self._symbols)} securities, {first} to {last}: {done}>"

    @property
    def fields(self) -> List[str]:
        """Names of the columns; empty before the first page."""
        return next((part.fields for part in self._parts or () if part.fields), [])

    @property
    def row_count(self) -> int:
        """Rows read so far."""
        return sum(part.row_count for part in self._parts or ())

    @property
    def is_complete(self) -> bool:
        """Whether the last row was read."""
        return self._parts is not None and all(part.is_over for part in self._parts)

    def plan(self) -> Plan:
        """What reading the rest takes, what is left of the quota, and the days of quota that means. Counts nothing;
        calls ``data_status``, ``order_history_estimate`` and ``account_info``.

        Raises
        ------
        ServiceError, ConnectionFailed
            For a refusal, or when no base URL answers.
        """
        parts = [part for part in self._listed() if not part.is_over]
        asked = parts[:: max(1, math.ceil(len(parts) / _MOST_ESTIMATES))]
        rows = requests = files = 0
        with Progress(len(asked), 0, noun="estimates") as bar:
            for part in asked:
                found = self._estimate(part)
                rows, requests = rows + found[0], requests + found[1]
                files += found[1] > 0
                bar.finished()
        scale = len(parts) / len(asked) if asked else 1.0
        counters = self._counters()
        rows, requests, files = (math.ceil(each * scale) for each in (rows, requests, files))
        left, limit = counters["requests"]
        return Plan(
            days=self._days,
            security_days=len(parts),
            rows=rows,
            requests=requests,
            files=files,
            is_exact=len(asked) == len(parts),
            requests_left=left,
            files_left=counters["files"][0],
            quota_days=_quota_days(requests, left, limit),
        )

    def __iter__(self) -> Iterator[Row]:
        """Every row, from the first one, as tuples in the order of `fields`; pages are asked for as they are needed.

        Raises
        ------
        QuotaUsed
            When the day's quota is used up; the same call continues when it is reset.
        ServiceError, ConnectionFailed, DataRebuilt
            As for `Orders`.
        """
        for page in self.pages():
            yield from page

    def pages(self) -> Iterator[List[Row]]:
        """As iterating, in lists of rows of one security and day. Raises the same."""
        parts = self._listed()
        self._announce()
        for part in parts:
            try:
                yield from part.pages()
            except NoData as refusal:
                self._leave_out(part, refusal)

    def to_list(self) -> List[Row]:
        """All rows as tuples in the order of `fields`. Raises as iterating does."""
        self._blocks()
        return [row for page in self.pages() for row in page]

    def to_df(self, raw: bool = False) -> "pandas.DataFrame":
        """All rows as one `pandas.DataFrame`, of the shape that `Orders.to_df` describes. Raises as iterating does."""
        return frame.to_pandas(self._blocks(), self.fields, raw)

    def to_polars(self, raw: bool = False) -> "polars.DataFrame":
        """All rows as one `polars.DataFrame`; the rest is as in `to_df`."""
        return frame.to_polars(self._blocks(), self.fields, raw)

    def to_parquet(self, path: PathLike) -> str:
        """All rows as one Parquet file, with the columns of the service's own files; returns its path. Needs pyarrow.
        `path` is written at the end and is never half a file."""
        return frame.write_parquet(self._blocks(), self.fields, path)

    def to_csv(self, path: PathLike) -> str:
        """All rows as one CSV file, with the API's own texts and numbers; returns its path. `path` is written at the
        end and is never half a file."""
        return frame.write_csv(self._blocks(), self.fields, path)

    def _listed(self) -> List["_Part"]:
        """The securities and days to read; the days are asked for once."""
        if self._parts is None:
            days = self._client._days(*self._range)
            loaded = [day["tradedate"] for day in days.days if day["revision"] is not None]
            self.missing = [(day["tradedate"], day["state"]) for day in days.days if day["revision"] is None]
            self.window_from = days.window_from
            self._days = len(loaded)
            self._parts = [
                _Part(symbol, day, self._client.orders(symbol, day, **self._make))
                for day in loaded
                for symbol in self._symbols
            ]
        return self._parts

    def _announce(self) -> None:
        """Says once, before the first request that is counted, what reading takes."""
        if self._is_announced:
            return
        self._is_announced = True
        if is_watched(sys.stderr):
            print(self.plan(), file=sys.stderr)

    def _blocks(self) -> List[Block]:
        parts = self._listed()
        self._announce()
        with Progress(len(parts), 0, noun="security days") as bar:
            for part in parts:
                try:
                    part.read()
                except NoData as refusal:
                    self._leave_out(part, refusal)
                bar.finished()
        return [part.block for part in parts if part.block is not None]

    def _leave_out(self, part: "_Part", refusal: NoData) -> None:
        if refusal.reason in EMPTY:
            self.empty.append((part.symbol, part.tradedate))
        elif refusal.reason in UNREADABLE:
            if (part.tradedate, refusal.reason) not in self.missing:
                self.missing.append((part.tradedate, refusal.reason))
        else:
            raise refusal
        part.is_absent = True

    def _estimate(self, part: "_Part") -> Tuple[int, int]:
        """Rows and requests that a part takes at most."""
        try:
            window = {name: self._make[name] for name in ("start", "end", "page_size")}
            found = self._client.estimate(part.symbol, part.tradedate, **window)
        except (NoData, BadRequest):
            return 0, 0
        return found["rows"]["at_most"], found["pages"]["at_most"]

    def _counters(self) -> Dict[str, Tuple[Optional[int], Optional[int]]]:
        """What is left today of requests and files, and their daily limits; None: unlimited."""
        quotas = self._client.account()["quotas"]
        quota = next((each for each in quotas if each["interface"] == _INTERFACE), None)
        found: Dict[str, Tuple[Optional[int], Optional[int]]] = {"requests": (0, 0), "files": (0, 0)}
        if quota is not None:
            for name, counter in (("requests", quota["requests"]), ("files", quota["files"])):
                found[name] = (0, 0) if counter is None else (counter["left"], counter["limit"])
        return found


class _Part:
    """One security on one day: read page by page, and packed when it is whole."""

    def __init__(self, symbol: str, tradedate: str, orders: "Orders") -> None:
        self.symbol = symbol
        self.tradedate = tradedate
        self.is_absent = False
        self.block: Optional[Block] = None
        self._orders: Optional["Orders"] = orders
        self._fields: List[str] = []

    @property
    def is_over(self) -> bool:
        return self.is_absent or self.block is not None

    @property
    def fields(self) -> List[str]:
        return self._fields if self._orders is None else self._orders.fields

    @property
    def row_count(self) -> int:
        if self.block is not None:
            return len(self.block.columns[self._fields[0]])
        return 0 if self._orders is None else len(self._orders.rows)

    def pages(self) -> Iterator[List[Row]]:
        """Pages as they are asked for; what was read before comes as one."""
        orders, block = self._orders, self.block
        if orders is not None and not self.is_absent:
            yield from orders.pages()
            self._pack(orders)
        elif block is not None:
            rows = list(zip(*(block.columns[name] for name in self._fields)))
            if rows:
                yield rows

    def read(self) -> None:
        """Reads the rest."""
        if self._orders is not None and not self.is_absent:
            self._orders.to_list()
            self._pack(self._orders)

    def _pack(self, orders: "Orders") -> None:
        self._fields = orders.fields
        self.block = frame.packed(self.tradedate, orders.rows, self._fields)
        self._orders = None


def _quota_days(requests: int, left: Optional[int], limit: Optional[int]) -> Optional[int]:
    """Days of quota that so many requests take, today included; None when there is none at all."""
    if left is None or requests <= left:
        return 1
    if not limit:
        return None
    return 1 + math.ceil((requests - left) / limit)
