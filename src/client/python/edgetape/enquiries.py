"""Questions about the account and the data that cost nothing: no quota, no slot."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Optional, cast

from . import waiting
from .calls import Answer, Payload
from .errors import NoData
from .selection import DateLike, TimeLike, month_of, select, tradedate
from .types import Account, Change, Estimate, Security, Status

#: Days that may still come: asking again helps.
_NOT_YET = ("not_loaded", "future_day")


class Enquiries:
    """The part of `Client` that asks about things. All raise `ServiceError` for a refusal and
    `ConnectionFailed` when no base URL answers."""

    def _call(self, interface: str, payload_for: Callable[[str], Payload]) -> Answer:
        raise NotImplementedError

    def account(self) -> Account:
        """Plan, windows, what is left of today's quotas, how the last 20 requests ended. Counts nothing."""
        return cast(Account, self._ask("account_info", {}))

    def status(self, month: Optional[DateLike] = None) -> Status:
        """The trading days of a month and their states. Counts nothing.

        Parameters
        ----------
        month : str or datetime.date, optional
            ``"202603"``, ``"2026-03"`` or a day of it; by default the present month in Beijing.
        """
        return cast(Status, self._ask("data_status", {"month": month_of(month)}))

    def symbols(self, date: Optional[DateLike] = None, market: Optional[str] = None) -> List[Security]:
        """The securities of a day, by symbol and market. Counts nothing.

        Parameters
        ----------
        date : str or datetime.date, optional
            By default the newest trading day, loaded or not.
        market : str, optional
            ``"SH"`` or ``"SZ"``; by default both.

        Raises
        ------
        NoData
            When the day is not loaded.
        """
        params = {"tradedate": None if date is None else tradedate(date), "market": market}
        data = self._ask("data_symbols", params)
        return [cast(Security, dict(zip(data["fields"], item))) for item in data["items"]]

    def changes(self, since: Optional[str] = None, after: Optional[int] = None) -> Iterator[Change]:
        """What changed of the days that may be read, in the order it happened. Counts nothing.

        Parameters
        ----------
        since : str, optional
            From this day (YYYYMMDD) or instant (RFC 3339) on, inclusive; by default from the beginning.
        after : int, optional
            Behind the change of this number, exclusive.
        """
        params: Dict[str, Any] = {"since": since, "after": after}
        while True:
            data = self._ask("data_changes", params)
            yield from data["changes"]
            if not data["has_more"]:
                return
            params["after"] = data["next_after"]

    def estimate(
        self,
        symbol: str,
        date: Optional[DateLike] = None,
        start: Optional[TimeLike] = None,
        end: Optional[TimeLike] = None,
        *,
        page_size: Optional[int] = None,
    ) -> Estimate:
        """What `orders` or `orders_parquet` with these parameters would bring and cost. Counts nothing."""
        selection = select(symbol, date, start, end)
        return cast(
            Estimate, self._ask("order_history_estimate", {**selection.params(), "page_size": page_size})
        )

    def wait_for(
        self, date: DateLike, *, every: float = 60.0, timeout: Optional[float] = None
    ) -> Optional[int]:
        """Waits until a day is loaded. Counts nothing.

        Parameters
        ----------
        date : str or datetime.date
            The day, which may be today or later.
        every : float, default 60.0
            Seconds between two looks.
        timeout : float, optional
            Seconds after which to give up; by default never.

        Returns
        -------
        int or None
            The day's revision.

        Raises
        ------
        NoData
            When it will not come: no trading day, before the history, withdrawn; or not within `timeout`.
        ServiceError, ConnectionFailed
            For another refusal, or when no base URL answers.
        """
        day, waited = tradedate(date), 0.0
        while True:
            answer = self._call("data_symbols", lambda _: {"params": {"tradedate": day, "market": "SH"}})
            if answer.code == 200:
                return answer.revision
            refusal = answer.refusal()
            pause = every if timeout is None else min(every, timeout - waited)
            if not isinstance(refusal, NoData) or refusal.reason not in _NOT_YET or pause <= 0:
                raise refusal
            waiting.sleep(pause)
            waited += pause

    def _ask(self, interface: str, params: Dict[str, Any]) -> Any:
        """`data` of a served answer."""
        given = {name: value for name, value in params.items() if value is not None}
        return self._call(interface, lambda _: {"params": given}).served()
