"""Downloads whole days of many securities into a folder, and reads the folder as frames.

`by-symbol/` files of a share are preferred, because they use no quota; several are downloaded at a time. Other files
come from the API, as with `sync`. For the same build of a day, files from a share and from the API have the same rows;
only files from a share have the on-request columns.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import frame
from .datasets import KINDS, OLDER_NAMES, ORDERS, Dataset, DatasetName, columns_of, dataset_named
from .disk import FolderLock, Part, prepare_folder
from .errors import BadRequest, EdgetapeError, IntegrityError, NoData, NotAllowed, QuotaWarning
from .parquet import MAGIC, PathLike
from .progress import Progress, is_watched
from .selection import DateLike, Fields, can_mean, check_alike, days_between, field_names, security_code, tradedate
from .share import Share, ShareRun
from .sync import FolderRun, Name
from .transport import Reply
from .types import Day
from .waiting import Patience

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from .client import Client

_FILE = re.compile(r"(\d{6}\.[A-Z]{2})_(\d{8})_([a-z]+)\.parquet", re.ASCII)


class _Section(NamedTuple):
    """One security's file of one day in a share."""

    name: Name
    code: str
    day: Day


class HistoryRun(FolderRun):
    """Updates a folder by day, with files such as ``20260311/600519.SH_20260311_orders.parquet``. See `Client.history`.
    """

    journal_name = ".edgetape-history.jsonl"

    def __init__(
        self, client: "Client", dataset: Dataset, folder: str, verify: bool, lock: FolderLock, workers: int
    ) -> None:
        super().__init__(client, dataset, folder, verify)
        self._lock = lock
        self._workers = workers
        self._codes: Dict[str, Optional[str]] = {}

    def subfolder(self, code: str, tradedate: str) -> str:
        return tradedate

    def fetch_ahead(self, missing: Sequence[Name], loaded: Mapping[str, Day], base_url: str) -> None:
        """Downloads missing files from shares that have the days' current builds."""
        for year in sorted({name[1][:4] for name in missing}):
            share = self._share(int(year))
            packs = None if share is None else self._packs(share)
            if share is None or packs is None:
                continue
            sections = []
            for name in missing:
                day, pack = loaded[name[1]], packs.get(name[1])
                if pack is None or day.get("build_id") is None or pack["build_id"] != day["build_id"]:
                    continue
                code = self._known_code(*name)
                if code is not None:
                    sections.append(_Section(name, code, day))
            if sections and is_watched(sys.stderr):
                told = f"{len(sections):,} files of {self._dataset.name} come from the share of {year}"
                print(f"{told}, which uses no quota", file=sys.stderr)
            with Progress(len(sections)) as bar:
                _SectionRun(self, share, bar, self._lock, base_url).run(sections, self._workers)

    def _share(self, year: int) -> Optional[Share]:
        """Returns the share of a year if the plan includes it and it is ready."""
        try:
            share = self._client.share("level2", year)
        except (NotAllowed, NoData, BadRequest):
            return None
        return share if share.status == "ready" else None

    def _packs(self, share: Share) -> Optional[Dict[str, Dict[str, Any]]]:
        """Returns the entries of the dataset's packs by day. For an external share without a readable manifest, returns
        None and warns that files from the API use quota."""
        try:
            return share.packs(self._dataset.name)
        except EdgetapeError as error:
            if not share.is_external:
                raise
            cause = error
        told = (
            f"the level2 share of {share.year} at {share.url} is external and has no readable manifest ({cause}), so "
            "files come from the API and use quota; for whole days without quota, open the address in a browser with "
            "the share's password"
        )
        if is_watched(sys.stderr):
            print(told, file=sys.stderr)
        else:
            warnings.warn(told, QuotaWarning, stacklevel=2)
        return None

    def _known_code(self, symbol: str, tradedate: str) -> Optional[str]:
        """Returns the code of a symbol. A symbol without an exchange is looked up once, for the first day that has it.
        If the symbol means a different security on a later day, the share has no such file for that day, and the file
        comes from the API."""
        if self._codes.get(symbol) is None:
            self._codes[symbol] = self._code_of(symbol, tradedate)
        return self._codes[symbol]


class _SectionRun(ShareRun[_Section]):
    """Downloads sections in separate threads."""

    def __init__(self, run: HistoryRun, share: Share, bar: Progress, lock: FolderLock, base_url: str) -> None:
        super().__init__(share, bar, lock)
        self._run = run
        self._base_url = base_url

    def fetch(self, section: _Section) -> None:
        """Downloads one file from the share. If the share lacks it, it is later downloaded from the API."""
        (_, tradedate), code = section.name, section.code
        folder = os.path.join(self._run._folder, tradedate)
        prepare_folder(folder)
        with Part(folder) as part:
            patience = Patience(self._share._max_wait, stop=self._stop)
            try:
                path = f"{tradedate}/by-symbol/{code}{section_suffix(self._run.dataset)}.parquet"
                sha256 = self._drive.get(path, patience, lambda reply: _saved(reply, part, section, patience))
            except NoData:
                sha256 = None
            if sha256 is not None:
                part.commit(os.path.join(folder, self._run.file_name(code, tradedate)))
                self._run.note_fetched(section.name, section.code, section.day, sha256, self._base_url)
        self._bar.finished()


def section_suffix(dataset: Dataset) -> str:
    """Returns the suffix after a security's code in a share's file names; empty for orders."""
    return "" if dataset.name == ORDERS.name else f"_{dataset.name}"


def _saved(reply: Reply, part: Part, section: _Section, patience: Patience) -> Optional[str]:
    """Writes the reply, which is the file of `section`, to `part`. Returns the file's SHA-256, or None without writing
    when the reply's build of the day differs from the build in `section.day`."""
    build = reply.headers.get("X-Build")
    if build is not None and build != section.day.get("build_id"):
        return None
    part.clear()
    digest, size, head, tail = hashlib.sha256(), 0, b"", b""
    for piece in reply.pieces():
        part.file.write(piece)
        digest.update(piece)
        size += len(piece)
        head, tail = (head + piece)[:4], (tail + piece)[-4:]
        patience.progressed()
    if head != MAGIC or tail != MAGIC or size <= 2 * len(MAGIC):
        raise IntegrityError(
            f"{section.code} of {section.name[1]}: the share's file is not a complete Parquet file"
        )
    return digest.hexdigest()


def read_history(
    folder: PathLike,
    symbols: Optional[Union[str, Iterable[str]]] = None,
    start_date: Optional[DateLike] = None,
    end_date: Optional[DateLike] = None,
    dataset: DatasetName = "orders",
    *,
    to: str = "pandas",
    fields: Optional[Fields] = None,
    raw: bool = False,
) -> Any:
    """Reads a folder that `Client.history` or `Client.sync` wrote: by day, then security, then time. Sends no request.

    Subfolders are read too. Several files can hold the same security, day and dataset, for example when `history` and
    `sync` wrote into one folder. If their values are equal, the rows are returned once. If some files lack columns of
    `fields`, the file with the most columns is returned. Files with different values are refused, because they can be
    from two builds of the day. Only files from a share have the on-request columns, so `fields` can name these only if
    every day has such a file.

    Parameters
    ----------
    folder : str or path
    symbols : str or iterable of str, optional
        As in `Client.orders`, in the order wanted; by default all in the folder, by code. As at the service, six digits
        without an exchange never mean an index: ``000001`` is the share in Shenzhen, ``000001.SH`` the index.
    start_date, end_date : str or datetime.date, optional
        First and last day, both included; by default all.
    dataset : str, default "orders"
        ``"orders"``, ``"trades"`` or ``"quotes"``; one frame holds one dataset.
    to : str, default "pandas"
        ``"pandas"``, ``"polars"`` or ``"arrow"``. pandas and arrow need pyarrow.
    fields : str or sequence of str, optional
        Columns in the order wanted; by default the standard ones.
    raw : bool, default False
        True: values as in the files, ``time`` as HHMMSSmmm. False: the form that `Orders.to_df` describes. Arrow
        tables always have the values of the files.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table

    Raises
    ------
    FileNotFoundError
        When the folder has no file for the selection.
    ValueError
        For an unknown dataset or library, an invalid date, a first day after the last one, a file without a column of
        `fields`, two files of the same security, day and dataset with different rows, or six digits without an exchange
        that mean a security of either exchange, when the folder has files of both.
    MissingLibrary
        When the library is not installed.

    Warns
    -----
    SymbolWarning
        When the frame holds two securities with the same six digits.
    """
    if to not in ("pandas", "polars", "arrow"):
        raise ValueError(f"to must be 'pandas', 'polars' or 'arrow', not {to!r}")
    described = dataset_named(dataset)
    paths = _paths(os.fspath(folder), symbols, start_date, end_date, described)
    names = field_names(fields) or list(described.standard)
    if to == "polars":
        return _to_polars(paths, names, raw, described)
    table = _to_arrow(paths, names, described)
    return table.select(names) if to == "arrow" else _to_pandas(table, names, raw)


def _paths(
    folder: str,
    symbols: Optional[Union[str, Iterable[str]]],
    start_date: Optional[DateLike],
    end_date: Optional[DateLike],
    dataset: Dataset = ORDERS,
) -> List[List[str]]:
    """Returns a list of files for each security and day, in the order of the frame. Most lists have one file; copies
    are sorted by path."""
    first = "" if start_date is None else tradedate(start_date)
    last = "99999999" if end_date is None else tradedate(end_date)
    if start_date is not None and end_date is not None:
        days_between(start_date, end_date)
    wanted = None if symbols is None else [symbols] if isinstance(symbols, str) else list(symbols)
    places = None if wanted is None else {security_code(each): at for at, each in enumerate(wanted)}
    found: Dict[Tuple[str, int, str], List[str]] = {}
    for parent, _, files in os.walk(folder):
        for file in files:
            match = _FILE.fullmatch(file)
            if match is None or match.group(3) != dataset.name or not first <= match.group(2) <= last:
                continue
            code, day, _ = match.groups()
            bare = code[:6] if can_mean(code[:6], code) else code
            place = 0 if places is None else places.get(code, places.get(bare, -1))
            if place >= 0:
                found.setdefault((day, place, code), []).append(os.path.join(parent, file))
    if not found:
        raise FileNotFoundError(f"{folder!r} has no {dataset.name} of the requested securities and days")
    codes = {code for _, _, code in found}
    for each in map(security_code, wanted or ()):
        both = [code for code in sorted(codes) if can_mean(each, code) and code not in (places or ())]
        if len(both) > 1:
            raise ValueError(f"{folder!r} has files of {' and '.join(both)}: write {each} with its exchange")
    check_alike(codes, stacklevel=3)
    return [sorted(copies) for _, copies in sorted(found.items())]


class _Reader(NamedTuple):
    """How one library reads the files of a folder."""

    read: Callable[[str], Any]
    """Returns a file's table. Of `columns`, it has only the columns that the file has."""
    names_of: Callable[[Any], List[str]]
    """Returns the names of a table's columns."""
    columns: Sequence[str]
    dataset: Dataset


def _tables(paths: Sequence[Sequence[str]], reader: _Reader) -> Iterator[Any]:
    """Yields one table for each security and day."""
    with Progress(len(paths)) as bar:
        for copies in paths:
            yield _one_of(copies, reader)
            bar.finished()


def _one_of(copies: Sequence[str], reader: _Reader) -> Any:
    """Returns the copy with the most columns. Raises `ValueError` if that copy lacks a requested column, or if another
    copy has different values."""
    tables = [reader.read(path) for path in copies]
    at = max(range(len(tables)), key=lambda each: len(reader.names_of(tables[each])))
    found = reader.names_of(tables[at])
    lacking = [name for name in reader.columns if name not in found]
    if lacking:
        raise ValueError(_lacks(copies[at], lacking, reader.dataset))
    for path, table in zip(copies, tables):
        if table is not tables[at] and not tables[at].select(reader.names_of(table)).equals(table):
            raise ValueError(
                f"{copies[at]!r} and {path!r} hold the same security and day with different rows: "
                "remove the outdated one, or read only the folder that you want"
            )
    return tables[at]


def _lacks(path: str, names: Sequence[str], dataset: Dataset) -> str:
    """Returns a message about columns that a file lacks."""
    told = f"{path!r} has no column {' or '.join(map(repr, names))}"
    older = {name: OLDER_NAMES[name] for name in names if name in OLDER_NAMES}
    if older:
        return f"{told}: files have {', '.join(f'{new} instead of {old}' for old, new in older.items())}"
    if all(name in dataset.on_request for name in names):
        return (
            f"{told}: only files from a share have the columns on request. Leave them out of fields, or remove the "
            "file and run Client.history with a plan that has the share"
        )
    return f"{told}: fields can name {', '.join(dataset.standard)}, and the columns on request of a share's files"


def _to_arrow(paths: Sequence[Sequence[str]], names: List[str], dataset: Dataset) -> "pyarrow.Table":
    library = frame.library("pyarrow", "read_history")
    parquet = import_module("pyarrow.parquet")
    columns = [*dict.fromkeys([*names, "tradedate"])]

    def read_one(path: str) -> "pyarrow.Table":
        one: pyarrow.Table = parquet.ParquetFile(path).read(columns=columns)
        return one

    reader = _Reader(read_one, lambda each: list(each.column_names), columns, dataset)
    table: pyarrow.Table = library.concat_tables([each.select(columns) for each in _tables(paths, reader)])
    return table


def _to_pandas(table: "pyarrow.Table", names: List[str], raw: bool) -> "pandas.DataFrame":
    library = frame.library("pandas", "read_history")
    made: pandas.DataFrame = table.to_pandas()
    for name in made.columns:
        if KINDS.get(name) == "code" and not raw:
            made[name] = made[name].astype(object).astype("category")
        elif name == "time" and not raw:
            texts = made["tradedate"].astype(object) + made["time"].astype(object)
            made[name] = library.to_datetime(texts, format="%Y%m%d%H%M%S%f").astype("datetime64[ns]")
        elif made[name].dtype.kind not in "if":
            made[name] = made[name].astype(object)
    return made[names]


def _to_polars(
    paths: Sequence[Sequence[str]], names: List[str], raw: bool, dataset: Dataset
) -> "polars.DataFrame":
    library = frame.library("polars", "read_history")
    columns = [*dict.fromkeys([*names, "tradedate", "time"])]

    def read_one(path: str) -> "polars.DataFrame":
        schema = library.read_parquet_schema(path)
        one: polars.DataFrame = library.read_parquet(path, columns=[name for name in columns if name in schema])
        return one

    reader = _Reader(read_one, lambda each: list(each.columns), columns, dataset)
    made: polars.DataFrame = library.concat([each.select(columns) for each in _tables(paths, reader)])
    if not raw:
        moment = (library.col("tradedate") + library.col("time")).str.to_datetime(
            "%Y%m%d%H%M%S%3f", time_unit="ms"
        )
        codes = [library.col(name).cast(library.Categorical) for name in columns_of("code") if name in made.columns]
        made = made.with_columns(moment.alias("time"), *codes)
    return made.select(names)
