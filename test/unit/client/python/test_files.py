"""Journals, progress lines, and downloads that survive cuts, lies and new versions."""

import hashlib
import io
import json
import os
import tempfile
import threading
import unittest
from unittest import mock

from edgetape.download import Download, ShareFile
from edgetape.drive import Drive
from edgetape.errors import EdgetapeError, IntegrityError, NoData, ProtocolError
from edgetape.journal import Journal
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


class Journals(InFolder):
    def test_remember_the_last_entry_of_a_name(self):
        journal = Journal(self.path("j"))
        journal.put("a", {"x": 1})
        journal.put("a", {"x": 2})
        self.assertEqual(journal.get("a"), {"x": 2})
        self.assertEqual(Journal(self.path("j")).get("a"), {"x": 2})
        self.assertIsNone(Journal(self.path("j")).get("b"))

    def test_pass_over_a_torn_line_and_write_behind_it(self):
        Journal(self.path("j")).put("a", {"x": 1})
        with open(self.path("j"), "a") as file:
            file.write('{"name": "b", "x"')
        Journal(self.path("j")).put("c", {"x": 3})
        again = Journal(self.path("j"))
        self.assertEqual([again.get(name) for name in "abc"], [{"x": 1}, None, {"x": 3}])

    def test_drop_lines_that_do_not_count_any_more(self):
        journal = Journal(self.path("j"))
        for number in range(400):
            journal.put("a", {"x": number})
        Journal(self.path("j"))
        with open(self.path("j")) as file:
            self.assertEqual(len(file.readlines()), 1)
        self.assertEqual(Journal(self.path("j")).get("a"), {"x": 399})


class ProgressLines(unittest.TestCase):
    def test_are_shown_on_a_terminal_alone(self):
        quiet, shown = io.StringIO(), io.StringIO()
        for stream, shows in ((quiet, None), (shown, True)):
            with mock.patch("edgetape.progress.import_module", side_effect=ImportError):
                with Progress(2, 2_000, shows, stream) as bar:
                    bar.moved(1_500)
                    bar.finished()
        self.assertEqual(quiet.getvalue(), "")
        self.assertIn("1 of 2 files, 1.5 kB of 2.0 kB", shown.getvalue())

    def test_are_tqdm_s_where_it_is_installed(self):
        tqdm = mock.Mock()
        with mock.patch("edgetape.progress.import_module", return_value=tqdm):
            with Progress(1, 10, True, io.StringIO()) as bar:
                bar.moved(10)
        tqdm.tqdm.return_value.update.assert_called_once_with(10)
        tqdm.tqdm.return_value.close.assert_called_once_with()


class Downloads(InFolder):
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

    def test_resume_where_they_were_cut(self):
        self.cuts = [1_000, 0, 2_000]
        self.download()
        self.assertEqual(self.saved(), CONTENT)
        self.assertEqual(self.ranges(), [None, "bytes=1000-", "bytes=1000-", "bytes=3000-"])
        self.assertEqual(header(self.server.requests[1][0], "If-Range"), '"v1"')
        self.assertEqual(header(self.server.requests[0][0], "Authorization"), "Basic aWQ6cGFzcw==")
        self.assertEqual(os.listdir(self.folder), ["f"])

    def test_continue_the_part_of_an_earlier_run(self):
        self.cuts = [1_000] + [0] * 8
        with self.assertRaises(EdgetapeError):
            self.download()
        self.assertEqual(len(os.listdir(self.folder)), 2)
        self.server.requests.clear()
        self.cuts = []
        progress = self.download()
        self.assertEqual((self.saved(), self.ranges()), (CONTENT, ["bytes=1000-"]))
        self.assertEqual(progress._done_bytes, len(CONTENT))

    def test_begin_again_when_there_is_another_version(self):
        self.cuts = [1_000]
        served = self.answer

        def replaced(head, body):
            answer = served(head, body)
            self.etag = '"v2"'
            return answer

        self.server.handler = replaced
        self.download()
        self.assertEqual(self.saved(), CONTENT)

    def test_never_continue_the_part_of_another_version(self):
        self.cuts = [1_000] + [0] * 8
        with self.assertRaises(EdgetapeError):
            self.download()
        self.content, self.etag, self.cuts = CONTENT[::-1], '"v2"', []
        self.server.requests.clear()
        self.download(self.file(self.content))
        self.assertEqual((self.saved(), self.ranges()), (self.content, [None]))
        self.assertEqual(os.listdir(self.folder), ["f"])

    def test_end_with_an_error_when_the_sum_is_another_one(self):
        with open(self.path("f"), "wb") as file:
            file.write(b"the old one")
        for wrong in ({"sha256": "0" * 64}, {"size_bytes": 7}):
            with self.subTest(wrong), self.assertRaises(IntegrityError) as raised:
                self.download(self.file(**wrong))
        self.assertIn("20260311/f", str(raised.exception))
        self.assertEqual((os.listdir(self.folder), self.saved()), (["f"], b"the old one"))

    def test_try_once_more_from_the_beginning_when_a_continued_one_has_another_sum(self):
        file = self.file()
        part = self.path(f".f.{file.sha256[:16]}.part")
        for name, content in ((part, b"x" * 1_000), (f"{part}.etag", b'"v1"')):
            with open(name, "wb") as spoilt:
                spoilt.write(content)
        self.download()
        self.assertEqual((self.saved(), self.ranges()), (CONTENT, ["bytes=1000-", None]))

    def test_begin_again_when_the_part_is_longer_than_the_file(self):
        file = self.file()
        part = self.path(f".f.{file.sha256[:16]}.part")
        for name, content in ((part, b"x" * (len(CONTENT) + 5)), (f"{part}.etag", b'"v1"')):
            with open(name, "wb") as spoilt:
                spoilt.write(content)
        self.download()
        self.assertEqual(self.saved(), CONTENT)

    def test_stop_when_told_and_keep_the_part(self):
        self.stop.set()
        with self.assertRaises(EdgetapeError):
            self.download()
        self.assertNotIn("f", os.listdir(self.folder))

    def test_say_why_a_file_is_not_to_be_had(self):
        self.server.handler = lambda *_: http(404, "not covered [not_found · r7]", x_reason="not_found")
        with self.assertRaises(NoData) as raised:
            self.download()
        self.assertEqual((raised.exception.code, raised.exception.reason), (1002, "not_found"))
        self.assertEqual(len(self.server.requests), 1)

    def share(self):
        return Share({**SHARE, "status": "ready", "url": f"{self.server.url}/s/id/"}, self.connections, 60.0)

    def test_take_the_version_that_was_published_meanwhile(self):
        stale = self.file()._asdict()
        fresh = self.file(CONTENT[::-1])._asdict()
        manifests = [[stale], [fresh]]
        served = self.answer
        self.content = CONTENT[::-1]

        def answer(head, body):
            if "manifest.json" in head:
                self.files = manifests.pop(0)
            return served(head, body)

        self.server.handler = answer
        (path,) = self.share().download(self.folder)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), CONTENT[::-1])

    def test_refuse_a_manifest_that_leads_out_of_the_folder(self):
        for path in (
            "../f",
            "/etc/passwd",
            "20260311/../../f",
            "20260311/a/b",
            "20260311/.f",
            "20260311/a\\b",
        ):
            self.files = [self.file(path=path)._asdict()]
            with self.subTest(path), self.assertRaises(ProtocolError):
                self.share().download(self.folder)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
