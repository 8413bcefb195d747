"""The base addresses ("lines"), and the one loop around every request: wait, try again, switch.

503 and 429 with `Retry-After` are waited for on the same line, and every other answer is final. Only a broken
connection moves to the next line: its slot, quota and cursors are its own. The line that answered stays.
"""

from __future__ import annotations

import json
import logging
from typing import Any, Callable, List, Mapping, Sequence, TypeVar

from .envelope import Answer, parse_answer
from .errors import ConfigurationError
from .transport import BrokenConnection, Connections, Reply
from .waiting import Patience

log = logging.getLogger("edgetape")

T = TypeVar("T")

Payload = Mapping[str, Any]

#: Broken connections in a row on one line before the next one is tried.
_TRIES_A_LINE = 2

_HEADERS = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}


class Lines:
    """Base addresses that are tried in turn.

    Parameters
    ----------
    base_urls : sequence of str
        Without ``/api``; the first one is preferred.
    connections : Connections
    max_wait : float
        Seconds that the waits of one call may take together.
    """

    def __init__(self, base_urls: Sequence[str], connections: Connections, max_wait: float) -> None:
        self.base_urls = _cleaned(base_urls)
        self._connections = connections
        self._max_wait = max_wait
        self._present = 0

    @property
    def present_url(self) -> str:
        """The address that is asked next."""
        return self.base_urls[self._present]

    def call(self, payload_for: Callable[[str], Payload]) -> Answer:
        """Posts `payload_for(base_url)` and returns the first answer that is not to be waited for."""
        return self.receive(payload_for, read_answer)

    def receive(self, payload_for: Callable[[str], Payload], take: Callable[[str, Reply], T]) -> T:
        """As `call`, with the answer read by `take(base_url, reply)`.

        A connection error while it reads counts as one of the request. When it returns an `Answer` that says
        how long to wait, the request is sent again.

        Raises
        ------
        ConnectionFailed
            After 8 broken connections in a row.
        Unavailable
            When waiting would exceed `max_wait`.
        ProtocolError
            For what is no answer of the service.
        """
        patience = Patience(self._max_wait)
        while True:
            line = self._present
            base_url = self.base_urls[line]
            body = json.dumps(payload_for(base_url)).encode()
            url, timeout = f"{base_url}/api", patience.begun()
            try:
                with self._connections.request("POST", url, _HEADERS, body, timeout) as reply:
                    reply.touched = patience.touched
                    taken = take(base_url, reply)
            except BrokenConnection as error:
                self._failed(patience, line, error)
                continue
            patience.progressed()
            if not isinstance(taken, Answer) or taken.wait_s is None:
                return taken
            patience.wait_told(taken.wait_s, taken.refusal())

    def _failed(self, patience: Patience, line: int, error: BaseException) -> None:
        base_url = self.base_urls[line]
        switches = len(self.base_urls) > 1 and (patience.failures + 1) % _TRIES_A_LINE == 0
        # A whole round without an answer is worth a pause; the next line is not.
        rounds_over = (patience.failures + 1) % (_TRIES_A_LINE * len(self.base_urls)) == 0
        patience.wait_failed(error, base_url, at_once=switches and not rounds_over)
        if switches and self._present == line:
            self._present = (line + 1) % len(self.base_urls)
            log.warning("switching from %s to %s: %s", base_url, self.base_urls[self._present], error)


def read_answer(base_url: str, reply: Reply) -> Answer:
    """The envelope of a JSON answer."""
    return parse_answer(base_url, reply.status, reply.headers, reply.read())


def base_url_of(text: str) -> str:
    """The base URL that a user wrote, perhaps with blanks, slashes or ``/api`` behind it."""
    url = text.strip().rstrip("/")
    return url[: -len("/api")].rstrip("/") if url.endswith("/api") else url


def _cleaned(base_urls: Sequence[str]) -> List[str]:
    cleaned: List[str] = []
    for each in base_urls:
        url = base_url_of(each)
        if not url.startswith(("http://", "https://")):
            raise ConfigurationError(f"{each!r} is no base address: it begins with http:// or https://")
        if url not in cleaned:
            cleaned.append(url)
    if not cleaned:
        raise ConfigurationError(
            "no base address: pass base_urls=[...] or set EDGETAPE_URL, several separated by commas"
        )
    return cleaned
