"""Order records of the Chinese exchanges as data frames, lists and Parquet files.

>>> from edgetape import Client
>>> client = Client()  # EDGETAPE_KEY, EDGETAPE_URL
>>> frame = client.orders("600519", "20260311").to_df()
"""

from ._version import __version__
from .basket import Basket, Plan
from .client import Client
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
    RebuildWarning,
    ServiceError,
    Unavailable,
)
from .frame import Records
from .history import read_history
from .ticks import Orders
from .parquet import ParquetFile
from .share import Share
from .sync import SyncReport

__all__ = [
    "BadRequest",
    "Basket",
    "Client",
    "ConfigurationError",
    "ConnectionFailed",
    "DataRebuilt",
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
    "RebuildWarning",
    "Records",
    "ServiceError",
    "Share",
    "ShareFile",
    "SyncReport",
    "Unavailable",
    "__version__",
    "read_history",
]
