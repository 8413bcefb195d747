"""Rows as data frames. Everything that can be computed without a library is computed here without one.

Times are wall-clock times of Beijing without a time zone: the exchanges know no other, and UTC+8 all year.
`symbol` and `tradedate` stay strings everywhere; ids and volumes are 64-bit integers, prices and amounts in
yuan 64-bit floats.
"""

from __future__ import annotations

import calendar
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Dict, List, Sequence

from .disk import Part
from .errors import MissingLibrary
from .paging import Row

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_INTEGERS = ("order_id", "exchange_order_id", "order_no", "volume")
_FLOATS = ("price", "amount")
_CODES = ("order_type", "order_code", "side")


def columns(rows: Sequence[Row], fields: Sequence[str]) -> Dict[str, List[Any]]:
    """The rows as one list for each field."""
    if not rows:
        return {name: [] for name in fields}
    return {name: list(values) for name, values in zip(fields, zip(*rows))}


def epoch_ms(tradedate: str, times: Sequence[str]) -> List[int]:
    """Milliseconds from 1970-01-01T00:00 to each time of the day, both read off a clock in Beijing.

    Parameters
    ----------
    tradedate : str
        YYYYMMDD.
    times : sequence of str
        HHMMSSmmm.
    """
    year, month, day = int(tradedate[:4]), int(tradedate[4:6]), int(tradedate[6:])
    midnight = calendar.timegm((year, month, day, 0, 0, 0)) * 1000
    return [
        midnight + int(time[:2]) * 3_600_000 + int(time[2:4]) * 60_000 + int(time[4:6]) * 1000 + int(time[6:])
        for time in times
    ]


def to_pandas(rows: Sequence[Row], fields: Sequence[str], tradedate: str, raw: bool) -> "pandas.DataFrame":
    """A `pandas.DataFrame`; see `Orders.to_df`."""
    library = _library("pandas", "to_df")
    made: Dict[str, Any] = {}
    for name, values in columns(rows, fields).items():
        if name in _INTEGERS:
            made[name] = library.Series(values, dtype="int64")
        elif name in _FLOATS:
            made[name] = library.Series(values, dtype="float64")
        elif name == "time" and not raw:
            moments = library.Series(epoch_ms(tradedate, values), dtype="int64")
            made[name] = library.to_datetime(moments, unit="ms").astype("datetime64[ns]")
        elif name in _CODES and not raw:
            made[name] = library.Series(values, dtype=object).astype("category")
        else:
            made[name] = library.Series(values, dtype=object)
    frame: pandas.DataFrame = library.DataFrame(made, columns=list(fields))
    return frame


def to_polars(rows: Sequence[Row], fields: Sequence[str], tradedate: str, raw: bool) -> "polars.DataFrame":
    """A `polars.DataFrame`; see `Orders.to_polars`."""
    library = _library("polars", "to_polars")
    made: List[Any] = []
    for name, values in columns(rows, fields).items():
        if name in _INTEGERS:
            made.append(library.Series(name, values, dtype=library.Int64))
        elif name in _FLOATS:
            made.append(library.Series(name, values, dtype=library.Float64))
        elif name == "time" and not raw:
            moments = library.Series(name, epoch_ms(tradedate, values), dtype=library.Int64)
            made.append(moments.cast(library.Datetime("ms")))
        else:
            texts = library.Series(name, values, dtype=library.Utf8)
            made.append(texts.cast(library.Categorical) if name in _CODES and not raw else texts)
    frame: polars.DataFrame = library.DataFrame(made)
    return frame


def to_arrow(rows: Sequence[Row], fields: Sequence[str]) -> "pyarrow.Table":
    """A `pyarrow.Table` with the types of the service's own Parquet answer."""
    library = _library("pyarrow", "to_parquet")
    types = {
        **{name: library.int64() for name in _INTEGERS},
        **{name: library.float64() for name in _FLOATS},
    }
    arrays, schema = [], []
    for name, values in columns(rows, fields).items():
        kind = types.get(name, library.string())
        arrays.append(library.array(values, kind))
        schema.append(library.field(name, kind, nullable=False))
    table: pyarrow.Table = library.Table.from_arrays(arrays, schema=library.schema(schema))
    return table


def write_arrow(table: "pyarrow.Table", path: str) -> None:
    """Writes `table` as a ZSTD Parquet file: under another name first, so that `path` is always whole."""
    parquet = import_module("pyarrow.parquet")
    with Part(os.path.dirname(path) or ".") as part:
        parquet.write_table(table, part.file, compression="zstd")
        part.commit(path)


def has_library(name: str) -> bool:
    """Whether the library can be imported."""
    try:
        import_module(name)
    except ImportError:
        return False
    return True


def _library(name: str, purpose: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingLibrary(f"{purpose}() needs {name}: pip install {name}") from error
