"""What a folder of downloads holds: lines of JSON, only ever appended, the last line of a name counts.

A process that is killed leaves at most one torn line at the end, which is passed over: its file is then
looked at again, never taken for something else.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Optional

Entry = Dict[str, Any]


class Journal:
    """A journal file. Safe for threads of one process; other processes are kept away by the folder's lock.

    Parameters
    ----------
    path : str
        Made with the first entry.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._entries: Dict[str, Entry] = {}
        self._ends_torn = False
        lines = self._read()
        if lines > 2 * len(self._entries) + 100:
            self._rewrite()

    def get(self, name: str) -> Optional[Entry]:
        """The entry of `name`, or None."""
        return self._entries.get(name)

    def put(self, name: str, entry: Entry) -> None:
        """Sets the entry of `name`, for the next run too."""
        line = _line(name, entry)
        self._entries[name] = entry
        # One call writes the line, so that the lines of threads never mix.
        with open(self._path, "ab", buffering=0) as file:
            file.write(b"\n" + line if self._ends_torn else line)
        self._ends_torn = False

    def _read(self) -> int:
        try:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                lines = file.readlines()
        except FileNotFoundError:
            return 0
        self._ends_torn = bool(lines) and not lines[-1].endswith("\n")
        for line in lines:
            try:
                entry = json.loads(line)
                self._entries[entry.pop("name")] = entry
            except (ValueError, AttributeError, KeyError, TypeError):
                continue
        return len(lines)

    def _rewrite(self) -> None:
        """Drops the lines that do not count any more."""
        part = f"{self._path}.{os.getpid()}.part"
        with open(part, "wb") as file:
            for name, entry in self._entries.items():
                file.write(_line(name, entry))
        os.replace(part, self._path)
        self._ends_torn = False


def _line(name: str, entry: Entry) -> bytes:
    return json.dumps({"name": name, **entry}, ensure_ascii=False).encode() + b"\n"
