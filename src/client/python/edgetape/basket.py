"""The rows of several securities over a range of days, as one sequence: by day, then security, then time.

Days that are not loaded and securities without rows are skipped, listed and not charged. When a security day has been
read completely, its rows are packed into columns, which need about a sixth of the memory.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import frame
from .datasets import Dataset
from .enquiries import EMPTY, UNREADABLE
from .errors import BadRequest, NoData
from .frame import Block
from .paging import Row
from .parquet import PathLike
from .progress import Progress
from .quota import Bulk, bulk_of, hint, is_many, left_of, spelled, tell
from .selection import check_alike, field_names, security_code
from .ticks import Ticks
from .types import Day

if TYPE_CHECKING:
    import pandas
    import polars

    from .reading import Reading

#: Maximum number of security days that a plan requests estimates for. If there are more, it samples them evenly.
_MOST_ESTIMATES = 60


class Plan(NamedTuple):
    """The cost of reading the remaining rows of a basket; see `Basket.plan`. None of this cost has been charged yet.

    Attributes
    ----------
    days : int
        Loaded days.
    security_days : int
        Remaining pairs of a security and a day.
    rows, requests : int
        Sums of the service's upper estimates. Beyond 60 security days, they are extrapolated from a sample, and
        `is_exact` is False.
    files : int
        Number of files that `Client.sync` would download for the same days; each file is also a request.
    is_exact : bool
    requests_left, files_left : int or None
        Today's remaining quota; None: unlimited.
    quota_days : int or None
        Days of quota that the requests need, today included; None when the plan allows none.
    bulk : Bulk
        The dataset's packs for the same days. They can be downloaded from shares, which use no quota.
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

    bulk: Bulk = Bulk(0, 0)

    def __str__(self) -> str:
        """Returns one line of text. It recommends shares when reading needs very many requests or days of quota."""
        about = "" if self.is_exact else "about "
        left = (
            "unlimited requests"
            if self.requests_left is None
            else f"{self.requests_left:,} requests left today"
        )
        files = "" if self.files_left is None else f" ({self.files_left:,} left)"
        return (
            f"{self.security_days:,} security days on {self.days:,} days: {about}{self.rows:,} rows in "
            f"{about}{self.requests:,} requests, {left}: {spelled(self.quota_days)}; "
            f"sync takes {self.files:,} files instead{files}{hint(self.quota_days, self.requests, self.bulk)}"
        )


class Basket:
    """Rows of several securities and days. `Client.orders`, `Client.trades` and `Client.quotes` create it from a list;
    no request is sent before the first use. Reading rows calls ``data_status`` and ``level2_order_history``,
    ``level2_trade_history`` or ``level2_quote_history``. If the cost is printed before reading, the operations that
    `plan` calls are called too.

    Rows already read are kept. After an error (a used-up quota, a broken connection, Ctrl-C), repeat the call to
    continue, even on a later day. Use it from one thread at a time.

    Attributes
    ----------
    empty : list of (symbol, tradedate)
        Securities found so far to have no rows on a day.
    missing : list of (tradedate, state)
        Trading days that cannot be read: pending, missing, withdrawn, damaged.
    window_from : str or None
        First day that the plan covers, if the range begins earlier; the earlier days are left out.

    Examples
    --------
    >>> basket = client.orders(["600519", "300750"], "20260105", "20260311")
    >>> print(basket.plan())
    >>> frame = basket.to_df()
    """

    def __init__(
        self,
        client: "Reading",
        dataset: Dataset,
        symbols: Sequence[str],
        first: str,
        last: str,
        options: Dict[str, Any],
    ) -> None:
        self._client = client
        self._dataset = dataset
        self._symbols = list(dict.fromkeys(map(security_code, symbols)))
        self._range = (first, last)
        self._parts: Optional[List[_Part]] = None
        self._options = options
        self._days: List[Day] = []
        self._is_announced = False
        self._fields: List[str] = []
        self.empty: List[Tuple[str, str]] = []
        self.missing: List[Tuple[str, str]] = []
        self.window_from: Optional[str] = None
        for symbol in self._symbols:
            self.ticks_of(symbol, first)  # Checks all arguments before the first request.
        check_alike(self._symbols, stacklevel=5)

    def __repr__(self) -> str:
        first, last = self._range
        done = "nothing read yet"
        if self._parts is not None:
            over = sum(part.is_over for part in self._parts)
            done = f"{over} of {len(self._parts)} security days read, {self.row_count:,} rows"
        return f"<Basket of {self._dataset.name} of {len(self._symbols)} securities, {first} to {last}: {done}>"

    @property
    def fields(self) -> List[str]:
        """Names of the columns: the requested ones, else the standard ones."""
        return self._fields or field_names(self._options["fields"]) or list(self._dataset.standard)

    @property
    def row_count(self) -> int:
        """Number of rows read so far."""
        return sum(part.row_count for part in self._parts or ())

    @property
    def is_complete(self) -> bool:
        """Whether all rows were read."""
        return self._parts is not None and all(part.is_over for part in self._parts)

    def plan(self) -> Plan:
        """Returns the cost of reading the remaining rows, the remaining quota, and the days of quota needed.

        Charges nothing. Calls ``data_status``, ``account_info`` and the dataset's estimate: ``order_history_estimate``,
        ``trade_history_estimate`` or ``quote_history_estimate``.

        Raises
        ------
        ServiceError, ConnectionFailed
            For a refusal, or when no base URL answers.
        """
        parts = [part for part in self._listed() if not part.is_over]
        asked = parts[:: max(1, math.ceil(len(parts) / _MOST_ESTIMATES))]
        rows = requests = files = 0
        with Progress(len(asked), noun="estimates") as bar:
            for part in asked:
                found = self._estimate(part)
                rows, requests = rows + found[0], requests + found[1]
                files += found[1] > 0
                bar.finished()
        scale = len(parts) / len(asked) if asked else 1.0
        left, files_left = left_of(self._client, self._dataset)
        rows, requests, files = (math.ceil(each * scale) for each in (rows, requests, files))
        return Plan(
            days=len(self._days),
            security_days=len(parts),
            rows=rows,
            requests=requests,
            files=files,
            is_exact=len(asked) == len(parts),
            requests_left=left.left,
            files_left=files_left.left,
            quota_days=left.days(requests),
            bulk=bulk_of(self._days, self._dataset),
        )

    def __iter__(self) -> Iterator[Row]:
        """Yields every row from the first one, as tuples in the order of `fields`; pages are requested as they are
        needed.

        Raises
        ------
        QuotaUsed
            When the day's quota is used up; the same call continues after the reset.
        ServiceError, ConnectionFailed, DataRebuilt
            As for `Orders`.
        """
        for page in self.pages():
            yield from page

    def pages(self) -> Iterator[List[Row]]:
        """Yields lists of rows, each of one security on one day. Raises the errors of iteration over the basket."""
        parts = self._listed()
        self._announce()
        for part in parts:
            try:
                yield from part.pages()
            except NoData as refusal:
                self._leave_out(part, refusal)

    def to_list(self) -> List[Row]:
        """Returns all rows as tuples in the order of `fields`. Raises the same errors as iteration over the basket."""
        self._blocks()
        return [row for page in self.pages() for row in page]

    def to_df(self, raw: bool = False) -> "pandas.DataFrame":
        """Returns all rows as one `pandas.DataFrame` in the form that `Orders.to_df` describes. Raises the same
        errors as iteration over the basket."""
        return frame.to_pandas(self._blocks(), self.fields, raw)

    def to_polars(self, raw: bool = False) -> "polars.DataFrame":
        """Returns all rows as one `polars.DataFrame`; otherwise like `to_df`."""
        return frame.to_polars(self._blocks(), self.fields, raw)

    def to_parquet(self, path: PathLike) -> str:
        """Writes all rows to one Parquet file with the columns of the service's own files and returns its path. Needs
        pyarrow. The file appears at `path` only when it is complete."""
        return frame.write_parquet(self._blocks(), self.fields, path)

    def to_csv(self, path: PathLike) -> str:
        """Writes all rows to one CSV file, with texts and numbers as the API sends them, and returns its path. The file
        appears at `path` only when it is complete."""
        return frame.write_csv(self._blocks(), self.fields, path)

    def _listed(self) -> List["_Part"]:
        """Returns the security days to read; the list of days is requested once."""
        if self._parts is None:
            days = self._client._days(*self._range, self._dataset)
            loaded = [day for day in days.days if day["revision"] is not None]
            self.missing = [(day["tradedate"], day["state"]) for day in days.days if day["revision"] is None]
            self.window_from = days.window_from
            self._days = loaded
            self._parts = [_Part(self, symbol, day["tradedate"]) for day in loaded for symbol in self._symbols]
        return self._parts

    def _announce(self) -> None:
        """Prints the cost of the remaining rows before the first charged request, and does so only once."""
        if self._is_announced:
            return
        self._is_announced = True
        if is_many(sum(not part.is_over for part in self._listed())):
            plan = self.plan()
            tell(str(plan), plan.quota_days, plan.requests)

    def _blocks(self) -> List[Block]:
        parts = self._listed()
        self._announce()
        with Progress(len(parts), noun="security days") as bar:
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
        """Returns the maximum number of rows and of requests of a part; zeros if it has no rows."""
        try:
            window = {name: self._options[name] for name in ("start", "end", "page_size")}
            found = self._client.estimate(part.symbol, part.tradedate, **window, dataset=self._dataset.name)
        except (NoData, BadRequest):
            return 0, 0
        return found["rows"]["at_most"], found["pages"]["at_most"]

    def ticks_of(self, symbol: str, tradedate: str) -> Ticks:
        """Returns a new reader for one security on one day."""
        return self._client._one_day(self._dataset, symbol, tradedate, **self._options)


class _Part:
    """One security on one day. It is read page by page and packed when complete. A basket can have millions of parts.
    """

    __slots__ = ("_basket", "symbol", "tradedate", "is_absent", "block", "_ticks")

    def __init__(self, basket: Basket, symbol: str, tradedate: str) -> None:
        self._basket = basket
        self.symbol = symbol
        self.tradedate = tradedate
        self.is_absent = False
        self.block: Optional[Block] = None
        self._ticks: Optional[Ticks] = None

    @property
    def is_over(self) -> bool:
        return self.is_absent or self.block is not None

    @property
    def row_count(self) -> int:
        if self.block is not None:
            return len(next(iter(self.block.columns.values())))
        return 0 if self._ticks is None else len(self._ticks.rows)

    def pages(self) -> Iterator[List[Row]]:
        """Yields pages as they are read. Rows that were read earlier come first, as one list."""
        block = self.block
        if block is not None:
            rows = list(zip(*(block.columns[name] for name in self._basket.fields)))
            if rows:
                yield rows
        elif not self.is_absent:
            ticks = self._begun()
            yield from ticks.pages()
            self._pack(ticks)

    def read(self) -> None:
        """Reads the remaining rows."""
        if not self.is_over:
            ticks = self._begun()
            ticks.to_list()
            self._pack(ticks)

    def _begun(self) -> Ticks:
        if self._ticks is None:
            self._ticks = self._basket.ticks_of(self.symbol, self.tradedate)
        return self._ticks

    def _pack(self, ticks: Ticks) -> None:
        self._basket._fields = ticks.fields
        self.block = frame.packed(self.tradedate, ticks.rows, ticks.fields)
        self._ticks = None
