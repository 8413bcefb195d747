"""Exceptions with the service's code, reason and request id.

A refusal of the service raises a `ServiceError`; the subclass depends on the answer's code, so that a script can catch
the errors that it handles. Temporary errors are raised only after they have been retried.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .sync import SyncReport


class EdgetapeError(Exception):
    """Base class of this package's exceptions.

    Attributes
    ----------
    code : int or None
        Outcome code of the answer: 1002, 403, 422, 429 or 503. None without an answer.
    reason : str or None
        The answer's `X-Reason`, for example ``outside_window``.
    request_id : str or None
        For support. None without an answer.
    report : SyncReport or None
        The report of the `Client.sync` or `Client.history` that this error ended.
    """

    code: Optional[int] = None
    reason: Optional[str] = None
    request_id: Optional[str] = None
    report: Optional[SyncReport] = None


class ConfigurationError(EdgetapeError):
    """No key, no base URL, or a base URL that cannot be used."""


class MissingLibrary(EdgetapeError, ImportError):
    """An output needs a library that is not installed; the message says which."""


class ServiceError(EdgetapeError):
    """The service refused a request.

    Parameters
    ----------
    message : str
        The service's own sentence; it ends with ``[reason · request id]``.
    code, reason, request_id
        See `EdgetapeError`.
    status : int, optional
        HTTP status.
    """

    def __init__(
        self,
        message: str,
        *,
        code: Optional[int] = None,
        reason: Optional[str] = None,
        request_id: Optional[str] = None,
        status: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.request_id = request_id
        self.status = status

    def __str__(self) -> str:
        said = super().__str__()
        tail = " · ".join(part for part in (self.reason, self.request_id) if part)
        if tail and tail not in said:
            said = f"{said} [{tail}]"
        return said if self.code is None else f"{self.code}: {said}"


class NoData(ServiceError):
    """1002: the day is not loaded, or has no such security. The reason distinguishes "not yet" from "never"."""


class NotAllowed(ServiceError):
    """403: the key is not valid, or the plan does not cover the request. Never retried."""


class BadRequest(ServiceError):
    """422: a parameter is invalid. Never retried."""


class DataRebuilt(BadRequest):
    """The day changed again after reading had restarted, or rows already returned have changed."""


class Unavailable(ServiceError):
    """503, or 429 for the per-second limit. Raised when no wait is left, or at once when a wait cannot help."""


class QuotaUsed(ServiceError):
    """429: the day's quota of the interface is used up. Raised at once, because the client does not wait for the reset.

    Attributes
    ----------
    resets_in : float
        Seconds from the answer to the reset.
    resets_at : datetime.datetime
        The reset, with the offset of Beijing (+08:00).
    """

    resets_in: float
    resets_at: datetime


class ConnectionFailed(EdgetapeError):
    """No base URL could be reached, or every answer broke off; the cause is chained."""


class ProtocolError(EdgetapeError):
    """An answer that the service never sends: a proxy's page, an unsorted list, a repeated cursor."""


class FolderInUse(EdgetapeError):
    """Another `sync` or `Share.download` writes into the folder."""


class IntegrityError(EdgetapeError):
    """A file is not as announced: its SHA-256 differs, or it is not a complete Parquet file."""


class QuotaWarning(UserWarning):
    """The call needs impractically many requests or days of quota, or uses quota because a share cannot be read. The
    message names a better way."""


class SymbolWarning(UserWarning):
    """A frame holds two securities with the same six digits, one from each exchange, for example the share 000001.SZ
    and the index 000001.SH. Their rows have the same ``symbol``."""


class RebuildWarning(UserWarning):
    """The day was rebuilt during reading; reading restarts at its first row."""
