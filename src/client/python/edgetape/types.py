"""The answers of the operations beside order history, as the service sends them."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict

from .frame import Records

#: Days that may be read, YYYYMMDD, both included; ``"from"`` of None: all history.
Window = TypedDict("Window", {"from": Optional[str], "to": str})


class Counter(TypedDict):
    """A daily counter. None for `limit` and `left`: unlimited. `used` includes credited requests."""

    limit: Optional[int]
    used: int
    credited: int
    left: Optional[int]


class Quota(TypedDict):
    """The counters of an interface on one day of Beijing; `resets_in` in seconds."""

    interface: str
    day: str
    requests: Optional[Counter]
    files: Optional[Counter]
    resets_in: int
    busy: bool


class LastRequest(TypedDict):
    """A request that ended; `time` is RFC 3339 with Beijing's offset."""

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
    """The check of orders against trades. `verdict`: passed, failed or not_provable."""

    verdict: str
    summary: str


class DatasetDay(TypedDict):
    """A dataset of a day. `state`: available, degraded, pending, missing, withdrawn or damaged; the rest is None
    unless it is one of the first two. `size_bytes` is of the whole day's pack; `build_id` is equal only for
    equal contents, also between deployments."""

    state: str
    revision: Optional[int]
    build_id: Optional[str]
    rows: Optional[int]
    securities: Optional[int]
    size_bytes: Optional[int]
    published_at: Optional[str]
    quality: Optional[Quality]


class Day(DatasetDay):
    """A trading day: beside its date the facts of the requested dataset, and in `datasets` those of each."""

    tradedate: str
    datasets: Dict[str, DatasetDay]


class Status(TypedDict):
    """The trading days of a month up to today that the plan covers, oldest first."""

    month: str
    window_from: Optional[str]
    days: Records[Day]


class Security(TypedDict):
    """A security of a day: its rows, bytes of its Parquet file, times (HHMMSSmmm) of the first and last."""

    symbol: str
    market: str
    rows: int
    size_bytes: int
    first_time: Optional[str]
    last_time: Optional[str]


class Change(TypedDict):
    """A change of a dataset's day. `kind`: published, restored, withdrawn or damaged. `securities`: lists ``added``,
    ``removed`` and ``changed`` of codes like 600519.SH; None where there is nothing to compare."""

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
    """The cost of a file of every security of the day. `quota_days` is None without a limit or with a limit of 0;
    `in_share`: the plan includes the day as one file of a ``level2`` share, which uses no quota."""

    securities: int
    quota_days: Optional[int]
    in_share: bool


class Estimate(TypedDict):
    """The rows and cost of a query. Start inclusive, end exclusive; `parquet_bytes` of the whole day."""

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
