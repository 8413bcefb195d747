"""Operations about the account and the data. They use neither quota nor slot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, cast

from . import waiting
from .calls import Answer, Payload
from .datasets import ORDERS, Dataset, DatasetName, dataset_named
from .errors import ConnectionFailed, NoData, NotAllowed, ProtocolError
from .frame import Records
from .progress import Progress
from .selection import DateLike, TimeLike, month_of, select, tradedate
from .types import Account, Change, Day, Estimate, Security, Status

if TYPE_CHECKING:
    import pandas
    import polars

#: Reasons of a 1002 that are about one security. `no_orders` is also sent when there are no trades or no quotes.
EMPTY = ("no_orders", "security_unknown")

#: Reasons of a 1002 that are about the whole day. A 1002 with any other reason was not sent by the service.
UNREADABLE = (
    "not_loaded",
    "not_trading_day",
    "future_day",
    "before_history",
    "withdrawn",
    "nothing_published",
)

#: Maximum attempts to list the days of a range. All months must come from one deployment, so a switch to another one
#: starts a new attempt.
_MOST_LISTINGS = 5

#: Reasons of a 1002 after which a later request can succeed.
_NOT_YET = ("not_loaded", "future_day")


class Days(NamedTuple):
    """Trading days of a range as one deployment lists them."""

    base_url: str
    days: List[Day]
    window_from: Optional[str]
    """The first day that the plan covers, when the range begins before it."""


class Changes(Iterator[Change]):
    """Changes, read as they are needed; `to_df` reads all remaining ones."""

    def __init__(self, changes: Iterator[Change]) -> None:
        self._changes = changes

    def __next__(self) -> Change:
        return next(self._changes)

    def to_df(self) -> "pandas.DataFrame":
        """Returns the changes as a `pandas.DataFrame`; ``added``, ``removed`` and ``changed`` hold lists of codes."""
        return Records(self).to_df()

    def to_polars(self) -> "polars.DataFrame":
        """Returns the changes as a `polars.DataFrame`; otherwise like `to_df`."""
        return Records(self).to_polars()


class Enquiries:
    """The methods of `Client` about the account and the data. All raise `ServiceError` for a refusal and
    `ConnectionFailed` when no base URL answers."""

    def _call(self, interface: str, payload_for: Callable[[str], Payload]) -> Answer:
        raise NotImplementedError

    @property
    def present_url(self) -> str:
        """The base URL that answered last and gets the next request."""
        raise NotImplementedError

    def account(self) -> Account:
        """Returns the plan, its windows, today's remaining quotas, and how the last 20 requests ended. Calls
        ``account_info``, which is not charged."""
        return cast(Account, self._ask("account_info", {}))

    def status(self, month: Optional[DateLike] = None, dataset: DatasetName = "orders") -> Status:
        """Returns the trading days of a month with the state of a dataset on each. Calls ``data_status``, which is not
        charged.

        Parameters
        ----------
        month : str or datetime.date, optional
            ``"202603"``, ``"2026-03"`` or a day of the month; by default the current month in Beijing.
        dataset : str, default "orders"
            ``"orders"``, ``"trades"`` or ``"quotes"``: each is published and revised independently. The top level of a
            day describes this dataset; ``datasets`` describes all datasets.

        Examples
        --------
        >>> client.status("202603")["days"].to_df()
        """
        described = dataset_named(dataset)
        status = self._ask("data_status", {"month": month_of(month)})
        if "days" not in status:
            return cast(Status, status)
        days = Records(_day_of(day, described) for day in status["days"])
        return cast(Status, {**status, "days": days})

    def symbols(
        self,
        date: Optional[DateLike] = None,
        market: Optional[str] = None,
        dataset: DatasetName = "orders",
    ) -> Records[Security]:
        """Returns the securities that a dataset has on a day, sorted by symbol and market; ``to_df()`` returns them as
        a frame. Calls ``data_symbols``, which is not charged.

        Parameters
        ----------
        date : str or datetime.date, optional
            By default the newest trading day, loaded or not.
        market : str, optional
            ``"SH"`` or ``"SZ"``; by default both.
        dataset : str, default "orders"
            As in `status`.

        Raises
        ------
        NoData
            When the day is not loaded.
        """
        day = None if date is None else tradedate(date)
        params = {"tradedate": day, "market": market, **_only(dataset_named(dataset))}
        data = self._ask("data_symbols", params)
        return Records(cast(Security, dict(zip(data["fields"], item))) for item in data["items"])

    def changes(
        self,
        since: Optional[str] = None,
        after: Optional[int] = None,
        dataset: DatasetName = "orders",
    ) -> Changes:
        """Returns the changes of a dataset on the days that the plan covers, in order; ``to_df()`` returns them as a
        frame. Calls ``data_changes``, which is not charged.

        Parameters
        ----------
        since : str, optional
            First day (YYYYMMDD) or instant (RFC 3339), inclusive; by default from the first change.
        after : int, optional
            Only changes after this number, exclusive.
        dataset : str, default "orders"
            As in `status`.
        """
        return Changes(self._changes(since, after, dataset_named(dataset)))

    def _changes(self, since: Optional[str], after: Optional[int], dataset: Dataset) -> Iterator[Change]:
        params: Dict[str, Any] = {"since": since, "after": after, **_only(dataset)}
        while True:
            data = self._ask("data_changes", params)
            yield from data["changes"]
            if not data["has_more"]:
                return
            params["after"] = data["next_after"]

    def _days(self, first: str, last: str, dataset: Dataset) -> Days:
        """Returns the trading days from `first` to `last` (both inclusive), oldest first, and the deployment that
        listed them. Leaves out the months before the plan's window."""
        for _ in range(_MOST_LISTINGS):
            base_url = self.present_url
            months, window_from = self._months(first, last, dataset)
            if self.present_url == base_url:
                days = [day for month in months for day in month["days"] if first <= day["tradedate"] <= last]
                return Days(base_url, days, window_from)
        raise ConnectionFailed("connections break too often: no base URL listed all days; try again later")

    def _months(self, first: str, last: str, dataset: Dataset) -> Tuple[List[Status], Optional[str]]:
        """Returns the status of each month, and the first day of the plan's window if it is later than `first`. Leaves
        out months before the window, and raises the refusal if all months are before it."""
        listed: List[Status] = []
        before: Optional[NotAllowed] = None
        wanted = list(_months_of(first, last))
        with Progress(len(wanted), noun="months listed") as bar:
            for month in wanted:
                try:
                    listed.append(self.status(month, dataset.name))
                except NotAllowed as refusal:
                    if refusal.reason != "outside_window":
                        raise
                    before = refusal
                bar.finished()
        if before is not None and not listed:
            raise before
        starts = [each["window_from"] for each in listed]
        return listed, next((each for each in starts if each is not None and each > first), None)

    def estimate(
        self,
        symbol: str,
        date: Optional[DateLike] = None,
        start: Optional[TimeLike] = None,
        end: Optional[TimeLike] = None,
        *,
        page_size: Optional[int] = None,
        dataset: DatasetName = "orders",
    ) -> Estimate:
        """Returns the estimated number of rows that these parameters select, and the cost of reading them as pages
        (`orders`) and as a file (`orders_parquet`). Calls ``order_history_estimate``, ``trade_history_estimate`` or
        ``quote_history_estimate``, which are not charged."""
        params = {**select(symbol, date, start, end).params(), "page_size": page_size}
        return cast(Estimate, self._ask(dataset_named(dataset).estimate, params))

    def wait_until_ready(
        self,
        date: DateLike,
        dataset: DatasetName = "orders",
        *,
        every: float = 60.0,
        timeout: Optional[float] = None,
    ) -> Optional[int]:
        """Waits until a dataset of a day can be read. Calls ``data_symbols``, which is not charged.

        Parameters
        ----------
        date : str or datetime.date
            The day, which may be today or later.
        dataset : str, default "orders"
            As in `status`.
        every : float, default 60.0
            Seconds between two checks.
        timeout : float, optional
            Seconds after which to give up; by default never.

        Returns
        -------
        int or None
            The day's revision.

        Raises
        ------
        NoData
            When the day will not be loaded (no trading day, before the history, withdrawn), or not within `timeout`.
        ServiceError, ConnectionFailed
            For another refusal, or when no base URL answers.
        """
        day, waited = tradedate(date), 0.0
        params = {"tradedate": day, "market": "SH", **_only(dataset_named(dataset))}
        with Progress(None, noun=f"checks, {dataset} of {day} not yet available") as bar:
            while True:
                answer = self._call("data_symbols", lambda _: {"params": params})
                if answer.code == 200:
                    return answer.revision
                refusal = answer.refusal()
                pause = every if timeout is None else min(every, timeout - waited)
                if not isinstance(refusal, NoData) or refusal.reason not in _NOT_YET or pause <= 0:
                    raise refusal
                bar.finished()
                waiting.sleep(pause)
                waited += pause

    def _ask(self, interface: str, params: Dict[str, Any]) -> Any:
        """Returns `data` of the answer, or raises its refusal."""
        given = {name: value for name, value in params.items() if value is not None}
        return self._call(interface, lambda _: {"params": given}).served()


def _only(dataset: Dataset) -> Dict[str, str]:
    """Returns the parameter that names a dataset; empty for orders, which are the default in every service version."""
    return {} if dataset.name == ORDERS.name else {"dataset": dataset.name}


def _day_of(day: Dict[str, Any], dataset: Dataset) -> Day:
    """Returns `day` with the values for `dataset` at the top level, where the service puts the values for orders."""
    if dataset.name == ORDERS.name:
        return cast(Day, day)
    if dataset.name not in day.get("datasets", {}):
        raise ProtocolError(f"this deployment does not serve {dataset.name}: it is older than this client")
    return cast(Day, {**day, **day["datasets"][dataset.name]})


def _months_of(first: str, last: str) -> Iterator[str]:
    """Yields the months (YYYYMM) from the month of `first` to the month of `last`, both included."""
    year, month = int(first[:4]), int(first[4:6])
    while f"{year:04}{month:02}" <= last[:6]:
        yield f"{year:04}{month:02}"
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
