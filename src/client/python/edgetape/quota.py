"""Computes the day's remaining quota, the days of quota that a call needs, and the alternatives that use no quota."""

from __future__ import annotations

import math
import sys
import warnings
from typing import TYPE_CHECKING, Iterable, NamedTuple, Optional, Tuple

from .datasets import Dataset, DatasetName
from .errors import QuotaWarning
from .progress import is_watched, size_of

if TYPE_CHECKING:
    from .enquiries import Enquiries
    from .types import Counter, Day

#: Days of quota beyond which a share is the better way.
_MANY_DAYS = 30

#: Beyond this many requests, a share is the better way. So many requests take an hour at the per-second limit, and in
#: practice a day.
_MANY_REQUESTS = 100_000

#: Up to this many files or security days, the quota is checked only if a person watches, because a few days of quota
#: are enough.
_MANY = 1_000

#: Bytes per day at 100 Mbit/s, to estimate how long the download of a share takes.
_BYTES_A_DAY = 100e6 / 8 * 86_400


class Left(NamedTuple):
    """What is left of a daily counter, and its limit. None means unlimited."""

    left: Optional[int]
    limit: Optional[int]

    def days(self, count: int) -> Optional[int]:
        """Returns the days of quota that `count` needs, today included; None when the plan allows none."""
        if self.left is None or count <= self.left:
            return 1
        if not self.limit:
            return None
        return 1 + math.ceil((count - self.left) / self.limit)


def left_of(client: "Enquiries", dataset: Dataset) -> Tuple[Left, Left]:
    """Returns today's remaining requests and files of a dataset. Calls ``account_info``."""
    quotas = client.account()["quotas"]
    found = [each for each in quotas if each["interface"] == dataset.interface]
    return (_left(found[0]["requests"]), _left(found[0]["files"])) if found else (Left(0, 0), Left(0, 0))


def _left(counter: Optional["Counter"]) -> Left:
    return Left(0, 0) if counter is None else Left(counter["left"], counter["limit"])


def is_many(count: int) -> bool:
    """Returns whether a call for `count` files or security days checks the quota first. If standard error is a terminal
    or notebook, every call for at least one file or security day checks it."""
    return count > 0 and (count > _MANY or is_watched(sys.stderr))


def duration(days: int) -> str:
    """Formats a number of days: ``12 days``, ``55 years``."""
    return f"{days:,} days" if days < 730 else f"{days / 365:,.0f} years"


class Bulk(NamedTuple):
    """How many packs of a dataset the shares hold for the days of a call, and their total size."""

    days: int
    size_bytes: int
    dataset: DatasetName = "orders"

    def __str__(self) -> str:
        hours = self.size_bytes / _BYTES_A_DAY * 24
        time = f"{math.ceil(hours)} hours" if hours < 36 else f"{round(hours / 24)} days"
        return (
            f"shares hold these days in {self.days:,} daily files ({size_of(self.size_bytes)}, {time} at 100 Mbit/s) "
            f"and use no quota: client.share('level2', year).download(folder, dataset={self.dataset!r})"
        )


def bulk_of(days: Iterable["Day"], dataset: Dataset) -> Bulk:
    """Returns the packs of a dataset for `days`; the dataset must be loaded on all of them."""
    sizes = [day.get("size_bytes") or 0 for day in days]
    return Bulk(len(sizes), sum(sizes), dataset.name)


def is_very_long(quota_days: Optional[int], requests: int) -> bool:
    """Returns whether a call needs impractically many requests or days of quota, or is impossible."""
    return quota_days is None or quota_days > _MANY_DAYS or requests > _MANY_REQUESTS


def hint(quota_days: Optional[int], requests: int, bulk: Bulk) -> str:
    """Returns a clause that names a better way for a call that takes very long; empty for other calls."""
    return f"; {bulk}" if is_very_long(quota_days, requests) and bulk.days else ""


def spelled(quota_days: Optional[int]) -> str:
    """Formats a number of days of quota."""
    if quota_days is None:
        return "the plan allows none"
    return "done today" if quota_days == 1 else f"takes {duration(quota_days)} of quota"


def tell(said: str, quota_days: Optional[int], requests: int) -> None:
    """Prints the cost of a call if a person may read standard error; otherwise warns about calls that take very long.
    """
    if is_watched(sys.stderr):
        print(said, file=sys.stderr)
    elif is_very_long(quota_days, requests):
        warnings.warn(said, QuotaWarning, stacklevel=2)
