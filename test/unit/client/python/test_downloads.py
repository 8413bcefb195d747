"""Tests that downloads succeed despite broken connections, wrong answers and new versions."""

import os
import unittest

from edgetape.errors import ConnectionFailed, EdgetapeError, IntegrityError, NoData, ProtocolError
from fake_drive import CONTENT, DriveCase
from fake_http import header, http


class Downloads(DriveCase):
    def test_resume_after_the_last_byte_received(self):
        self.cuts = [1_000, 0, 2_000]
        self.download()
        self.assertEqual(self.saved(), CONTENT)
        self.assertEqual(self.ranges(), [None, "bytes=1000-", "bytes=1000-", "bytes=3000-"])
        self.assertEqual(header(self.server.requests[1][0], "If-Range"), '"v1"')
        self.assertEqual(header(self.server.requests[0][0], "Authorization"), "Basic aWQ6cGFzcw==")
        self.assertEqual(os.listdir(self.folder), ["f"])

    def test_continue_the_partial_file_of_an_earlier_run(self):
        self.cuts = [1_000] + [0] * 8
        with self.assertRaises(EdgetapeError):
            self.download()
        self.assertEqual(len(os.listdir(self.folder)), 2)
        self.server.requests.clear()
        self.cuts = []
        progress = self.download()
        self.assertEqual((self.saved(), self.ranges()), (CONTENT, ["bytes=1000-"]))
        self.assertEqual(progress._done_bytes, len(CONTENT))

    def test_restart_if_the_share_has_a_new_version(self):
        self.cuts = [1_000]
        served = self.answer

        def replaced(head, body):
            answer = served(head, body)
            self.etag = '"v2"'
            return answer

        self.server.handler = replaced
        self.download()
        self.assertEqual(self.saved(), CONTENT)

    def test_do_not_continue_the_partial_file_of_another_version(self):
        self.cuts = [1_000] + [0] * 8
        with self.assertRaises(EdgetapeError):
            self.download()
        self.content, self.etag, self.cuts = CONTENT[::-1], '"v2"', []
        self.server.requests.clear()
        self.download(self.file(self.content))
        self.assertEqual((self.saved(), self.ranges()), (self.content, [None]))
        self.assertEqual(os.listdir(self.folder), ["f"])

    def test_raise_an_error_if_size_or_checksum_differ(self):
        with open(self.path("f"), "wb") as file:
            file.write(b"the old one")
        for wrong in ({"sha256": "0" * 64}, {"size_bytes": 7}):
            with self.subTest(wrong), self.assertRaises(IntegrityError) as raised:
                self.download(self.file(**wrong))
        self.assertIn("20260311/f", str(raised.exception))
        self.assertEqual((os.listdir(self.folder), self.saved()), (["f"], b"the old one"))

    def test_restart_once_if_a_resumed_file_has_a_wrong_checksum(self):
        file = self.file()
        part = self.path(f".f.{file.sha256[:16]}.part")
        for name, content in ((part, b"x" * 1_000), (f"{part}.etag", b'"v1"')):
            with open(name, "wb") as corrupt:
                corrupt.write(content)
        self.download()
        self.assertEqual((self.saved(), self.ranges()), (CONTENT, ["bytes=1000-", None]))

    def test_restart_if_the_partial_file_is_longer_than_the_file(self):
        file = self.file()
        part = self.path(f".f.{file.sha256[:16]}.part")
        for name, content in ((part, b"x" * (len(CONTENT) + 5)), (f"{part}.etag", b'"v1"')):
            with open(name, "wb") as corrupt:
                corrupt.write(content)
        self.download()
        self.assertEqual(self.saved(), CONTENT)

    def test_keep_the_partial_file_when_stopped(self):
        self.stop.set()
        with self.assertRaises(EdgetapeError):
            self.download()
        self.assertNotIn("f", os.listdir(self.folder))

    def test_raise_the_reason_of_a_refusal(self):
        self.server.handler = lambda *_: http(404, "not covered [not_found · r7]", x_reason="not_found")
        with self.assertRaises(NoData) as raised:
            self.download()
        self.assertEqual((raised.exception.code, raised.exception.reason), (1002, "not_found"))
        self.assertEqual(len(self.server.requests), 1)

    def test_accept_a_version_published_after_the_manifest_was_read(self):
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

    def test_refuse_a_manifest_with_a_path_outside_the_folder(self):
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

    def test_continue_as_long_as_bytes_arrive(self):
        self.cuts = [500] * 15
        self.download()
        self.assertEqual(self.saved(), CONTENT)

    def test_give_up_after_eight_connections_without_bytes(self):
        self.cuts = [500] + [0] * 8
        with self.assertRaises(ConnectionFailed):
            self.download()
        # The first connection delivers 500 bytes and then breaks. This is the first of eight failures in a row.
        self.assertEqual(len(self.server.requests), 8)

    def test_restart_if_the_answer_begins_at_the_wrong_byte(self):
        self.cuts = [1_000]
        served = self.answer

        def shifted(head, body):
            return served(head, body).replace(b"bytes 1000-", b"bytes 999-")

        self.server.handler = shifted
        self.download()
        self.assertEqual((self.saved(), self.ranges()), (CONTENT, [None, "bytes=1000-", None]))

    def test_restart_if_the_partial_file_has_no_strong_entity_tag(self):
        for tag in ('W/"v1"', ""):
            with self.subTest(tag):
                self.etag, self.cuts = tag, [1_000]
                self.server.requests.clear()
                self.download()
                self.assertEqual((self.saved(), self.ranges()), (CONTENT, [None, None]))

    def test_wait_while_the_share_is_unavailable(self):
        served, busy = self.answer, [http(503, "later", retry_after=5), http(429, "later", retry_after=1)]
        self.server.handler = lambda *asked: busy.pop(0) if busy else served(*asked)
        self.download()
        self.assertEqual(self.saved(), CONTENT)

    def test_of_one_dataset_include_only_its_packs(self):
        packs = [f"20260311_{name}.parquet" for name in ("orders", "trades", "quotes")]
        names = [*packs, "notes_trades.parquet"]  # The operator added the last file.
        self.files = [self.file(path=f"20260311/{name}")._asdict() for name in names]
        paths = self.share().download(self.folder, dataset="trades")
        self.assertEqual(paths, [self.path("20260311", "20260311_trades.parquet")])
        self.assertEqual(os.listdir(self.path("20260311")), ["20260311_trades.parquet"])
        self.assertEqual(self.share().download(self.folder, ["20260310"], dataset="trades"), [])
        self.assertEqual(len(self.share().download(self.folder)), 4)

    def test_of_an_unknown_dataset_are_refused_without_a_request(self):
        with self.assertRaisesRegex(ValueError, "not 'ticks'"):
            self.share().download(self.folder, dataset="ticks")
        with self.assertRaisesRegex(ValueError, "level2 share; this share is of auction_tick"):
            self.share(data_type="auction_tick").download(self.folder, dataset="quotes")
        self.assertEqual(self.server.requests, [])

    def test_replace_a_local_file_that_was_changed(self):
        self.files = [self.file()._asdict()]
        (path,) = self.share().download(self.folder)
        with open(path, "r+b") as file:
            file.write(b"corrupt")
        os.utime(path, ns=(1, 1))
        self.share().download(self.folder)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), CONTENT)
