"""The service's own Parquet answer, saved as a file that is whole or not there."""

from __future__ import annotations

import os
import re
import tempfile
from typing import Any, Callable, Dict, NamedTuple, Optional, Union

from .envelope import Answer, parse_answer
from .errors import IntegrityError
from .lines import Lines, Payload
from .transport import Reply

PathLike = Union[str, "os.PathLike[str]"]

_MAGIC = b"PAR1"


class ParquetFile(NamedTuple):
    """A saved Parquet answer.

    Attributes
    ----------
    path : str
        Where it lies.
    rows : int or None
        Orders in it, as the service said.
    revision : int or None
        The day's revision on the deployment that answered.
    size_bytes : int
    base_url : str
        Which deployment answered.
    name : str or None
        The service's name for it, for example ``600519.SH_20260311_orders.parquet``.
    """

    path: str
    rows: Optional[int]
    revision: Optional[int]
    size_bytes: int
    base_url: str
    name: Optional[str]


def fetch_parquet(lines: Lines, payload: Payload, place: Callable[[Optional[str]], str]) -> ParquetFile:
    """Asks for a Parquet answer and saves it; `place` makes the path from the service's name for the file.

    The bytes arrive under a temporary name beside the target. A connection that breaks is tried again from
    the beginning (the service does not resume), which is a new request and counted again.

    Raises
    ------
    ServiceError
        For a refusal.
    IntegrityError
        When what arrived whole is no Parquet file.
    """

    def take(base_url: str, reply: Reply) -> Union[Answer, ParquetFile]:
        if reply.status != 200 or "json" in reply.headers.get("Content-Type", ""):
            return parse_answer(base_url, reply.status, reply.headers, reply.read())
        name = _file_name(reply.headers.get("Content-Disposition"))
        path = place(name)
        size_bytes = _save(reply, path)
        numbers: Dict[str, Any] = {
            header: int(reply.headers.get(header, "") or -1) for header in ("X-Row-Count", "X-Revision")
        }
        rows, revision = (None if number < 0 else number for number in numbers.values())
        return ParquetFile(path, rows, revision, size_bytes, base_url, name)

    taken = lines.receive(lambda _: payload, take)
    if isinstance(taken, Answer):
        raise taken.refusal()
    return taken


def _save(reply: Reply, path: str) -> int:
    handle, part = tempfile.mkstemp(prefix=".edgetape-", suffix=".part", dir=os.path.dirname(path) or ".")
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in reply.pieces():
                file.write(piece)
            size_bytes = file.tell()
        _check(part, size_bytes)
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
    return size_bytes


def _check(path: str, size_bytes: int) -> None:
    with open(path, "rb") as file:
        head = file.read(4)
        file.seek(max(0, size_bytes - 4))
        tail = file.read(4)
    if size_bytes < 12 or head != _MAGIC or tail != _MAGIC:
        raise IntegrityError(f"the answer is no whole Parquet file ({size_bytes} bytes)")


def _file_name(disposition: Optional[str]) -> Optional[str]:
    """The name in a `Content-Disposition`, when it can be the name of a file here."""
    match = re.search(r'filename="([\w.-]+)"', disposition or "", re.ASCII)
    return None if match is None or match.group(1).startswith(".") else match.group(1)


def _umask() -> int:
    """The process's mask: a temporary file is made for its owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
