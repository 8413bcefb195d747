"""The package's own build backend (PEP 517 and 660): a wheel is a zip file, and needs no tool to be made.

`pip install ./src/client/python` thereby works in a fresh environment without network.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile
from typing import Any, Dict, List, Optional, Tuple

_HERE = os.path.dirname(os.path.abspath(__file__))
_NAME = "edgetape"
_SUMMARY = "Order records of the Chinese exchanges as data frames, lists and Parquet files."
#: The earliest moment that a zip file can hold: equal sources make equal wheels.
_MOMENT = (1980, 1, 1, 0, 0, 0)

Settings = Optional[Dict[str, Any]]


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None
) -> str:
    """Writes the wheel into `wheel_directory`; returns its name."""
    return _write_wheel(wheel_directory, [(path, _read(path)) for path in _package_files()])


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None
) -> str:
    """Writes a wheel that points at this folder (`pip install -e`); returns its name."""
    return _write_wheel(wheel_directory, [(f"__editable__.{_NAME}.pth", f"{_HERE}\n".encode())])


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Writes the source archive into `sdist_directory`; returns its name."""
    base = f"{_NAME}-{_version()}"
    files = ["build_backend.py", "pyproject.toml", "README.md", *_package_files()]
    entries = [(path, _read(path)) for path in files] + [("PKG-INFO", _metadata())]
    with tarfile.open(
        os.path.join(sdist_directory, f"{base}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT
    ) as archive:
        for path, content in entries:
            info = tarfile.TarInfo(f"{base}/{path}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return f"{base}.tar.gz"


def get_requires_for_build_wheel(config_settings: Settings = None) -> List[str]:
    """Nothing."""
    return []


get_requires_for_build_editable = get_requires_for_build_wheel
get_requires_for_build_sdist = get_requires_for_build_wheel


def _write_wheel(wheel_directory: str, files: List[Tuple[str, bytes]]) -> str:
    info = f"{_NAME}-{_version()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: {_NAME}\nRoot-Is-Purelib: true\nTag: py3-none-any\n".encode()
    files = [*files, (f"{info}/METADATA", _metadata()), (f"{info}/WHEEL", wheel)]
    record = "".join(f"{path},sha256={_digest(content)},{len(content)}\n" for path, content in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    name = f"{_NAME}-{_version()}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files:
            entry = zipfile.ZipInfo(path, _MOMENT)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return name


def _package_files() -> List[str]:
    names = sorted(os.listdir(os.path.join(_HERE, _NAME)))
    return [f"{_NAME}/{name}" for name in names if name.endswith((".py", ".typed"))]


def _read(path: str) -> bytes:
    with open(os.path.join(_HERE, path), "rb") as file:
        return file.read()


def _version() -> str:
    match = re.search(r'__version__ = "([^"]+)"', _read(f"{_NAME}/_version.py").decode())
    if match is None:
        raise RuntimeError("_version.py names no version")
    return match.group(1)


def _metadata() -> bytes:
    head = [
        "Metadata-Version: 2.1",
        f"Name: {_NAME}",
        f"Version: {_version()}",
        f"Summary: {_SUMMARY}",
        "License: MIT",
        "Requires-Python: >=3.9",
        "Provides-Extra: pandas",
        'Requires-Dist: pandas; extra == "pandas"',
        "Provides-Extra: polars",
        'Requires-Dist: polars; extra == "polars"',
        "Provides-Extra: parquet",
        'Requires-Dist: pyarrow; extra == "parquet"',
        "Description-Content-Type: text/markdown",
    ]
    return ("\n".join(head) + "\n\n").encode() + _read("README.md")


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
