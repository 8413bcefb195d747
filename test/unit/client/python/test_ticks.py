"""Tests what a caller receives from paging: kept rows, iteration across a rebuild of the day, data frames, files."""

import importlib
import importlib.util
import os
import tempfile
import unittest
import warnings
from unittest import mock

from edgetape import frame
from edgetape.datasets import QUOTES, TRADES
from edgetape.errors import DataRebuilt, MissingLibrary, RebuildWarning
from edgetape.paging import Paging
from edgetape.selection import select
from edgetape.ticks import Orders
from fake_day import DAY, FIELDS, SYMBOL, FakeDay, Endpoints, order, steps


def without(*names):
    """Returns a patch that hides these libraries."""

    def import_module(name, *rest):
        if name.split(".")[0] in names:
            raise ImportError(name)
        return importlib.import_module(name, *rest)

    return mock.patch("edgetape.frame.import_module", import_module)


def block(rows):
    return frame.packed(DAY, rows, FIELDS)


class OrdersTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", RebuildWarning)
        self.addCleanup(warnings.resetwarnings)
        self.saved = []

    def orders(self, *days, choose=lambda call: 0, page_size=10, **selected):
        selection = select(SYMBOL, DAY, **selected)
        paging = Paging(Endpoints(days, choose), selection, page_size)
        return Orders(paging, selection, lambda day, path: self.saved.append((day, path)))

    def test_sends_no_request_before_its_rows_are_needed(self):
        day = FakeDay("a", steps(30))
        rows = iter(self.orders(day))
        self.assertEqual(day.asked, [])
        self.assertEqual([next(rows) for _ in range(10)], steps(30)[:10])
        self.assertEqual(len(day.asked), 1)
        next(rows)
        self.assertEqual(len(day.asked), 2)

    def test_keeps_the_rows_read(self):
        day = FakeDay("a", steps(30))
        orders = self.orders(day)
        next(iter(orders))
        self.assertEqual(orders.rows, steps(30)[:10])
        self.assertEqual(orders.to_list(), steps(30))
        self.assertEqual(list(orders), steps(30))
        self.assertEqual(len(day.asked), 3)
        self.assertEqual((orders.fields, orders.tradedate, orders.revision), (FIELDS, DAY, 1))
        self.assertTrue(orders.is_complete)
        self.assertIn("30 rows complete", repr(orders))

    def rebuild_after(self, day, calls, rows):
        def choose(call):
            if call == calls:
                day.rows, day.revision = rows, day.revision + 1
            return 0

        return choose

    def test_refuses_to_continue_if_returned_rows_have_changed(self):
        day = FakeDay("a", steps(30))
        after = [order("093000000", 0, 99.0), *steps(30)[1:]]
        orders = self.orders(day, choose=self.rebuild_after(day, 2, after))
        handed = []
        with self.assertRaises(DataRebuilt):
            for row in orders:
                handed.append(row)
        self.assertEqual(handed, steps(30)[:20])
        # Iterating again returns the current content.
        self.assertEqual(list(orders), after)

    def test_raises_an_error_that_names_the_library_to_install(self):
        orders = self.orders(FakeDay("a", steps(3)))
        for method, name in (("to_df", "pandas"), ("to_polars", "polars")):
            with without(name), self.assertRaises(MissingLibrary) as raised:
                getattr(orders, method)()
            self.assertIn(f"pip install {name}", str(raised.exception))

    def test_downloads_the_file_of_a_whole_day_if_pyarrow_is_missing(self):
        with without("pyarrow"):
            path = self.orders(FakeDay("a", steps(3))).to_parquet("x.parquet")
            self.assertEqual((path, self.saved), ("x.parquet", [(DAY, "x.parquet")]))
            with self.assertRaises(MissingLibrary) as raised:
                self.orders(FakeDay("a", steps(3)), start="09:30").to_parquet("x.parquet")
        self.assertIn("pyarrow", str(raised.exception))
        self.assertIsInstance(raised.exception, ImportError)


class Frames(unittest.TestCase):
    def test_have_times_in_milliseconds(self):
        moments = frame.epoch_ms("20260311", ["000000000", "093000007", "235959999"])
        self.assertEqual(moments, [1_773_187_200_000, 1_773_221_400_007, 1_773_273_599_999])

    def test_are_made_of_columns(self):
        self.assertEqual(frame.columns([(1, "a"), (2, "b")], ["x", "y"]), {"x": [1, 2], "y": ["a", "b"]})
        self.assertEqual(frame.columns([], ["x"]), {"x": []})

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "SKIPPED: pandas is not here")
    def test_have_typed_columns_in_pandas(self):
        rows = steps(3)
        frame_ = frame.to_pandas([block(rows)], FIELDS, raw=False)
        kinds = {name: str(kind) for name, kind in frame_.dtypes.items()}
        self.assertEqual(kinds["time"], "datetime64[ns]")
        self.assertEqual({kinds["order_type"], kinds["order_code"]}, {"category"})
        self.assertEqual({kinds[name] for name in ("order_id", "exchange_order_id", "volume")}, {"int64"})
        self.assertEqual({kinds["price"], kinds["amount"]}, {"float64"})
        self.assertEqual(frame_["symbol"].tolist(), [SYMBOL] * 3)
        self.assertEqual(str(frame_["time"][2]), "2026-03-11 09:30:00")
        raw = frame.to_pandas([block(rows)], FIELDS, raw=True)
        self.assertEqual([tuple(row) for row in raw.itertuples(index=False)], rows)
        empty = frame.to_pandas([block([])], FIELDS, raw=False)
        self.assertEqual({name: str(kind) for name, kind in empty.dtypes.items()}, kinds)
        self.assertEqual(list(frame.to_pandas([], ["side", "order_no"], raw=False)), ["side", "order_no"])

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "SKIPPED: pandas is not here")
    def test_have_the_documented_types_for_trades_and_quotes(self):
        kinds = {"text": "object", "time": "datetime64[ns]", "code": "category"}
        kinds.update(integer="int64", yuan="float64")
        for dataset in (TRADES, QUOTES):
            rows, fields = steps(3, dataset=dataset), [*dataset.standard]
            made = frame.to_pandas([frame.packed(DAY, rows, fields)], fields, raw=False)
            found = {name: str(kind) for name, kind in made.dtypes.items()}
            self.assertEqual(found, {name: kinds[kind] for name, kind in dataset.standard.items()})
            raw = frame.to_pandas([frame.packed(DAY, rows, fields)], fields, raw=True)
            self.assertEqual([tuple(row) for row in raw.itertuples(index=False)], rows)

    @unittest.skipUnless(importlib.util.find_spec("polars"), "SKIPPED: polars is not here")
    def test_have_typed_columns_in_polars(self):
        raw = frame.to_polars([block(steps(3))], FIELDS, raw=True)
        self.assertEqual(raw.rows(), steps(3))
        made = frame.to_polars([block(steps(3))], FIELDS, raw=False)
        self.assertEqual(str(made["time"][2]), "2026-03-11 09:30:00")

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "SKIPPED: pyarrow is not here")
    def test_are_written_as_parquet(self):
        import pyarrow.parquet

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.parquet")
            frame.write_parquet([block(steps(3))], FIELDS, path)
            table = pyarrow.parquet.read_table(path)
            self.assertEqual(list(zip(*(column.to_pylist() for column in table.columns))), steps(3))
            self.assertEqual(os.listdir(folder), ["x.parquet"])
