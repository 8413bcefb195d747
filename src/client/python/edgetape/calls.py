"""Sends a request to `POST /api`, with waits, retries and further base URLs, and parses the answer's envelope.

A 503 or 429 with `Retry-After` is retried on the same base URL after the wait; every other answer is final. Only broken
connections switch to the next base URL, because each deployment has its own slot, quota and cursors. The base URL that
answered is used for further calls.
"""

from __future__ import annotations

import datetime
import json
import logging
import re
import time
from email.message import Message
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type, TypeVar

from .errors import (
    BadRequest,
    ConfigurationError,
    DataRebuilt,
    NoData,
    NotAllowed,
    ProtocolError,
    QuotaUsed,
    ServiceError,
    Unavailable,
)
from .transport import BrokenConnection, Connections, Reply, whole_number
from .waiting import UNTOLD_WAIT_S, Patience, parse_retry_after

#: China has used UTC+8 all year since 1991.
BEIJING = datetime.timezone(datetime.timedelta(hours=8), "Beijing")


class Answer(NamedTuple):
    """One answer of the service."""

    base_url: str
    code: int
    message: str
    data: Any
    status: int
    reason: Optional[str]
    request_id: Optional[str]
    revision: Optional[int]
    wait_s: Optional[float]
    """Seconds to wait before the next attempt; None when a retry cannot help."""
    resets_in: Optional[float]
    build: Optional[str] = None
    """`X-Build`, the day's build id. Equal build ids mean equal contents, even on different deployments."""

    def served(self) -> Any:
        """Returns `data` if the request succeeded; otherwise raises the refusal."""
        if self.code != 200:
            raise self.refusal()
        return self.data

    def refusal(self) -> ServiceError:
        """Returns the refusal as an exception of the class for its code."""
        kind: Type[ServiceError] = {
            1002: NoData,
            403: NotAllowed,
            422: DataRebuilt if self.reason == "data_rebuilt" else BadRequest,
            429: Unavailable if self.wait_s is not None else QuotaUsed,
            503: Unavailable,
        }.get(self.code, ServiceError)
        error = kind(
            self.message,
            code=self.code,
            reason=self.reason,
            request_id=self.request_id,
            status=self.status,
        )
        if isinstance(error, QuotaUsed):
            seconds = _until_midnight() if self.resets_in is None else self.resets_in
            error.resets_in = seconds
            error.resets_at = datetime.datetime.now(BEIJING) + datetime.timedelta(seconds=seconds)
        return error


def parse_answer(base_url: str, status: int, headers: Message, body: bytes) -> Answer:
    """Returns the answer in `body`. Raises `BrokenConnection` when the body of a 200 is unreadable, because it was
    truncated or corrupted on the way. Raises `ProtocolError` for a redirect or another server's page."""
    envelope = _envelope(body)
    told = parse_retry_after(headers.get("Retry-After"))
    if envelope is None:
        if status == 200:
            raise BrokenConnection(f"the answer is not JSON from the service: {_excerpt(body)}")
        if not may_pass(status):
            raise _foreign(base_url, status, headers, body)
        message = f"{base_url} answered HTTP {status} without the service's envelope: {_excerpt(body)}"
        envelope = {"code": 503, "message": message, "data": None}
        told = UNTOLD_WAIT_S if told is None else told
    code, message = envelope["code"], str(envelope.get("message", ""))
    # A proxy may drop headers, but every refusal's message ends with the reason and the request id.
    reason, request_id = _tail_of(message)
    reason = headers.get("X-Reason") or reason
    return Answer(
        base_url=base_url,
        code=code,
        message=message,
        data=envelope.get("data"),
        status=status,
        reason=reason,
        request_id=headers.get("X-Request-Id") or request_id,
        revision=whole_number(headers.get("X-Revision")),
        # The client does not wait when the quota is used up, because the wait would block a script until midnight.
        wait_s=told if code in (429, 503) and reason != "quota_used" else None,
        resets_in=_resets_in(headers.get("RateLimit")),
        build=headers.get("X-Build"),
    )


def may_pass(status: int) -> bool:
    """Returns whether a later attempt may succeed after this HTTP status of the service or of a proxy."""
    return status in (429, 500, 502, 503, 504) or 520 <= status <= 530


def _envelope(body: bytes) -> Optional[Dict[str, Any]]:
    try:
        value = json.loads(body)
    except ValueError:
        return None
    if not isinstance(value, dict) or type(value.get("code")) is not int:
        return None
    return value


def _foreign(base_url: str, status: int, headers: Message, body: bytes) -> ProtocolError:
    moved = headers.get("Location")
    if moved is not None and 300 <= status < 400:
        return ProtocolError(
            f"{base_url} redirects to {moved}: a redirect drops the POST, so use that base URL instead"
        )
    return ProtocolError(f"{base_url} answered HTTP {status}, but the answer is not from the service: {_excerpt(body)}")


def _excerpt(body: bytes) -> str:
    text = " ".join(body[:400].decode("utf-8", "replace").split())
    return repr(text[:160]) if text else "an empty body"


def _tail_of(message: str) -> Tuple[Optional[str], Optional[str]]:
    """Returns the reason and request id from the ``[reason · request id]`` at the end of a refusal's message."""
    match = re.search(r"\[([a-z_]{1,40}) · ([^\[\]\s]{1,80})\]$", message)
    return (None, None) if match is None else (match.group(1), match.group(2))


def _resets_in(header: Optional[str]) -> Optional[float]:
    """Returns the seconds until all used-up counters of a `RateLimit` header have been reset
    (``"files";r=0;t=3600``)."""
    if header is None:
        return None
    used_up = [
        float(match.group(1)) for match in re.finditer(r";\s*r=0\s*;\s*t=(\d{1,15})", header, re.ASCII)
    ]
    return max(used_up) if used_up else None


def _until_midnight() -> float:
    """Returns the seconds until the next Beijing day by this machine's clock."""
    beijing = time.time() + 8 * 3600
    return 86_400 - beijing % 86_400


log = logging.getLogger("edgetape")

T = TypeVar("T")

Payload = Mapping[str, Any]

#: Broken connections in a row on one base URL before the next one is tried.
_TRIES_A_LINE = 2

_HEADERS = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}


class Endpoints:
    """Base URLs that are tried one after the other, the preferred one first. `max_wait` is the maximum total time of
    one call's waits and failed attempts, in seconds."""

    def __init__(self, base_urls: Sequence[str], connections: Connections, max_wait: float) -> None:
        self.base_urls = _cleaned(base_urls)
        self._connections = connections
        self._max_wait = max_wait
        self._present = 0

    @property
    def present_url(self) -> str:
        """The base URL for the next request."""
        return self.base_urls[self._present]

    def call(self, payload_for: Callable[[str], Payload]) -> Answer:
        """Posts `payload_for(base_url)` and returns the first answer that needs no further wait."""
        return self.receive(payload_for, read_answer)

    def receive(self, payload_for: Callable[[str], Payload], take: Callable[[str, Reply], T]) -> T:
        """Like `call`, but `take(base_url, reply)` reads the answer.

        A connection error while `take` reads counts as a failed request. When `take` returns an `Answer` with a wait,
        the request is sent again. Raises `ConnectionFailed` after 8 broken connections in a row, `Unavailable` when
        waiting would exceed `max_wait`, and `ProtocolError` for an answer that is not from the service."""
        patience = Patience(self._max_wait)
        while True:
            place = self._present
            base_url = self.base_urls[place]
            body = json.dumps(payload_for(base_url)).encode()
            url, timeout = f"{base_url}/api", patience.begun()
            try:
                with self._connections.request("POST", url, _HEADERS, body, timeout) as reply:
                    reply.touched = patience.touched
                    taken = take(base_url, reply)
            except BrokenConnection as error:
                self._failed(patience, place, error)
                continue
            patience.progressed()
            if not isinstance(taken, Answer) or taken.wait_s is None:
                return taken
            patience.wait_told(taken.wait_s, taken.refusal())

    def _failed(self, patience: Patience, place: int, error: BaseException) -> None:
        base_url = self.base_urls[place]
        switches = len(self.base_urls) > 1 and (patience.failures + 1) % _TRIES_A_LINE == 0
        # The pause comes after each failed round of all base URLs, not after each base URL.
        rounds_over = (patience.failures + 1) % (_TRIES_A_LINE * len(self.base_urls)) == 0
        patience.wait_failed(error, base_url, at_once=switches and not rounds_over)
        if switches and self._present == place:
            self._present = (place + 1) % len(self.base_urls)
            log.warning("switching from %s to %s: %s", base_url, self.base_urls[self._present], error)


def read_answer(base_url: str, reply: Reply) -> Answer:
    """Reads a JSON answer."""
    return parse_answer(base_url, reply.status, reply.headers, reply.read())


def base_url_of(text: str) -> str:
    """Returns the base URL from the user's text, which may end with blanks, slashes or ``/api``."""
    url = text.strip().rstrip("/")
    return url[: -len("/api")].rstrip("/") if url.endswith("/api") else url


def _cleaned(base_urls: Sequence[str]) -> List[str]:
    cleaned: List[str] = []
    for each in base_urls:
        url = base_url_of(each)
        if not url.startswith(("http://", "https://")):
            raise ConfigurationError(f"{each!r} is not a base URL: write one that begins with http:// or https://")
        if url not in cleaned:
            cleaned.append(url)
    if not cleaned:
        raise ConfigurationError(
            "no base URL: pass base_urls=[...], or set EDGETAPE_URL to one or several separated by commas"
        )
    return cleaned
