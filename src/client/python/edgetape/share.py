"""A year's share: which files it holds, and a folder that gets them all."""

from __future__ import annotations

import json
import os
import re
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, Callable, Dict, Iterable, List, Optional

from .download import Download, ShareFile, sha256_of
from .drive import Drive
from .errors import IntegrityError, NoData, ProtocolError, Unavailable
from .journal import Journal
from .parquet import PathLike
from .progress import Progress
from .selection import DateLike, tradedate
from .transport import Connections
from .waiting import Patience

JOURNAL_NAME = ".edgetape-share.jsonl"


class Share:
    """A share as `file_download` gave it.

    Attributes
    ----------
    status : str
        ``ready``, or ``preparing`` while its operator still makes it.
    data_type, year
        As asked for.
    start_date, end_date : str
        Days of the first and last file, YYYYMMDD, both included.
    file_count, size_bytes : int
        All files covered now.
    url, password : str
        Where it lies; also for a browser, rclone or curl.
    expires_at : str
        RFC 3339, exclusive.
    retry_after : int
        Seconds after which to ask again while it is not ready.
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
        self._drive = Drive(self.url, self.password, connections)
        self._max_wait = max_wait

    def __repr__(self) -> str:
        # Without the password: a notebook shows what stands on its last line.
        return f"<Share {self.data_type} {self.year} {self.status}: {self.file_count} files, {self.url}>"

    def files(self) -> List[ShareFile]:
        """The files that the share covers now, by day.

        Raises
        ------
        Unavailable
            While the share is not ready.
        ProtocolError
            When the share lies on a drive of another kind, which has no manifest.
        """
        if self.status != "ready":
            raise Unavailable(
                f"the share of {self.data_type} {self.year} is {self.status}: "
                f"ask again in {self.retry_after} s"
            )
        try:
            body = self._drive.get("manifest.json", Patience(self._max_wait), lambda reply: reply.read())
            return [_file_of(entry) for entry in json.loads(body)["files"]]
        except (NoData, ValueError, KeyError, TypeError) as error:
            raise ProtocolError(
                f"{self.url} has no manifest of ours: it may be a drive elsewhere, "
                "to be opened with its password"
            ) from error

    def download(
        self,
        folder: PathLike,
        days: Optional[Iterable[DateLike]] = None,
        workers: int = 4,
        *,
        progress: Optional[bool] = None,
    ) -> List[str]:
        """Downloads the files that the folder does not have yet; an interrupted download is continued.

        Parameters
        ----------
        folder : str or path
            Made when it is not there; the files keep the share's paths.
        days : iterable of dates, optional
            Only files of these days; by default all.
        workers : int, default 4
            Files at the same time.
        progress : bool, optional
            Whether to show it; by default on a terminal.

        Returns
        -------
        list of str
            The paths of all files asked for, by day.

        Raises
        ------
        IntegrityError
            When a file is not the one that the manifest names. The others were downloaded.
        ServiceError, ConnectionFailed
            For a refusal, or a line that stays broken. What is whole stays, parts are continued next time.
        """
        root = os.fspath(folder)
        wanted = None if days is None else {tradedate(each) for each in days}
        files = [file for file in self.files() if wanted is None or file.tradedate in wanted]
        os.makedirs(root, exist_ok=True)
        journal = Journal(os.path.join(root, JOURNAL_NAME))
        missing = [file for file in files if not _is_there(root, file, journal)]
        with Progress(len(missing), sum(file.size_bytes for file in missing), progress) as bar:
            self._download_all(root, missing, journal, workers, bar)
        return [_local(root, file) for file in files]

    def _download_all(
        self, root: str, files: List[ShareFile], journal: Journal, workers: int, bar: Progress
    ) -> None:
        damaged: List[IntegrityError] = []
        stop = threading.Event()

        def fetch(file: ShareFile) -> None:
            try:
                path = _local(root, file)
                _note(path, self._fetch(path, file, bar, stop), journal)
            except IntegrityError as error:
                damaged.append(error)

        with ThreadPoolExecutor(max(1, workers)) as pool:
            running = [pool.submit(fetch, file) for file in files]
            try:
                wait(running, return_when=FIRST_EXCEPTION)
            except BaseException:
                stop.set()  # Ctrl-C does not wait for gigabytes.
                raise
            finally:
                for each in running:
                    each.cancel()  # Those that began come to their end.
        for each in running:
            if not each.cancelled():
                each.result()
        if damaged:
            raise IntegrityError("; ".join(str(error) for error in damaged))

    def _fetch(self, path: str, file: ShareFile, bar: Progress, stop: threading.Event) -> ShareFile:
        """Downloads `file`, or the one that stands in its place now; returns which."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            Download(self._drive, file, path, bar, stop).run(self._max_wait)
            return file
        except IntegrityError:
            # Published anew since the manifest was read?
            present = {each.path: each for each in self.files()}.get(file.path)
            if present is None or present.sha256 == file.sha256:
                raise
            Download(self._drive, present, path, bar, stop).run(self._max_wait)
            return present


def ask_share(
    ask: Callable[[str, Dict[str, Any]], Any],
    connections: Connections,
    max_wait: float,
    data_type: str,
    year: int,
) -> Share:
    """Asks `file_download` through `ask`, which gives the `data` of a served answer."""
    outer = ask("file_download", {"data_type": data_type, "year": year})
    try:
        return Share(outer["data"], connections, max_wait)
    except (KeyError, TypeError) as error:
        raise ProtocolError(f"the share lacks something: {error!r}") from error


def _file_of(entry: Dict[str, Any]) -> ShareFile:
    file = ShareFile(**{name: entry[name] for name in ShareFile._fields})
    # The path becomes one of this machine: a folder named after a day, and a plain name in it.
    if re.fullmatch(r"\d{8}/[^./\\:\x00-\x1f][^/\\:\x00-\x1f]*", file.path) is None:
        raise ProtocolError(f"the manifest names {file.path!r}, which is no path of a daily file")
    return file


def _local(root: str, file: ShareFile) -> str:
    return os.path.join(root, *file.path.split("/"))


def _is_there(root: str, file: ShareFile, journal: Journal) -> bool:
    """Whether the folder has this very file. Its bytes are read only when nobody noted what they are."""
    path = _local(root, file)
    try:
        stat = os.stat(path)
    except FileNotFoundError:
        return False
    if stat.st_size != file.size_bytes:
        return False
    noted = journal.get(file.path)
    if noted is not None and (noted.get("size"), noted.get("mtime")) == (stat.st_size, stat.st_mtime_ns):
        return bool(noted.get("sha256") == file.sha256)
    if sha256_of(path) != file.sha256:
        return False
    _note(path, file, journal)
    return True


def _note(path: str, file: ShareFile, journal: Journal) -> None:
    stat = os.stat(path)
    journal.put(file.path, {"size": stat.st_size, "mtime": stat.st_mtime_ns, "sha256": file.sha256})
