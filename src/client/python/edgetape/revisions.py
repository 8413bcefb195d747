"""Whether a file that was fetched earlier is still what the service holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Mapping, Optional

from .journal import Entry
from .types import Change, Day

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

    def expect(self, tradedate: str, entry: Entry) -> None:
        """Says beforehand that `follow` will be asked for `entry`, so that changes are read from then on."""
        if not self._is_outdated(tradedate, entry):
            return
        published = entry.get("published")
        if not isinstance(published, str):
            self._all_changes = True
        elif self._since is None or published < self._since:
            # Instants of one offset (Beijing's) and one form, so they are compared as text.
            self._since = published

    def follow(self, symbol: str, tradedate: str, entry: Entry) -> Optional[Entry]:
        """`entry` as of the day's present revision, or None when the file must be asked for again.

        Contents are the same when their build ids are. Without them only a revision of the same deployment
        tells, because another one's numbers are its own.
        """
        day = self._days[tradedate]
        here = self._here(day)
        if self._is_present_build(day, entry):
            return {**entry, **here}
        if entry.get("url") != self._base_url:
            return None
        revision, is_told = entry.get("revision"), False
        if not self._is_outdated(tradedate, entry):
            return {**entry, **here} if None in (entry.get("build"), here["build"]) else None
        for change in self._changes_of(tradedate) if revision is not None else ():
            if change["previous"] != revision or change["kind"] not in ("published", "restored"):
                continue
            if _names(change, symbol):
                return None
            revision, is_told = change["revision"], True
        if not is_told or revision != day["revision"]:
            return None
        return {**entry, **here}

    def _here(self, day: Day) -> Entry:
        """What an entry of the day's present revision says."""
        return {
            "url": self._base_url,
            "revision": day["revision"],
            "published": day["published_at"],
            "build": day.get("build_id"),
        }

    def _is_present_build(self, day: Day, entry: Entry) -> bool:
        return entry.get("build") is not None and entry["build"] == day.get("build_id")

    def _is_outdated(self, tradedate: str, entry: Entry) -> bool:
        """A catalog that was put back may give a number twice: its instant of publication is another one."""
        day = self._days[tradedate]
        if self._is_present_build(day, entry):
            return False
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


def _names(change: Change, symbol: str) -> bool:
    """Whether the change concerns the security, or cannot tell. Bare digits mean either exchange."""
    securities = change["securities"]
    if securities is None:
        return True
    codes = [symbol] if "." in symbol else [f"{symbol}.SH", f"{symbol}.SZ"]
    return any(code in named for named in securities.values() for code in codes)
