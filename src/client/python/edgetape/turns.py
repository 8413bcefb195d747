"""One request at a time per key and interface inside a process.

The service refuses a second request of an account on an interface at once; threads of one process therefore
queue here, in the order they came, instead of refusing each other.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from contextlib import contextmanager
from typing import ContextManager, Deque, Dict, Iterator, Tuple


class _Queue:
    """A lock that is given to waiting threads in the order they asked (`threading.Lock` may starve one)."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._is_taken = False
        self._waiting: Deque[threading.Lock] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        self._enter()
        try:
            yield
        finally:
            self._leave()

    def _enter(self) -> None:
        with self._mutex:
            if not self._is_taken:
                self._is_taken = True
                return
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        try:
            mine.acquire()  # released by the one before
        except BaseException:  # an interrupt while waiting must not leave the queue waiting for nobody
            with self._mutex:
                if mine in self._waiting:
                    self._waiting.remove(mine)
                    raise
            self._leave()
            raise

    def _leave(self) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False


_queues: Dict[Tuple[str, str], _Queue] = {}
_queues_mutex = threading.Lock()


def turn(key: str, interface: str) -> ContextManager[None]:
    """A context in which this thread is the only one of the process that asks `interface` with `key`."""
    with _queues_mutex:
        queue = _queues.setdefault((key, interface), _Queue())
    return queue.turn()


def _forget() -> None:
    """In a forked child the threads that held turns do not exist."""
    global _queues_mutex
    _queues_mutex = threading.Lock()
    _queues.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
