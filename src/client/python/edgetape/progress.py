"""How far a download is: with tqdm where it is installed, else one plain line, nothing off a terminal."""

from __future__ import annotations

import sys
import threading
import time
from importlib import import_module
from typing import Any, Optional, TextIO

_EVERY_S = 0.2


class Progress:
    """A bar over bytes and files. Safe for threads; use it as a context manager.

    Parameters
    ----------
    files, size_bytes : int
        What is to come.
    shows : bool, optional
        By default when `stream` is a terminal.
    stream : text file, optional
        By default standard error.
    """

    def __init__(
        self, files: int, size_bytes: int, shows: Optional[bool] = None, stream: Optional[TextIO] = None
    ) -> None:
        self._files = files
        self._size_bytes = size_bytes
        self._stream = sys.stderr if stream is None else stream
        self._shows = self._stream.isatty() if shows is None else shows
        self._mutex = threading.Lock()
        self._done_files = 0
        self._done_bytes = 0
        self._began = time.monotonic()
        self._shown_at = 0.0
        self._bar: Any = self._tqdm() if self._shows else None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._shows:
            self._show()
            self._stream.write("\n")
            self._stream.flush()

    def moved(self, size_bytes: int) -> None:
        """`size_bytes` more are there; negative when a file begins again."""
        with self._mutex:
            self._done_bytes += size_bytes
            if self._bar is not None:
                self._bar.update(size_bytes)
            elif self._shows and time.monotonic() - self._shown_at >= _EVERY_S:
                self._show()

    def finished(self) -> None:
        """One more file is whole."""
        with self._mutex:
            self._done_files += 1
            if self._bar is not None:
                self._bar.set_postfix_str(f"{self._done_files} of {self._files} files")

    def _tqdm(self) -> Any:
        try:
            tqdm = import_module("tqdm").tqdm
        except ImportError:
            return None
        return tqdm(total=self._size_bytes, unit="B", unit_scale=True, file=self._stream)

    def _show(self) -> None:
        self._shown_at = time.monotonic()
        seconds = max(self._shown_at - self._began, 1e-3)
        self._stream.write(
            f"\r{self._done_files} of {self._files} files, {_size(self._done_bytes)} of "
            f"{_size(self._size_bytes)}, {_size(self._done_bytes / seconds)}/s  "
        )
        self._stream.flush()


def _size(size_bytes: float) -> str:
    """A size with three digits or so: 950 B, 12.3 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(size_bytes) < 1000:
            return f"{size_bytes:.0f} B" if unit == "B" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} TB"
