"""Reading a share's drive: Basic credentials, whole files of text, and the pieces of a download."""

from __future__ import annotations

import base64
from typing import Callable, Dict, Optional, TypeVar
from urllib.parse import quote, urlsplit

from .envelope import may_pass
from .errors import EdgetapeError, NoData, NotAllowed, ProtocolError, ServiceError, Unavailable
from .transport import BrokenConnection, Connections, Reply
from .waiting import UNTOLD_WAIT_S, Patience, parse_retry_after

T = TypeVar("T")


class Drive:
    """A share's files by their paths.

    Parameters
    ----------
    url : str
        The share's address with its slash.
    password : str
    connections : Connections
    """

    def __init__(self, url: str, password: str, connections: Connections) -> None:
        self._url = url
        share_id = urlsplit(url).path.rstrip("/").rsplit("/", 1)[-1]
        login = base64.b64encode(f"{share_id}:{password}".encode()).decode()
        self._headers = {"Authorization": f"Basic {login}"}
        self._connections = connections

    def get(
        self,
        path: str,
        patience: Patience,
        take: Callable[[Reply], T],
        headers: Callable[[], Dict[str, str]] = dict,
    ) -> T:
        """Reads `path` by `take`, again and again while connections break; `headers()` is asked at each try.

        Raises
        ------
        ServiceError
            401 and 403: `NotAllowed`; 404: `NoData`; 429 and 503 beyond the patience: `Unavailable`.
        ConnectionFailed
            When the patience is over.
        """
        url = self._url + quote(path)
        while True:
            timeout = patience.begun()
            try:
                sent = {**self._headers, **headers()}
                with self._connections.request("GET", url, sent, timeout=timeout) as reply:
                    reply.touched = patience.touched
                    if reply.status in (200, 206, 416):
                        return take(reply)
                    refusal = _refusal(reply, path)
                    told = parse_retry_after(reply.headers.get("Retry-After"))
                    if told is None and reply.headers.get("X-Request-Id") is None:
                        told = UNTOLD_WAIT_S  # A page of something in between, which tells no time.
            except BrokenConnection as error:
                patience.wait_failed(error, self._url)
                continue
            if told is None or not may_pass(reply.status):
                raise refusal
            patience.wait_told(told, refusal)


def _refusal(reply: Reply, path: str) -> EdgetapeError:
    said = " ".join(reply.read().decode("utf-8", "replace").split())
    if 300 <= reply.status < 400:
        return ProtocolError(f"the share redirects {path} to {reply.headers.get('Location')}")
    kinds = {401: NotAllowed, 403: NotAllowed, 404: NoData, 429: Unavailable, 503: Unavailable}
    kind = kinds.get(reply.status, ServiceError)
    codes: Dict[int, Optional[int]] = {401: 403, 403: 403, 404: 1002, 429: 429, 503: 503}
    return kind(
        f"{path}: {said[:300] or f'HTTP {reply.status}'}",
        code=codes.get(reply.status),
        reason=reply.headers.get("X-Reason"),
        request_id=reply.headers.get("X-Request-Id"),
        status=reply.status,
    )
