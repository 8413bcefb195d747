"""Saves the service's own Parquet answer as a file that is either complete or absent."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Callable, NamedTuple, Optional, Set, Tuple, Union

from .calls import Answer, Endpoints, Payload, parse_answer
from .disk import Part
from .errors import IntegrityError, ProtocolError
from .progress import Progress
from .transport import BrokenConnection, Reply, whole_number

PathLike = Union[str, "os.PathLike[str]"]

MAGIC = b"PAR1"

_MEDIA_TYPE = "application/vnd.apache.parquet"

#: Two magic numbers and the footer's length, 4 bytes each.
_SMALLEST_FILE = 12


class ParquetFile(NamedTuple):
    """A saved Parquet answer.

    Attributes
    ----------
    path : str
        The file's path.
    rows : int or None
        Number of rows, according to the service.
    revision : int or None
        The day's revision on the deployment that answered.
    size_bytes : int
    base_url : str
        The deployment that answered.
    name : str or None
        The service's name for the file, for example ``600519.SH_20260311_orders.parquet``.
    build : str or None
        The day's build id. Equal build ids mean equal contents, even on different deployments.
    sha256 : str
        The file's SHA-256, 64 hex digits.
    """

    path: str
    rows: Optional[int]
    revision: Optional[int]
    size_bytes: int
    base_url: str
    name: Optional[str]
    build: Optional[str]
    sha256: str


def fetch_parquet(
    endpoints: Endpoints, payload: Payload, folder: str, place: Callable[[Optional[str]], str]
) -> ParquetFile:
    """Requests a Parquet answer and saves it; `place` returns the path for the service's file name.

    The bytes are written to a temporary file in `folder`, which is created before the request. After a broken
    connection the file is requested again from the beginning (the service does not resume) and charged again. An answer
    that is unusable twice for the same reason is not requested again.

    Raises the refusal, and `IntegrityError` when a complete answer is not a Parquet file, or two answers break off at
    the same byte."""
    with Part(folder) as part, Progress(1) as bar:
        receiver = _Receiver(part, len(endpoints.base_urls), bar)
        taken = endpoints.receive(lambda _: payload, receiver.take)
        if isinstance(taken, Answer):
            if taken.code == 200:
                raise ProtocolError(f"{taken.base_url} sent no file [{taken.request_id}]")
            raise taken.refusal()
        path = place(taken.name)
        part.commit(path)
        bar.finished()
    return taken._replace(path=path)


class _Receiver:
    """Reads answers into a partial file."""

    def __init__(self, part: Part, addresses: int, bar: Progress) -> None:
        self._part = part
        self._bar = bar
        self._addresses = addresses
        self._reasons: Set[Tuple[str, int, str]] = set()
        self._hopeless: Set[str] = set()
        self._received = 0
        self._told = 0

    def take(self, base_url: str, reply: Reply) -> Union[Answer, ParquetFile]:
        """Returns the file, with an empty `path`; returns the envelope if the service sent one instead of a file."""
        if reply.status != 200:
            return parse_answer(base_url, reply.status, reply.headers, reply.read())
        self._bar.moved(-self._told)
        self._received = self._told = 0
        try:
            return self._file(base_url, reply)
        except BrokenConnection as error:
            self._note(base_url, error)
            raise

    def _file(self, base_url: str, reply: Reply) -> Union[Answer, ParquetFile]:
        """Returns the file, or the envelope if the answer is not a file. The first bytes decide, because a proxy may
        drop or change the headers."""
        pieces = reply.content()
        head = b""
        for piece in pieces:
            head += piece
            self._received = len(head)
            if len(head) >= len(MAGIC):
                break
        if not head.startswith(MAGIC):
            if _MEDIA_TYPE in reply.headers.get("Content-Type", ""):
                raise IntegrityError(f"{base_url} announced a Parquet file and sent something else")
            body = head + b"".join(pieces)
            self._received = len(body)
            return parse_answer(base_url, reply.status, reply.headers, body)
        self._part.clear()
        digest = hashlib.sha256(head)
        self._part.file.write(head)
        if reply.length is not None and "Content-Encoding" not in reply.headers:
            self._bar.expect(reply.length)
        self._tell(len(head))
        for piece in pieces:
            digest.update(piece)
            self._part.file.write(piece)
            self._received += len(piece)
            self._tell(len(piece))
        self._check(reply)
        return ParquetFile(
            path="",
            rows=whole_number(reply.headers.get("X-Row-Count")),
            revision=whole_number(reply.headers.get("X-Revision")),
            size_bytes=self._received,
            base_url=base_url,
            name=_file_name(reply.headers.get("Content-Disposition")),
            build=reply.headers.get("X-Build"),
            sha256=digest.hexdigest(),
        )

    def _tell(self, size_bytes: int) -> None:
        self._told += size_bytes
        self._bar.moved(size_bytes)

    def _check(self, reply: Reply) -> None:
        file, size = self._part.file, self._received
        file.seek(max(0, size - len(MAGIC)))
        if size >= _SMALLEST_FILE and file.read() == MAGIC:
            return
        told = f"the answer is not a complete Parquet file ({size} bytes)"
        raise IntegrityError(told) if reply.is_framed else BrokenConnection(told)

    def _note(self, base_url: str, error: BrokenConnection) -> None:
        """Raises `IntegrityError` when every base URL has failed twice in the same way, because each further attempt
        may be charged."""
        reason = (base_url, self._received, str(error))
        if self._received > 0 and reason in self._reasons:
            self._hopeless.add(base_url)
        self._reasons.add(reason)
        if len(self._hopeless) == self._addresses:
            raise IntegrityError(f"{base_url} sent the same unusable answer twice: {error}") from error


def _file_name(disposition: Optional[str]) -> Optional[str]:
    """Returns the name in a `Content-Disposition` if it is a valid local file name."""
    match = re.search(r'filename="([\w.-]{1,200})"', disposition or "", re.ASCII)
    return None if match is None or match.group(1).startswith(".") else match.group(1)
