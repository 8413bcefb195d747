"""Tests which answers to a request lead to a wait, a retry, another base URL, or an error."""

import json
import os
import tempfile
import threading
import time
import unittest
from unittest import mock

from edgetape import (
    BadRequest,
    Client,
    ConfigurationError,
    ConnectionFailed,
    IntegrityError,
    NoData,
    NotAllowed,
    ProtocolError,
    QuotaUsed,
    Unavailable,
)
from edgetape.transport import whole_number
from edgetape.waiting import parse_retry_after
from fake_http import FakeServer, header, http


def envelope(code, data=None, status=200, **headers):
    return http(status, json.dumps({"code": code, "message": "a sentence", "data": data}), **headers)


SERVED = envelope(200, {"plan": "flagship"})


class Calls(unittest.TestCase):
    def setUp(self):
        self.waits = []
        patched = mock.patch("edgetape.waiting.sleep", self.waits.append)
        patched.start()
        self.addCleanup(patched.stop)

    def serve(self, *answers):
        """Returns a server that sends these answers in order, and the last one repeatedly."""
        left = list(answers)
        server = FakeServer(lambda *_: left.pop(0) if len(left) > 1 else left[0])
        self.addCleanup(server.close)
        return server

    def client(self, *servers, **options):
        client = Client("key", [server.url for server in servers], timeout=5.0, **options)
        self.addCleanup(client.close)
        return client

    def test_waits_for_retry_after_plus_a_random_part(self):
        server = self.serve(
            envelope(503, status=503, retry_after=1, x_reason="slot_busy"),
            envelope(429, status=429, retry_after=10, x_reason="rate_limited"),
            http(502, "<html>a proxy's page</html>"),
            http(503, "<html>a proxy's page</html>", retry_after=3),
            SERVED,
        )
        self.assertEqual(self.client(server).account()["plan"], "flagship")
        for waited, told in zip(self.waits, (1, 10, 2, 3)):
            self.assertGreaterEqual(waited, told)
            self.assertLessEqual(waited, told * 1.2 + 0.05)
        self.assertEqual(len(self.waits), 4)

    def test_raises_the_refusal_if_the_next_wait_would_exceed_max_wait(self):
        server = self.serve(
            envelope(503, status=503, retry_after=5, x_reason="unavailable", x_request_id="r1")
        )
        with self.assertRaises(Unavailable) as raised:
            self.client(server, max_wait=12.0).account()
        self.assertEqual(len(self.waits), 2)
        error = raised.exception
        self.assertEqual((error.code, error.reason, error.request_id), (503, "unavailable", "r1"))
        self.assertIn("r1", str(error))

    def test_does_not_retry_a_final_refusal(self):
        for answer, kind in (
            (envelope(403, x_reason="plan_missing"), NotAllowed),
            (envelope(422, x_reason="param_invalid"), BadRequest),
            (envelope(1002, x_reason="not_loaded"), NoData),
            (envelope(503, status=503, x_reason="day_damaged"), Unavailable),
            (http(404, "nothing here"), ProtocolError),
            (http(301, "", location="https://elsewhere.example/api"), ProtocolError),
        ):
            with self.subTest(kind.__name__):
                server = self.serve(answer)
                with self.assertRaises(kind):
                    self.client(server).account()
                self.assertEqual((len(server.requests), self.waits), (1, []))

    def test_raises_quota_used_at_once_with_the_reset_time(self):
        server = self.serve(
            envelope(
                429, x_reason="quota_used", ratelimit='"requests";r=7;t=90, "files";r=0;t=3600', retry_after=9
            )
        )
        with self.assertRaises(QuotaUsed) as raised:
            self.client(server).account()
        self.assertEqual((raised.exception.resets_in, self.waits), (3600.0, []))
        self.assertEqual(raised.exception.resets_at.utcoffset().total_seconds(), 8 * 3600)

    def test_assumes_a_reset_at_midnight_in_beijing_if_the_answer_has_no_reset_time(self):
        server = self.serve(envelope(429, status=429))
        # 2026-03-11T15:59:00Z is one minute before midnight in Beijing.
        with mock.patch("edgetape.calls.time.time", lambda: 1_773_244_740.0):
            with self.assertRaises(QuotaUsed) as raised:
                self.client(server).account()
        self.assertEqual(raised.exception.resets_in, 60.0)

    def test_retries_a_broken_connection_after_growing_waits(self):
        server = self.serve(None, http(200, '{"code": 20', content_length=500, connection="close"), SERVED)
        self.client(server).account()
        self.assertEqual(len(self.waits), 2)
        self.assertLess(self.waits[0], self.waits[1])

    def test_retries_an_html_page_with_status_200(self):
        server = self.serve(http(200, "<html>log in</html>"))
        with self.assertRaises(ConnectionFailed) as raised:
            self.client(server).account()
        self.assertIn("log in", str(raised.exception))
        self.assertEqual(len(server.requests), 8)

    def test_switches_to_the_next_base_url_after_two_broken_connections(self):
        dead, fine = self.serve(None), self.serve(SERVED)
        client = self.client(dead, fine)
        client.account()
        client.account()
        self.assertEqual((len(dead.requests), len(fine.requests)), (2, 2))
        self.assertEqual(client.present_url, fine.url)
        # There is a pause before the retry at the same base URL, and none before the other base URL.
        self.assertEqual(len(self.waits), 1)

    def test_does_not_switch_to_the_next_base_url_after_503(self):
        busy = self.serve(*[envelope(503, status=503, retry_after=1)] * 5, SERVED)
        other = self.serve(SERVED)
        self.client(busy, other).account()
        self.assertEqual((len(busy.requests), len(other.requests)), (6, 0))

    def test_gives_up_with_the_last_cause_if_no_base_url_answers(self):
        servers = [self.serve(None), self.serve(None)]
        with self.assertRaises(ConnectionFailed) as raised:
            self.client(*servers).account()
        self.assertEqual([len(server.requests) for server in servers], [4, 4])
        self.assertIsInstance(raised.exception.__cause__, OSError)
        self.assertIsNone(raised.exception.code)

    def test_counts_only_successive_broken_connections(self):
        busy = envelope(503, status=503, retry_after=1)
        self.client(self.serve(*[None] * 7, busy, *[None] * 7, SERVED)).account()

    def test_stops_trying_when_max_wait_is_used_up(self):
        server = self.serve(None)
        with self.assertRaises(ConnectionFailed):
            self.client(server, max_wait=1.0).account()
        self.assertLess(len(server.requests), 6)
        self.assertLess(sum(self.waits), 3.0)

    def test_ends_a_stalled_connection_after_max_wait(self):
        released = threading.Event()
        self.addCleanup(released.set)
        server = FakeServer(lambda *_: released.wait(20) and None)
        self.addCleanup(server.close)
        client = Client("key", [server.url], timeout=20.0, max_wait=2.0)
        began = time.monotonic()
        with self.assertRaises(ConnectionFailed):
            client.account()
        self.assertLess(time.monotonic() - began, 5.0)

    def test_waits_longer_each_time_if_retry_after_is_0(self):
        server = self.serve(*[envelope(503, status=503, retry_after=0)] * 6, SERVED)
        self.client(server).account()
        self.assertEqual([round(wait * 2) / 2 for wait in self.waits[2:]], [1.0] * 4)
        self.assertGreater(min(self.waits), 0.24)

    def test_reads_the_reason_from_the_message_if_a_proxy_drops_headers(self):
        server = self.serve(http(200, '{"code": 429, "message": "\\u989d\\u5ea6 [quota_used \\u00b7 r9]"}'))
        with self.assertRaises(QuotaUsed) as raised:
            self.client(server).account()
        self.assertEqual((raised.exception.reason, raised.exception.request_id), ("quota_used", "r9"))

    def test_does_not_read_digits_of_other_scripts_as_numbers(self):
        for text in ("\u00b2", "\u0663", "9" * 5_000):
            with self.subTest(text[:9]):
                self.assertIsNone(parse_retry_after(text))
                self.assertIsNone(whole_number(text))

    def test_does_not_save_an_incomplete_parquet_file(self):
        for body in (b"PAR1" + b"x" * 20, b"PAR1PAR1", b"<html></html>" * 3):
            server = self.serve(http(200, body, content_type="application/vnd.apache.parquet"))
            with tempfile.TemporaryDirectory() as folder, self.subTest(body):
                with self.assertRaises(IntegrityError):
                    self.client(server).orders_parquet("600519", "20260311", folder)
                self.assertEqual(os.listdir(folder), [])

    def test_requests_a_truncated_parquet_file_again(self):
        whole, cut = b"PAR1" + b"x" * 20 + b"PAR1", {"content_length": 28, "connection": "close"}
        named = {"content_disposition": 'attachment; filename="../a.parquet"', "x_row_count": 7}
        server = self.serve(http(200, whole[:9], **cut), http(200, whole, **named))
        with tempfile.TemporaryDirectory() as folder:
            saved = self.client(server).orders_parquet("600519", "20260311", folder)
            self.assertEqual((saved.rows, saved.revision, saved.size_bytes), (7, None, 28))
            # A name that leads out of the folder is not used.
            self.assertEqual(os.listdir(folder), ["orders.parquet"])
        self.assertEqual(json.loads(server.requests[0][1])["params"]["format"], "parquet")

    def test_posts_key_interface_and_parameters_to_api(self):
        server = self.serve(SERVED)
        self.client(server).status("2026-03")
        head, body = server.requests[0]
        self.assertEqual(head.split("\r\n")[0], "POST /api HTTP/1.1")
        self.assertEqual(header(head, "Content-Type"), "application/json")
        asked = {"apiname": "data_status", "apikey": "key", "params": {"month": "202603"}}
        self.assertEqual(json.loads(body), asked)

    def test_reads_key_and_base_urls_from_the_environment(self):
        environment = {"EDGETAPE_KEY": " k ", "EDGETAPE_URL": "http://a/, http://b/api,http://a"}
        with mock.patch.dict("os.environ", environment):
            self.assertEqual(Client().base_urls, ["http://a", "http://b"])
        with mock.patch.dict("os.environ", {"EDGETAPE_KEY": "", "EDGETAPE_URL": ""}):
            for arguments in ((), ("key",), (None, "http://a"), ("key", "a.example")):
                with self.subTest(arguments), self.assertRaises(ConfigurationError):
                    Client(*arguments)

    def test_reads_retry_after_as_seconds_and_as_a_date(self):
        with mock.patch("edgetape.waiting.time.time", lambda: 784_111_770.0):
            told = [parse_retry_after(text) for text in ("3", "Sun, 06 Nov 1994 08:49:37 GMT", "soon", None)]
        self.assertEqual(told, [3.0, 7.0, None, None])
