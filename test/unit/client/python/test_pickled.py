"""Tests that a client can be passed to other processes, even spawned ones, and works there."""

import multiprocessing
import pickle
import ssl
import unittest

from edgetape import Client
from fake_service import FakeService, day

DAY = "20260311"


def estimated(client):
    """Returns the client's estimate; a spawned process runs this function."""
    return client.estimate("600519", DAY)["parquet_bytes"]


class Pickled(unittest.TestCase):
    def setUp(self):
        self.service = FakeService(_20260311=day(SH600519="one"))
        self.addCleanup(self.service.close)
        self.client = Client("key", [self.service.url], max_wait=7.0, timeout=3.0)
        self.addCleanup(self.client.close)
        self.client.estimate("600519", DAY)

    def test_client_works_in_spawned_processes(self):
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            self.assertEqual(pool.map(estimated, [self.client] * 2), [15, 15])

    def test_client_keeps_its_settings(self):
        again = pickle.loads(pickle.dumps(self.client))
        self.assertEqual((again.base_urls, again._max_wait, again._key), ([self.service.url], 7.0, "key"))
        self.assertEqual(again._connections.timeout, 3.0)
        self.assertIs(again._endpoints._connections, again._connections)
        orders = pickle.loads(pickle.dumps(self.client.orders("600519", DAY)))
        self.assertEqual((orders.symbol, orders.tradedate), ("600519", DAY))

    def test_client_with_own_certificates_is_refused(self):
        client = Client("key", ["https://x.example"], ssl_context=ssl.create_default_context())
        with self.assertRaisesRegex(TypeError, "ssl_context"):
            pickle.dumps(client)
