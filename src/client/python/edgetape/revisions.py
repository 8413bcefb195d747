"""Whether a file that was fetched earlier is still what the service holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Mapping, Optional

from .journal import Entry
from .types import Change, Day, Security

if TYPE_CHECKING:
    from .client import Client


class Revisions:
    """The present revisions of some days, and how they came about.

    Parameters
    ----------
    client : Client
    base_url : str
        The deployment whose revisions `days` are.
    days : mapping of str to Day
        Loaded days by date.
    """

    def __init__(self, client: "Client", base_url: str, days: Mapping[str, Day]) -> None:
        self._client = client
        self._base_url = base_url
        self._days = days
        self._since: Optional[str] = None
        self._all_changes = False
        self._changes: Optional[Dict[str, List[Change]]] = None
        self._securities: Dict[str, List[Security]] = {}

    def expect(self, tradedate: str, entry: Entry) -> None:
        """Says beforehand that `follow` will be asked for `entry`, so that changes are read from then on."""
        if not self._is_outdated(tradedate, entry):
            return
        published = entry.get("published")
        if published is None:
            self._all_changes = True
        elif self._since is None or published < self._since:
            # Instants of one offset (Beijing's) and one form, so they are compared as text.
            self._since = published

    def follow(self, symbol: str, tradedate: str, entry: Entry) -> Optional[Entry]:
        """`entry` as of the day's present revision, or None when the file must be asked for again."""
        day = self._days[tradedate]
        if entry.get("url") != self._base_url:
            return self._same_size(symbol, day, entry)
        if not self._is_outdated(tradedate, entry):
            return entry
        revision, is_told = entry.get("revision"), False
        if revision == day["revision"] and entry.get("published") is None:
            return self._same_size(symbol, day, entry)
        for change in self._changes_of(tradedate):
            if change["previous"] != revision or change["kind"] not in ("published", "restored"):
                continue
            if _names(change, symbol):
                return None
            revision, is_told = change["revision"], True
        if not is_told or revision != day["revision"]:
            return None
        return {**entry, "revision": revision, "published": day["published_at"]}

    def _is_outdated(self, tradedate: str, entry: Entry) -> bool:
        """A catalog that was put back may give a number twice: its instant of publication is another one."""
        day = self._days[tradedate]
        noted = (entry.get("revision"), entry.get("published"))
        return entry.get("url") == self._base_url and noted != (day["revision"], day["published_at"])

    def _changes_of(self, tradedate: str) -> List[Change]:
        if self._changes is None:
            self._changes = {}
            since = None if self._all_changes else self._since
            for change in self._client.changes(since):
                self._changes.setdefault(change["tradedate"], []).append(change)
            if self._client.present_url != self._base_url:
                self._changes = {}  # Another deployment's numbers.
        return self._changes.get(tradedate, [])

    def _same_size(self, symbol: str, day: Day, entry: Entry) -> Optional[Entry]:
        """A file whose revision says nothing, as another deployment's: the same when it has as many rows, and
        bytes, here."""
        tradedate = day["tradedate"]
        if tradedate not in self._securities:
            self._securities[tradedate] = self._client.symbols(tradedate)
        file = entry.get("file")
        code = symbol if file is None else file.split("/", 1)[0]
        for security in self._securities[tradedate]:
            if f"{security['symbol']}.{security['market']}" == code:
                same = (security["rows"], security["size_bytes"]) == (entry.get("rows"), entry.get("size"))
                break
        else:
            same = file is None
        if not same:
            return None
        here = {"url": self._base_url, "revision": day["revision"], "published": day["published_at"]}
        return {**entry, **here}


def _names(change: Change, symbol: str) -> bool:
    """Whether the change concerns the security, or cannot tell. Bare digits mean either exchange."""
    securities = change["securities"]
    if securities is None:
        return True
    codes = [symbol] if "." in symbol else [f"{symbol}.SH", f"{symbol}.SZ"]
    return any(code in named for named in securities.values() for code in codes)
