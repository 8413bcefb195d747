"""Interrupts a read, a `sync` and a `download` over HTTP at each line of the package that they execute, in a separate
run for each line. Then repeats the call. No row may be lost or repeated, no file may be wrong, and no call may raise or
hang. The long tier runs these tests."""

import importlib.util
import json
import os
import shutil
import sys
import threading
import unittest
import warnings

from edgetape import Client
from edgetape.datasets import ORDERS, TRADES
from edgetape.share import Share
from edgetape.transport import Connections
from fake_day import DAY, FakeDay, steps
from fake_drive import CONTENT, SHARE, DriveCase, InFolder
from fake_http import FakeServer, http
from fake_service import FakeService, day, parquet
from interrupts import Interrupts, places_of

#: The number of first runs of each line that are interrupted. The last run of each line is interrupted too.
MOST = int(os.environ.get("EDGETAPE_INTERRUPTS", "1"))


class Interrupted(unittest.TestCase):
    #: Interrupts only every `step`-th of the places found. The default 1 interrupts at all places.
    step = 1

    def setUp(self):
        warnings.simplefilter("ignore", ResourceWarning)
        self.addCleanup(warnings.resetwarnings)

    def check(self, make, work, right):
        """Interrupts `work(make())` at each chosen line of the package, in a separate run for each line. After each
        interrupt, calls `right` with the object that `make` returned for this run."""
        first = make()
        places = places_of(lambda: work(first), most=MOST)[:: self.step]
        right(first, work)
        print(f"{self.id().rsplit('.', 1)[-1]}: {len(places)} places", file=sys.stderr)
        self.assertGreater(len(places), 200 // self.step)
        for at in places:
            subject, kept = make(), []
            try:
                with Interrupts(at=at) as interrupts:
                    work(subject)
            except KeyboardInterrupt as interrupt:
                kept.append(
                    interrupt
                )  # Its traceback keeps all frames alive, as an interactive session does.
            with self.subTest(before=interrupts.hit):
                right(subject, work)


class Reading(Interrupted):
    dataset = ORDERS

    def setUp(self):
        super().setUp()
        self.rows = steps(50, dataset=self.dataset)
        self.day = FakeDay("a", self.rows, dataset=self.dataset)
        self.server = FakeServer(self.answer)
        self.addCleanup(self.server.close)

    def answer(self, head, body):
        asked = json.loads(body)
        answer = self.day.answer(asked["apiname"], asked)
        told = {"code": answer.code, "message": answer.message, "data": answer.data}
        return http(200, json.dumps(told), x_revision=1, x_build=answer.build)

    def right(self, orders, work):
        self.assertEqual(work(orders), self.rows)
        # The queue is free for other threads again.
        read = []
        thread = threading.Thread(target=lambda: read.append(self.orders().to_list()), daemon=True)
        thread.start()
        thread.join(5)
        self.assertEqual(read, [self.rows])

    def orders(self):
        client = Client("key", self.server.url)
        return getattr(client, self.dataset.name)("600519", DAY, page_size=20)

    def test_to_list_is_correct_after_an_interrupt_at_any_line(self):
        self.check(self.orders, lambda orders: orders.to_list(), self.right)

    def test_iteration_is_correct_after_an_interrupt_at_any_line(self):
        self.check(self.orders, lambda orders: list(orders), self.right)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "SKIPPED: pandas is not here")
    def test_to_df_is_correct_after_an_interrupt_at_any_line(self):
        def rows(orders):
            return [tuple(row) for row in orders.to_df(raw=True).itertuples(index=False)]

        self.check(self.orders, rows, self.right)


class Syncing(Interrupted, InFolder):
    dataset = ORDERS

    def setUp(self):
        Interrupted.setUp(self)
        InFolder.setUp(self)
        days = {
            "_20260311": day("b1", SH600519="one", SZ000001="two"),
            "_20260312": day("b2", SH600519="three"),
        }
        self.service = FakeService(**days)
        self.service.dataset = self.dataset
        self.addCleanup(self.service.close)

    def make(self):
        shutil.rmtree(self.folder)
        self.service.charged.clear()
        return Client("key", self.service.url)

    def work(self, client):
        return client.sync(["600519", "000001"], "20260311", "20260312", self.folder, self.dataset.name)

    def right(self, client, work):
        report = work(client)
        self.assertEqual((report.left, report.missing), ([], []))
        self.assertEqual(len(report.fetched) + len(report.kept), 3)
        contents = {"600519.SH/600519.SH_20260311": "one", "000001.SZ/000001.SZ_20260311": "two"}
        contents["600519.SH/600519.SH_20260312"] = "three"
        for name, text in contents.items():
            with open(self.path(f"{name}_{self.dataset.name}.parquet"), "rb") as file:
                self.assertEqual(file.read(), parquet(text))
        # Of the three files, only the interrupted one may have been requested twice.
        self.assertLessEqual(len(self.service.charged), 4)
        self.assertEqual(work(client).fetched, [])

    def test_sync_is_correct_after_an_interrupt_at_any_line(self):
        self.check(self.make, self.work, self.right)


# Every fourth place is enough for trades: reading them executes the same lines as reading orders, and
# `test_interrupted_paging.py` interrupts every line of paging for both datasets.
class ReadingTrades(Reading):
    dataset, step = TRADES, 4


class SyncingTrades(Syncing):
    dataset, step = TRADES, 4


class Downloading(Interrupted, DriveCase):
    def setUp(self):
        Interrupted.setUp(self)
        DriveCase.setUp(self)
        self.files = [self.file(path=f"2026031{n}/f", tradedate=f"2026031{n}")._asdict() for n in range(3)]

    def make(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        share = {**SHARE, "status": "ready", "url": f"{self.server.url}/s/id/"}
        return Share(share, Connections(5.0), 60.0)

    def right(self, share, work):
        paths = work(share)
        self.assertEqual(len(paths), 3)
        for path in paths:
            with open(path, "rb") as file:
                self.assertEqual(file.read(), CONTENT)

    def test_download_is_correct_after_an_interrupt_at_any_line(self):
        self.check(self.make, lambda share: share.download(self.folder, workers=2), self.right)
