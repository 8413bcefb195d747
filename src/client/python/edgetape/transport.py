"""HTTP/1.1 over kept-alive connections, with the standard library only.

A page is answered in milliseconds; opening a TLS connection for each of a day's pages would cost several
times that on a long line. `urllib.request` opens one per request, so connections are kept here.
"""

from __future__ import annotations

import http.client
import os
import platform
import ssl
import threading
import time
import zlib
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, cast
from urllib.parse import urlsplit

from ._version import __version__
from .errors import ConfigurationError
from .proxies import proxy_for

#: What counts as a broken connection: refused, reset, timed out, not resolved, cut off, garbled, bad TLS.
CONNECTION_ERRORS = (OSError, http.client.HTTPException)

USER_AGENT = f"edgetape-python/{__version__} (Python {platform.python_version()}; {platform.system()})"

_CONNECT_TIMEOUT_S = 10.0
_IDLE_S = 60.0
_PIECE_BYTES = 256 * 1024

_Connection = http.client.HTTPConnection
_Place = Tuple[str, str]


class _Lines:
    """The lines of an answer's head, where an end of the connection is no end of the head."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self._is_first = True

    def readline(self, limit: int = -1) -> bytes:
        line: bytes = self.stream.readline(limit)
        # Nothing at all is http.client's to judge: the other side hung up.
        cut = not line.endswith(b"\n") and len(line) != limit
        if cut and (line or not self._is_first):
            raise http.client.IncompleteRead(line)
        self._is_first = False
        return line

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Response(http.client.HTTPResponse):
    """http.client takes a head that was cut off for a shorter one: without lengths, tags and reasons."""

    def begin(self) -> None:
        lines = _Lines(self.fp)
        self.fp = cast(Any, lines)
        super().begin()
        if cast(Any, self.fp) is lines:
            self.fp = lines.stream


class Reply:
    """The head of an answer; its body is read once, whole or in pieces. Use it as a context manager."""

    def __init__(self, pool: "Connections", place: _Place, connection: _Connection) -> None:
        self._pool = pool
        self._place = place
        self._connection: Optional[_Connection] = connection
        self._response = connection.getresponse()
        self.status = self._response.status
        self.headers = self._response.headers

    def __enter__(self) -> "Reply":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self) -> bytes:
        """The whole body, decompressed. Raises a connection error when it breaks off."""
        body = b"".join(self.pieces())
        if self.headers.get("Content-Encoding", "").lower() not in ("gzip", "x-gzip"):
            return body
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            text = inflater.decompress(body)
        except zlib.error as error:
            raise http.client.HTTPException(f"the body is no gzip: {error}") from error
        if not inflater.eof:
            raise http.client.IncompleteRead(body)
        return text

    def pieces(self) -> Iterator[bytes]:
        """The body as it arrives, never decompressed. Raises a connection error when it breaks off."""
        expected = self._response.length
        received = 0
        while True:
            piece = self._response.read(_PIECE_BYTES)
            if not piece:
                break
            received += len(piece)
            yield piece
        # Read in pieces, http.client takes a short body for a whole one.
        if expected is not None and received < expected:
            raise http.client.IncompleteRead(b"", expected - received)

    def close(self) -> None:
        """Gives the connection back when all was read, else closes it, which tells the service to stop."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._response.isclosed() and not self._response.will_close:
            self._pool.put_back(self._place, connection)
        else:
            self._response.close()
            connection.close()


class Connections:
    """Connections that are kept for the next request; safe for threads, and for forked children.

    Parameters
    ----------
    timeout : float
        Seconds that any one wait for bytes may take. Connecting may take 10 s at most.
    ssl_context : ssl.SSLContext, optional
        For `https` addresses; the system's certificates by default.
    """

    def __init__(self, timeout: float, ssl_context: Optional[ssl.SSLContext] = None) -> None:
        self._timeout = timeout
        self._ssl_context = ssl_context
        self._mutex = threading.Lock()
        self._idle: Dict[_Place, List[Tuple[float, _Connection]]] = {}
        self._pid = os.getpid()

    def request(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes] = None
    ) -> Reply:
        """Sends a request and waits for the answer's head. Raises one of `CONNECTION_ERRORS`."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError(f"{url!r} is no http or https address")
        place = (parts.scheme, parts.netloc)
        sent = {"User-Agent": USER_AGENT, **headers}
        kept = self._take(place)
        if kept is not None:
            try:
                return self._send(kept, place, method, url, sent, body)
            except (http.client.RemoteDisconnected, ConnectionError):
                kept.close()  # It was closed while it lay idle: nothing was asked of it.
            except BaseException:
                kept.close()
                raise
        fresh = self._open(url)
        try:
            return self._send(fresh, place, method, url, sent, body)
        except BaseException:
            fresh.close()
            raise

    def put_back(self, place: _Place, connection: _Connection) -> None:
        """Keeps a connection whose answer was read to its end."""
        with self._mutex:
            if self._pid == os.getpid():
                self._idle.setdefault(place, []).append((time.monotonic(), connection))

    def close(self) -> None:
        """Closes the kept connections."""
        with self._mutex:
            idle, self._idle = self._idle, {}
        for connections in idle.values():
            for _, connection in connections:
                connection.close()

    def _take(self, place: _Place) -> Optional[_Connection]:
        with self._mutex:
            if self._pid != os.getpid():
                # A forked child must not talk on its parent's connections.
                self._pid, self._idle = os.getpid(), {}
            kept = self._idle.get(place, [])
            while kept:
                since, connection = kept.pop()
                if time.monotonic() - since < _IDLE_S:
                    return connection
                connection.close()
        return None

    def _open(self, url: str) -> _Connection:
        parts = urlsplit(url)
        proxy = proxy_for(url)
        host, port = (parts.hostname or "", parts.port) if proxy is None else (proxy.host, proxy.port)
        connection: _Connection
        if parts.scheme == "https":
            context = self._ssl_context or ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=_CONNECT_TIMEOUT_S, context=context)
            if proxy is not None:
                connection.set_tunnel(parts.hostname or "", parts.port or 443, headers=proxy.headers)
        else:
            connection = _Connection(host, port, timeout=_CONNECT_TIMEOUT_S)
        connection.response_class = _Response
        connection.connect()
        connection.sock.settimeout(self._timeout)
        return connection

    def _send(
        self,
        connection: _Connection,
        place: _Place,
        method: str,
        url: str,
        headers: Dict[str, str],
        body: Optional[bytes],
    ) -> Reply:
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if parts.scheme == "http":
            proxy = proxy_for(url)
            if proxy is not None:
                # A plain proxy is told the whole address.
                target = f"http://{parts.netloc}{target}"
                headers = {**headers, **proxy.headers, "Host": parts.netloc}
        connection.request(method, target, body=body, headers=headers)
        return Reply(self, place, connection)
