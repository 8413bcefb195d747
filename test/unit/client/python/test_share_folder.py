"""Tests downloads into a folder: only one runs at a time, an interrupt ends it immediately, and no page of a portal or
proxy destroys a partial file."""

import os
import threading
import time
import unittest
from unittest import mock

from edgetape import ConnectionFailed, FolderInUse, IntegrityError, waiting
from edgetape.disk import locked
from fake_drive import CONTENT, DriveCase
from fake_http import CutOff, http

REAL_SLEEP = time.sleep
PORTAL = http(200, "<html>sign in</html>", content_type="text/html", etag='"portal"')


class Pages(DriveCase):
    def cut_then(self, *answers):
        """Cuts off the first answer. Later requests receive `answers` in order, and then the file itself."""
        self.cuts = [1_000]
        served, pages = self.answer, [None, *answers]

        def answer(*asked):
            page = pages.pop(0) if pages else None
            return page or served(*asked)

        self.server.handler = answer

    def test_of_a_portal_do_not_damage_the_partial_file(self):
        self.cut_then(PORTAL, PORTAL)
        self.download()
        self.assertEqual((self.saved(), self.ranges()), (CONTENT, [None, *["bytes=1000-"] * 3]))

    def test_of_a_permanent_portal_raise_an_error_and_keep_the_partial_file(self):
        self.cut_then(*[PORTAL] * 9)
        with self.assertRaises(ConnectionFailed) as raised:
            self.download()
        self.assertIn("text/html", str(raised.exception))
        self.server.handler = self.answer
        self.download()
        self.assertEqual(self.ranges()[-1], "bytes=1000-")

    def test_of_a_proxy_are_retried_after_a_wait(self):
        page = "<html>bad gateway</html>"
        self.cut_then(http(502, page), http(520, page), http(504, page), http(500, page))
        self.download()
        self.assertEqual((self.saved(), self.ranges()[-1]), (CONTENT, "bytes=1000-"))

    def test_of_a_different_length_do_not_damage_the_partial_file(self):
        self.cut_then(http(200, "short"))
        self.download()
        self.assertEqual((self.saved(), self.ranges()[-1]), (CONTENT, "bytes=1000-"))

    def test_of_another_version_raise_an_error_before_the_first_byte(self):
        self.cut_then(http(200, "short", etag='"v2"'))
        with self.assertRaises(IntegrityError):
            self.download()
        self.assertEqual(len(self.server.requests), 2)


class Folders(DriveCase):
    def setUp(self):
        super().setUp()
        self.files = [self.file()._asdict()]

    def test_are_locked_against_a_concurrent_download(self):
        with locked(self.folder), self.assertRaises(FolderInUse):
            threads = []

            def other():
                try:
                    self.share().download(self.folder)
                except FolderInUse as error:
                    threads.append(error)

            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
            raise threads[0]
        self.share().download(self.folder)
        self.assertNotIn(".edgetape.lock", os.listdir(self.folder))

    def test_that_cannot_be_used_raise_an_error_without_a_request(self):
        with open(self.path("file"), "wb"):
            pass
        with self.assertRaises(NotADirectoryError):
            self.share().download(self.path("file"))
        self.assertEqual(self.server.requests, [])

    def test_without_enough_space_raise_an_error_before_the_first_file(self):
        with mock.patch("edgetape.disk.shutil.disk_usage") as usage:
            usage.return_value.free = len(CONTENT) - 1
            with self.assertRaisesRegex(OSError, "bytes are needed"):
                self.share().download(self.folder)
        self.assertEqual(len(self.server.requests), 1)

    def test_that_become_full_raise_an_error_at_once(self):
        with mock.patch("edgetape.download.open", mock.Mock(side_effect=OSError(28, "full")), create=True):
            with self.assertRaisesRegex(OSError, "full"):
                self.share().download(self.folder)
        self.assertLessEqual(len(self.server.requests), 3)

    def test_are_checked_by_checksum_if_verify_is_set(self):
        (path,) = self.share().download(self.folder)
        stat = os.stat(path)
        with open(path, "r+b") as file:
            file.write(b"corrupt")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        self.share().download(self.folder)
        self.share().download(self.folder, verify=True)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), CONTENT)


class Interrupts(DriveCase):
    def setUp(self):
        super().setUp()
        self.files = [
            self.file(path=f"2026031{day}/f", tradedate=f"2026031{day}")._asdict() for day in range(6)
        ]
        waiting.sleep = REAL_SLEEP
        self.arrived = threading.Event()

    def interrupted_after(self, answer):
        """Interrupts a download that waits for `answer`, and returns the seconds until the download has ended."""
        served = self.answer

        def handler(head, body):
            if "manifest.json" in head:
                return served(head, body)
            self.arrived.set()
            return answer()

        self.server.handler = handler
        began = []

        def interrupt(queue):
            self.arrived.wait(10)
            began.append(time.monotonic())
            raise KeyboardInterrupt

        with mock.patch("edgetape.share._taken", interrupt), self.assertRaises(KeyboardInterrupt):
            self.share().download(self.folder)
        return time.monotonic() - began[0]

    def test_end_a_stalled_download_at_once(self):
        release = threading.Event()
        self.addCleanup(release.set)
        self.connections.timeout = 30.0

        def stall():
            release.wait(20)

        whole = self.answer
        self.assertLess(self.interrupted_after(stall), 2.0)
        # The threads of the download have ended too; otherwise they would keep the folder locked.
        self.server.handler = whole
        self.assertEqual(len(self.share().download(self.folder)), 6)

    def test_end_a_waiting_download_at_once(self):
        self.assertLess(self.interrupted_after(lambda: http(503, "later", retry_after=20)), 2.0)

    def test_leave_partial_files_that_the_next_download_continues(self):
        whole = self.answer
        self.interrupted_after(lambda: CutOff(http(200, CONTENT, etag='"v1"')[:-9_000]))
        self.server.handler = whole
        paths = self.share().download(self.folder)
        for path in paths:
            with open(path, "rb") as file:
                self.assertEqual(file.read(), CONTENT)
