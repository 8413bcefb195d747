"""Keeps a folder up to date with the service, with one Parquet file for each security and day.

The journal stores each file's SHA-256, and the build, revision and deployment from which the file came. A file of the
current build is kept, even if it came from another deployment. A file of another build is kept only if it came from the
same deployment, and `data_changes` lists all changes since then and none of them names the security of the file. A
revision with the current number but a different time of publication counts as a different revision, because a restored
catalog may issue a number twice. Revisions of different deployments are not comparable.
"""

from __future__ import annotations

import os
import re
from typing import (
    TYPE_CHECKING,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

from .datasets import ORDERS, Dataset
from .disk import Entry, FolderLock, Journal, check_folder, locked, prepare_folder, sha256_of
from .enquiries import EMPTY, UNREADABLE
from .errors import BadRequest, EdgetapeError, NoData, ProtocolError, QuotaUsed, ServiceError
from .parquet import ParquetFile, PathLike
from .progress import Progress
from .quota import bulk_of, hint, is_many, left_of, spelled, tell
from .selection import DateLike, days_between, security_code, select
from .types import Change, Day

if TYPE_CHECKING:
    from .client import Client


class Revisions:
    """The current revisions of the loaded `days`, which the deployment at `base_url` listed, and the changes that led
    to them."""

    def __init__(
        self, client: "Client", base_url: str, days: Mapping[str, Day], dataset: Dataset = ORDERS
    ) -> None:
        self._client = client
        self._dataset = dataset
        self._base_url = base_url
        self._days = days
        self._since: Optional[str] = None
        self._all_changes = False
        self._changes: Optional[Dict[str, List[Change]]] = None

    def expect(self, tradedate: str, entry: Entry) -> None:
        """Announces that `follow` will be called for `entry`, so that the changes since its publication are read."""
        if not self._is_outdated(tradedate, entry):
            return
        published = entry.get("published")
        if not isinstance(published, str):
            self._all_changes = True
        elif self._since is None or published < self._since:
            # All instants have Beijing's offset and the same format, so they are compared as text.
            self._since = published

    def follow(self, symbol: str, tradedate: str, entry: Entry) -> Optional[Entry]:
        """Returns `entry` updated to the day's current revision, or None when the file must be downloaded again.

        Entries with equal build ids have the same content. Without build ids, revisions are compared, but only if both
        are from the same deployment.
        """
        day = self._days[tradedate]
        here = _entry_of(day, self._base_url)
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

    def _is_present_build(self, day: Day, entry: Entry) -> bool:
        return entry.get("build") is not None and entry["build"] == day.get("build_id")

    def _is_outdated(self, tradedate: str, entry: Entry) -> bool:
        """Returns whether `entry` is of a different revision of this deployment. A restored catalog may issue a
        revision number twice, so the times of publication are compared too."""
        day = self._days[tradedate]
        if self._is_present_build(day, entry):
            return False
        noted = (entry.get("revision"), entry.get("published"))
        return entry.get("url") == self._base_url and noted != (day["revision"], day["published_at"])

    def _changes_of(self, tradedate: str) -> List[Change]:
        if self._changes is None:
            self._changes = {}
            since = None if self._all_changes else self._since
            for change in self._client.changes(since, dataset=self._dataset.name):
                self._changes.setdefault(change["tradedate"], []).append(change)
            if self._client.present_url != self._base_url:
                self._changes = {}  # The changes came from another deployment, so their revisions are not comparable.
        return self._changes.get(tradedate, [])


def _entry_of(day: Day, base_url: str) -> Entry:
    """Returns the part of a journal entry that identifies the day's current revision."""
    return {
        "url": base_url,
        "revision": day["revision"],
        "published": day["published_at"],
        "build": day.get("build_id"),
    }


def _names(change: Change, symbol: str) -> bool:
    """Returns whether the change lists the security, or has no list of securities. A symbol without an exchange matches
    both exchanges."""
    securities = change["securities"]
    if securities is None:
        return True
    codes = [symbol] if "." in symbol else [f"{symbol}.SH", f"{symbol}.SZ"]
    return any(code in named for named in securities.values() for code in codes)


_MARKETS = ("SH", "SZ")

#: A symbol and a day, YYYYMMDD.
Name = Tuple[str, str]

#: Added to the name of a file that the service no longer has, so that `*.parquet` does not match it.
_GONE_ENDING = ".gone"


class SyncReport(NamedTuple):
    """The result of a run. Entries are ``(symbol, tradedate)``, dates YYYYMMDD.

    Attributes
    ----------
    fetched : list
        Files that were downloaded in this run.
    kept : list
        Files of the current build that were already in the folder.
    empty : list
        Securities without rows on the day; not requested again for this build.
    missing : list of (tradedate, state)
        Trading days that cannot be read: pending, missing, withdrawn, damaged.
    left : list
        Remaining files for the next run.
    stopped : QuotaUsed or None
        The used-up quota that ended the run; ``stopped.resets_at`` is the time of the reset.
    window_from : str or None
        First day that the plan covers, if the requested range begins earlier; the earlier days were skipped.
    """

    fetched: List[Tuple[str, str]]
    kept: List[Tuple[str, str]]
    empty: List[Tuple[str, str]]
    missing: List[Tuple[str, str]]
    left: List[Tuple[str, str]]
    stopped: Optional[QuotaUsed]
    window_from: Optional[str] = None

    def __str__(self) -> str:
        """Returns a summary in one line for people. Programs read the attributes instead."""
        days = [f"{len(run)} {state} ({_span(run)})" for state, run in self._days_by_state().items()]
        parts = [
            f"fetched {len(self.fetched)}, kept {len(self.kept)}, without rows {len(self.empty)}",
            *([f"days not available: {', '.join(days)}"] if days else []),
            *([f"days before {self.window_from} are not in the plan"] if self.window_from else []),
            *([f"left {len(self.left)}"] if self.left else []),
            *([f"can continue after {self.stopped.resets_at}"] if self.stopped is not None else []),
        ]
        return "; ".join(parts)

    def _days_by_state(self) -> Dict[str, List[str]]:
        days: Dict[str, List[str]] = {}
        for tradedate, state in self.missing:
            days.setdefault(state, []).append(tradedate)
        return days

    @property
    def is_complete(self) -> bool:
        """Whether `left` is empty: the next run has no file of the available days to fetch."""
        return not self.left


def run_in_folder(
    make: "Callable[[str, FolderLock], FolderRun]",
    symbols: Union[str, Iterable[str]],
    start_date: DateLike,
    end_date: DateLike,
    folder: PathLike,
) -> SyncReport:
    """Locks the folder and runs the `FolderRun` that `make` returns; both dates are included."""
    first, last = days_between(start_date, end_date)
    codes = list(dict.fromkeys(map(security_code, [symbols] if isinstance(symbols, str) else symbols)))
    root = os.fspath(folder)
    prepare_folder(root)
    with locked(root) as lock:
        run = make(root, lock)
        try:
            return run.run(codes, first, last)
        except EdgetapeError as error:
            error.report = run.report()
            raise


class FolderRun:
    """Updates a folder of files such as ``600519.SH/600519.SH_20260311_orders.parquet``."""

    journal_name = ".edgetape-sync.jsonl"

    @property
    def dataset(self) -> Dataset:
        return self._dataset

    def __init__(self, client: "Client", dataset: Dataset, folder: str, verify: bool) -> None:
        self._client = client
        self._dataset = dataset
        self._folder = folder
        self._verify = verify
        self._journal = Journal(os.path.join(folder, self.journal_name))
        self._report = SyncReport([], [], [], [], [], None)
        self._wanted: List[Name] = []
        self._window_from: Optional[str] = None
        #: Days that an answer reported as unreadable after the month's list named them as loaded.
        self._unreadable: Set[str] = set()
        self._fetched_ahead: Set[Name] = set()

    def report(self) -> SyncReport:
        """Returns the report so far, with all other requested files in `left`."""
        done = {*self._report.fetched, *self._report.kept, *self._report.empty}
        left = [name for name in self._wanted if name not in done and name[1] not in self._unreadable]
        return self._report._replace(left=left, window_from=self._window_from)

    def run(self, symbols: Sequence[str], start_date: str, end_date: str) -> SyncReport:
        base_url, days, self._window_from = self._client._days(start_date, end_date, self._dataset)
        loaded = {day["tradedate"]: day for day in days if day["revision"] is not None}
        self._report.missing.extend(
            (day["tradedate"], day["state"]) for day in days if day["revision"] is None
        )
        self._wanted.extend((symbol, day) for day in loaded for symbol in self._distinct(symbols, day))
        missing = self._look(Revisions(self._client, base_url, loaded, self._dataset))
        try:
            self.fetch_ahead(missing, loaded, base_url)
        finally:
            ahead = [name for name in missing if name in self._fetched_ahead]
            self._report.fetched.extend(ahead)
        stopped = self._fetch_all([name for name in missing if name not in self._fetched_ahead], loaded, base_url)
        return self.report()._replace(stopped=stopped)

    def _look(self, revisions: Revisions) -> List[Name]:
        """Adds each file of its day's current build to `kept` or `empty` of the report, and returns the other files."""
        for symbol, tradedate in self._wanted:
            noted = self._entry(symbol, tradedate)
            if noted is not None:
                revisions.expect(tradedate, noted)
        missing: List[Name] = []
        with Progress(len(self._wanted), noun="files checked") as bar:
            for name in self._wanted:
                entry = self._present(name, revisions)
                if entry is None:
                    missing.append(name)
                else:
                    (self._report.empty if entry.get("file") is None else self._report.kept).append(name)
                bar.finished()
        return missing

    def _fetch_all(
        self, missing: Sequence[Name], loaded: Mapping[str, Day], base_url: str
    ) -> Optional[QuotaUsed]:
        """Downloads from the API until all is done or the quota is used up."""
        self._announce(missing, loaded)
        with Progress(len(missing)) as bar:
            for name in missing:
                if name[1] not in self._unreadable:
                    try:
                        self._fetch(name, loaded[name[1]], base_url)
                    except QuotaUsed as quota:
                        return quota
                bar.finished()
        return None

    def _announce(self, missing: Sequence[Name], loaded: Mapping[str, Day]) -> None:
        """Prints the number of files, and the days of quota that they need, before the first charged file."""
        if not is_many(len(missing)):
            return
        try:
            requests, files = left_of(self._client, self._dataset)
        except ServiceError:
            return  # The request for the first file raises the error.
        needed = [files.days(len(missing)), requests.days(len(missing))]
        days = None if None in needed else max(each for each in needed if each is not None)
        left = "unlimited" if files.left is None else f"{files.left:,}"
        bulk = bulk_of((loaded[day] for day in dict.fromkeys(day for _, day in missing)), self._dataset)
        told = f"{len(missing):,} of {len(self._wanted):,} files of {self._dataset.name} will be downloaded"
        count = len(missing)
        tell(f"{told}, {left} left today: {spelled(days)}{hint(days, count, bulk)}", days, count)

    def subfolder(self, code: str, tradedate: str) -> str:
        """Returns the subfolder for the files of a security and day."""
        return code

    def file_name(self, code: str, tradedate: str) -> str:
        """Returns a file's name, which is the same as in the service's answer, such as
        ``600519.SH_20260311_orders.parquet``."""
        return f"{code}_{tradedate}_{self._dataset.name}.parquet"

    def fetch_ahead(self, missing: Sequence[Name], loaded: Mapping[str, Day], base_url: str) -> None:
        """Downloads files that are available without the API. In this class, there are none."""

    def note_fetched(self, name: Name, code: str, day: Day, sha256: str, base_url: str) -> None:
        """Records a downloaded file of the day's current build. Thread-safe."""
        file = f"{self.subfolder(code, name[1])}/{self.file_name(code, name[1])}"
        stat = os.stat(os.path.join(self._folder, file))
        facts = {"file": file, "size": stat.st_size, "sha256": sha256, "mtime": stat.st_mtime_ns}
        self._note(name, {**_entry_of(day, base_url), **facts})
        self._fetched_ahead.add(name)

    def _distinct(self, symbols: Sequence[str], tradedate: str) -> List[str]:
        """Returns `symbols` without duplicates: a symbol without an exchange is left out if it means the same security
        on this day as another symbol."""
        kept = []
        for symbol in symbols:
            is_twin = "." not in symbol and any(f"{symbol}.{market}" in symbols for market in _MARKETS)
            if not is_twin or self._code_of(symbol, tradedate) not in symbols:
                kept.append(symbol)
        return kept

    def _code_of(self, symbol: str, tradedate: str) -> Optional[str]:
        """Returns the code of a symbol on a day, such as ``600519.SH``; None if the exchange cannot be found."""
        if "." in symbol:
            return symbol
        try:
            return f"{symbol}.{self._client.estimate(symbol, tradedate, dataset=self._dataset.name)['market']}"
        except (NoData, BadRequest):
            return None

    def _entry(self, symbol: str, tradedate: str) -> Optional[Entry]:
        """Returns the journal's entry for a security's file, for any spelling of the symbol."""
        noted = self._noted(symbol, tradedate)
        if noted is not None:
            code = _code_in(noted)
            return noted if code is None else self._noted(code, tradedate) or noted
        codes = [f"{symbol}.{market}" for market in _MARKETS] if "." not in symbol else []
        if any(self._noted(code, tradedate) for code in codes):
            return self._noted(f"{self._code_of(symbol, tradedate)}", tradedate)
        return None

    def _noted(self, symbol: str, tradedate: str) -> Optional[Entry]:
        return self._journal.get(self._key(symbol, tradedate))

    def _key(self, symbol: str, tradedate: str) -> str:
        """Returns the journal key of an entry. Keys of orders have no dataset, as in journals of earlier versions."""
        suffix = "" if self._dataset.name == ORDERS.name else f" {self._dataset.name}"
        return f"{symbol} {tradedate}{suffix}"

    def _note(self, name: Name, entry: Entry) -> None:
        """Records an entry under the requested symbol and under the code in its file's name."""
        symbol, tradedate = name
        for each in dict.fromkeys([_code_in(entry) or symbol, symbol]):
            self._journal.put(self._key(each, tradedate), entry)

    def _present(self, name: Name, revisions: Revisions) -> Optional[Entry]:
        """Returns the journal's entry if it is valid for the day's current build, else None."""
        symbol, tradedate = name
        noted = self._entry(symbol, tradedate)
        entry = None if noted is None else self._whole(noted)
        if entry is None:
            return None
        followed = revisions.follow(symbol, tradedate, entry)
        if followed is not None and followed != noted:
            self._note(name, followed)
        return followed

    def _whole(self, entry: Entry) -> Optional[Entry]:
        """Returns the entry with the file's current modification time, or None if the file does not have the recorded
        bytes.
        """
        file = entry.get("file")
        if file is None:
            return entry
        try:
            path = os.path.join(self._folder, file)
            stat = os.stat(path)
            if not os.path.isfile(path) or stat.st_size != entry.get("size"):
                return None
            if not self._verify and stat.st_mtime_ns == entry.get("mtime"):
                return entry
            seen = sha256_of(path)
        except (OSError, TypeError, ValueError):
            return None
        # Journals of older versions have no checksums; they are added now.
        if entry.get("sha256") not in (None, seen):
            return None
        return {**entry, "sha256": seen, "mtime": stat.st_mtime_ns}

    def _fetch(self, name: Name, day: Day, base_url: str) -> None:
        symbol, tradedate = name
        here = _entry_of(day, base_url)
        for code in [symbol] if "." in symbol else [f"{symbol}.{market}" for market in _MARKETS]:
            check_folder(os.path.join(self._folder, self.subfolder(code, tradedate)))
        try:
            saved = self._client._save_answer(
                select(symbol, tradedate, dataset=self._dataset), self._folder, lambda told: self._place(name, told)
            )
        except NoData as refusal:
            self._take_refusal(name, refusal, here)
            return
        entry = {**here, **self._facts_of(saved, day, base_url)}
        entry.update(
            file=os.path.relpath(saved.path, self._folder).replace(os.sep, "/"),
            size=saved.size_bytes,
            rows=saved.rows,
            sha256=saved.sha256,
            mtime=os.stat(saved.path).st_mtime_ns,
        )
        self._note(name, entry)
        self._report.fetched.append(name)

    def _facts_of(self, saved: ParquetFile, day: Day, base_url: str) -> Entry:
        """Returns the part of a journal entry that identifies the revision and build of a saved file."""
        revision, build = saved.revision, saved.build
        if saved.base_url == base_url and None in (revision, build):
            # A proxy dropped the headers. The list of days has the same values, unless the day was published again in
            # the meantime.
            months = self._client.status(day["tradedate"], self._dataset.name)["days"]
            now = next((each for each in months if each["tradedate"] == day["tradedate"]), None)
            if now is not None and now["published_at"] == day["published_at"]:
                revision = day["revision"] if revision is None else revision
                build = day.get("build_id") if build is None else build
        is_listed = saved.base_url == base_url and revision == day["revision"]
        published = day["published_at"] if is_listed else None
        return {"url": saved.base_url, "revision": revision, "build": build, "published": published}

    def _take_refusal(self, name: Name, refusal: NoData, here: Entry) -> None:
        """Records a refusal with code 1002 about the security or the whole day. Raises any other refusal."""
        if self._client.present_url != here["url"]:
            return  # Another deployment listed the days, so the file remains for the next run.
        if refusal.reason in EMPTY:
            self._put_away(self._entry(*name))
            self._report.empty.append(name)
            self._journal.put(self._key(*name), here)
        elif refusal.reason in UNREADABLE:
            self._report.missing.append((name[1], refusal.reason))
            self._unreadable.add(name[1])
        else:
            raise refusal

    def _place(self, name: Name, told: Optional[str]) -> str:
        """Returns the path for a file. Takes the code from `told`, the service's file name, if that contains a code."""
        symbol, tradedate = name
        code = (told or "").split("_", 1)[0]
        if not re.fullmatch(r"\d{6}\.[A-Z]{2}", code, re.ASCII):
            found = self._code_of(symbol, tradedate)
            if found is None:
                raise ProtocolError(f"the exchange of {symbol} on {tradedate} is unknown")
            code = found
        folder = os.path.join(self._folder, self.subfolder(code, tradedate))
        prepare_folder(folder)
        return os.path.join(folder, self.file_name(code, tradedate))

    def _put_away(self, entry: Optional[Entry]) -> None:
        """Renames the entry's file, so that it is not read by accident: the current revision lacks this security."""
        if entry is not None and isinstance(entry.get("file"), str):
            path = os.path.join(self._folder, entry["file"])
            if os.path.exists(path):
                os.replace(path, path + _GONE_ENDING)


def _code_in(entry: Entry) -> Optional[str]:
    """Returns the code in the name of an entry's file, such as ``600519.SH``; None without a file."""
    file = entry.get("file")
    return file.rsplit("/", 1)[-1].split("_", 1)[0] if isinstance(file, str) else None


def _span(days: Sequence[str]) -> str:
    """Returns the first and the last of some days as text."""
    first, last = min(days), max(days)
    return first if first == last else f"{first} to {last}"
