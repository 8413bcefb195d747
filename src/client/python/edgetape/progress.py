"""How far something is that takes more than two seconds: with tqdm where it is installed, else one plain line."""

from __future__ import annotations

import sys
import threading
import time
from importlib import import_module
from typing import Any, Optional, TextIO

_EVERY_S = 0.2

#: What is over sooner shows nothing.
_DELAY_S = 2.0


class Progress:
    """A bar over files and their bytes, or over other things alone. Safe for threads; use it as a context manager.

    Parameters
    ----------
    files, size_bytes : int
        What is to come; without bytes the files are counted.
    shows : bool, optional
        By default on a terminal and in notebooks, and only after two seconds.
    stream : text file, optional
        By default standard error.
    noun : str, default "files"
        What `files` counts.
    """

    def __init__(
        self,
        files: int,
        size_bytes: int,
        shows: Optional[bool] = None,
        stream: Optional[TextIO] = None,
        *,
        noun: str = "files",
    ) -> None:
        self._files = files
        self._size_bytes = size_bytes
        self._stream = sys.stderr if stream is None else stream
        self._noun = noun
        self._shows = is_watched(self._stream) if shows is None else shows
        self._delay_s = _DELAY_S if shows is None else 0.0
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
        elif self._is_due():
            self._show()
            self._stream.write("\n")
            self._stream.flush()

    def moved(self, size_bytes: int) -> None:
        """`size_bytes` more are there; negative when a file begins again."""
        with self._mutex:
            self._done_bytes += size_bytes
            if self._bar is not None:
                self._bar.update(size_bytes)
            else:
                self._look()

    def finished(self) -> None:
        """One more file is whole."""
        with self._mutex:
            self._done_files += 1
            if self._bar is None:
                self._look()
            elif self._size_bytes:
                self._bar.set_postfix_str(f"{self._done_files} of {self._files} {self._noun}")
            else:
                self._bar.update(1)

    def _is_due(self) -> bool:
        return self._shows and time.monotonic() - self._began >= self._delay_s

    def _look(self) -> None:
        if self._is_due() and time.monotonic() - self._shown_at >= _EVERY_S:
            self._show()

    def _tqdm(self) -> Any:
        try:
            tqdm = import_module("tqdm").tqdm
        except ImportError:
            return None
        if self._size_bytes:
            return tqdm(
                total=self._size_bytes, unit="B", unit_scale=True, file=self._stream, delay=self._delay_s
            )
        return tqdm(total=self._files, unit=f" {self._noun}", file=self._stream, delay=self._delay_s)

    def _show(self) -> None:
        self._shown_at = time.monotonic()
        seconds = max(self._shown_at - self._began, 1e-3)
        told = f"\r{self._done_files} of {self._files} {self._noun}"
        if self._size_bytes:
            told += f", {_size(self._done_bytes)} of {_size(self._size_bytes)}, {_size(self._done_bytes / seconds)}/s"
        self._stream.write(f"{told}  ")
        self._stream.flush()


def is_watched(stream: TextIO) -> bool:
    """Whether a person reads what is written to `stream`: on a terminal or in a notebook."""
    return stream.isatty() or "ipykernel" in sys.modules


def _size(size_bytes: float) -> str:
    """A size with three digits or so: 950 B, 12.3 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(size_bytes) < 1000:
            return f"{size_bytes:.0f} B" if unit == "B" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} TB"
