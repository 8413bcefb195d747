"""HTTP/1.1 over kept-alive connections, with the standard library only.

A page takes milliseconds; over a long distance, opening a TLS connection for each page would take several times that.
`urllib.request` opens one per request, so this module keeps connections open.
"""

from __future__ import annotations

import base64
import http.client
import os
import platform
import re
import socket
import ssl
import time
import urllib.request
import weakref
import zlib
from collections import deque
from contextlib import contextmanager
from typing import Any, Callable, Deque, Dict, Iterator, Mapping, NamedTuple, Optional, Tuple, cast
from urllib.parse import unquote, urlsplit

from ._version import __version__
from .errors import ConfigurationError

#: Errors that the standard library raises for a connection. It raises some of them for local files too.
_NETWORK_ERRORS = (OSError, http.client.HTTPException)

USER_AGENT = f"edgetape-python/{__version__} (Python {platform.python_version()}; {platform.system()})"

_CONNECT_TIMEOUT_S = 10.0
_IDLE_S = 60.0
_PIECE_BYTES = 256 * 1024

_Connection = http.client.HTTPConnection
_Place = Tuple[str, str]


class BrokenConnection(Exception):
    """A connection was refused, reset, timed out or cut off, its host was not resolved, or its data or TLS is invalid.

    Raised by this module only, so that an error of a local file is never mistaken for a network error.
    """


@contextmanager
def _network(proxy: Optional[Proxy], doing: str) -> Iterator[None]:
    """Converts network errors into `BrokenConnection`, which names the proxy if one was used."""
    try:
        yield
    except _NETWORK_ERRORS as error:
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        if proxy is not None:
            told = f"{doing} the proxy {proxy}, which {proxy.source} names: {told}"
        raise BrokenConnection(told) from error


class _Lines:
    """The lines of an answer's head. Raises an error when the connection ends within the head."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self._is_first = True

    def readline(self, limit: int = -1) -> bytes:
        line: bytes = self.stream.readline(limit)
        # http.client handles an empty head, which means that the server closed the connection.
        cut = not line.endswith(b"\n") and len(line) != limit
        if cut and (line or not self._is_first):
            raise http.client.IncompleteRead(line)
        self._is_first = False
        return line

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Response(http.client.HTTPResponse):
    """Refuses a truncated head. http.client would accept it and treat the missing headers as absent."""

    def begin(self) -> None:
        lines = _Lines(self.fp)
        self.fp = cast(Any, lines)
        super().begin()
        if cast(Any, self.fp) is lines:
            self.fp = lines.stream


class Reply:
    """The head of an answer; its body is read once, whole or in pieces. Use it as a context manager."""

    def __init__(
        self, pool: "Connections", place: _Place, connection: _Connection, proxy: Optional[Proxy]
    ) -> None:
        self._pool = pool
        self._place = place
        self._proxy = proxy
        self._connection: Optional[_Connection] = connection
        #: Called for each piece of the body.
        self.touched: Callable[[], None] = _nothing
        self._response = connection.getresponse()
        self.status = self._response.status
        self.headers = self._response.headers

    def __enter__(self) -> "Reply":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def length(self) -> Optional[int]:
        """The announced length of the body in bytes; None when not announced."""
        return whole_number(self.headers.get("Content-Length"))

    @property
    def is_framed(self) -> bool:
        """Whether a truncated body can be recognised."""
        return self.length is not None or "chunked" in self.headers.get("Transfer-Encoding", "").lower()

    def read(self) -> bytes:
        """Returns the whole body, decompressed. Raises `BrokenConnection` when the body ends early."""
        return b"".join(self.content())

    def content(self) -> Iterator[bytes]:
        """Yields the body as it arrives, decompressed. Raises `BrokenConnection` when it breaks off."""
        if self.headers.get("Content-Encoding", "").lower() not in ("gzip", "x-gzip"):
            yield from self.pieces()
            return
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            for piece in self.pieces():
                yield inflater.decompress(piece)
        except zlib.error as error:
            raise BrokenConnection(f"the body is not valid gzip: {error}") from error
        if not inflater.eof:
            raise BrokenConnection("the gzip body is truncated")

    def pieces(self) -> Iterator[bytes]:
        """Yields the body as it arrives, never decompressed. Raises `BrokenConnection` when it breaks off."""
        expected = self._response.length
        received = 0
        while True:
            with _network(self._proxy, "through"):
                piece = self._response.read(_PIECE_BYTES)
            if not piece:
                break
            received += len(piece)
            self.touched()
            yield piece
        # http.client accepts a short body as complete when it is read in pieces.
        if expected is not None and received < expected:
            raise BrokenConnection(f"the body ended after {received} of {expected} bytes")

    def close(self) -> None:
        """Keeps the connection for reuse if the body was fully read; otherwise closes it, so that the server stops
        sending."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._response.isclosed() and not self._response.will_close:
            self._pool.put_back(self._place, connection)
        else:
            self._response.close()
            connection.close()


class Connections:
    """Connections that are kept for the next request; safe for threads, forked children and pickling.

    The class uses no lock, because a lock that is held during an interrupt would block every later request.

    Each wait for data takes at most `timeout` seconds, and connecting at most 10. `https` URLs use the system's
    certificates unless `ssl_context` is given."""

    def __init__(self, timeout: float, ssl_context: Optional[ssl.SSLContext] = None) -> None:
        self.timeout = timeout
        self._ssl_context = ssl_context
        self._pid = os.getpid()
        self._idle: Dict[_Place, Deque[Tuple[float, _Connection]]] = {}
        self._open_ones: "weakref.WeakSet[_Connection]" = weakref.WeakSet()
        self._is_aborted = False

    def __getstate__(self) -> Dict[str, Any]:
        if self._ssl_context is not None:
            raise TypeError("a client with an ssl_context cannot be pickled: create one in each process")
        return {"timeout": self.timeout}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__init__(state["timeout"])  # type: ignore[misc]

    def separate(self) -> "Connections":
        """Returns connections with the same settings, which can be aborted separately."""
        return Connections(self.timeout, self._ssl_context)

    def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Optional[bytes] = None,
        timeout: Optional[float] = None,
    ) -> Reply:
        """Sends a request and waits for the answer's head. `timeout` (seconds) limits each wait of this request if it
        is shorter than the usual limit. Raises `BrokenConnection`."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError(f"{url!r} is not an http or https URL")
        proxy = proxy_for(url)
        place = (parts.scheme, parts.netloc)
        sent = {"User-Agent": USER_AGENT, **headers}
        patience = self.timeout if timeout is None else min(timeout, self.timeout)
        kept = self._take(place)
        if kept is not None:
            try:
                kept.sock.settimeout(patience)
                return self._send(kept, place, proxy, method, url, sent, body)
            except (http.client.RemoteDisconnected, ConnectionError):
                kept.close()  # The server closed the idle connection, so the request is sent on a new one.
            except _NETWORK_ERRORS as error:
                kept.close()
                with _network(proxy, "through"):
                    raise error
            except BaseException:
                kept.close()
                raise
        fresh = self._open(url, proxy, patience)
        try:
            with _network(proxy, "through"):
                return self._send(fresh, place, proxy, method, url, sent, body)
        except BaseException:
            fresh.close()
            raise

    def put_back(self, place: _Place, connection: _Connection) -> None:
        """Keeps a connection whose answer was fully read."""
        if self._pid == os.getpid() and not self._is_aborted:
            self._idle.setdefault(place, deque()).append((time.monotonic(), connection))

    def close(self) -> None:
        """Closes the kept connections."""
        idle, self._idle = self._idle, {}
        for connections in idle.values():
            for _, connection in connections:
                connection.close()

    def abort(self) -> None:
        """Breaks all running requests of other threads, and refuses new ones."""
        self._is_aborted = True
        for connection in list(self._open_ones):
            _cut(connection)

    def _take(self, place: _Place) -> Optional[_Connection]:
        if self._pid != os.getpid():
            # A forked child must not use its parent's connections.
            self._pid, self._idle = os.getpid(), {}
        kept = self._idle.get(place)
        while kept:
            try:
                since, connection = kept.pop()
            except IndexError:
                return None  # Another thread took the last connection.
            if time.monotonic() - since < _IDLE_S:
                return connection
            connection.close()
        return None

    def _open(self, url: str, proxy: Optional[Proxy], patience: float) -> _Connection:
        parts = urlsplit(url)
        host, port = (parts.hostname or "", parts.port) if proxy is None else (proxy.host, proxy.port)
        connect_s = min(_CONNECT_TIMEOUT_S, patience)
        connection: _Connection
        if parts.scheme == "https":
            context = self._ssl_context or ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=connect_s, context=context)
            if proxy is not None:
                connection.set_tunnel(parts.hostname or "", parts.port or 443, headers=proxy.headers)
        else:
            connection = _Connection(host, port, timeout=connect_s)
        connection.response_class = _Response
        with _network(proxy, "cannot use"):
            connection.connect()
            connection.sock.settimeout(patience)
        self._open_ones.add(connection)
        if self._is_aborted:
            connection.close()
            raise BrokenConnection("aborted")
        return connection

    def _send(
        self,
        connection: _Connection,
        place: _Place,
        proxy: Optional[Proxy],
        method: str,
        url: str,
        headers: Dict[str, str],
        body: Optional[bytes],
    ) -> Reply:
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if parts.scheme == "http" and proxy is not None:
            # A plain HTTP proxy receives the full URL.
            target = f"http://{parts.netloc}{target}"
            headers = {**headers, **proxy.headers, "Host": parts.netloc}
        connection.request(method, target, body=body, headers=headers)
        return Reply(self, place, connection, proxy)


def _nothing() -> None:
    """Does nothing."""


def _cut(connection: _Connection) -> None:
    """Ends a connection that another thread may be reading; that thread sees the end immediately."""
    plain = connection.sock
    try:
        # Even for TLS, only the plain socket is shut down, because the thread that reads may be inside the TLS layer.
        socket.socket.shutdown(plain, socket.SHUT_RDWR)
    except (OSError, AttributeError, TypeError):
        pass  # The socket is already closed.


def whole_number(text: Optional[str]) -> Optional[int]:
    """Returns the whole number in a header; None if there is none."""
    return int(text) if text is not None and re.fullmatch(r"\d{1,15}", text, re.ASCII) else None


class Proxy(NamedTuple):
    """An HTTP proxy. `headers` has its `Proxy-Authorization`, if any. `source` is the setting that names the proxy."""

    host: str
    port: int
    headers: Dict[str, str]
    source: str

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def proxy_for(url: str) -> Optional[Proxy]:
    """Returns the proxy for `url`, or None for a direct connection. Raises `ConfigurationError` when the proxy is not
    an HTTP proxy; the standard library supports no other kind."""
    parts = urlsplit(url)
    if urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    proxies = urllib.request.getproxies()
    kind = parts.scheme if proxies.get(parts.scheme) else "all"
    named = proxies.get(kind)
    if not named:
        return None
    proxy = urlsplit(named if "://" in named else f"http://{named}")
    if proxy.scheme != "http" or proxy.hostname is None:
        raise ConfigurationError(
            f"the proxy {proxy.scheme}://{proxy.hostname} cannot be used, only http:// proxies can: "
            f"set {parts.scheme}_proxy to one, or add {parts.hostname} to no_proxy"
        )
    headers: Dict[str, str] = {}
    if proxy.username is not None:
        login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
        headers["Proxy-Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
    variables = (f"{kind}_proxy", f"{kind}_proxy".upper())
    source = next((name for name in variables if os.environ.get(name)), "the system")
    return Proxy(proxy.hostname, proxy.port or 80, headers, source)
