"""Converts rows to data frames and files. Whatever can be computed without a library is computed without one.

Times are Beijing wall-clock times (UTC+8 all year) without a time zone, because the exchanges use no other time.
`symbol` and `tradedate` stay strings everywhere. Ids and volumes are 64-bit integers. Prices and amounts are 64-bit
floats in yuan.
"""

from __future__ import annotations

import calendar
import csv
import io
import os
from array import array
from importlib import import_module
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Sequence, TypeVar, cast

from .datasets import KINDS
from .disk import Part
from .errors import MissingLibrary
from .paging import Row
from .parquet import PathLike

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

T = TypeVar("T")

def columns(rows: Sequence[Row], fields: Sequence[str]) -> Dict[str, List[Any]]:
    """Returns the rows as one list for each field."""
    if not rows:
        return {name: [] for name in fields}
    return {name: list(values) for name, values in zip(fields, zip(*rows))}


def epoch_ms(tradedate: str, times: Sequence[str]) -> List[int]:
    """Returns the milliseconds from 1970-01-01T00:00 to each time (HHMMSSmmm) of the day (YYYYMMDD), both as Beijing
    wall-clock times."""
    year, month, day = int(tradedate[:4]), int(tradedate[4:6]), int(tradedate[6:])
    midnight = calendar.timegm((year, month, day, 0, 0, 0)) * 1000
    return [
        midnight + int(time[:2]) * 3_600_000 + int(time[2:4]) * 60_000 + int(time[4:6]) * 1000 + int(time[6:])
        for time in times
    ]


class Block(NamedTuple):
    """The rows of one security and day by column."""

    tradedate: str
    columns: Mapping[str, Sequence[Any]]


def packed(tradedate: str, rows: Sequence[Row], fields: Sequence[str]) -> Block:
    """Returns the rows as columns that need little memory: numbers are in arrays, and equal texts are stored once."""
    return Block(tradedate, {name: _packed(values) for name, values in columns(rows, fields).items()})


def _packed(values: List[Any]) -> Sequence[Any]:
    kinds = set(map(type, values))
    if kinds == {int}:
        return array("q", values)
    if kinds == {float}:
        return array("d", values)
    known: Dict[Any, Any] = {}
    return [known.setdefault(value, value) for value in values]


def _joined(blocks: Sequence[Block], fields: Sequence[str], raw: bool) -> Dict[str, List[Any]]:
    """Returns one list for each field. Without `raw`, times are converted by `epoch_ms`."""
    made: Dict[str, List[Any]] = {name: [] for name in fields}
    for block in blocks:
        for name in fields:
            values = block.columns[name]
            made[name].extend(values if raw or KINDS.get(name) != "time" else epoch_ms(block.tradedate, values))
    return made


def to_pandas(blocks: Sequence[Block], fields: Sequence[str], raw: bool) -> "pandas.DataFrame":
    """Returns a `pandas.DataFrame`; see `Ticks.to_df`."""
    lib = library("pandas", "to_df")
    made: Dict[str, Any] = {}
    for name, values in _joined(blocks, fields, raw).items():
        kind = KINDS.get(name)
        if kind == "integer":
            made[name] = lib.Series(values, dtype="int64")
        elif kind == "yuan":
            made[name] = lib.Series(values, dtype="float64")
        elif kind == "time" and not raw:
            moments = lib.Series(values, dtype="int64")
            made[name] = lib.to_datetime(moments, unit="ms").astype("datetime64[ns]")
        elif kind == "code" and not raw:
            made[name] = lib.Series(values, dtype=object).astype("category")
        else:
            made[name] = lib.Series(values, dtype=object)
    frame: pandas.DataFrame = lib.DataFrame(made, columns=list(fields))
    return frame


def to_polars(blocks: Sequence[Block], fields: Sequence[str], raw: bool) -> "polars.DataFrame":
    """Returns a `polars.DataFrame`; see `Ticks.to_polars`."""
    lib = library("polars", "to_polars")
    made: List[Any] = []
    for name, values in _joined(blocks, fields, raw).items():
        kind = KINDS.get(name)
        if kind == "integer":
            made.append(lib.Series(name, values, dtype=lib.Int64))
        elif kind == "yuan":
            made.append(lib.Series(name, values, dtype=lib.Float64))
        elif kind == "time" and not raw:
            moments = lib.Series(name, values, dtype=lib.Int64)
            made.append(moments.cast(lib.Datetime("ms")))
        else:
            texts = lib.Series(name, values, dtype=lib.Utf8)
            made.append(texts.cast(lib.Categorical) if kind == "code" and not raw else texts)
    frame: polars.DataFrame = lib.DataFrame(made)
    return frame


def to_arrow(blocks: Sequence[Block], fields: Sequence[str]) -> "pyarrow.Table":
    """Returns a `pyarrow.Table` with the types of the service's own Parquet answer."""
    lib = library("pyarrow", "to_parquet")
    types = {"integer": lib.int64(), "yuan": lib.float64()}
    arrays, schema = [], []
    for name, values in _joined(blocks, fields, raw=True).items():
        kind = types.get(KINDS.get(name, ""), lib.string())
        arrays.append(lib.array(values, kind))
        schema.append(lib.field(name, kind, nullable=False))
    table: pyarrow.Table = lib.Table.from_arrays(arrays, schema=lib.schema(schema))
    return table


def write_parquet(blocks: Sequence[Block], fields: Sequence[str], path: PathLike) -> str:
    """Writes a ZSTD Parquet file under a temporary name and renames it, so that `path` is always complete. Returns the
    path."""
    table, target = to_arrow(blocks, fields), os.fspath(path)
    parquet = import_module("pyarrow.parquet")
    with Part(os.path.dirname(target) or ".") as part:
        parquet.write_table(table, part.file, compression="zstd")
        part.commit(target)
    return target


def write_csv(blocks: Sequence[Block], fields: Sequence[str], path: PathLike) -> str:
    """Writes a CSV file in UTF-8 with a header line, under a temporary name first, so that `path` is always complete.
    """
    target = os.fspath(path)
    with Part(os.path.dirname(target) or ".") as part:
        with io.TextIOWrapper(part.file, encoding="utf-8", newline="") as text:
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(fields)
            for block in blocks:
                writer.writerows(zip(*(block.columns[name] for name in fields)))
            text.flush()
            part.commit(target)
    return target


class Records(List[T]):
    """A list of dictionaries that can be converted to a frame."""

    def to_df(self) -> "pandas.DataFrame":
        """Returns the records as a `pandas.DataFrame`, one column for each key. Whole numbers are ``Int64`` if some are
        missing, days and instants are text, and lists stay lists."""
        lib = library("pandas", "to_df")
        made: Dict[str, Any] = {}
        for name, values in self._columns().items():
            kinds = set(map(type, values))
            is_whole = int in kinds and kinds <= {int, type(None)}
            kind = ("Int64" if None in values else "int64") if is_whole else object
            made[name] = lib.Series(values, dtype=kind)
        frame: pandas.DataFrame = lib.DataFrame(made)
        return frame

    def to_polars(self) -> "polars.DataFrame":
        """Returns the records as a `polars.DataFrame`; otherwise like `to_df`."""
        lib = library("polars", "to_polars")
        frame: polars.DataFrame = lib.DataFrame(self._columns(), strict=False)
        return frame

    def _columns(self) -> Dict[str, List[Any]]:
        """Returns the values of all records by key. A value that is a dictionary is replaced by its entries;
        dictionaries inside it, such as the datasets of a day, are omitted."""
        records = [_flat(cast(Mapping[str, Any], each)) for each in self]
        names = list(dict.fromkeys(name for each in records for name in each))
        return {name: [each.get(name) for each in records] for name in names}


def _flat(record: Mapping[str, Any]) -> Dict[str, Any]:
    flat: Dict[str, Any] = {}
    for name, value in record.items():
        members = value if isinstance(value, dict) else {name: value}
        flat.update((each, inner) for each, inner in members.items() if not isinstance(inner, dict))
    return flat


def has_library(name: str) -> bool:
    """Returns whether the library can be imported."""
    try:
        import_module(name)
    except ImportError:
        return False
    return True


def library(name: str, purpose: str) -> Any:
    """Imports and returns the library `name`. Raises `MissingLibrary` with a message that the method `purpose` needs
    it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingLibrary(f"{purpose}() needs {name}: pip install {name}") from error
