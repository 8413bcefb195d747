"""How long a call waits: for `Retry-After`, after broken connections, and for other threads' requests.

The service accepts one request at a time for each account and interface, so the threads of one process are queued in
order of arrival. An interrupt can occur between any two lines, so this module never relies on a later line being
reached. A permit is therefore a place in the queue, which can be released twice. A waiting thread checks the queue
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

#: Seconds to wait after a proxy's error page, which has no `Retry-After`.
UNTOLD_WAIT_S = 2.0

_FIRST_BACKOFF_S = 0.25
_LONGEST_BACKOFF_S = 8.0

#: If the service repeatedly requests shorter waits, they grow up to this one.
_SHORT_WAIT_S = 1.0

#: The minimum timeout of an attempt, even when less of `max_wait` is left. A healthy connection answers within it.
_SHORTEST_TIMEOUT_S = 1.0

#: Interval at which a waiting thread checks whether it has been stopped.
_SLICE_S = 0.25


def parse_retry_after(value: Optional[str]) -> Optional[float]:
    """Returns the seconds of a `Retry-After` header, at least 0: a number of whole seconds or an HTTP date. Returns
    None without a valid header."""
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
    """The waits and failed attempts of one call, which together take at most `max_wait` seconds; a longer wait is not
    begun. 0 means one attempt, limited by its own timeouts, and no wait. Another thread can set `stop` to end the
    waits."""

    def __init__(self, max_wait: float, stop: Optional[threading.Event] = None) -> None:
        self._left = max_wait
        self._is_bounding = max_wait > 0
        self._stop = stop
        self._failures = 0
        self._short_waits = 0
        self._since = time.monotonic()

    @property
    def failures(self) -> int:
        """Broken connections in a row so far."""
        return self._failures

    def begun(self) -> Optional[float]:
        """Begins an attempt. Returns how long the attempt may wait for data, in seconds; None means no limit."""
        self._since = time.monotonic()
        return max(_SHORTEST_TIMEOUT_S, self._left) if self._is_bounding else None

    def progressed(self) -> None:
        """Resets the failure count, because data arrived."""
        self._failures = 0
        self._since = time.monotonic()

    def touched(self) -> None:
        """Restarts the attempt's clock, because data arrived. The answer may still break off, so failures still count.
        """
        self._since = time.monotonic()

    def wait_told(self, seconds: float, refusal: EdgetapeError) -> None:
        """Waits as long as the service asks, plus up to a fifth at random, so that callers do not retry together. A
        wait of less than a second grows with each repetition, because 0 would overload the service. Raises `refusal`
        when the wait would exceed the rest of `max_wait`."""
        if seconds < _SHORT_WAIT_S:
            seconds = max(seconds, min(_SHORT_WAIT_S, _FIRST_BACKOFF_S * 2**self._short_waits))
            self._short_waits += 1
        if seconds > self._left:
            raise refusal
        log.info("waiting %.0f s: %s", seconds, refusal)
        self._wait(seconds + random.uniform(0.0, max(0.05, seconds / 5)))

    def wait_failed(self, error: BaseException, where: str, *, at_once: bool = False) -> None:
        """Waits after a broken connection, longer each time. With `at_once`, the next base URL is tried without a wait.
        Raises `ConnectionFailed` after `MAX_FAILURES` failures in a row, or when `max_wait` is used up."""
        self._failures += 1
        self._left -= time.monotonic() - self._since
        if self._failures >= MAX_FAILURES or self._left <= 0:
            raise ConnectionFailed(
                f"gave up after {self._failures} failed connections, the last one to {where}: {error}"
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

#: Maximum duration of a request without its waits, in seconds. The service ends a Parquet answer after 300 s.
_LONGEST_REQUEST_S = 300.0


class _Permit:
    """A place in a queue; the first place is the permit to send a request."""

    def __init__(self) -> None:
        self.thread = threading.current_thread()
        self._is_asleep = threading.Lock()
        self._is_asleep.acquire()

    def sleep(self) -> None:
        """Waits until `wake` is called, or until the next periodic check."""
        self._is_asleep.acquire(timeout=_LOOK_EVERY_S)

    def wake(self) -> None:
        try:
            self._is_asleep.release()
        except RuntimeError:
            pass  # The thread is awake.


_Queue = Deque[_Permit]

_queues: Dict[Tuple[str, str], _Queue] = {}


def one_at_a_time(key: str, interface: str, max_wait: float, work: Callable[[], T]) -> T:
    """Runs `work` while no other thread of this process sends a request to `interface` with `key`. Raises `Unavailable`
    when another thread's request takes longer than `max_wait` (seconds) plus the maximum duration of a request."""
    queue = _queues.setdefault((key, interface), deque())
    permit = _Permit()
    try:
        try:
            _enter(queue, permit, max_wait + _LONGEST_REQUEST_S)
            return work()
        finally:
            _leave(queue, permit)
    finally:
        _leave(queue, permit)  # Again, because an interrupt may have prevented the first call.


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
                "end that request, or send this one from another process"
            )
        else:
            permit.sleep()


def _leave(queue: _Queue, permit: _Permit) -> None:
    try:
        queue.remove(permit)
    except ValueError:
        pass  # The permit was released before.
    try:
        queue[0].wake()
    except IndexError:
        pass  # No thread waits.


def _forget() -> None:
    """Clears the queues in a forked child, where the threads that held permits do not exist."""
    _queues.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
