"""Tests connections that are kept open, cut, corrupted, or made through proxies."""

import gzip
import os
import unittest
from unittest import mock

from edgetape import Client
from edgetape.calls import Endpoints
from edgetape.errors import ConfigurationError, ConnectionFailed
from edgetape.transport import BrokenConnection, Connections, proxy_for
from fake_http import CutOff, FakeServer, header, http

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


class Transport(unittest.TestCase):
    def setUp(self):
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        for name in VARIABLES:
            os.environ.pop(name, None)
            os.environ.pop(name.upper(), None)
        self.connections = Connections(timeout=5.0)
        self.addCleanup(self.connections.close)

    def serve(self, handler):
        server = FakeServer(handler)
        self.addCleanup(server.close)
        return server

    def read(self, server, path="/x", **headers):
        with self.connections.request("POST", server.url + path, headers, b"body") as reply:
            return reply.read()

    def test_keeps_a_connection_open_and_sends_its_user_agent(self):
        server = self.serve(lambda *_: http(200, "fine"))
        self.assertEqual([self.read(server) for _ in range(3)], [b"fine"] * 3)
        self.assertEqual(server.connections, 1)
        self.assertRegex(header(server.requests[0][0], "User-Agent"), r"^edgetape-python/\d")
        self.assertEqual(server.requests[0][1], b"body")

    def test_opens_a_new_connection_if_the_kept_one_was_closed(self):
        server = self.serve(lambda head, body: http(200, "fine"))
        self.read(server)
        answers = iter([None, http(200, "again")])
        server.handler = lambda *_: next(answers)
        self.assertEqual(self.read(server), b"again")
        self.assertEqual(server.connections, 2)

    def test_does_not_repeat_a_request_that_breaks_on_a_new_connection(self):
        server = self.serve(lambda *_: None)
        with self.assertRaises(BrokenConnection):
            self.read(server)
        self.assertEqual(len(server.requests), 1)

    def test_reports_a_truncated_answer_as_a_broken_connection(self):
        cut = {
            "announced longer": http(200, "short", content_length=10),
            "chunks without an end": b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n",
            "half a chunk": b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nshort",
            "gzip without an end": http(200, gzip.compress(b"x" * 500)[:-6], content_encoding="gzip"),
            "the head": http(200, "", etag="x" * 50)[:40],
            "the head behind a line": b"HTTP/1.1 200 x\r\nContent-Length: 0\r\n",
            "no gzip": http(200, b"plain", content_encoding="gzip"),
        }
        for name, answer in cut.items():
            with self.subTest(name), self.assertRaises(BrokenConnection):
                self.read(self.serve(lambda *_, answer=answer: CutOff(answer)))

    def test_decompresses_gzip(self):
        server = self.serve(lambda *_: http(200, gzip.compress(b"x" * 500), content_encoding="gzip"))
        self.assertEqual(self.read(server), b"x" * 500)

    def test_closes_a_connection_whose_body_was_not_read(self):
        server = self.serve(lambda *_: http(200, b"x" * 1_000_000))
        for _ in range(2):
            with self.connections.request("GET", server.url, {}) as reply:
                next(reply.pieces())
        self.assertEqual(server.connections, 2)

    def test_sends_a_proxy_the_whole_url_and_its_login(self):
        proxy = self.serve(lambda *_: http(200, "through"))
        os.environ["http_proxy"] = proxy.url.replace("http://", "http://me:p%40ss@")
        with self.connections.request("GET", "http://service.example/api?x=1", {}) as reply:
            self.assertEqual(reply.read(), b"through")
        head = proxy.requests[0][0]
        self.assertEqual(head.split("\r\n")[0], "GET http://service.example/api?x=1 HTTP/1.1")
        self.assertEqual(header(head, "Host"), "service.example")
        self.assertEqual(header(head, "Proxy-Authorization"), "Basic bWU6cEBzcw==")

    def test_tunnels_https_through_a_proxy(self):
        proxy = self.serve(lambda *_: http(403, "no"))
        os.environ["https_proxy"] = proxy.url
        with self.assertRaises(BrokenConnection):
            self.connections.request("GET", "https://service.example/", {})
        self.assertEqual(proxy.requests[0][0].split(" HTTP")[0], "CONNECT service.example:443")

    def test_reports_an_unreachable_proxy_and_the_variable_that_sets_it(self):
        dead = self.serve(lambda *_: None)
        dead.close()
        for variable, url in (
            ("HTTP_PROXY", "http://service.example"),
            ("https_proxy", "https://service.example"),
            ("all_proxy", "http://service.example"),
        ):
            with mock.patch.dict(os.environ, {variable: dead.url}), self.subTest(variable):
                client = Client("key", [url], max_wait=0)
                with self.assertRaises(ConnectionFailed) as raised:
                    client.account()
                self.assertIn(f"the proxy {dead.url[7:]}, which {variable} names", str(raised.exception))

    def test_reports_a_proxy_that_refuses_a_tunnel(self):
        proxy = self.serve(lambda *_: http(403, "no"))
        with mock.patch.dict(os.environ, {"https_proxy": proxy.url}):
            with self.assertRaises(ConnectionFailed) as raised:
                Client("key", ["https://service.example"], max_wait=0).account()
        self.assertIn("which https_proxy names", str(raised.exception))

    def test_distinguishes_an_error_of_a_local_file_from_network_errors(self):
        server = self.serve(lambda *_: http(200, "fine"))

        def full(base_url, reply):
            raise OSError(28, "No space left on device")

        with self.assertRaises(OSError) as raised:
            Endpoints([server.url], self.connections, 60.0).receive(lambda _: {}, full)
        self.assertEqual((raised.exception.errno, len(server.requests)), (28, 1))

    def test_obeys_no_proxy_and_refuses_proxies_that_are_not_http(self):
        os.environ["http_proxy"] = "socks5://127.0.0.1:1080"
        with self.assertRaises(ConfigurationError):
            proxy_for("http://service.example")
        os.environ["no_proxy"] = "service.example"
        self.assertIsNone(proxy_for("http://service.example"))

    def test_refuses_invalid_urls(self):
        for url in ("ftp://service.example", "service.example", "http://"):
            with self.subTest(url), self.assertRaises(ConfigurationError):
                self.connections.request("GET", url, {})
