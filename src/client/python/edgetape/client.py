"""The client: one object for a key and the service's addresses."""

from __future__ import annotations

import os
import ssl
from functools import partial
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple, Union, overload

from .basket import Basket
from .calls import Answer, Endpoints, Payload
from .disk import check_space, free_bytes
from .enquiries import Enquiries
from .errors import ConfigurationError, ServiceError
from .history import HistoryRun
from .ticks import Orders
from .paging import MOST_ROWS, Paging
from .parquet import ParquetFile, PathLike, fetch_parquet
from .selection import DateLike, Fields, Selection, TimeLike, days_between, select
from .share import Share, ask_share
from .sync import FolderRun, SyncReport, run_in_folder
from .transport import Connections
from .waiting import one_at_a_time

#: Several securities; a bare string is one.
SymbolList = Union[List[str], Tuple[str, ...], Set[str], FrozenSet[str]]

_ORDER_HISTORY = "level2_order_history"

#: More than any security's file of a day has: no need to ask how large it is.
_AMPLE_BYTES = 1 << 30


class Client(Enquiries):
    """Access to one service with one key. Safe for threads; requests of one interface queue. It can be pickled,
    for example for worker processes, with its key.

    Parameters
    ----------
    key : str, optional
        The API key; by default the environment's ``EDGETAPE_KEY``.
    base_urls : str or sequence of str, optional
        Addresses of the service without ``/api``, the preferred one first; by default ``EDGETAPE_URL``,
        several separated by commas. Another one is used only when connections to the present one break.
    max_wait : float, default 120.0
        Seconds that one request may spend on waits and failed attempts in all: for a busy slot, the per-second
        limit, a broken connection. 0: one attempt, no waits.
    timeout : float, default 30.0
        Seconds without a byte after which a connection counts as broken.
    ssl_context : ssl.SSLContext, optional
        For `https` addresses with certificates of your own.

    Raises
    ------
    ConfigurationError
        Without a key or an address.

    Examples
    --------
    >>> client = Client("et_...", ["https://api.example.com"])
    >>> client.orders("600519", "20260311").to_df()
    """

    def __init__(
        self,
        key: Optional[str] = None,
        base_urls: Optional[Union[str, Iterable[str]]] = None,
        *,
        max_wait: float = 120.0,
        timeout: float = 30.0,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        key = os.environ.get("EDGETAPE_KEY", "") if key is None else key
        if not key.strip():
            raise ConfigurationError("no key: pass key=... or set EDGETAPE_KEY")
        urls = os.environ.get("EDGETAPE_URL", "") if base_urls is None else base_urls
        listed = [each for each in urls.split(",") if each.strip()] if isinstance(urls, str) else list(urls)
        self._key = key.strip()
        self._max_wait = max_wait
        self._connections = Connections(timeout, ssl_context)
        self._endpoints = Endpoints(listed, self._connections, max_wait)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client of {', '.join(self.base_urls)}>"

    @property
    def base_urls(self) -> List[str]:
        """The addresses, the preferred one first."""
        return list(self._endpoints.base_urls)

    @property
    def present_url(self) -> str:
        """The address that answered last, and is asked next."""
        return self._endpoints.present_url

    def close(self) -> None:
        """Closes the kept connections. The client can still be used."""
        self._connections.close()

    @overload
    def orders(
        self,
        symbol: str,
        date: Optional[DateLike] = None,
        start: Optional[TimeLike] = None,
        end: Optional[TimeLike] = None,
        fields: Optional[Fields] = None,
        *,
        page_size: int = MOST_ROWS,
    ) -> Orders: ...

    @overload
    def orders(
        self,
        symbols: SymbolList,
        start_date: DateLike,
        end_date: DateLike,
        /,
        *,
        start: Optional[TimeLike] = None,
        end: Optional[TimeLike] = None,
        fields: Optional[Fields] = None,
        page_size: int = MOST_ROWS,
    ) -> Basket: ...

    def orders(self, symbol: Union[str, SymbolList], *args: Any, **options: Any) -> Union[Orders, Basket]:
        """The orders of one security on one day, or of a list of securities on a range of days; nothing is asked yet.
        Calls ``level2_order_history``.

        ``orders(symbol, date, start, end, fields)`` gives `Orders`, in order of time.
        ``orders([symbol, ...], start_date, end_date, start=, end=, fields=)`` gives a `Basket`: by day, then security in
        the order given, then time.

        Parameters
        ----------
        symbol : str, or list, tuple or set of str
            ``"600519"``, ``"600519.SH"`` or ``"sh600519"``.
        date : str or datetime.date, optional
            The day in Beijing; by default the newest trading day, loaded or not.
        start_date, end_date : str or datetime.date
            First and last day, both included. Days that are not loaded or that the plan does not cover are left out.
        start, end : str or datetime.time, optional
            ``HH:MM``, ``HH:MM:SS``, ``HHMMSS`` or ``HHMMSSmmm``; `start` inclusive, `end` exclusive. By
            default the whole day.
        fields : str or sequence of str, optional
            Columns in the order wanted; by default the ten standard ones. ``order_no`` and ``side`` too.
        page_size : int, default 10000
            Rows of a request, 1 to 10,000. Each is counted where requests are.

        Raises
        ------
        TypeError, ValueError
            For a number as symbol, what is no date, or a first day behind the last one. Refusals come when rows are
            read.
        """
        if isinstance(symbol, (list, tuple, set, frozenset)):
            return self._basket(symbol, *args, **options)
        return self._one_day(symbol, *args, **options)

    def _one_day(
        self,
        symbol: str,
        date: Optional[DateLike] = None,
        start: Optional[TimeLike] = None,
        end: Optional[TimeLike] = None,
        fields: Optional[Fields] = None,
        *,
        page_size: int = MOST_ROWS,
    ) -> Orders:
        selection = select(symbol, date, start, end, fields)
        paging = Paging(self._call, selection, min(page_size, MOST_ROWS))
        return Orders(paging, selection, partial(self._save_orders, selection))

    def _basket(
        self,
        symbols: SymbolList,
        start_date: DateLike,
        end_date: DateLike,
        *,
        start: Optional[TimeLike] = None,
        end: Optional[TimeLike] = None,
        fields: Optional[Fields] = None,
        page_size: int = MOST_ROWS,
    ) -> Basket:
        first, last = days_between(start_date, end_date)
        listed = sorted(symbols) if isinstance(symbols, (set, frozenset)) else list(symbols)
        return Basket(self, listed, first, last, start, end, fields, page_size)

    def orders_parquet(
        self,
        symbol: str,
        date: Optional[DateLike],
        path: PathLike,
        fields: Optional[Fields] = None,
    ) -> ParquetFile:
        """Saves the orders of a security and a whole day as the service's own Parquet file: one request. Calls
        ``level2_order_history`` and, on a disk that is nearly full, ``order_history_estimate``.

        Parameters
        ----------
        symbol, date, fields
            As in `orders`.
        path : str or path
            The file, or an existing folder: then under the service's name for it.

        Returns
        -------
        ParquetFile
            Path, rows, revision and size. The file is whole, or it is not there.

        Raises
        ------
        QuotaUsed
            When the day's files are used up; each try that the service accepted is counted.
        OSError
            When the file cannot be made there: before anything is asked, where that can be known.
        ServiceError, ConnectionFailed
            For another refusal, or when no base URL answers.
        """
        return self._save_at(select(symbol, date, fields=fields), os.fspath(path))

    def sync(
        self,
        symbols: Union[str, Iterable[str]],
        start_date: DateLike,
        end_date: DateLike,
        folder: PathLike,
        *,
        verify: bool = False,
    ) -> SyncReport:
        """Brings a folder up to date: one Parquet file for each security and day. Calls ``data_status``, ``data_changes``
        and, for each file that is missing, ``level2_order_history``.

        What is there in the day's present build is skipped; what ``data_changes`` does not name of a newer
        revision is kept. Run it again, for example every night: it continues where it stopped. One run at a
        time: the folder is locked meanwhile.

        Parameters
        ----------
        symbols : str or iterable of str
            Securities as in `orders`.
        start_date, end_date : str or datetime.date
            First and last day, both included. Days that are not loaded, or lie before the plan's window, are
            left out and reported.
        folder : str or path
            Made when it is not there. Files are ``<code>/<code>_<day>_orders.parquet``; the journal is
            ``.edgetape-sync.jsonl``.
        verify : bool, default False
            True: the SHA-256 of every kept file is compared with the journal's. By default only of those whose
            size or time of modification changed.

        Returns
        -------
        SyncReport
            What was fetched, kept and not there; ``stopped`` is the `QuotaUsed` that ended it, or None.

        Raises
        ------
        ValueError
            When the first day is behind the last one.
        OSError
            When the folder cannot be used: before anything is asked, where that can be known.
        FolderInUse
            While another run is writing into the folder.
        ServiceError, ConnectionFailed, ProtocolError, IntegrityError
            For any other refusal, or when no base URL answers as the service does. What was fetched stays, and
            ``error.report`` is the `SyncReport` up to there, with the rest in ``left``.
        """
        listed = [symbols] if isinstance(symbols, str) else list(symbols)
        first, last = days_between(start_date, end_date)
        root = os.fspath(folder)
        return run_in_folder(lambda _: FolderRun(self, root, verify), listed, first, last, root)

    def history(
        self,
        symbols: Union[str, Iterable[str]],
        start_date: DateLike,
        end_date: DateLike,
        folder: PathLike,
        *,
        workers: int = 4,
        verify: bool = False,
    ) -> SyncReport:
        """Brings a folder by day up to date, the cheapest way: ``<day>/<code>_<day>_orders.parquet``.

        Files of the year's share are preferred where the plan has one and it holds the day's present build: they use
        no quota (calls ``file_download``). The rest are Parquet answers (``level2_order_history``), each of which is
        counted. Run it again to continue; `read_history` reads the folder.

        Parameters
        ----------
        symbols, start_date, end_date, verify
            As in `sync`.
        folder : str or path
            Made when it is not there; the journal with the SHA-256 of every file is ``.edgetape-history.jsonl``.
        workers : int, default 4
            Files of a share at the same time.

        Returns
        -------
        SyncReport
            As `sync` gives it.

        Raises
        ------
        ValueError, OSError, FolderInUse, ServiceError, ConnectionFailed, ProtocolError, IntegrityError
            As `sync` does.
        """
        listed = [symbols] if isinstance(symbols, str) else list(symbols)
        first, last = days_between(start_date, end_date)
        root = os.fspath(folder)
        return run_in_folder(
            lambda lock: HistoryRun(self, root, verify, lock, workers), listed, first, last, root
        )

    def share(self, data_type: str, year: int) -> Share:
        """The share of a year's daily files. Calls ``file_download``.

        Parameters
        ----------
        data_type : str
            ``"auction_tick"`` (from 2022) or ``"level2"`` (from 2017).
        year : int
            Up to the present one in Beijing.

        Returns
        -------
        Share
            With ``files()`` and ``download(folder)``.

        Raises
        ------
        NotAllowed, NoData, BadRequest
            Without the plan, without a file, for another type or year.
        """
        return ask_share(self._ask, self._connections, self._max_wait, data_type, year)

    def _call(self, interface: str, payload_for: Callable[[str], Payload]) -> Answer:
        """Any final answer of an interface; threads queue."""
        envelope = {"apiname": interface, "apikey": self._key}

        def call() -> Answer:
            return self._endpoints.call(lambda base_url: {**envelope, **payload_for(base_url)})

        return one_at_a_time(self._key, interface, self._max_wait, call)

    def _save_orders(self, selection: Selection, day: Optional[str], path: PathLike) -> ParquetFile:
        return self._save_at(selection._replace(tradedate=day), os.fspath(path))

    def _save_at(self, selection: Selection, target: str) -> ParquetFile:
        """Saves a Parquet answer as the file `target`, or in the folder `target` by the service's name."""
        is_folder = os.path.isdir(target)
        folder = target if is_folder else os.path.dirname(target)

        def place(name: Optional[str]) -> str:
            return os.path.join(target, name or "orders.parquet") if is_folder else target

        return self._save_answer(selection, folder, place)

    def _save_answer(
        self, selection: Selection, folder: str, place: Callable[[Optional[str]], str]
    ) -> ParquetFile:
        """Saves a Parquet answer as `place` says; its bytes arrive in `folder`. Nothing is counted for a file
        that cannot be stored."""
        self._check_space(selection, folder)
        payload: Dict[str, Any] = {
            "apiname": _ORDER_HISTORY,
            "apikey": self._key,
            "params": {**selection.params(), "format": "parquet"},
        }
        if selection.fields is not None:
            payload["fields"] = selection.fields
        return one_at_a_time(
            self._key,
            _ORDER_HISTORY,
            self._max_wait,
            lambda: fetch_parquet(self._endpoints, payload, folder, place),
        )

    def _check_space(self, selection: Selection, folder: str) -> None:
        """Raises `OSError` when a disk that is nearly full has no space for the file."""
        if not os.path.isdir(folder or ".") or free_bytes(folder) >= _AMPLE_BYTES:
            return
        try:
            size_bytes = self._ask("order_history_estimate", selection.params())["parquet_bytes"]
        except (ServiceError, KeyError, TypeError):
            return  # The request for the file itself says what is wrong.
        check_space(folder, size_bytes)
