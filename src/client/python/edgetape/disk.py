"""Local files: folders that are checked and locked, files that are complete or absent, and a folder's journal.

A local error is raised as `OSError`, if possible before the first request to the service. A journal consists of JSON
lines that are only appended; the last line for a name counts. A killed process leaves at most one truncated line at the
end. That line is skipped, and the file that it describes is checked again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import shutil
import threading
import time
from contextlib import contextmanager
from typing import IO, Any, Dict, Iterator, NamedTuple, Optional, Sequence

from .errors import FolderInUse

LOCK_NAME = ".edgetape.lock"

_PART_PREFIX, _PART_ENDING = ".edgetape-", ".part"

#: The age from which an unlocked partial file is stale. A younger one may belong to a process that has not locked it
#: yet.
_STALE_AFTER_S = 60.0

_HASHED_BYTES = 1024 * 1024


def prepare_folder(folder: str) -> None:
    """Creates `folder` if it is missing, and checks that files can be created in it. Raises `OSError`."""
    os.makedirs(folder or ".", exist_ok=True)
    check_folder(folder)


def check_folder(folder: str) -> None:
    """Raises `OSError` when no file can be created in `folder`; a missing folder is accepted."""
    if not os.path.lexists(folder or "."):
        return
    if not os.path.isdir(folder or "."):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder)
    if not os.access(folder or ".", os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)


def free_bytes(folder: str) -> int:
    """Returns the number of bytes that are free for files in `folder`."""
    return shutil.disk_usage(folder or ".").free


def check_space(folder: str, size_bytes: int) -> None:
    """Raises `OSError` when the disk has no space for this many bytes."""
    free = free_bytes(folder)
    if free < size_bytes:
        told = f"{os.strerror(errno.ENOSPC)}: {size_bytes} bytes are needed, {free} are free"
        raise OSError(errno.ENOSPC, told, folder)


def sha256_of(path: str) -> str:
    """Returns the SHA-256 of a file as 64 hex digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(_HASHED_BYTES), b""):
            digest.update(piece)
    return digest.hexdigest()


def remove(path: str) -> None:
    """Removes a file if it exists."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


class Part:
    """A file under a temporary name in `folder` until `commit` renames it. Use it as a context manager.

    The constructor removes the partial files that killed processes left in the folder. A running process keeps its own
    partial files locked, so they are not removed.
    """

    def __init__(self, folder: str) -> None:
        _remove_stale_parts(folder or ".")
        self.path = os.path.join(folder, f"{_PART_PREFIX}{os.getpid()}-{secrets.token_hex(6)}{_PART_ENDING}")
        # `tempfile` is not used, because it creates files that only their owner may read.
        self.file: IO[bytes] = open(self.path, "x+b")
        _try_lock(self.file)

    def __enter__(self) -> "Part":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        remove(self.path)

    def clear(self) -> None:
        """Empties the file."""
        self.file.seek(0)
        self.file.truncate()

    def commit(self, path: str) -> None:
        """Renames the file to its final name, replacing an existing file."""
        self.file.close()
        os.replace(self.path, path)


def _remove_stale_parts(folder: str) -> None:
    try:
        listed = [entry.name for entry in os.scandir(folder)]
    except OSError:
        return  # Creating the partial file raises the error.
    for name in listed:
        if not (name.startswith(_PART_PREFIX) and name.endswith(_PART_ENDING)):
            continue
        path = os.path.join(folder, name)
        try:
            if time.time() - os.stat(path).st_mtime < _STALE_AFTER_S:
                continue
            with open(path, "r+b") as file:
                if _try_lock(file):
                    remove(path)
        except OSError:
            continue


class _Held(NamedTuple):
    thread: threading.Thread
    file: IO[bytes]


#: The locks that this process holds, by the real path of the lock file.
_held: Dict[str, _Held] = {}


@contextmanager
def locked(folder: str) -> Iterator["FolderLock"]:
    """Locks `folder` against other processes and threads. Raises `FolderInUse` when one of them holds the lock."""
    lock = FolderLock(folder)
    try:
        lock.acquire()
        yield lock
    finally:
        lock.release()


class FolderLock:
    """The lock of a folder. The system releases it when the process ends, even if it is killed."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = os.path.join(os.path.realpath(folder or "."), LOCK_NAME)
        self._file: Optional[IO[bytes]] = None

    def acquire(self) -> None:
        """Acquires the lock. Raises `FolderInUse` when another process or thread holds it."""
        while True:
            former = _held.get(self._path)
            if former is not None and not former.file.closed:
                if former.thread is not threading.current_thread() and former.thread.is_alive():
                    raise self._in_use()
                former.file.close()  # An interrupt prevented its thread from releasing the lock.
            file = self._file = open(self._path, "ab")
            _held[self._path] = _Held(threading.current_thread(), file)
            if not _try_lock(file):
                _held.pop(self._path, None)
                file.close()
                self._file = None
                raise self._in_use()
            if self._is_present(file):
                return
            file.close()  # The previous holder removed the file after it was opened here.

    def release_after(self, threads: Sequence[threading.Thread]) -> None:
        """Releases the lock in a separate thread when all `threads` have ended."""
        file, self._file = self._file, None
        if file is None:
            return
        later = FolderLock(self._folder)
        later._file = file

        def release() -> None:
            for each in threads:
                each.join()
            later.release()

        thread = threading.Thread(target=release, daemon=True)
        _held[self._path] = _Held(thread, file)
        thread.start()

    def release(self) -> None:
        """Releases the lock. Idempotent."""
        file, self._file = self._file, None
        if file is None or file.closed:
            return
        try:
            remove(self._path)
        except OSError:
            pass  # Windows does not remove open files, so an empty lock file may stay.
        _held.pop(self._path, None)
        file.close()

    def _is_present(self, file: IO[bytes]) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(file.fileno()))
        except FileNotFoundError:
            return False

    def _in_use(self) -> FolderInUse:
        return FolderInUse(
            f"another sync or download is writing into {self._folder!r}: wait for it, or use another folder"
        )


def _try_lock(file: IO[bytes]) -> bool:
    """Locks a file until it is closed. Returns False when another process holds the lock; otherwise True, even if the
    system has no locks."""
    try:
        import fcntl
    except ImportError:
        return _try_lock_windows(file)
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True


def _try_lock_windows(file: IO[bytes]) -> bool:
    msvcrt: Any = __import__("msvcrt")
    try:
        # Locks a byte far beyond the content, because other processes cannot read a locked byte.
        file.seek(1 << 40)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        return True
    except OSError:
        return False
    finally:
        file.seek(0)


Entry = Dict[str, Any]


class Journal:
    """A journal file, created with the first entry. Safe for threads of one process; the folder's lock excludes other
    processes."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._entries: Dict[str, Entry] = {}
        self._ends_torn = False
        lines = self._read()
        if lines > 2 * len(self._entries) + 100:
            self._rewrite()

    def get(self, name: str) -> Optional[Entry]:
        """Returns the entry of `name`, or None."""
        return self._entries.get(name)

    def put(self, name: str, entry: Entry) -> None:
        """Appends the entry of `name` to the journal."""
        line = _line(name, entry)
        self._entries[name] = entry
        # The line is written in one call, so that lines of several threads never mix.
        with open(self._path, "ab", buffering=0) as file:
            file.write(b"\n" + line if self._ends_torn else line)
        self._ends_torn = False

    def _read(self) -> int:
        try:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                lines = file.readlines()
        except FileNotFoundError:
            return 0
        self._ends_torn = bool(lines) and not lines[-1].endswith("\n")
        for line in lines:
            try:
                entry = json.loads(line)
                self._entries[entry.pop("name")] = entry
            except (ValueError, AttributeError, KeyError, TypeError):
                continue
        return len(lines)

    def _rewrite(self) -> None:
        """Removes outdated lines."""
        part = f"{self._path}.{os.getpid()}.part"
        with open(part, "wb") as file:
            for name, entry in self._entries.items():
                file.write(_line(name, entry))
        os.replace(part, self._path)
        self._ends_torn = False


def _line(name: str, entry: Entry) -> bytes:
    return json.dumps({"name": name, **entry}, ensure_ascii=False).encode() + b"\n"
