"""A folder that follows the service: one Parquet file for each security and day.

The journal remembers for each file which revision of its day it is of, on which deployment. A newer revision
asks for the file again only when `data_changes` names the security, or cannot tell; so does the same number from
another instant, which a catalog gives that was put back to an earlier state. Revisions of another
deployment say nothing, so there the security's rows and bytes are compared.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .errors import NoData, QuotaUsed
from .journal import Entry, Journal
from .revisions import Revisions
from .selection import security_code, select
from .types import Day

if TYPE_CHECKING:
    from .client import Client

JOURNAL_NAME = ".edgetape-sync.jsonl"

#: Refusals that say so of one security.
_EMPTY = ("no_orders", "security_unknown")

#: A file that the service does not have any more is kept under this ending, out of the way of `*.parquet`.
_GONE_ENDING = ".gone"


class SyncReport(NamedTuple):
    """What a run did. Entries are ``(symbol, tradedate)``, dates YYYYMMDD.

    Attributes
    ----------
    fetched : list
        Files that were downloaded in this run.
    kept : list
        Files that were there already in the present revision.
    empty : list
        Securities that have no orders on the day, or are not in it. Not asked for again in this revision.
    missing : list of (tradedate, state)
        Trading days that cannot be read: pending, missing, withdrawn, damaged.
    left : list
        What a next run has to fetch.
    stopped : QuotaUsed or None
        The used-up quota that ended the run; ``stopped.resets_at`` says when it goes on.
    """

    fetched: List[Tuple[str, str]]
    kept: List[Tuple[str, str]]
    empty: List[Tuple[str, str]]
    missing: List[Tuple[str, str]]
    left: List[Tuple[str, str]]
    stopped: Optional[QuotaUsed]

    def __str__(self) -> str:
        """One line for people; the lists are for programs."""
        days = [f"{len(run)} {state} ({_span(run)})" for state, run in self._days_by_state().items()]
        parts = [
            f"fetched {len(self.fetched)}, kept {len(self.kept)}, without orders {len(self.empty)}",
            *([f"days not there: {', '.join(days)}"] if days else []),
            *([f"left {len(self.left)}"] if self.left else []),
            *([f"goes on after {self.stopped.resets_at}"] if self.stopped is not None else []),
        ]
        return "; ".join(parts)

    def _days_by_state(self) -> Dict[str, List[str]]:
        days: Dict[str, List[str]] = {}
        for tradedate, state in self.missing:
            days.setdefault(state, []).append(tradedate)
        return days

    @property
    def is_complete(self) -> bool:
        """Whether nothing that is loaded is left to fetch."""
        return not self.left


def run_sync(
    client: "Client", symbols: Sequence[str], start_date: str, end_date: str, folder: str
) -> SyncReport:
    """See `Client.sync`; dates are YYYYMMDD, both included."""
    os.makedirs(folder, exist_ok=True)
    return _Run(client, folder).run(list(dict.fromkeys(map(security_code, symbols))), start_date, end_date)


class _Run:
    def __init__(self, client: "Client", folder: str) -> None:
        self._client = client
        self._folder = folder
        self._journal = Journal(os.path.join(folder, JOURNAL_NAME))
        self._report = SyncReport([], [], [], [], [], None)

    def run(self, symbols: Sequence[str], start_date: str, end_date: str) -> SyncReport:
        report = self._report
        base_url, days = self._days(start_date, end_date)
        loaded = {day["tradedate"]: day for day in days if day["revision"] is not None}
        report.missing.extend((day["tradedate"], day["state"]) for day in days if day["revision"] is None)
        revisions = Revisions(self._client, base_url, loaded)
        for tradedate, noted in self._entries(symbols, loaded):
            revisions.expect(tradedate, noted)
        wanted = [(symbol, tradedate) for tradedate in loaded for symbol in symbols]
        for place, name in enumerate(wanted):
            entry = self._present(name, revisions)
            if entry is not None:
                (report.empty if entry.get("file") is None else report.kept).append(name)
                continue
            try:
                self._fetch(name, loaded[name[1]], base_url)
            except QuotaUsed as quota:
                left = [each for each in wanted[place:] if self._present(each, revisions) is None]
                return report._replace(stopped=quota, left=left)
        return report

    def _days(self, start_date: str, end_date: str) -> Tuple[str, List[Day]]:
        """The trading days that the plan covers, oldest first, and the deployment that told of them all."""
        while True:
            base_url = self._client.present_url
            months = [self._client.status(month)["days"] for month in _months(start_date, end_date)]
            if self._client.present_url == base_url:
                break
        days = [day for month in months for day in month]
        return base_url, [day for day in days if start_date <= day["tradedate"] <= end_date]

    def _entries(self, symbols: Sequence[str], loaded: Dict[str, Day]) -> Iterator[Tuple[str, Entry]]:
        for tradedate in loaded:
            for symbol in symbols:
                noted = self._journal.get(f"{symbol} {tradedate}")
                if noted is not None:
                    yield tradedate, noted

    def _present(self, name: Tuple[str, str], revisions: Revisions) -> Optional[Entry]:
        """The journal's entry when its file is there in the day's present revision; else None."""
        symbol, tradedate = name
        entry = self._journal.get(f"{symbol} {tradedate}")
        if entry is None or not self._is_whole(entry):
            return None
        followed = revisions.follow(symbol, tradedate, entry)
        if followed is None:
            return None
        if followed != entry:
            self._journal.put(f"{symbol} {tradedate}", followed)
        return followed

    def _is_whole(self, entry: Entry) -> bool:
        if entry.get("file") is None:
            return True
        try:
            return bool(os.path.getsize(os.path.join(self._folder, entry["file"])) == entry["size"])
        except OSError:
            return False

    def _fetch(self, name: Tuple[str, str], day: Day, base_url: str) -> None:
        symbol, tradedate = name
        fetched: Entry = {"url": base_url, "revision": day["revision"], "published": day["published_at"]}
        try:
            saved = self._client._save_answer(select(symbol, tradedate), self._place)
        except NoData as refusal:
            if refusal.reason not in _EMPTY or self._client.present_url != base_url:
                self._report.missing.append((tradedate, refusal.reason or "no data"))
                return
            self._put_away(self._journal.get(f"{symbol} {tradedate}"))
            self._report.empty.append(name)
        else:
            fetched.update(
                url=saved.base_url,
                revision=saved.revision,
                file=os.path.relpath(saved.path, self._folder).replace(os.sep, "/"),
                size=saved.size_bytes,
                rows=saved.rows,
            )
            if saved.revision != day["revision"] or saved.base_url != base_url:
                fetched["published"] = None  # Of another revision than the month's list told of.
            self._report.fetched.append(name)
        self._journal.put(f"{symbol} {tradedate}", fetched)

    def _place(self, file_name: Optional[str]) -> str:
        """``600519.SH/600519.SH_20260311_orders.parquet``, by the service's own name."""
        if file_name is None:
            raise NoData("the answer has no name to save it under")
        folder = os.path.join(self._folder, file_name.split("_", 1)[0])
        os.makedirs(folder, exist_ok=True)
        return os.path.join(folder, file_name)

    def _put_away(self, entry: Optional[Entry]) -> None:
        """A file of a security that the present revision does not have is not to be read by accident."""
        if entry is not None and entry.get("file") is not None:
            path = os.path.join(self._folder, entry["file"])
            if os.path.exists(path):
                os.replace(path, path + _GONE_ENDING)


def _span(days: Sequence[str]) -> str:
    """The first and the last of some days."""
    first, last = min(days), max(days)
    return first if first == last else f"{first} to {last}"


def _months(start_date: str, end_date: str) -> Iterator[str]:
    """The months of both days and all between, YYYYMM."""
    year, month = int(start_date[:4]), int(start_date[4:6])
    while f"{year:04}{month:02}" <= end_date[:6]:
        yield f"{year:04}{month:02}"
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
