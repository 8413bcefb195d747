"""The methods of `Client` that read datasets: rows of a day, of many securities and days, and whole files."""

from __future__ import annotations

import os
from functools import partial
from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
    List,
    Optional,
    Protocol,
    Set,
    Tuple,
    Type,
    TypeVar,
    Union,
    cast,
    overload,
)

from .basket import Basket
from .calls import Answer, Endpoints, Payload
from .datasets import ORDERS, QUOTES, TRADES, Dataset
from .disk import check_space, free_bytes
from .enquiries import Enquiries
from .errors import ServiceError
from .paging import MOST_ROWS, Paging
from .parquet import ParquetFile, PathLike, fetch_parquet
from .selection import DateLike, Fields, Selection, TimeLike, days_between, select, tradedate
from .ticks import Orders, Quotes, Ticks, Trades
from .waiting import one_at_a_time

#: Several securities; a string is a single security.
SymbolList = Union[List[str], Tuple[str, ...], Set[str], FrozenSet[str]]

#: With at least this much free space, a file's size is not requested first, because no file of one security and day is
#: larger.
_AMPLE_BYTES = 1 << 30

#: The class that reads the rows of each dataset.
_KINDS: Dict[str, Type[Ticks]] = {ORDERS.name: Orders, TRADES.name: Trades, QUOTES.name: Quotes}

T = TypeVar("T", bound=Ticks)
T_co = TypeVar("T_co", bound=Ticks, covariant=True)


class Opens(Protocol[T_co]):
    """The two forms of `orders`, `trades` and `quotes` for type checkers: one security on one day, or a list of
    securities on a range of days."""

    @overload
    def __call__(
        self,
        symbol: str,
        date: Optional[DateLike] = None,
        start: Optional[TimeLike] = None,
        end: Optional[TimeLike] = None,
        fields: Optional[Fields] = None,
        *,
        page_size: int = MOST_ROWS,
    ) -> T_co: ...

    @overload
    def __call__(
        self,
        symbols: SymbolList,
        start_date: DateLike,
        end_date: Optional[DateLike] = None,
        /,
        *,
        start: Optional[TimeLike] = None,
        end: Optional[TimeLike] = None,
        fields: Optional[Fields] = None,
        page_size: int = MOST_ROWS,
    ) -> Basket: ...


def _opens(kind: Type[T]) -> Callable[[Callable[..., object]], Opens[T]]:
    """Types a method as `Opens` of `kind`; the method itself is unchanged."""
    return lambda method: cast(Opens[T], method)


class Reading(Enquiries):
    """Has two methods for each dataset: one reads rows, the other downloads Parquet files."""

    _key: str
    _max_wait: float
    _endpoints: Endpoints

    @_opens(Orders)
    def orders(self, symbol: Union[str, SymbolList], *args: Any, **options: Any) -> Union[Ticks, Basket]:
        """Returns the orders of one security on one day, or of a list of securities on a range of days; no request is
        sent yet. Reading rows calls ``level2_order_history``. A list also calls ``data_status``, and its plan calls
        ``order_history_estimate`` and ``account_info``.

        ``orders(symbol, date, start, end, fields)`` returns `Orders`, in time order.
        ``orders([symbol, ...], start_date, end_date, start=, end=, fields=)`` returns a `Basket`: by day, then security
        in the order given, then time. To read one security on a range of days, pass a list with only this security.

        Parameters
        ----------
        symbol : str, or list, tuple or set of str
            ``"600519"``, ``"600519.SH"`` or ``"sh600519"``.
        date : str or datetime.date, optional
            The day in Beijing; by default the newest trading day, loaded or not.
        start_date, end_date : str or datetime.date
            First and last day, both included; without `end_date`, the first day alone. Days that are not loaded or that
            the plan does not cover are left out.
        start, end : str or datetime.time, optional
            ``HH:MM``, ``HH:MM:SS``, ``HHMMSS`` or ``HHMMSSmmm``; `start` inclusive, `end` exclusive. By
            default the whole day.
        fields : str or sequence of str, optional
            Columns in the order wanted; by default the ten standard ones. ``order_no`` and ``side`` are also available.
        page_size : int, default 10000
            Rows per request, 1 to 10,000. Each request counts if the plan limits requests.

        Raises
        ------
        TypeError, ValueError
            For a number as symbol, an invalid date, a first day after the last one, a range of days for a symbol that
            is not in a list, or six digits both with and without an exchange. Refusals are raised when rows are read.

        Warns
        -----
        SymbolWarning
            When a list holds two securities with the same six digits, such as ``000001.SZ`` and the index
            ``000001.SH``.
        """
        return self._ticks(ORDERS, symbol, *args, **options)

    @_opens(Trades)
    def trades(self, symbol: Union[str, SymbolList], *args: Any, **options: Any) -> Union[Ticks, Basket]:
        """Returns the trades of one security on one day, or of a list of securities on a range of days, with the
        cancellations of Shenzhen. No request is sent yet. Reading rows calls ``level2_trade_history``. A list also
        calls ``data_status``, and its plan calls ``trade_history_estimate`` and ``account_info``.

        ``trades(symbol, date, start, end, fields)`` returns `Trades`, in time order.
        ``trades([symbol, ...], start_date, end_date, start=, end=, fields=)`` returns a `Basket`.

        Parameters
        ----------
        fields : str or sequence of str, optional
            Columns in the order wanted; by default the eleven standard ones. ``order_kind`` is also available.
        symbol, date, start_date, end_date, start, end, page_size
            As in `orders`.

        Raises
        ------
        TypeError, ValueError
            As `orders` does.
        """
        return self._ticks(TRADES, symbol, *args, **options)

    @_opens(Quotes)
    def quotes(self, symbol: Union[str, SymbolList], *args: Any, **options: Any) -> Union[Ticks, Basket]:
        """Returns the snapshots of one security on one day, about one every three seconds, or of a list of securities
        on a range of days; no request is sent yet. Reading rows calls ``level2_quote_history``. A list also calls
        ``data_status``, and its plan calls ``quote_history_estimate`` and ``account_info``.

        ``quotes(symbol, date, start, end, fields)`` returns `Quotes`, in time order.
        ``quotes([symbol, ...], start_date, end_date, start=, end=, fields=)`` returns a `Basket`.

        Parameters
        ----------
        fields : str or sequence of str, optional
            Columns in the order wanted; by default the fifty standard ones. ``total_volume``, ``total_amount``,
            ``num_trades``, ``total_bid_vol``, ``total_ask_vol``, ``avg_bid_price``, ``avg_ask_price`` and ``iopv`` are
            also available.
        symbol, date, start_date, end_date, start, end, page_size
            As in `orders`.

        Raises
        ------
        TypeError, ValueError
            As `orders` does.

        Examples
        --------
        >>> ten = client.quotes("600519", "20260311", "09:59", "10:00", "time,bid1,bid_vol1,ask1,ask_vol1").to_list()[-1]
        """
        return self._ticks(QUOTES, symbol, *args, **options)

    def orders_parquet(
        self, symbol: str, date: Optional[DateLike], path: PathLike, fields: Optional[Fields] = None
    ) -> ParquetFile:
        """Saves the orders of one security on a whole day as the service's own Parquet file, with one request. Calls
        ``level2_order_history`` and, on a disk that is nearly full, ``order_history_estimate``.

        Parameters
        ----------
        symbol, date, fields
            As in `orders`.
        path : str or path
            The file's path, or an existing folder, in which the file is saved under the service's name.

        Returns
        -------
        ParquetFile
            Path, rows, revision and size. The file is either complete or absent.

        Raises
        ------
        QuotaUsed
            When the day's quota of files is used up; each accepted attempt is charged.
        OSError
            When the file cannot be created; raised before the first request if possible.
        ServiceError, ConnectionFailed
            For another refusal, or when no base URL answers.
        """
        return self._save_at(select(symbol, date, fields=fields), path)

    def trades_parquet(
        self, symbol: str, date: Optional[DateLike], path: PathLike, fields: Optional[Fields] = None
    ) -> ParquetFile:
        """Saves the trades of one security on a whole day as the service's own Parquet file, with one request. Calls
        ``level2_trade_history`` and, on a disk that is nearly full, ``trade_history_estimate``. Otherwise like
        `orders_parquet`."""
        return self._save_at(select(symbol, date, fields=fields, dataset=TRADES), path)

    def quotes_parquet(
        self, symbol: str, date: Optional[DateLike], path: PathLike, fields: Optional[Fields] = None
    ) -> ParquetFile:
        """Saves the snapshots of one security on a whole day as the service's own Parquet file, with one request. Calls
        ``level2_quote_history`` and, on a disk that is nearly full, ``quote_history_estimate``. Otherwise like
        `orders_parquet`."""
        return self._save_at(select(symbol, date, fields=fields, dataset=QUOTES), path)

    def _ticks(
        self, dataset: Dataset, symbol: Union[str, SymbolList], *args: Any, **options: Any
    ) -> Union[Ticks, Basket]:
        if isinstance(symbol, (list, tuple, set, frozenset)):
            return self._basket(dataset, symbol, *args, **options)
        return self._one_day(dataset, symbol, *args, **options)

    def _one_day(
        self,
        dataset: Dataset,
        symbol: str,
        date: Optional[DateLike] = None,
        start: Optional[TimeLike] = None,
        end: Optional[TimeLike] = None,
        fields: Optional[Fields] = None,
        *,
        page_size: int = MOST_ROWS,
    ) -> Ticks:
        if _is_date(start):
            raise TypeError(
                f"start is a time of day, not {start!r}; for a range of days write the symbol in a list: "
                f"{dataset.name}([{symbol!r}], {date!r}, {start!r})"
            )
        selection = select(symbol, date, start, end, fields, dataset)
        paging = Paging(self._call, selection, min(page_size, MOST_ROWS))
        return _KINDS[dataset.name](paging, selection, partial(self._save_day, selection))

    def _basket(
        self,
        dataset: Dataset,
        symbols: SymbolList,
        start_date: DateLike,
        end_date: Optional[DateLike] = None,
        *,
        start: Optional[TimeLike] = None,
        end: Optional[TimeLike] = None,
        fields: Optional[Fields] = None,
        page_size: int = MOST_ROWS,
    ) -> Basket:
        first, last = days_between(start_date, start_date if end_date is None else end_date)
        listed = sorted(symbols) if isinstance(symbols, (set, frozenset)) else list(symbols)
        options = {"start": start, "end": end, "fields": fields, "page_size": page_size}
        return Basket(self, dataset, listed, first, last, options)

    def _call(self, interface: str, payload_for: Callable[[str], Payload]) -> Answer:
        """Calls an interface when no other thread calls it with the same key. Returns the final answer, even a
        refusal."""
        envelope = {"apiname": interface, "apikey": self._key}

        def call() -> Answer:
            return self._endpoints.call(lambda base_url: {**envelope, **payload_for(base_url)})

        return one_at_a_time(self._key, interface, self._max_wait, call)

    def _save_day(self, selection: Selection, day: Optional[str], path: PathLike) -> ParquetFile:
        return self._save_at(selection._replace(tradedate=day), path)

    def _save_at(self, selection: Selection, path: PathLike) -> ParquetFile:
        """Saves a Parquet answer as the file `path`, or under the service's name if `path` is a folder."""
        target = os.fspath(path)
        is_folder = os.path.isdir(target)
        folder = target if is_folder else os.path.dirname(target)

        def place(name: Optional[str]) -> str:
            return os.path.join(target, name or f"{selection.dataset.name}.parquet") if is_folder else target

        return self._save_answer(selection, folder, place)

    def _save_answer(
        self, selection: Selection, folder: str, place: Callable[[Optional[str]], str]
    ) -> ParquetFile:
        """Saves a Parquet answer at the path that `place` returns, using `folder` for the partial file. Checks the free
        space first, so that no quota is used for a file that cannot be stored."""
        self._check_space(selection, folder)
        interface = selection.dataset.interface
        payload: Dict[str, Any] = {
            "apiname": interface,
            "apikey": self._key,
            "params": {**selection.params(), "format": "parquet"},
        }
        if selection.fields is not None:
            payload["fields"] = selection.fields
        return one_at_a_time(
            self._key,
            interface,
            self._max_wait,
            lambda: fetch_parquet(self._endpoints, payload, folder, place),
        )

    def _check_space(self, selection: Selection, folder: str) -> None:
        """Raises `OSError` when a disk that is nearly full has no space for the file."""
        if not os.path.isdir(folder or ".") or free_bytes(folder) >= _AMPLE_BYTES:
            return
        try:
            size_bytes = self._ask(selection.dataset.estimate, selection.params())["parquet_bytes"]
        except (ServiceError, KeyError, TypeError):
            return  # The request for the file itself raises the error.
        check_space(folder, size_bytes)


def _is_date(value: Any) -> bool:
    """Returns whether a value is a date rather than a time of day."""
    try:
        return len(tradedate(value)) == 8
    except (TypeError, ValueError):
        return False
