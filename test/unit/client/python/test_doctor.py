"""Tests what the doctor reports for base URLs that work, do not answer, or belong to another service."""

import contextlib
import io
import json
import os
import socket
import unittest
from unittest import mock

from edgetape.__main__ import main
from edgetape.doctor import examine
from fake_http import FakeServer, http

HEALTH = {"status": "ok", "version": "1.2.3", "d1": "ok", "r2": "ok", "gate": "ok"}
ACCOUNT = {
    "account_id": "acc",
    "plan": "trial",
    "plan_state": "active",
    "quotas": [{"day": "20260311", "requests": {"limit": 100, "left": 7}, "files": None}],
}


class Doctor(unittest.TestCase):
    def setUp(self):
        environment = mock.patch.dict(os.environ, clear=True)
        environment.start()
        self.addCleanup(environment.stop)
        self.health, self.data = HEALTH, {}
        resolve = socket.getaddrinfo

        def getaddrinfo(host, *rest, **named):
            if host.endswith(".invalid"):
                raise socket.gaierror("unknown name")  # Resolving it over the network can take long.
            return resolve(host, *rest, **named)

        for patched in (
            mock.patch("socket.getaddrinfo", getaddrinfo),
            mock.patch("edgetape.doctor._TIMEOUT_S", 1.0),  # Ends a TLS handshake with a plain HTTP server.
        ):
            patched.start()
            self.addCleanup(patched.stop)

    def serve(self):
        server = FakeServer(self.answer)
        self.addCleanup(server.close)
        return server.url

    def answer(self, head, body):
        if head.startswith("GET /health "):
            return http(200, json.dumps(self.health) if isinstance(self.health, dict) else self.health)
        data = self.data.get(json.loads(body)["apiname"])
        code = 403 if data is None else 200
        return http(200, json.dumps({"code": code, "message": "invalid api key", "data": data}))

    def examine(self, *urls, key=None):
        lines = []
        status = examine(urls, key, lines.append)
        return status, "\n".join(lines)

    def test_reports_name_connection_proxy_tls_version_and_speed(self):
        status, said = self.examine(self.serve())
        self.assertEqual(status, 0, said)
        for word in (
            "name: 127.0.0.1",
            "connection: port",
            "proxy: none",
            "TLS: none",
            "edgetape 1.2.3",
            "speed:",
        ):
            self.assertIn(word, said)

    def test_reports_the_remaining_quota_and_the_speed_of_a_list(self):
        status = {
            "days": [{"tradedate": "20260310", "revision": 1}, {"tradedate": "20260311", "revision": None}]
        }
        listed = {"fields": ["symbol"], "items": [["000001"], ["000002"]]}
        self.data = {"account_info": ACCOUNT, "data_status": status, "data_symbols": listed}
        status, said = self.examine(self.serve(), key="key")
        self.assertEqual(status, 0, said)
        self.assertIn("7 of 100 requests left on 20260311", said)
        self.assertIn("2 securities of 20260310", said)
        self.assertIn("20260310 is the newest loaded day, in revision 1", said)

    def test_reports_each_kind_of_failure(self):
        self.assertEqual(self.examine()[0], 2)
        fine = self.serve()
        dead = FakeServer(lambda *_: None)
        dead.close()
        for url, word in (
            ("http://no-such-name.invalid", "cannot be resolved"),
            (dead.url, "cannot be reached"),
            ("ftp://x", "must begin with http"),
            (fine.replace("http", "https"), "handshake"),
        ):
            with self.subTest(url):
                status, said = self.examine(url)
                self.assertEqual(status, 1)
                self.assertIn(word, said)
                self.assertIn("FAILED", said)

    def test_reports_a_login_page_a_failed_store_and_a_wrong_key(self):
        self.health = "<html>Sign in</html>"
        self.assertIn("Sign in", self.examine(self.serve())[1])
        self.health = {**HEALTH, "status": "failed", "r2": "failed"}
        self.assertIn("r2 does not answer", self.examine(self.serve())[1])
        self.health = HEALTH
        status, said = self.examine(self.serve(), key="key")
        self.assertEqual(status, 1)
        self.assertIn("invalid api key", said)

    def test_examines_all_base_urls_and_fails_if_one_of_them_fails(self):
        status, said = self.examine("http://no-such-name.invalid", self.serve())
        self.assertEqual(status, 1)
        self.assertIn("edgetape 1.2.3", said)

    def test_accepts_a_base_url_that_ends_with_api(self):
        status, said = self.examine(f"{self.serve()}/api/")
        self.assertEqual(status, 0, said)

    def test_hides_the_password_of_a_proxy(self):
        os.environ["https_proxy"] = "http://me:secret@proxy.example:3128"
        self.assertNotIn("secret", self.examine(self.serve())[1])

    def test_runs_as_a_command(self):
        os.environ["EDGETAPE_URL"] = self.serve()
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(main(["doctor"]), 0)
        self.assertIn("1.2.3", said.getvalue())
