"""The client: one object for a key and the service's base URLs."""

from __future__ import annotations

import os
import ssl
from typing import Iterable, List, Optional, Union

from .calls import Endpoints
from .datasets import DatasetName, dataset_named
from .errors import ConfigurationError, ProtocolError
from .history import HistoryRun
from .parquet import PathLike
from .reading import Reading
from .selection import DateLike
from .share import Share
from .sync import FolderRun, SyncReport, run_in_folder
from .transport import Connections


class Client(Reading):
    """Access to one service with one key. Thread-safe; requests to the same interface are queued. It can be pickled,
    for example for worker processes; the pickle contains the key.

    Parameters
    ----------
    key : str, optional
        The API key; by default the environment's ``EDGETAPE_KEY``.
    base_urls : str or sequence of str, optional
        Base URLs of the service without ``/api``, the preferred one first; by default ``EDGETAPE_URL``, several
        separated by commas. The next one is used only when connections to the current one break.
    max_wait : float, default 120.0
        Maximum total time of one request's waits and failed attempts, in seconds: for a busy slot, the per-second
        limit, broken connections. 0 means one attempt without waits.
    timeout : float, default 30.0
        Seconds without data after which a connection counts as broken.
    ssl_context : ssl.SSLContext, optional
        For ``https`` URLs with your own certificates.

    Raises
    ------
    ConfigurationError
        Without a key or a base URL.

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
        """The base URLs, the preferred one first."""
        return list(self._endpoints.base_urls)

    @property
    def present_url(self) -> str:
        """The base URL that answered last and gets the next request."""
        return self._endpoints.present_url

    def close(self) -> None:
        """Closes the open connections. The client can still be used."""
        self._connections.close()

    def sync(
        self,
        symbols: Union[str, Iterable[str]],
        start_date: DateLike,
        end_date: DateLike,
        folder: PathLike,
        dataset: DatasetName = "orders",
        *,
        verify: bool = False,
    ) -> SyncReport:
        """Updates a folder with one Parquet file for each security and day. Calls ``data_status``, ``data_changes``
        and, for each missing file, ``level2_order_history``, ``level2_trade_history`` or ``level2_quote_history``. Also
        calls ``account_info`` for the remaining quota, and ``order_history_estimate``, ``trade_history_estimate`` or
        ``quote_history_estimate`` for the exchange of a symbol that does not name one.

        A file is kept if it has the day's current build, or if ``data_changes`` names no change of its security since
        its revision. Run it again, for example every night, to continue. The folder is locked, so only one run at a
        time can write into it.

        Parameters
        ----------
        symbols : str or iterable of str
            Securities as in `orders`.
        start_date, end_date : str or datetime.date
            First and last day, both included. Days that are not loaded, or lie before the plan's window, are
            left out and reported.
        folder : str or path
            Created if missing; datasets may share it. Files are ``<code>/<code>_<day>_<dataset>.parquet``, in the form
            that `Orders.to_df` describes; the journal is ``.edgetape-sync.jsonl``.
        dataset : str, default "orders"
            ``"orders"``, ``"trades"`` or ``"quotes"``.
        verify : bool, default False
            True compares the SHA-256 of every kept file with the journal. By default, only files whose size or
            modification time changed are compared.

        Returns
        -------
        SyncReport
            The downloaded, kept and missing files; ``stopped`` is the `QuotaUsed` that ended the run, or None.

        Raises
        ------
        ValueError
            When the first day is after the last one, or for an unknown dataset.
        OSError
            When the folder cannot be used; raised before the first request if possible.
        FolderInUse
            While another run writes into the folder.
        ServiceError, ConnectionFailed, ProtocolError, IntegrityError
            For any other refusal, or when no base URL sends a valid answer. Downloaded files stay, and
            ``error.report`` is the `SyncReport` so far, with the remaining files in ``left``.
        """
        kind = dataset_named(dataset)
        return run_in_folder(
            lambda root, _: FolderRun(self, kind, root, verify), symbols, start_date, end_date, folder
        )

    def history(
        self,
        symbols: Union[str, Iterable[str]],
        start_date: DateLike,
        end_date: DateLike,
        folder: PathLike,
        dataset: DatasetName = "orders",
        *,
        workers: int = 4,
        verify: bool = False,
    ) -> SyncReport:
        """Updates a folder with one subfolder for each day, using as little quota as possible. Files are
        ``<day>/<code>_<day>_<dataset>.parquet``.

        Files come from the year's share if the plan includes it and it has the day's current build, because a share
        uses no quota. The rest are downloaded as by `sync`, and charged. If the year's share is an external one without
        a manifest, all files are charged; a `QuotaWarning`, or a line on a terminal, says so. Run it again to continue;
        `read_history` reads the folder. Calls ``file_download`` and what `sync` calls: ``data_status``,
        ``data_changes``, ``account_info``, ``level2_order_history``, ``level2_trade_history`` or
        ``level2_quote_history``, ``order_history_estimate``, ``trade_history_estimate`` or ``quote_history_estimate``.

        Parameters
        ----------
        symbols, start_date, end_date, dataset, verify
            As in `sync`.
        folder : str or path
            Created if missing; the journal with the SHA-256 of every file is ``.edgetape-history.jsonl``.
        workers : int, default 4
            Number of concurrent downloads from a share.

        Returns
        -------
        SyncReport
            As returned by `sync`.

        Raises
        ------
        ValueError, OSError, FolderInUse, ServiceError, ConnectionFailed, ProtocolError, IntegrityError
            As `sync` does.
        """
        kind = dataset_named(dataset)
        return run_in_folder(
            lambda root, lock: HistoryRun(self, kind, root, verify, lock, workers),
            *(symbols, start_date, end_date, folder),
        )

    def share(self, data_type: str, year: int) -> Share:
        """Returns the share of a year's daily files. Calls ``file_download``.

        Parameters
        ----------
        data_type : str
            ``"auction_tick"`` (from 2022) or ``"level2"`` (from 2017).
        year : int
            Up to the current year in Beijing.

        Returns
        -------
        Share
            With ``files()`` and ``download(folder)``; ``download(folder, dataset="trades")`` takes one dataset only.

        Raises
        ------
        NotAllowed, NoData, BadRequest
            When the plan does not include the share, no file exists, or the type or year is not supported.
        """
        outer = self._ask("file_download", {"data_type": data_type, "year": year})
        try:
            return Share(outer["data"], self._connections, self._max_wait)
        except (KeyError, TypeError) as error:
            raise ProtocolError(f"a member of the share is missing or invalid: {error!r}") from error
