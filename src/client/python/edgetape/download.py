"""Downloads one file of a share to a partial file, which can be resumed. When complete, it is verified and renamed.

The partial file is in the target's folder. Its name contains the expected SHA-256, so a partial file of another version
is never continued. The version's entity tag is stored in a second file. Sent as `If-Range`, it makes the service return
either the rest of that version or the whole current version.
"""

from __future__ import annotations

import base64
import os
import re
import threading
from typing import Callable, Dict, NamedTuple, Optional, TypeVar
from urllib.parse import quote, urlsplit

from .calls import may_pass
from .disk import remove, sha256_of
from .errors import (
    EdgetapeError,
    IntegrityError,
    NoData,
    NotAllowed,
    ProtocolError,
    ServiceError,
    Unavailable,
)
from .progress import Progress
from .transport import BrokenConnection, Connections, Reply
from .waiting import UNTOLD_WAIT_S, Patience, Stopped, parse_retry_after

T = TypeVar("T")


class Drive:
    """Reads a share's files by path. `url` ends with a slash."""

    def __init__(self, url: str, password: str, connections: Connections) -> None:
        self._url = url
        share_id = urlsplit(url).path.rstrip("/").rsplit("/", 1)[-1]
        login = base64.b64encode(f"{share_id}:{password}".encode()).decode()
        self._headers = {"Authorization": f"Basic {login}"}
        self._connections = connections

    def get(
        self,
        path: str,
        patience: Patience,
        take: Callable[[Reply], T],
        headers: Callable[[], Dict[str, str]] = dict,
    ) -> T:
        """Reads `path` with `take`. Retries after broken connections and temporary refusals; calls `headers()` for each
        attempt.

        Raises `NotAllowed` for 401 and 403, and `NoData` for 404. After `max_wait`, raises `Unavailable` for 429 and
        503, and `ConnectionFailed` for broken connections."""
        url = self._url + quote(path)
        while True:
            timeout = patience.begun()
            try:
                sent = {**self._headers, **headers()}
                with self._connections.request("GET", url, sent, timeout=timeout) as reply:
                    reply.touched = patience.touched
                    if reply.status in (200, 206, 416):
                        return take(reply)
                    refusal = _refusal(reply, path)
                    told = parse_retry_after(reply.headers.get("Retry-After"))
                    if told is None and reply.headers.get("X-Request-Id") is None:
                        told = UNTOLD_WAIT_S  # A proxy's error page has no `Retry-After`.
            except BrokenConnection as error:
                patience.wait_failed(error, self._url)
                continue
            if told is None or not may_pass(reply.status):
                raise refusal
            patience.wait_told(told, refusal)


def _refusal(reply: Reply, path: str) -> EdgetapeError:
    said = " ".join(reply.read().decode("utf-8", "replace").split())
    if 300 <= reply.status < 400:
        return ProtocolError(f"the share redirects {path} to {reply.headers.get('Location')}")
    kinds = {401: NotAllowed, 403: NotAllowed, 404: NoData, 429: Unavailable, 503: Unavailable}
    kind = kinds.get(reply.status, ServiceError)
    codes: Dict[int, Optional[int]] = {401: 403, 403: 403, 404: 1002, 429: 429, 503: 503}
    return kind(
        f"{path}: {said[:300] or f'HTTP {reply.status}'}",
        code=codes.get(reply.status),
        reason=reply.headers.get("X-Reason"),
        request_id=reply.headers.get("X-Request-Id"),
        status=reply.status,
    )


class ShareFile(NamedTuple):
    """A file of a share according to its manifest. `path` is relative to the share; `sha256` has 64 hex digits."""

    path: str
    tradedate: str
    size_bytes: int
    sha256: str
    revision: int


class Download:
    """The download of `file` to `target`, whose folder must exist. When `stop` is set, the download ends at the next
    piece or wait, and the partial file stays."""

    def __init__(
        self, drive: Drive, file: ShareFile, target: str, progress: Progress, stop: threading.Event
    ) -> None:
        self._drive = drive
        self._file = file
        self._target = target
        self._part = part_of(target, file)
        self._tag = f"{self._part}.etag"
        self._progress = progress
        self._stop = stop
        self._was_continued = False

    def run(self, max_wait: float) -> None:
        """Downloads the missing bytes, verifies the file, and renames it.

        Raises `IntegrityError` when the file's size or SHA-256 differs from the announced one; an existing target stays
        unchanged. If a resumed download differs, the file is downloaded once more from its beginning before the error
        is raised. After any other error the partial file stays and the download can be resumed."""
        self._progress.moved(self._size())
        self._fetch(max_wait)
        problem = self._problem()
        if problem is not None and self._was_continued:
            self._drop()
            self._fetch(max_wait)
            problem = self._problem()
        if problem is not None:
            self._drop()
            raise IntegrityError(f"{self._file.path}: {problem}; the downloaded bytes were deleted")
        os.replace(self._part, self._target)
        remove(self._tag)
        self._remove_former_parts()
        self._progress.finished()

    def _fetch(self, max_wait: float) -> None:
        if self._size() == self._file.size_bytes:
            self._was_continued = True
            return
        patience = Patience(max_wait, stop=self._stop)
        self._drive.get(self._file.path, patience, lambda reply: self._take(reply, patience), self._range)

    def _range(self) -> Dict[str, str]:
        # A partial file without a tag is not continued but replaced by a full download.
        size, tag = self._size(), self._known_tag()
        return {"Range": f"bytes={size}-", "If-Range": tag} if size > 0 and tag is not None else {}

    def _take(self, reply: Reply, patience: Patience) -> None:
        size = self._size()
        if reply.status == 416 or (reply.status == 206 and not _begins_at(reply, size)):
            # The partial file is longer than the file, or the rest belongs to another version.
            self._drop()
            raise BrokenConnection(f"the bytes after the first {size} are not available")
        if reply.status == 200:
            self._check_whole(reply)
            self._drop()
            self._keep_tag(reply.headers.get("ETag"))
        self._was_continued = self._was_continued or reply.status == 206
        with open(self._part, "ab") as part:
            for piece in reply.pieces():
                if self._stop.is_set():
                    raise Stopped
                part.write(piece)
                patience.progressed()
                self._progress.moved(len(piece))

    def _check_whole(self, reply: Reply) -> None:
        """Checks a full answer before it replaces the partial file.

        A sign-in or error page of a proxy counts as a broken connection and is retried. A different length from the
        service itself means a different version of the file.
        """
        kind = reply.headers.get("Content-Type", "")
        if "html" in kind.lower() and not self._file.path.endswith((".html", ".htm")):
            raise BrokenConnection(f"a web page arrived instead of the file ({kind})")
        if reply.length is None or reply.length == self._file.size_bytes:
            return
        told = f"{reply.length} bytes are offered instead of {self._file.size_bytes}"
        if reply.headers.get("ETag") is None:
            raise BrokenConnection(told)
        raise IntegrityError(f"{self._file.path}: {told}; the downloaded bytes were deleted")

    def _problem(self) -> Optional[str]:
        """Returns what is wrong with the complete partial file, or None."""
        size = self._size()
        if size != self._file.size_bytes:
            return f"{size} bytes arrived instead of {self._file.size_bytes}"
        seen = sha256_of(self._part)
        if seen != self._file.sha256:
            return f"its SHA-256 is {seen} instead of {self._file.sha256}"
        return None

    def _size(self) -> int:
        try:
            return os.path.getsize(self._part)
        except FileNotFoundError:
            return 0

    def _drop(self) -> None:
        self._progress.moved(-self._size())
        remove(self._part)
        remove(self._tag)

    def _known_tag(self) -> Optional[str]:
        try:
            with open(self._tag, encoding="latin-1") as file:
                return file.read() or None
        except FileNotFoundError:
            return None

    def _keep_tag(self, tag: Optional[str]) -> None:
        # A weak tag does not guarantee equal bytes.
        if tag is not None and not tag.startswith("W/"):
            with open(self._tag, "w", encoding="latin-1") as file:
                file.write(tag)

    def _remove_former_parts(self) -> None:
        folder, name = os.path.split(self._target)
        former = re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{16}}\.part(\.etag)?")
        for each in os.listdir(folder or "."):
            if former.fullmatch(each):
                remove(os.path.join(folder, each))


def part_of(target: str, file: ShareFile) -> str:
    """Returns the path of a download's partial file."""
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name}.{file.sha256[:16]}.part")


def _begins_at(reply: Reply, first: int) -> bool:
    return reply.headers.get("Content-Range", "").startswith(f"bytes {first}-")
