"""The answers of the operations that do not read rows, as the service sends them."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict

from .frame import Records

#: First and last day that may be read, YYYYMMDD, both included. ``"from"`` is None for all history.
Window = TypedDict("Window", {"from": Optional[str], "to": str})


class Counter(TypedDict):
    """A daily counter. `limit` and `left` are None if it is unlimited. `used` includes credited requests."""

    limit: Optional[int]
    used: int
    credited: int
    left: Optional[int]


class Quota(TypedDict):
    """The counters of an interface on one day in Beijing; `resets_in` is in seconds."""

    interface: str
    day: str
    requests: Optional[Counter]
    files: Optional[Counter]
    resets_in: int
    busy: bool


class LastRequest(TypedDict):
    """A finished request; `time` is RFC 3339 with Beijing's offset."""

    time: str
    request_id: str
    interface: Optional[str]
    code: int
    reason: str
    symbol: Optional[str]
    tradedate: Optional[str]
    rows: int


class Account(TypedDict):
    """What the account's plan allows, and what remains today. `plan_ends_at` is exclusive."""

    account_id: str
    key_id: Optional[str]
    plan: Optional[str]
    plan_state: str
    plan_ends_at: Optional[str]
    windows: Dict[str, Optional[Window]]
    quotas: List[Quota]
    last_requests: List[LastRequest]


class Quality(TypedDict):
    """The result of checking the orders, trades and quotes of a day against each other. `verdict` is passed, failed or
    not_provable."""

    verdict: str
    summary: str


class DatasetDay(TypedDict):
    """A dataset on a day. `state` is available, degraded, pending, missing, withdrawn or damaged; the other values are
    None unless it is available or degraded. `size_bytes` is the size of the whole day's pack. Equal values of
    `build_id` mean equal contents, even on different deployments."""

    state: str
    revision: Optional[int]
    build_id: Optional[str]
    rows: Optional[int]
    securities: Optional[int]
    size_bytes: Optional[int]
    published_at: Optional[str]
    quality: Optional[Quality]


class Day(DatasetDay):
    """A trading day: its date, the values for the requested dataset, and in `datasets` the values for every dataset."""

    tradedate: str
    datasets: Dict[str, DatasetDay]


class Status(TypedDict):
    """The trading days of a month up to today that the plan covers, oldest first."""

    month: str
    window_from: Optional[str]
    days: Records[Day]


class Security(TypedDict):
    """A security on a day: its number of rows, the size of its Parquet file in bytes, and the times (HHMMSSmmm) of the
    first and last row."""

    symbol: str
    market: str
    rows: int
    size_bytes: int
    first_time: Optional[str]
    last_time: Optional[str]


class Change(TypedDict):
    """A change of a dataset's day. `kind` is published, restored, withdrawn or damaged. `securities` has the lists
    ``added``, ``removed`` and ``changed`` of codes like 600519.SH; None if there is nothing to compare with."""

    change: int
    at: str
    dataset: str
    tradedate: str
    kind: str
    revision: int
    previous: Optional[int]
    build_id: Optional[str]
    securities: Optional[Dict[str, List[str]]]


class Range(TypedDict):
    """A number given as a range, both ends included."""

    at_least: int
    at_most: int


class WholeDay(TypedDict):
    """The cost of downloading a file for every security of the day. `quota_days` is None without a limit or with a
    limit of 0. `in_share` is True if the plan includes the day as one file of a ``level2`` share, which uses no quota.
    """

    securities: int
    quota_days: Optional[int]
    in_share: bool


class Estimate(TypedDict):
    """The rows and cost of a query. `start_time` is inclusive, `end_time` exclusive. `parquet_bytes` is the size of the
    whole day's file."""

    symbol: str
    market: str
    tradedate: str
    revision: int
    start_time: str
    end_time: str
    rows: Range
    page_size: int
    pages: Range
    parquet_bytes: int
    cost: Dict[str, Any]
    left_today: Dict[str, Optional[int]]
    resets_in: int
    whole_day: WholeDay
