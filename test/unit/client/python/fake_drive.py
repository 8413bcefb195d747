"""A drive of one file in memory, and a folder to download it into, for the tests of downloads and shares."""

import hashlib
import json
import os
import tempfile
import threading
import unittest
from unittest import mock

from edgetape.download import Download, Drive, ShareFile
from edgetape.progress import Progress
from edgetape.share import Share
from edgetape.transport import Connections
from fake_http import FakeServer, header, http

CONTENT = bytes(range(256)) * 40
SHARE = dict.fromkeys(
    ["status", "data_type", "year", "start_date", "end_date", "file_count", "size_bytes", "password"], ""
)
SHARE.update(expires_at="", retry_after=0)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        patched = mock.patch("edgetape.waiting.sleep")
        patched.start()
        self.addCleanup(patched.stop)

    def path(self, *names):
        return os.path.join(self.folder, *names)


class DriveCase(InFolder):
    def setUp(self):
        super().setUp()
        self.content, self.etag = CONTENT, '"v1"'
        self.cuts = []
        self.server = FakeServer(self.answer)
        self.addCleanup(self.server.close)
        self.connections = Connections(5.0)
        self.addCleanup(self.connections.close)
        self.stop = threading.Event()

    def answer(self, head, _):
        if "GET /s/id/manifest.json " in head:
            return http(200, json.dumps({"files": self.files}))
        asked, if_range = header(head, "Range"), header(head, "If-Range")
        first = int(asked[6:-1]) if asked is not None and if_range == self.etag else 0
        if first >= len(self.content) > 0:
            return http(416, "")
        answer = http(206 if first else 200, self.content[first:], etag=self.etag)
        if first:
            span = (
                f"Content-Range: bytes {first}-{len(self.content) - 1}/{len(self.content)}\r\nETag".encode()
            )
            answer = answer.replace(b"etag", span, 1)
        if not self.cuts:
            return answer
        end, cut = answer.index(b"\r\n\r\n") + 4, self.cuts.pop(0)
        return answer[: end - 2] + b"Connection: close\r\n\r\n" + answer[end : end + cut]

    def file(self, content=CONTENT, **change):
        known = ShareFile("20260311/f", "20260311", len(content), hashlib.sha256(content).hexdigest(), 1)
        return known._replace(**change)

    def download(self, file=None):
        drive = Drive(f"{self.server.url}/s/id/", "pass", self.connections)
        progress = Progress(1, len(CONTENT), False)
        download = Download(drive, file or self.file(), self.path("f"), progress, self.stop)
        download.run(60.0)
        return progress

    def saved(self):
        with open(self.path("f"), "rb") as file:
            return file.read()

    def ranges(self):
        return [header(head, "Range") for head, _ in self.server.requests]

    def share(self, data_type="level2"):
        told = {**SHARE, "data_type": data_type, "status": "ready", "url": f"{self.server.url}/s/id/"}
        return Share(told, self.connections, 60.0)
