"""Tests baskets (several securities over a range of days): the order of rows, the cost, skipped parts, and
continuing."""

import csv
import datetime
import importlib.util
import io
import json
import os
import pickle
import tempfile
import unittest
from unittest import mock

from edgetape import Basket, Client, Orders, QuotaUsed, QuotaWarning, Records, SymbolWarning, Trades
from edgetape.datasets import ORDERS, TRADES
from fake_day import ROWS
from fake_http import FakeServer
from fake_service import dated, envelope, refused, served


def rows_of(dataset, symbol, tradedate, count):
    """Returns the rows of a security's day."""
    rows = [ROWS[dataset.name](f"0930{place:05}", place) for place in range(count)]
    return [[symbol, tradedate, *row[2:]] for row in rows]


class FakeMarket:
    """Serves pages of a dataset. `days` gives, for each date, the number of rows by symbol, or the state of a day that
    is not loaded. `left` is the remaining quota of requests."""

    def __init__(self, days, left=1_000, limit=1_000, dataset=ORDERS):
        self.days, self.left, self.limit, self.dataset = days, left, limit, dataset
        self.asked = []
        self.operations = {
            "account_info": self._account,
            "data_status": self._status,
            dataset.estimate: self._estimate,
            dataset.interface: self._page,
        }
        self.server = FakeServer(self._answer)

    def counted(self):
        return [params for interface, params in self.asked if interface == self.dataset.interface]

    def _answer(self, _, body):
        asked = json.loads(body)
        self.asked.append((asked["apiname"], asked["params"]))
        return self.operations[asked["apiname"]](asked["params"])

    def _account(self, _):
        requests = {"limit": self.limit, "used": 0, "credited": 0, "left": self.left}
        files = {"limit": 10, "used": 0, "credited": 0, "left": 7}
        return served(
            {"quotas": [{"interface": self.dataset.interface, "requests": requests, "files": files}]}
        )

    def _status(self, params):
        days = [
            dated(date, self.dataset, state=day, revision=None)
            if isinstance(day, str)
            else dated(date, self.dataset, state="available", revision=1, size_bytes=10**9)
            for date, day in self.days.items()
            if date.startswith(params["month"])
        ]
        return served({"month": params["month"], "window_from": "20260302", "days": days})

    def _found(self, params):
        return self.days[params["tradedate"]].get(params["symbol"])

    def _estimate(self, params):
        count = self._found(params)
        if count is None:
            return refused(1002, "security_unknown")
        pages = max(1, -(-count // params["page_size"]))
        both = ("at_least", "at_most")
        return served({"rows": dict.fromkeys(both, count), "pages": dict.fromkeys(both, pages)})

    def _page(self, params):
        count = self._found(params)
        if count is None:
            return refused(1002, "security_unknown")
        if self.left == 0:
            return refused(429, "quota_used")
        self.left -= 1
        first = int(params.get("cursor", "0"))
        rows = rows_of(self.dataset, params["symbol"], params["tradedate"], count)
        items, last = rows[first : first + params["page_size"]], first + params["page_size"]
        more = {"has_more": last < count, "next_cursor": str(last) if last < count else None}
        fields = list(self.dataset.standard)
        return served({"fields": fields, "items": items, "tradedate": params["tradedate"], **more})


DAYS = {
    "20260305": {"600519": 25, "300750": 5},
    "20260306": {"600519": 10},
    "20260309": "pending",
    "20260310": {"600519": 0, "300750": 12},
}


class BasketTest(unittest.TestCase):
    dataset, kind = ORDERS, Orders

    def setUp(self):
        self.market = FakeMarket(DAYS, dataset=self.dataset)
        self.fields = list(self.dataset.standard)
        self.addCleanup(self.market.server.close)
        self.client = Client("key", self.market.server.url, max_wait=0)
        self.addCleanup(self.client.close)

    @property
    def read(self):
        """Returns the client's method that reads the dataset."""
        return getattr(self.client, self.dataset.name)

    def basket(self, symbols=("600519", "300750"), first="20260301", last="20260310", **options):
        return self.read(list(symbols), first, last, page_size=10, **options)

    def expected(self):
        return [
            tuple(row)
            for date, day in DAYS.items()
            if isinstance(day, dict)
            for symbol in ("600519", "300750")
            for row in rows_of(self.dataset, symbol, date, day.get(symbol, 0))
        ]

    def test_yields_rows_by_day_then_security_then_time(self):
        basket = self.basket()
        self.assertIsInstance(basket, Basket)
        self.assertEqual(self.market.asked, [])
        self.assertEqual(list(basket), self.expected())
        self.assertEqual(basket.empty, [("300750", "20260306")])
        self.assertEqual(basket.missing, [("20260309", "pending")])
        self.assertEqual(basket.window_from, "20260302")
        self.assertTrue(basket.is_complete)
        self.assertEqual(basket.fields, self.fields)
        asked = len(self.market.asked)
        self.assertEqual(basket.to_list(), self.expected())
        self.assertEqual(len(self.market.asked), asked)

    def test_is_created_only_for_a_list_of_securities(self):
        self.assertIsInstance(self.read("600519", "20260305", "09:30", "10:00"), self.kind)
        with self.assertRaises(TypeError):
            self.read(600519, "20260305")
        with self.assertRaisesRegex(TypeError, "not 600519"):
            self.read([600519], "20260305", "20260306")
        with self.assertRaisesRegex(ValueError, "20260306 is after the last day 20260305"):
            self.read(["600519"], "20260306", "20260305")
        self.assertEqual(self.market.asked, [])

    def test_of_one_date_has_only_that_day(self):
        self.assertEqual(list(self.read(["600519"], "20260305")), self.expected()[: DAYS["20260305"]["600519"]])

    def test_explains_how_a_range_of_days_is_written_for_one_security(self):
        for last in ("20260306", "2026-03-06", datetime.date(2026, 3, 6)):
            with self.assertRaisesRegex(TypeError, r"write the symbol in a list: \w+\(\['600519'\]"):
                self.read("600519", "20260305", last)

    def test_refuses_two_symbols_that_can_mean_the_same_security(self):
        with self.assertRaisesRegex(ValueError, "^000001 and 000001.SZ can be the same security"):
            self.read(["000001", "sz000001"], "20260305")

    def test_warns_of_two_securities_with_the_same_six_digits(self):
        with self.assertWarnsRegex(SymbolWarning, "^000001.SH and 000001.SZ have the same value") as warned:
            self.read(["000001.SZ", "600519", "000001.SH"], "20260305")
        self.assertEqual(warned.filename, __file__)

    def test_plans_its_cost_without_a_charged_request(self):
        self.market.left, self.market.limit = 4, 3
        plan = self.basket().plan()
        self.assertEqual(self.market.counted(), [])
        self.assertEqual((plan.days, plan.security_days, plan.rows), (3, 6, 52))
        # The security days have 25, 5, 10, 0 and 12 rows, in pages of 10.
        self.assertEqual((plan.requests, plan.files, plan.is_exact), (8, 5, True))
        self.assertEqual((plan.requests_left, plan.files_left, plan.quota_days), (4, 7, 3))
        self.assertIn("8 requests, 4 requests left today: takes 3 days of quota", str(plan))

    def test_plans_one_day_if_the_quota_is_unlimited(self):
        self.market.left = self.market.limit = None
        plan = self.basket().plan()
        self.assertEqual((plan.requests_left, plan.quota_days), (None, 1))
        self.assertIn("unlimited requests: done today", str(plan))

    def test_estimates_its_cost_from_a_sample_of_many_security_days(self):
        with mock.patch("edgetape.basket._MOST_ESTIMATES", 3):
            plan = self.basket().plan()
        asked = [interface for interface, _ in self.market.asked]
        self.assertEqual(asked.count(self.dataset.estimate), 3)
        self.assertEqual((plan.is_exact, plan.security_days), (False, 6))
        self.assertIn("about", str(plan))

    def test_continues_after_the_quota_was_used_up(self):
        for read in (Basket.to_list, list):
            self.market.left = 4
            self.market.asked.clear()
            basket = self.basket()
            with self.assertRaises(QuotaUsed):
                read(basket)
            self.assertEqual(basket.row_count, 30)
            self.assertEqual(basket.plan().requests, 4)
            self.market.left = 10
            self.assertEqual(read(basket), self.expected())
            # The requests are eight pages, a missing security, and the page that was refused once.
            pages = [(p["symbol"], p["tradedate"], p.get("cursor")) for p in self.market.counted()]
            self.assertEqual((len(set(pages)), len(pages)), (9, 10))

    def test_can_be_pickled_with_the_rows_read(self):
        self.market.left = 4
        basket = self.basket()
        with self.assertRaises(QuotaUsed):
            basket.to_list()
        again = pickle.loads(pickle.dumps(basket))
        self.market.left = 10
        self.assertEqual(again.to_list(), self.expected())

    def test_requests_the_given_time_window(self):
        self.basket(start="09:30", end="10:00").to_list()
        self.assertEqual(self.market.counted()[0]["start_time"], "09:30")
        self.assertEqual(self.market.counted()[0]["end_time"], "10:00")

    def test_prints_its_cost_on_a_terminal_before_reading(self):
        terminal = mock.Mock(wraps=io.StringIO())
        terminal.isatty.return_value = True
        with mock.patch("sys.stderr", terminal):
            self.basket().to_list()
        said = "".join(call.args[0] for call in terminal.write.call_args_list)
        self.assertTrue(said.startswith("6 security days on 3 days: 52 rows in 8 requests"), said)

    def test_advises_shares_if_reading_takes_many_days_of_quota(self):
        self.market.left = self.market.limit = 1
        plan = self.basket().plan()
        self.assertEqual((plan.quota_days, plan.bulk.days, plan.bulk.size_bytes), (8, 3, 3 * 10**9))
        self.assertNotIn("shares", str(plan))
        with mock.patch("edgetape.quota._MANY_DAYS", 7), mock.patch("edgetape.quota._MANY", 5):
            said = str(self.basket().plan())
            self.assertIn("shares hold these days in 3 daily files (3.0 GB, 1 hours", said)
            # Without a dataset, the call would download the packs of all datasets.
            self.assertIn(f"share('level2', year).download(folder, dataset='{self.dataset.name}')", said)
            with self.assertWarnsRegex(QuotaWarning, "takes 8 days of quota.*use no quota"):
                with self.assertRaises(QuotaUsed):
                    self.basket().to_list()

    def test_advises_shares_if_an_unlimited_plan_would_send_many_requests(self):
        self.market.left = self.market.limit = None
        self.assertNotIn("shares", str(self.basket().plan()))
        with mock.patch("edgetape.quota._MANY_REQUESTS", 7):
            self.assertIn("done today; sync takes 5 files instead (7 left); shares hold", str(self.basket().plan()))

    def test_without_rows_has_the_standard_columns(self):
        basket = self.basket(["688111"])
        self.assertEqual((basket.to_list(), basket.fields), ([], self.fields))
        self.assertEqual(len(basket.empty), 3)

    def test_writes_csv_with_the_values_of_the_api(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.basket().to_csv(os.path.join(folder, "x.csv"))
            with open(path, newline="", encoding="utf-8") as file:
                header_, *rows = csv.reader(file)
            self.assertEqual(header_, self.fields)
            self.assertEqual(rows, [[str(value) for value in row] for row in self.expected()])
            one = self.read("600519", "20260306").to_csv(os.path.join(folder, "one.csv"))
            with open(one, newline="", encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), 11)
            self.assertEqual(sorted(os.listdir(folder)), ["one.csv", "x.csv"])

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "SKIPPED: pandas is not here")
    def test_becomes_one_frame_with_the_types_of_a_single_day(self):
        frame = self.basket().to_df()
        day = self.read("600519", "20260305").to_df()
        self.assertEqual(frame.dtypes.astype(str).to_dict(), day.dtypes.astype(str).to_dict())
        self.assertEqual((len(frame), frame["time"].is_monotonic_increasing), (52, False))
        self.assertEqual(str(frame["time"].iloc[-1]), "2026-03-10 09:30:00.011000")
        self.assertEqual(
            [tuple(row) for row in self.basket().to_df(raw=True).itertuples(index=False)], self.expected()
        )

    @unittest.skipUnless(importlib.util.find_spec("polars"), "SKIPPED: polars is not here")
    def test_becomes_one_polars_frame(self):
        self.assertEqual(self.basket().to_polars(raw=True).rows(), self.expected())

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "SKIPPED: pyarrow is not here")
    def test_becomes_one_parquet_file(self):
        import pyarrow.parquet

        with tempfile.TemporaryDirectory() as folder:
            table = pyarrow.parquet.read_table(self.basket().to_parquet(os.path.join(folder, "x.parquet")))
        self.assertEqual(list(zip(*(column.to_pylist() for column in table.columns))), self.expected())


class TradesBasketTest(BasketTest):
    dataset, kind = TRADES, Trades


class RecordsTest(unittest.TestCase):
    RECORDS = [
        {"day": "20260305", "rows": 7, "size": None, "in": {"added": ["600519.SH"], "removed": []}},
        {"day": "20260306", "rows": 8, "size": 9, "in": {"added": [], "removed": []}},
    ]

    def test_are_lists_of_dictionaries(self):
        self.assertEqual(Records(self.RECORDS), self.RECORDS)
        self.assertEqual(json.loads(json.dumps(Records(self.RECORDS))), self.RECORDS)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "SKIPPED: pandas is not here")
    def test_become_a_frame(self):
        frame = Records(self.RECORDS).to_df()
        self.assertEqual(list(frame), ["day", "rows", "size", "added", "removed"])
        self.assertEqual([str(frame[name].dtype) for name in ("rows", "size")], ["int64", "Int64"])
        self.assertEqual((frame["size"][1], frame["added"][0]), (9, ["600519.SH"]))
        self.assertEqual(len(Records([]).to_df()), 0)

    @unittest.skipUnless(importlib.util.find_spec("polars"), "SKIPPED: polars is not here")
    def test_become_a_polars_frame(self):
        self.assertEqual(Records(self.RECORDS).to_polars()["size"].to_list(), [None, 9])

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "SKIPPED: pandas is not here")
    def test_are_returned_by_status_symbols_and_changes(self):
        change = {
            "change": 1,
            "tradedate": "20260305",
            "securities": {"added": [], "removed": [], "changed": []},
        }
        answers = {
            "data_status": {
                "month": "202603",
                "window_from": None,
                "days": [{"tradedate": "20260305", "rows": 3}],
            },
            "data_symbols": {"fields": ["symbol", "rows"], "items": [["600519", 3]]},
            "data_changes": {"changes": [change], "next_after": 1, "has_more": False},
        }
        server = FakeServer(lambda head, body: envelope(200, answers[json.loads(body)["apiname"]]))
        self.addCleanup(server.close)
        client = Client("key", server.url)
        self.assertEqual(list(client.status()["days"].to_df()["rows"]), [3])
        self.assertEqual(list(client.symbols("20260305").to_df()["symbol"]), ["600519"])
        self.assertEqual(list(client.changes().to_df()["change"]), [1])
        self.assertEqual(next(client.changes()), change)
