"""One request at a time per key and interface inside a process.

The service refuses a concurrent request of an account on an interface; threads of one process therefore queue
here, in the order they came, instead of refusing each other.

An interrupt may be raised between any two lines, so nothing here relies on a line being reached: a permit is
its place in the queue, which can be given up twice, and who waits looks at the queue from time to time.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from typing import Callable, Deque, Dict, Tuple, TypeVar

from .errors import Unavailable

T = TypeVar("T")

#: Seconds after which a waiting thread looks at the queue without being woken.
_LOOK_EVERY_S = 0.1

#: Seconds that a request may take beside its waits: the service ends a Parquet answer after 300 s.
_LONGEST_REQUEST_S = 300.0


class _Permit:
    """A place in a queue; the first one is the permit to ask."""

    def __init__(self) -> None:
        self.thread = threading.current_thread()
        self._is_asleep = threading.Lock()
        self._is_asleep.acquire()

    def sleep(self) -> None:
        """Waits until it is woken, at most as long as is waited between two looks."""
        self._is_asleep.acquire(timeout=_LOOK_EVERY_S)

    def wake(self) -> None:
        try:
            self._is_asleep.release()
        except RuntimeError:
            pass  # It is awake.


_Queue = Deque[_Permit]

_queues: Dict[Tuple[str, str], _Queue] = {}


def in_turn(key: str, interface: str, max_wait: float, work: Callable[[], T]) -> T:
    """Runs `work` while this thread is the only one of the process that asks `interface` with `key`.

    Raises
    ------
    Unavailable
        When one request of another thread takes longer than its waits (`max_wait`, seconds) and a request may.
    """
    queue = _queues.setdefault((key, interface), deque())
    permit = _Permit()
    try:
        try:
            _enter(queue, permit, max_wait + _LONGEST_REQUEST_S)
            return work()
        finally:
            _leave(queue, permit)
    finally:
        _leave(queue, permit)  # Again: an interrupt may have kept the first one from beginning.


def _enter(queue: _Queue, permit: _Permit, longest_s: float) -> None:
    queue.append(permit)
    first, since = permit, time.monotonic()
    while queue[0] is not permit:
        if queue[0] is not first:
            first, since = queue[0], time.monotonic()
        # A thread that asks anew has left its former permit behind, and so has one that ended.
        if first.thread is permit.thread or not first.thread.is_alive():
            _leave(queue, first)
        elif time.monotonic() - since > longest_s:
            raise Unavailable(
                f"another thread has been busy with one request of this interface for {longest_s:.0f} s: "
                "end it, or ask from another process"
            )
        else:
            permit.sleep()


def _leave(queue: _Queue, permit: _Permit) -> None:
    try:
        queue.remove(permit)
    except ValueError:
        pass  # It was given up before.
    try:
        queue[0].wake()
    except IndexError:
        pass  # Nobody waits.


def _forget() -> None:
    """In a forked child the threads that held permits do not exist."""
    _queues.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
