"""Shows the progress of work that takes more than two seconds, with tqdm if it is installed, else as one line."""

from __future__ import annotations

import sys
import threading
import time
import weakref
from importlib import import_module
from typing import Any, Optional, TextIO

_EVERY_S = 0.2

#: Work that ends sooner shows nothing.
_DELAY_S = 2.0

#: A weak reference to this thread's open bar; bars opened inside it show nothing. If an interrupt leaves the reference
#: here, it becomes invalid when the bar is deleted.
_within = threading.local()


class Progress:
    """A progress bar for `count` items. Its text calls the items `noun` (a plural). If `size_bytes`, the expected
    total, is given, the bar counts bytes, otherwise items. Thread-safe; use it as a context manager. A bar inside
    another bar of the same thread shows nothing. By default, the bar is written to standard error if that is a
    terminal or a notebook, and appears after two seconds."""

    def __init__(
        self,
        count: Optional[int],
        size_bytes: int = 0,
        shows: Optional[bool] = None,
        stream: Optional[TextIO] = None,
        *,
        noun: str = "files",
    ) -> None:
        self._count = count
        self._size_bytes = size_bytes
        self._stream = sys.stderr if stream is None else stream
        self._noun = noun
        self._is_inner = getattr(_within, "bar", _no_bar)() is not None
        self._shows = not self._is_inner and (is_watched(self._stream) if shows is None else shows)
        self._delay_s = _DELAY_S if shows is None else 0.0
        self._mutex = threading.Lock()
        self._done = 0
        self._done_bytes = 0
        self._began = time.monotonic()
        self._shown_at = 0.0
        #: Created at the first step, when it is known whether items or bytes are counted.
        self._bar: Any = None
        self._is_open = False

    def __enter__(self) -> "Progress":
        if not self._is_inner:
            _within.bar = weakref.ref(self)
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_inner:
            _within.bar = _no_bar
        if self._bar is not None:
            self._bar.close()
        elif self._is_due():
            self._show()
            self._stream.write("\n")
            self._stream.flush()

    def expect(self, size_bytes: int) -> None:
        """Sets the expected bytes before the first step."""
        self._size_bytes = size_bytes

    def moved(self, size_bytes: int) -> None:
        """Adds `size_bytes` received bytes; negative when a file restarts."""
        with self._mutex:
            self._done_bytes += size_bytes
            if self._size_bytes:
                self._step(size_bytes)

    def finished(self, count: int = 1) -> None:
        """Adds `count` complete items."""
        with self._mutex:
            self._done += count
            self._step(0 if self._size_bytes else count)
            if self._bar is not None and self._size_bytes:
                self._bar.set_postfix_str(f"{self._done} of {self._count} {self._noun}")

    def _step(self, amount: int) -> None:
        if not self._is_open:
            self._is_open = True
            self._bar = self._tqdm() if self._shows else None
        if self._bar is not None:
            self._bar.update(amount)
        else:
            self._look()

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
        return tqdm(total=self._count, unit=f" {self._noun}", file=self._stream, delay=self._delay_s)

    def _show(self) -> None:
        self._shown_at = time.monotonic()
        seconds = max(self._shown_at - self._began, 1e-3)
        of = "" if self._count is None else f" of {self._count:,}"
        told = f"\r{self._done:,}{of} {self._noun}"
        if self._size_bytes:
            told += f", {size_of(self._done_bytes)} of {size_of(self._size_bytes)}"
            told += f", {size_of(self._done_bytes / seconds)}/s"
        self._stream.write(f"{told}  ")
        self._stream.flush()


def _no_bar() -> None:
    """Returns None, like a weak reference to a bar that no longer exists."""


def is_watched(stream: TextIO) -> bool:
    """Returns whether a person can see the output to `stream`: in a terminal or in a notebook."""
    return stream.isatty() or "ipykernel" in sys.modules


def size_of(size_bytes: float) -> str:
    """Formats a size with about three digits: 950 B, 12.3 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(size_bytes) < 1000:
            return f"{size_bytes:.0f} B" if unit == "B" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} TB"
