"""The answers of `POST /api`: `{"code", "message", "data"}` and the headers beside them."""

from __future__ import annotations

import datetime
import json
import re
import time
from email.message import Message
from typing import Any, Dict, NamedTuple, Optional, Tuple, Type

from .errors import (
    BadRequest,
    DataRebuilt,
    NoData,
    NotAllowed,
    ProtocolError,
    QuotaUsed,
    ServiceError,
    Unavailable,
)
from .transport import BrokenConnection, whole_number
from .waiting import UNTOLD_WAIT_S, parse_retry_after

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
    """Seconds to wait before asking again; None: asking again helps nobody."""
    resets_in: Optional[float]
    build: Optional[str] = None
    """`X-Build` of order history: equal only for equal contents, also between deployments."""

    def served(self) -> Any:
        """`data` of a success; raises the refusal otherwise."""
        if self.code != 200:
            raise self.refusal()
        return self.data

    def refusal(self) -> ServiceError:
        """The refusal as the exception of its code."""
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
    """The answer in `body`.

    Raises
    ------
    BrokenConnection
        An unreadable body under a status of success: cut or garbled on the way, so it is asked for again.
    ProtocolError
        A redirect or another page that the service does not send.
    """
    envelope = _envelope(body)
    told = parse_retry_after(headers.get("Retry-After"))
    if envelope is None:
        if status == 200:
            raise BrokenConnection(f"the answer is no envelope: {_excerpt(body)}")
        if not may_pass(status):
            raise _foreign(base_url, status, headers, body)
        message = f"{base_url} answered HTTP {status} without the service's envelope: {_excerpt(body)}"
        envelope = {"code": 503, "message": message, "data": None}
        told = UNTOLD_WAIT_S if told is None else told
    code, message = envelope["code"], str(envelope.get("message", ""))
    # A proxy may drop headers; every refusal's message ends with the same two facts.
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
        # A used-up quota names no time to wait (obeying it would hang a script until midnight).
        wait_s=told if code in (429, 503) and reason != "quota_used" else None,
        resets_in=_resets_in(headers.get("RateLimit")),
        build=headers.get("X-Build"),
    )


def may_pass(status: int) -> bool:
    """Whether asking again later may help after this HTTP status of the service or of something in between."""
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
            f"{base_url} redirects to {moved}: a redirected POST is lost, so give that address instead"
        )
    return ProtocolError(f"{base_url} answered HTTP {status}, and not as the service does: {_excerpt(body)}")


def _excerpt(body: bytes) -> str:
    text = " ".join(body[:400].decode("utf-8", "replace").split())
    return repr(text[:160]) if text else "an empty body"


def _tail_of(message: str) -> Tuple[Optional[str], Optional[str]]:
    """Reason and request id in the ``[reason · request id]`` at the end of a refusal's message."""
    match = re.search(r"\[([a-z_]{1,40}) · ([^\[\]\s]{1,80})\]$", message)
    return (None, None) if match is None else (match.group(1), match.group(2))


def _resets_in(header: Optional[str]) -> Optional[float]:
    """Seconds until the last used-up counter of a `RateLimit` header resets (``"files";r=0;t=3600``)."""
    if header is None:
        return None
    used_up = [float(match.group(1)) for match in re.finditer(r";\s*r=0\s*;\s*t=(\d{1,15})", header, re.ASCII)]
    return max(used_up) if used_up else None


def _until_midnight() -> float:
    """Seconds until the next day of Beijing by this machine's clock."""
    beijing = time.time() + 8 * 3600
    return 86_400 - beijing % 86_400
