"""The rows of one security on one day, of any dataset, read on demand and kept."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Callable, Iterator, List, Optional

from . import frame
from .errors import DataRebuilt, MissingLibrary
from .paging import Paging, Row
from .parquet import PathLike
from .progress import Progress
from .selection import Selection

if TYPE_CHECKING:
    import pandas
    import polars


class Ticks:
    """The common base of `Orders`, `Trades` and `Quotes`: rows that are read page by page; no request is sent before
    the first use. Reading rows calls the dataset's operation: ``level2_order_history``, ``level2_trade_history`` or
    ``level2_quote_history``.

    Rows already read are kept: reading again sends no request, and after an error (a used-up quota, a broken
    connection) the same call continues. Use it from one thread at a time.
    """

    def __init__(
        self,
        paging: Paging,
        selection: Selection,
        save_answer: Callable[[Optional[str], PathLike], object],
    ) -> None:
        self._paging = paging
        self._selection = selection
        self._save_answer = save_answer

    def __repr__(self) -> str:
        state = "complete" if self.is_complete else "so far"
        day = self.tradedate or "newest"
        return f"<{type(self).__name__} of {self._selection.symbol} {day}: {self._paging.state.row_count} rows {state}>"

    @property
    def symbol(self) -> str:
        """The symbol as requested."""
        return self._selection.symbol

    @property
    def tradedate(self) -> Optional[str]:
        """The day, YYYYMMDD; None before the first page if no date was given."""
        return self._paging.state.tradedate

    @property
    def fields(self) -> List[str]:
        """Names of the columns; empty before the first page."""
        return list(self._paging.state.fields or [])

    @property
    def revision(self) -> Optional[int]:
        """The day's revision when the last page was read; None before the first page."""
        return self._paging.state.revision

    @property
    def build(self) -> Optional[str]:
        """The build id of the rows read so far; None if the service did not send it. Equal ids mean equal contents."""
        return self._paging.state.build

    @property
    def restarts(self) -> int:
        """How often reading restarted because the day changed: 0 or 1."""
        return self._paging.state.restarts

    @property
    def is_complete(self) -> bool:
        """Whether the last row was read."""
        return self._paging.state.is_complete

    @property
    def rows(self) -> List[Row]:
        """The rows read so far, as tuples in the order of `fields`. Sends no request."""
        state = self._paging.state
        return state.kept[: state.row_count]

    def __iter__(self) -> Iterator[Row]:
        """Yields every row from the first one; pages are requested as they are needed. Calls
        ``level2_order_history``, ``level2_trade_history`` or ``level2_quote_history``.

        Raises
        ------
        ServiceError
            For a refusal; ``code``, ``reason`` and ``request_id`` say which.
        DataRebuilt
            When the day was rebuilt during reading and rows already returned have changed.
        ConnectionFailed
            When no base URL answers.
        """
        for page in self.pages():
            yield from page

    def pages(self) -> Iterator[List[Row]]:
        """Yields the same rows as iterating, but in lists. Rows that were read earlier come first, as one list."""
        handed, restarts = 0, self.restarts
        while True:
            if restarts != self.restarts:
                self._catch_up(handed)
                restarts = self.restarts
            state = self._paging.state
            if handed < state.row_count:
                fresh = state.kept[handed : state.row_count]
                handed = state.row_count
                yield fresh
            elif self._paging.next_rows() is None:
                return

    def to_list(self) -> List[Row]:
        """Returns all rows as tuples in the order of `fields`, with strings and numbers as the service sends them.
        Calls ``level2_order_history``, ``level2_trade_history`` or ``level2_quote_history``.

        Raises
        ------
        ServiceError, ConnectionFailed
            As in iteration. The rows read so far are kept, and the same call continues after them.
        """
        self._read_all()
        return self.rows

    def to_df(self, raw: bool = False) -> "pandas.DataFrame":
        """Returns all rows as a `pandas.DataFrame`. Calls ``level2_order_history``, ``level2_trade_history`` or
        ``level2_quote_history``.

        Frames of `to_polars`, of a `Basket` and of `read_history` have the same form. Columns are in the order of
        `fields`. ``symbol`` and ``tradedate`` are strings. ``time`` is datetime64[ns]: the date and Beijing wall-clock
        time, without a time zone. Codes (``order_type``, ``order_code``, ``side``, ``bs_flag``, ``trade_code``,
        ``order_kind``) are categories. Ids, counts and quantities (shares) are int64; prices and amounts (yuan) are
        float64. No value is missing.

        Files (`to_parquet`, `to_csv`, `Client.sync`, `Client.history`, the service's own) have the same columns with
        the API's own values: times and codes as strings, ``time`` as HHMMSSmmm. Files that `Client.history` downloads
        from a share also have the on-request columns.

        Parameters
        ----------
        raw : bool, default False
            True: times and codes are strings, as in files.

        Raises
        ------
        MissingLibrary
            Without pandas.
        ServiceError, ConnectionFailed
            As in iteration.        """
        self._read_all()
        return frame.to_pandas([self._block()], self.fields, raw)

    def to_polars(self, raw: bool = False) -> "polars.DataFrame":
        """Returns all rows as a `polars.DataFrame`; otherwise like `to_df`, with time as Datetime("ms"). Calls
        ``level2_order_history``, ``level2_trade_history`` or ``level2_quote_history``."""
        self._read_all()
        return frame.to_polars([self._block()], self.fields, raw)

    def to_parquet(self, path: PathLike) -> str:
        """Writes all rows to one Parquet file (ZSTD) with the columns that `to_df` describes and returns its path.
        Calls ``level2_order_history``, ``level2_trade_history`` or ``level2_quote_history``.

        With pyarrow, the rows are read as pages. Without it, the service's own Parquet file of the whole day is saved,
        which counts against the day's quota of files.

        Raises
        ------
        MissingLibrary
            For a time window without pyarrow.
        ServiceError, ConnectionFailed
            As in iteration. The file appears at `path` only when it is complete.
        """
        target = os.fspath(path)
        if frame.has_library("pyarrow"):
            self._read_all()
            frame.write_parquet([self._block()], self.fields, target)
        elif self._selection.is_whole_day:
            self._save_answer(self.tradedate, target)
        else:
            raise MissingLibrary(
                "to_parquet() of a time window needs pyarrow: pip install pyarrow. "
                "Without start and end the service's own Parquet file of the whole day would be saved."
            )
        return target

    def to_csv(self, path: PathLike) -> str:
        """Writes all rows to one CSV file, with texts and numbers as the API sends them, and returns its path. Calls
        ``level2_order_history``, ``level2_trade_history`` or ``level2_quote_history``. Raises the same errors as
        iteration over the rows. The file appears at `path` only when it is complete."""
        self._read_all()
        return frame.write_csv([self._block()], self.fields, path)

    def _block(self) -> frame.Block:
        if self.tradedate is None:
            raise AssertionError("a page was read, so its day is known")
        return frame.Block(self.tradedate, frame.columns(self.rows, self.fields))

    def _read_all(self) -> None:
        with Progress(None, noun="rows") as bar:
            read = self._paging.next_rows()
            while read is not None:
                bar.finished(len(read))
                read = self._paging.next_rows()

    def _catch_up(self, handed: int) -> None:
        """Reads the first `handed` rows again after a rebuild. Raises `DataRebuilt` if they have changed."""
        while self._paging.state.row_count < handed and self._paging.next_rows() is not None:
            pass
        state = self._paging.state
        if state.kept[: min(handed, state.row_count)] != (state.superseded or [])[:handed]:
            raise DataRebuilt(
                f"{self._selection.symbol} of {self.tradedate} was rebuilt while it was read, and the "
                f"{handed} rows already returned have changed: iterate again",
                code=422,
                reason="data_rebuilt",
            )


class Orders(Ticks):
    """The orders of one security on one day; created by `Client.orders`. Reading rows calls ``level2_order_history``.

    Examples
    --------
    >>> for row in client.orders("600519", "20260311", start="09:30", end="09:31"):
    ...     print(row)
    >>> frame = client.orders("600519", "20260311").to_df()
    """


class Trades(Ticks):
    """The trades of one security on one day; created by `Client.trades`. Reading rows calls ``level2_trade_history``.

    Examples
    --------
    >>> frame = client.trades("600519", "20260311").to_df()
    >>> bought = frame[frame["bs_flag"] == "B"]["volume"].sum()
    """


class Quotes(Ticks):
    """The snapshots of one security on one day, about one every three seconds; created by `Client.quotes`. Reading
    rows calls ``level2_quote_history``.

    Examples
    --------
    >>> frame = client.quotes("600519", "20260311").to_df()
    >>> spread = (frame["ask1"] - frame["bid1"])[(frame["bid1"] > 0) & (frame["ask1"] > 0)]
    """
