"""How long a call waits: for `Retry-After`, after broken connections, and for other threads' requests.

The service refuses a concurrent request of an account on an interface; threads of one process are therefore queued in
the order of arrival. An interrupt can occur between any two lines, so this module does not rely on any line being
reached: a permit is a place in the queue, which can be released twice, and a waiting thread checks the queue
periodically.
"""

from __future__ import annotations

import email.utils
import logging
import os
import random
import re
import threading
import time
from collections import deque
from typing import Callable, Deque, Dict, Optional, Tuple, TypeVar

from .errors import ConnectionFailed, EdgetapeError, Unavailable

log = logging.getLogger("edgetape")

#: Replaced by tests, which do not wait.
sleep = time.sleep

#: Broken connections in a row before one call gives up.
MAX_FAILURES = 8

#: Seconds to wait after an error page of something in between, which tells no time.
UNTOLD_WAIT_S = 2.0

_FIRST_BACKOFF_S = 0.25
_LONGEST_BACKOFF_S = 8.0

#: Told waits below it grow up to it.
_SHORT_WAIT_S = 1.0

#: However little is left of `max_wait`: a healthy connection answers within it.
_SHORTEST_TIMEOUT_S = 1.0

#: How often a thread that waits looks whether it shall stop.
_SLICE_S = 0.25


def parse_retry_after(value: Optional[str]) -> Optional[float]:
    """Seconds of a `Retry-After` header: whole seconds or an HTTP date.

    Returns
    -------
    float or None
        At least 0; None without the header or when it is neither.
    """
    if value is None:
        return None
    text = value.strip()
    if re.fullmatch(r"\d{1,15}", text, re.ASCII):
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return max(0.0, moment - time.time())


class Stopped(EdgetapeError):
    """Another thread stopped the work; it can be continued."""


class Patience:
    """The waiting of one call.

    Parameters
    ----------
    max_wait : float
        Maximum seconds of the call's waits and failed attempts; a wait beyond it is not begun. 0: no waits, and one
        attempt limited by its own timeouts.
    max_failures : int
        Consecutive broken connections that end the call.
    stop : threading.Event, optional
        Set from another thread to end the waits.
    """

    def __init__(
        self, max_wait: float, max_failures: int = MAX_FAILURES, stop: Optional[threading.Event] = None
    ) -> None:
        self._left = max_wait
        self._is_bounding = max_wait > 0
        self._max_failures = max_failures
        self._stop = stop
        self._failures = 0
        self._short_waits = 0
        self._since = time.monotonic()

    @property
    def failures(self) -> int:
        """Broken connections in a row so far."""
        return self._failures

    def begun(self) -> Optional[float]:
        """Begins an attempt. Returns the maximum seconds of a wait for bytes in it; None for no limit."""
        self._since = time.monotonic()
        return max(_SHORTEST_TIMEOUT_S, self._left) if self._is_bounding else None

    def progressed(self) -> None:
        """Resets the failure count, because data arrived."""
        self._failures = 0
        self._since = time.monotonic()

    def touched(self) -> None:
        """Data arrived of an answer that may still break off; its duration does not count as waiting."""
        self._since = time.monotonic()

    def wait_told(self, seconds: float, refusal: EdgetapeError) -> None:
        """Waits as long as the service asks, plus up to a fifth, so that callers do not return together.

        A wait of less than a second grows with each repetition, because 0 would overload the service.

        Raises
        ------
        EdgetapeError
            `refusal` itself, when the wait would exceed the rest of `max_wait`.
        """
        if seconds < _SHORT_WAIT_S:
            seconds = max(seconds, min(_SHORT_WAIT_S, _FIRST_BACKOFF_S * 2**self._short_waits))
            self._short_waits += 1
        if seconds > self._left:
            raise refusal
        log.info("waiting %.0f s: %s", seconds, refusal)
        self._wait(seconds + random.uniform(0.0, max(0.05, seconds / 5)))

    def wait_failed(self, error: BaseException, where: str, *, at_once: bool = False) -> None:
        """Waits after a broken connection, longer each time; does not wait with `at_once` (another base URL is next).

        Raises
        ------
        ConnectionFailed
            After `max_failures` in a row, or when `max_wait` is used up.
        """
        self._failures += 1
        self._left -= time.monotonic() - self._since
        if self._failures >= self._max_failures or self._left <= 0:
            raise ConnectionFailed(
                f"gave up after {self._failures} failed connections; the last one, to {where}: {error}"
            ) from (error.__cause__ or error)
        log.info("connection to %s failed (%s), trying again", where, error)
        if not at_once:
            step = min(_LONGEST_BACKOFF_S, _FIRST_BACKOFF_S * 2 ** (self._failures - 1))
            self._wait(min(step * random.uniform(0.75, 1.25), self._left))

    def _wait(self, seconds: float) -> None:
        self._left -= seconds
        if self._stop is None:
            sleep(seconds)
            return
        while seconds > 0:
            if self._stop.is_set():
                raise Stopped
            sleep(min(seconds, _SLICE_S))
            seconds -= _SLICE_S


T = TypeVar("T")

#: Seconds after which a waiting thread looks at the queue without being woken.
_LOOK_EVERY_S = 0.1

#: Seconds that a request may take beside its waits: the service ends a Parquet answer after 300 s.
_LONGEST_REQUEST_S = 300.0


class _Permit:
    """A place in a queue; the first place is the permit to send a request."""

    def __init__(self) -> None:
        self.thread = threading.current_thread()
        self._is_asleep = threading.Lock()
        self._is_asleep.acquire()

    def sleep(self) -> None:
        """Waits until it is woken, at most until the next periodic check."""
        self._is_asleep.acquire(timeout=_LOOK_EVERY_S)

    def wake(self) -> None:
        try:
            self._is_asleep.release()
        except RuntimeError:
            pass  # It is awake.


_Queue = Deque[_Permit]

_queues: Dict[Tuple[str, str], _Queue] = {}


def one_at_a_time(key: str, interface: str, max_wait: float, work: Callable[[], T]) -> T:
    """Runs `work` while no other thread of this process sends a request to `interface` with `key`.

    Raises
    ------
    Unavailable
        When another thread's request takes longer than its `max_wait` (seconds) plus the maximum duration of a request.
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
        # A thread that asks again or has ended no longer uses its earlier permit.
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
        pass  # No thread waits.


def _forget() -> None:
    """In a forked child, the threads that held permits do not exist."""
    _queues.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
