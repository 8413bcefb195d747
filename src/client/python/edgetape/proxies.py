"""Proxies as the environment or the system names them (`http_proxy`, `https_proxy`, `no_proxy`)."""

from __future__ import annotations

import base64
import os
import urllib.request
from typing import Dict, NamedTuple, Optional
from urllib.parse import unquote, urlsplit

from .errors import ConfigurationError


class Proxy(NamedTuple):
    """An HTTP proxy: `host`, `port`, its `Proxy-Authorization` header, if any, and what names it (`source`)."""

    host: str
    port: int
    headers: Dict[str, str]
    source: str

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def proxy_for(url: str) -> Optional[Proxy]:
    """The proxy through which `url` is to be reached, or None for a direct connection.

    Raises
    ------
    ConfigurationError
        When the proxy is not an HTTP proxy: the standard library speaks no other kind.
    """
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
            f"name one in {parts.scheme}_proxy, or except {parts.hostname} in no_proxy"
        )
    headers: Dict[str, str] = {}
    if proxy.username is not None:
        login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
        headers["Proxy-Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
    variables = (f"{kind}_proxy", f"{kind}_proxy".upper())
    source = next((name for name in variables if os.environ.get(name)), "the system")
    return Proxy(proxy.hostname, proxy.port or 80, headers, source)
