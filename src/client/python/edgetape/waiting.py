"""How long to wait, and when to stop: `Retry-After`, backoff after broken connections, the bound on both."""

from __future__ import annotations

import email.utils
import logging
import random
import time
from typing import Optional

from .errors import ConnectionFailed, EdgetapeError

log = logging.getLogger("edgetape")

#: Replaced by tests, which do not wait.
sleep = time.sleep

#: Broken connections in a row before one call gives up.
MAX_FAILURES = 8

_FIRST_BACKOFF_S = 0.25
_LONGEST_BACKOFF_S = 8.0


def parse_retry_after(value: Optional[str]) -> Optional[float]:
    """Seconds of a `Retry-After` header: whole seconds or an HTTP date.

    Returns
    -------
    float or None
        0 at least; None without the header or when it is neither.
    """
    if value is None:
        return None
    text = value.strip()
    if text.isdigit():
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, moment.timestamp() - time.time())


class Patience:
    """The waiting of one call.

    Parameters
    ----------
    max_wait : float
        Seconds that all waits of the call may take together. A wait that would go beyond is not begun.
    max_failures : int
        Broken connections in a row that end the call.
    """

    def __init__(self, max_wait: float, max_failures: int = MAX_FAILURES) -> None:
        self._left = max_wait
        self._max_failures = max_failures
        self._failures = 0

    @property
    def failures(self) -> int:
        """Broken connections in a row so far."""
        return self._failures

    def progressed(self) -> None:
        """Forgets earlier failures: something arrived."""
        self._failures = 0

    def wait_told(self, seconds: float, refusal: EdgetapeError) -> None:
        """Waits as long as the service said, and up to a fifth more: callers shall not come back together.

        Raises
        ------
        EdgetapeError
            `refusal` itself, when the wait would exceed what is left of `max_wait`.
        """
        if seconds > self._left:
            raise refusal
        log.info("waiting %.0f s: %s", seconds, refusal)
        self._wait(seconds + random.uniform(0.0, max(0.05, seconds / 5)))

    def wait_failed(self, error: BaseException, where: str, *, at_once: bool = False) -> None:
        """Waits after a broken connection, longer each time; not with `at_once` (another address is next).

        Raises
        ------
        ConnectionFailed
            After `max_failures` in a row, or when `max_wait` is used up.
        """
        self._failures += 1
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        if self._failures >= self._max_failures or self._left <= 0:
            raise ConnectionFailed(
                f"gave up after {self._failures} failed connections; the last one, to {where}: {told}"
            ) from error
        log.info("connection to %s failed (%s), trying again", where, told)
        if not at_once:
            step = min(_LONGEST_BACKOFF_S, _FIRST_BACKOFF_S * 2 ** (self._failures - 1))
            self._wait(step * random.uniform(0.75, 1.25))

    def _wait(self, seconds: float) -> None:
        self._left -= seconds
        sleep(seconds)
