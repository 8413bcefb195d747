"""The datasets of the service: the operations of each, and the kind of value in each column.

`test/unit/client/python-datasets.test.ts` compares this table with the service's own descriptions.
"""

from __future__ import annotations

from typing import Dict, List, Literal, NamedTuple

#: The names of the datasets. `Client` has a method for each.
DatasetName = Literal["orders", "trades", "quotes"]


class Dataset(NamedTuple):
    """A dataset. The kinds of value are ``text``, ``time`` (HHMMSSmmm), ``code`` (one of a few short texts),
    ``integer`` and ``yuan``."""

    name: DatasetName
    interface: str
    """The operation that reads the dataset."""
    estimate: str
    """The operation that estimates the rows and cost of reading."""
    standard: Dict[str, str]
    """The standard columns in answer order, each with its kind of value."""
    on_request: Dict[str, str]
    """The columns that are returned only when `fields` names them, and the older names of columns, each with its kind
    of value."""


_LEADING = {"symbol": "text", "tradedate": "text", "time": "time"}

ORDERS = Dataset(
    "orders",
    "level2_order_history",
    "order_history_estimate",
    {
        **_LEADING,
        "order_id": "integer",
        "exchange_order_id": "integer",
        "order_type": "code",
        "order_code": "code",
        "price": "yuan",
        "volume": "integer",
        "amount": "yuan",
    },
    {"order_no": "integer", "side": "code"},
)

TRADES = Dataset(
    "trades",
    "level2_trade_history",
    "trade_history_estimate",
    {
        **_LEADING,
        "trade_id": "integer",
        "price": "yuan",
        "volume": "integer",
        "amount": "yuan",
        "bs_flag": "code",
        "trade_code": "code",
        "buy_order_id": "integer",
        "sell_order_id": "integer",
    },
    {"order_kind": "code"},
)

_LEVELS = {
    f"{name}{level}": kind
    for level in range(1, 11)
    for name, kind in (("bid", "yuan"), ("bid_vol", "integer"), ("ask", "yuan"), ("ask_vol", "integer"))
}

QUOTES = Dataset(
    "quotes",
    "level2_quote_history",
    "quote_history_estimate",
    {
        **_LEADING,
        "open": "yuan",
        "high": "yuan",
        "low": "yuan",
        "close": "yuan",
        "pre_close": "yuan",
        "volume": "integer",
        "amount": "yuan",
        **_LEVELS,
    },
    {
        "total_volume": "integer",
        "total_amount": "yuan",
        "num_trades": "integer",
        "total_bid_vol": "integer",
        "total_ask_vol": "integer",
        "avg_bid_price": "yuan",
        "avg_ask_price": "yuan",
        "iopv": "yuan",
    },
)

_BY_NAME: Dict[str, Dataset] = {each.name: each for each in (ORDERS, TRADES, QUOTES)}

#: Older names of columns, each with the column that has the same values. Requests accept them; files do not have them
#: (contract 4.6).
OLDER_NAMES = {
    "order_no": "exchange_order_id",
    "side": "order_code",
    "total_volume": "volume",
    "total_amount": "amount",
}

#: The kind of value of each column. A column has the same kind in every dataset.
KINDS: Dict[str, str] = {
    column: kind
    for each in _BY_NAME.values()
    for column, kind in {**each.standard, **each.on_request}.items()
}


def dataset_named(name: str) -> Dataset:
    """Returns the dataset of this name. Raises `ValueError` for an unknown one."""
    found = _BY_NAME.get(name)
    if found is None:
        raise ValueError(f"dataset is {' or '.join(map(repr, _BY_NAME))}, not {name!r}")
    return found


def columns_of(kind: str) -> List[str]:
    """Returns the columns of all datasets with this kind of value."""
    return [column for column, each in KINDS.items() if each == kind]
