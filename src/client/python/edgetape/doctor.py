"""`python -m edgetape doctor`: examines each base URL, from name resolution to an answer.

None of its requests is charged: `GET /health`, `account_info`, `data_status`, `data_symbols`.
"""

from __future__ import annotations

import email.utils
import json
import os
import platform
import socket
import ssl
import statistics
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, cast
from urllib.parse import urlsplit

from ._version import __version__
from .calls import base_url_of
from .client import Client
from .errors import ConfigurationError, EdgetapeError, NoData
from .frame import has_library
from .transport import BrokenConnection, Connections, proxy_for

_TIMEOUT_S = 15.0
_ROUNDS = 5

#: The tolerated error of the local clock, in seconds. A larger error can make certificate checks fail and shift the
#: day.
_CLOCK_S = 60

_PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


class _Trouble(Exception):
    """A step failed, so later steps cannot run."""


def examine(base_urls: Sequence[str], key: Optional[str], say: Callable[[str], None] = print) -> int:
    """Examines each base URL and reports the findings line by line. With a key, it also checks the account and times a
    long response. Returns 0 when every base URL works, 1 when one does not, 2 without any base URL."""
    say(f"edgetape {__version__}, Python {platform.python_version()}, {platform.platform()}")
    say(f"{ssl.OPENSSL_VERSION}")
    libraries = [name for name in ("pandas", "polars", "pyarrow", "tqdm") if has_library(name)]
    say(f"libraries: {', '.join(libraries) or 'none of pandas, polars, pyarrow, tqdm'}")
    for name in _PROXY_VARIABLES:
        value = os.environ.get(name) or os.environ.get(name.upper())
        if value:
            say(f"{name}: {_without_login(value)}")
    if not base_urls:
        say("FAILED no base URL: set EDGETAPE_URL or pass --url")
        return 2
    return max([_examine_line(base_url_of(url), key, say) for url in base_urls])


def _examine_line(base_url: str, key: Optional[str], say: Callable[[str], None]) -> int:
    say("")
    say(base_url)
    try:
        for line in _steps(base_url, key):
            say(f"  {line}")
    except _Trouble as trouble:
        say(f"  FAILED {trouble}")
        return 1
    return 0


def _steps(base_url: str, key: Optional[str]) -> Iterator[str]:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise _Trouble("the URL must begin with http:// or https:// and a host name")
    try:
        proxy = proxy_for(base_url)
    except ConfigurationError as error:
        raise _Trouble(str(error)) from error
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if proxy is None:
        yield from _resolve(parts.hostname, port)
        yield "proxy: none, the connection is direct"
    else:
        yield f"proxy: {proxy}, which resolves the name itself"
        yield from _resolve(proxy.host, proxy.port)
    if parts.scheme == "http":
        yield "TLS: none, the URL is plain http, so the key is sent unencrypted"
    elif proxy is None:
        yield from _look_at_tls(parts.hostname, port)
    else:
        yield "TLS: through the proxy, checked with the first request"
    connections = Connections(_TIMEOUT_S)
    try:
        yield from _ask_health(connections, base_url)
    finally:
        connections.close()
    if key is None:
        yield "key: none given, so the account was not checked"
    else:
        yield from _ask_account(base_url, key)


def _resolve(host: str, port: int) -> Iterator[str]:
    began = time.monotonic()
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise _Trouble(
            f"name: {host} cannot be resolved ({error}): check the spelling and the DNS settings"
        ) from error
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    yield f"name: {host} is {', '.join(addresses)} ({_ms(time.monotonic() - began)})"
    began = time.monotonic()
    try:
        socket.create_connection((host, port), timeout=_TIMEOUT_S).close()
    except OSError as error:
        raise _Trouble(f"connection: port {port} of {host} cannot be reached ({error})") from error
    yield f"connection: port {port} answers ({_ms(time.monotonic() - began)})"


def _look_at_tls(host: str, port: int) -> Iterator[str]:
    began = time.monotonic()
    try:
        with socket.create_connection((host, port), timeout=_TIMEOUT_S) as plain:
            with ssl.create_default_context().wrap_socket(plain, server_hostname=host) as secure:
                certificate: Dict[str, Any] = secure.getpeercert() or {}
                version = secure.version()
    except ssl.SSLCertVerificationError as error:
        raise _Trouble(
            f"TLS: the certificate of {host} is not trusted ({error.verify_message}): "
            "a third party may intercept the connection, this machine's clock may be wrong, or certificates are missing"
        ) from error
    except OSError as error:
        raise _Trouble(f"TLS: the handshake with {host} failed ({error})") from error
    owner, issuer = (
        {key: value for pairs in certificate.get(part, ()) for key, value in pairs}
        for part in ("subject", "issuer")
    )
    yield (
        f"TLS: {version}, certificate of {owner.get('commonName', host)}, "
        f"issued by {issuer.get('organizationName', 'unknown')}, "
        f"until {certificate.get('notAfter', 'unknown')} ({_ms(time.monotonic() - began)})"
    )


def _ask_health(connections: Connections, base_url: str) -> Iterator[str]:
    rounds: List[float] = []
    for _ in range(_ROUNDS):
        began = time.monotonic()
        try:
            with connections.request("GET", f"{base_url}/health", {}) as reply:
                status, headers, body = reply.status, reply.headers, reply.read()
        except BrokenConnection as error:
            raise _Trouble(f"service: no answer ({error})") from error
        rounds.append(time.monotonic() - began)
    try:
        health = json.loads(body)
        version, answers = health["version"], {name: health[name] for name in ("d1", "r2", "gate")}
    except (ValueError, KeyError, TypeError) as error:
        said = " ".join(body[:200].decode("utf-8", "replace").split())
        raise _Trouble(
            f"service: HTTP {status} from /health is not edgetape's answer ({said!r}): check the base URL, and whether "
            "a proxy or a sign-in page answers"
        ) from error
    failed = [name for name, answer in answers.items() if answer != "ok"]
    if failed:
        raise _Trouble(f"service: edgetape {version}, but {', '.join(failed)} does not answer")
    yield f"service: edgetape {version}, all its stores answer"
    yield f"speed: {_ms(statistics.median(rounds[1:]))} per request, {_ms(rounds[0])} for the first one"
    yield from _compare_clocks(headers.get("Date"))


def _compare_clocks(date: Optional[str]) -> Iterator[str]:
    if date is None:
        return
    off = time.time() - email.utils.parsedate_to_datetime(date).timestamp()
    if abs(off) > _CLOCK_S:
        yield f"clock: this machine is {abs(off):.0f} s {'ahead' if off > 0 else 'behind'}: correct it"
    else:
        yield "clock: correct"


def _ask_account(base_url: str, key: str) -> Iterator[str]:
    client = Client(key, [base_url], max_wait=10.0, timeout=_TIMEOUT_S)
    try:
        account = client.account()
        yield f"key: account {account['account_id']}, plan {account['plan']} ({account['plan_state']})"
        for quota in account["quotas"]:
            for unit in ("requests", "files"):
                counter = cast(Any, quota)[unit]
                if counter is not None and counter["limit"] is not None:
                    yield f"quota: {counter['left']} of {counter['limit']} {unit} left on {quota['day']}"
        yield from _measure_throughput(client)
    except EdgetapeError as error:
        raise _Trouble(f"key: {error}") from error
    finally:
        client.close()


def _measure_throughput(client: Client) -> Iterator[str]:
    """Yields the newest loaded day and the time taken to receive its list of securities, the longest answer that is not
    charged."""
    loaded = [day for day in client.status()["days"] if day["revision"] is not None]
    if not loaded:
        yield "speed: not measured with a larger answer, because no day of this month is loaded"
        return
    newest = loaded[-1]
    yield f"data: {newest['tradedate']} is the newest loaded day, in revision {newest['revision']}"
    began = time.monotonic()
    try:
        securities = client.symbols(newest["tradedate"])
    except NoData as error:
        yield f"speed: {error}"
        return
    listed = f"{len(securities)} securities of {newest['tradedate']}"
    yield f"speed: the list of {listed} in {_ms(time.monotonic() - began)}"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def _without_login(proxy: str) -> str:
    return proxy if "@" not in proxy else proxy.split("://", 1)[0] + "://…@" + proxy.rsplit("@", 1)[1]
