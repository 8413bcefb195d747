"""A year's share, and the download of its files into a folder."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections import deque
from queue import Empty, SimpleQueue
from typing import Any, Deque, Dict, Generic, Iterable, List, Optional, Sequence, TypeVar

from .datasets import DatasetName, dataset_named
from .disk import FolderLock, Journal, check_folder, check_space, locked, prepare_folder, sha256_of
from .download import Download, Drive, ShareFile, part_of
from .errors import IntegrityError, NoData, ProtocolError, Unavailable
from .parquet import PathLike
from .progress import Progress
from .selection import DateLike, tradedate
from .transport import Connections
from .waiting import Patience

T = TypeVar("T")

JOURNAL_NAME = ".edgetape-share.jsonl"

#: Maximum seconds that an interrupted download waits for its threads after cutting their connections.
_LONGEST_STOP_S = 0.5

_LOOK_EVERY_S = 0.5


class Share:
    """A share as returned by `file_download`.

    Attributes
    ----------
    status : str
        ``ready``, or ``preparing`` while the operator creates it.
    data_type, year
        As requested.
    start_date, end_date : str
        Days of the first and last file, YYYYMMDD, both included.
    file_count, size_bytes : int
        Number and total size of the files that the share covers now.
    url, password : str
        The share's address and password, which also work in a browser, rclone and curl.
    expires_at : str
        The end of access, RFC 3339, exclusive.
    retry_after : int
        While the share is not ready: seconds after which to request it again.
    """

    def __init__(self, share: Dict[str, Any], connections: Connections, max_wait: float) -> None:
        self.status: str = share["status"]
        self.data_type: str = share["data_type"]
        self.year: int = share["year"]
        self.start_date: str = share["start_date"]
        self.end_date: str = share["end_date"]
        self.file_count: int = share["file_count"]
        self.size_bytes: int = share["size_bytes"]
        self.url: str = share["url"]
        self.password: str = share["password"]
        self.expires_at: str = share["expires_at"]
        self.retry_after: int = share["retry_after"]
        self._connections = connections
        self._drive = Drive(self.url, self.password, connections)
        self._max_wait = max_wait

    def __repr__(self) -> str:
        # The text omits the password, because notebooks display it.
        return f"<Share {self.data_type} {self.year} {self.status}: {self.file_count} files, {self.url}>"

    @property
    def is_external(self) -> bool:
        """Whether the operator stores the share outside the service, where it may have no manifest."""
        # The addresses and passwords of the service's own shares have these two forms (contract 8.4).
        is_own = re.search(r"/s/[^/]+/$", self.url) and re.fullmatch(r"[0-9A-Za-z]{24}", self.password)
        return self.status == "ready" and not is_own

    def files(self) -> List[ShareFile]:
        """Returns the files that the share covers now, by day.

        Raises
        ------
        Unavailable
            While the share is not ready.
        ProtocolError
            When the share is an external one, which has no manifest.
        """
        return [_file_of(entry) for entry in self._manifest()]

    def _manifest(self) -> List[Dict[str, Any]]:
        if self.status != "ready":
            raise Unavailable(
                f"the share of {self.data_type} {self.year} is {self.status}: "
                f"ask again in {self.retry_after} s"
            )
        try:
            body = self._drive.get("manifest.json", Patience(self._max_wait), lambda reply: reply.read())
            files: List[Dict[str, Any]] = json.loads(body)["files"]
            for entry in files:
                _file_of(entry)  # Raises for an invalid entry.
            return files
        except (NoData, ValueError, KeyError, TypeError) as error:
            raise ProtocolError(
                f"{self.url} has no edgetape manifest: it may be an external share; "
                "open the address in a browser with the share's password"
            ) from error

    def packs(self, dataset: str = "orders") -> Dict[str, Dict[str, Any]]:
        """Returns the manifest's entries of a dataset's packs, by day. Each entry has ``build_id`` and ``sha256``;
        entries of checked days also have ``quality``."""
        return {
            entry["tradedate"]: entry
            for entry in self._manifest()
            if entry.get("build_id") is not None and entry["path"].endswith(f"_{dataset}.parquet")
        }

    def download(
        self,
        folder: PathLike,
        days: Optional[Iterable[DateLike]] = None,
        workers: int = 4,
        *,
        dataset: Optional[DatasetName] = None,
        progress: Optional[bool] = None,
        verify: bool = False,
    ) -> List[str]:
        """Downloads the files that the folder lacks; an interrupted download is continued.

        Parameters
        ----------
        folder : str or path
            Created if missing; the files keep the share's paths.
        days : iterable of dates, optional
            Only files of these days; by default all.
        workers : int, default 4
            Number of concurrent downloads.
        dataset : str, optional
            ``"orders"``, ``"trades"`` or ``"quotes"``: only the packs of this dataset in a ``level2`` share,
            ``<day>/<day>_<dataset>.parquet``. By default all files.
        progress : bool, optional
            Whether to show the progress; by default on a terminal.
        verify : bool, default False
            True computes the SHA-256 of every existing file again. By default, only files whose size or modification
            time has changed are checked.

        Returns
        -------
        list of str
            The paths of all requested files, by day.

        Raises
        ------
        ValueError
            For an unknown dataset, a dataset of a share that is not level2, or an invalid date.
        IntegrityError
            When a file differs from the manifest. All other files were downloaded.
        OSError
            When the folder cannot be used, or the disk is full.
        FolderInUse
            While another run writes into the folder.
        ServiceError, ConnectionFailed
            For a refusal, or a connection that stays broken. Complete files stay, and partial ones are continued by the
            next call.
        """
        root = os.fspath(folder)
        wanted = None if days is None else {tradedate(each) for each in days}
        pack = None if dataset is None else dataset_named(dataset).name
        if pack is not None and self.data_type != "level2":
            raise ValueError(f"dataset selects packs of a level2 share; this share is of {self.data_type}")
        check_folder(root)
        files = [
            file
            for file in self.files()
            if (wanted is None or file.tradedate in wanted) and (pack is None or _is_pack(file, pack))
        ]
        prepare_folder(root)
        with locked(root) as lock:
            journal = Journal(os.path.join(root, JOURNAL_NAME))
            missing = [file for file in files if not _is_there(root, file, journal, verify)]
            check_space(root, sum(file.size_bytes for file in missing) - _size_of_parts(root, missing))
            with Progress(len(missing), sum(file.size_bytes for file in missing), progress) as bar:
                _Run(self, root, journal, bar, lock).run(missing, workers)
        return [_local(root, file) for file in files]


class ShareRun(Generic[T]):
    """Downloads from a share in separate daemon threads.

    A stop request ends all waits of the threads, so that an interrupt takes effect soon. The folder stays locked until
    the last thread has ended.
    """

    def __init__(self, share: Share, bar: Progress, lock: FolderLock) -> None:
        self._share = share
        self._bar = bar
        self._lock = lock
        self._stop = threading.Event()
        self._connections = share._connections.separate()
        self._drive = Drive(share.url, share.password, self._connections)
        self._ended: "SimpleQueue[Optional[BaseException]]" = SimpleQueue()
        self._threads: List[threading.Thread] = []

    def fetch(self, item: T) -> None:
        """Fetches one item."""
        raise NotImplementedError

    def run(self, items: Sequence[T], workers: int) -> None:
        """Downloads `items`. Integrity errors, which are about one file, are collected and raised together at the end;
        any other error is raised at once."""
        waiting = deque(items)
        damaged: List[BaseException] = []
        try:
            try:
                for _ in range(min(len(items), max(1, workers))):
                    thread = threading.Thread(target=self._work, args=(waiting,), daemon=True)
                    self._threads.append(thread)
                    thread.start()
                for _ in range(len(items)):
                    error = _taken(self._ended)
                    if isinstance(error, IntegrityError):
                        damaged.append(error)
                    elif error is not None:
                        raise error
            finally:
                self._end()
        finally:
            self._end()  # Again, because an interrupt may have prevented the first call.
        if damaged:
            raise IntegrityError("; ".join(str(error) for error in damaged))

    def _work(self, waiting: Deque[T]) -> None:
        while not self._stop.is_set():
            try:
                item = waiting.popleft()
            except IndexError:
                return
            try:
                self.fetch(item)
                self._ended.put(None)
            except BaseException as error:  # `run` raises it in the caller's thread.
                self._ended.put(error)

    def _end(self) -> None:
        """Stops the threads that still run."""
        self._stop.set()
        self._connections.abort()
        until = time.monotonic() + _LONGEST_STOP_S
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, until - time.monotonic()))
        running = [thread for thread in self._threads if thread.is_alive()]
        if running:
            # These threads are in a system call that cannot be interrupted; they write nothing more.
            self._lock.release_after(running)
        self._connections.close()


class _Run(ShareRun[ShareFile]):
    """Downloads the files of a share into a folder."""

    def __init__(self, share: Share, root: str, journal: Journal, bar: Progress, lock: FolderLock) -> None:
        super().__init__(share, bar, lock)
        self._root = root
        self._journal = journal

    def fetch(self, file: ShareFile) -> None:
        """Downloads `file`, or the version that has replaced it."""
        path = _local(self._root, file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        max_wait = self._share._max_wait
        try:
            Download(self._drive, file, path, self._bar, self._stop).run(max_wait)
        except IntegrityError:
            # The file may have been published again since the manifest was read.
            present = {each.path: each for each in self._share.files()}.get(file.path)
            if present is None or present.sha256 == file.sha256:
                raise
            Download(self._drive, present, path, self._bar, self._stop).run(max_wait)
            file = present
        _note(path, file, self._journal)


def _taken(queue: "SimpleQueue[Optional[BaseException]]") -> Optional[BaseException]:
    while True:
        try:
            return queue.get(timeout=_LOOK_EVERY_S)  # On Windows, only a bounded wait can be interrupted.
        except Empty:
            continue


def _file_of(entry: Dict[str, Any]) -> ShareFile:
    file = ShareFile(**{name: entry[name] for name in ShareFile._fields})
    # The path is used locally, so it must be a folder named after a day and a plain file name.
    if re.fullmatch(r"\d{8}/[^./\\:\x00-\x1f][^/\\:\x00-\x1f]*", file.path) is None:
        raise ProtocolError(f"the manifest names {file.path!r}, which is not the path of a daily file")
    return file


def _is_pack(file: ShareFile, dataset: str) -> bool:
    """Returns whether a file is the pack of a dataset. No other file of a day can have this name (contract 8.7)."""
    return file.path == f"{file.tradedate}/{file.tradedate}_{dataset}.parquet"


def _local(root: str, file: ShareFile) -> str:
    return os.path.join(root, *file.path.split("/"))


def _size_of_parts(root: str, files: List[ShareFile]) -> int:
    """Returns how many bytes of these files earlier, incomplete downloads stored."""
    size_bytes = 0
    for file in files:
        try:
            size_bytes += os.path.getsize(part_of(_local(root, file), file))
        except OSError:
            continue
    return size_bytes


def _is_there(root: str, file: ShareFile, journal: Journal, verify: bool) -> bool:
    """Returns whether the folder has exactly this file. Its bytes are read only with `verify`, or when the journal has
    no matching entry."""
    path = _local(root, file)
    try:
        stat = os.stat(path)
    except FileNotFoundError:
        return False
    if stat.st_size != file.size_bytes:
        return False
    noted = journal.get(file.path)
    if (
        not verify
        and noted is not None
        and (noted.get("size"), noted.get("mtime")) == (stat.st_size, stat.st_mtime_ns)
    ):
        return bool(noted.get("sha256") == file.sha256)
    if sha256_of(path) != file.sha256:
        return False
    _note(path, file, journal)
    return True


def _note(path: str, file: ShareFile, journal: Journal) -> None:
    stat = os.stat(path)
    journal.put(file.path, {"size": stat.st_size, "mtime": stat.st_mtime_ns, "sha256": file.sha256})
