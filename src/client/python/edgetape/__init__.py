"""Orders, trades and quotes of the Chinese exchanges, tick by tick, as data frames, lists and Parquet files.

>>> from edgetape import Client
>>> client = Client()  # EDGETAPE_KEY, EDGETAPE_URL
>>> frame = client.orders("600519", "20260311").to_df()
"""

from ._version import __version__
from .basket import Basket, Plan
from .client import Client
from .datasets import DatasetName
from .download import ShareFile
from .errors import (
    BadRequest,
    ConfigurationError,
    ConnectionFailed,
    DataRebuilt,
    EdgetapeError,
    FolderInUse,
    IntegrityError,
    MissingLibrary,
    NoData,
    NotAllowed,
    ProtocolError,
    QuotaUsed,
    QuotaWarning,
    RebuildWarning,
    ServiceError,
    SymbolWarning,
    Unavailable,
)
from .frame import Records
from .history import read_history
from .parquet import ParquetFile
from .quota import Bulk
from .share import Share
from .sync import SyncReport
from .ticks import Orders, Quotes, Trades

__all__ = [
    "BadRequest",
    "Basket",
    "Bulk",
    "Client",
    "ConfigurationError",
    "ConnectionFailed",
    "DataRebuilt",
    "DatasetName",
    "EdgetapeError",
    "FolderInUse",
    "IntegrityError",
    "MissingLibrary",
    "NoData",
    "NotAllowed",
    "Orders",
    "ParquetFile",
    "Plan",
    "ProtocolError",
    "QuotaUsed",
    "QuotaWarning",
    "Quotes",
    "RebuildWarning",
    "Records",
    "ServiceError",
    "Share",
    "ShareFile",
    "SymbolWarning",
    "SyncReport",
    "Trades",
    "Unavailable",
    "__version__",
    "read_history",
]
