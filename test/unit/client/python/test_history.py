"""Tests which files from a share are saved, and which files of a folder are read."""

import importlib.util
import io
import os
import unittest
import warnings
from importlib import import_module
from unittest import mock

from edgetape import Client, IntegrityError, ProtocolError, QuotaWarning, SymbolWarning, read_history
from edgetape.disk import Part
from edgetape.download import Drive
from edgetape.history import _paths, _saved, _Section
from edgetape.waiting import Patience
from fake_drive import DriveCase, InFolder
from fake_http import FakeServer, http
from fake_service import FakeService, day

FILE = b"PAR1" + b"x" * 2_000 + b"PAR1"


class Sections(DriveCase):
    def saved(self, *answers):
        waiting = list(answers)
        self.server.handler = lambda *_: waiting.pop(0)
        section = _Section(("600519", "20260311"), "600519.SH", {"build_id": "b1"})
        drive, patience = Drive(f"{self.server.url}/s/id/", "pass", self.connections), Patience(60.0)
        with Part(self.folder) as part:
            found = drive.get("x", patience, lambda reply: _saved(reply, part, section, patience))
            part.file.seek(0)
            return found, part.file.read()

    def test_are_saved_if_they_are_complete_and_of_the_current_build(self):
        found, saved = self.saved(http(200, FILE, x_build="b1"))
        self.assertEqual((len(found), saved), (64, FILE))
        self.assertEqual(self.saved(http(200, FILE))[1], FILE)

    def test_of_another_build_are_not_saved(self):
        self.assertEqual(self.saved(http(200, FILE, x_build="b2")), (None, b""))

    def test_that_break_off_are_requested_again(self):
        cut = http(200, FILE, x_build="b1", connection="close")[:-1_000]
        self.assertEqual(self.saved(cut, http(200, FILE, x_build="b1"))[1], FILE)

    def test_that_are_not_complete_parquet_files_are_refused(self):
        for content in (FILE[:-1], b"x" + FILE, b"PAR1", b""):
            with self.subTest(content=content[:8]), self.assertRaises(IntegrityError):
                self.saved(http(200, content, x_build="b1"))


class Folders(InFolder):
    def setUp(self):
        super().setUp()
        for name in ("20260310/600519.SH", "20260311/600519.SH", "20260311/000001.SZ", "20260311/000001.SH"):
            day, code = name.split("/")
            self.make(day, f"{code}_{day}_orders.parquet")
        self.make("20260311", "600519.SH_20260311_orders.parquet.gone")
        self.make("20260311", "notes.parquet")

    def make(self, *names):
        os.makedirs(self.path(*names[:-1]), exist_ok=True)
        with open(self.path(*names), "wb"):
            pass

    def found(self, symbols, first=None, last=None):
        paths = _paths(self.folder, symbols, first, last)
        return [os.path.basename(path).split("_orders")[0] for path, in paths]

    def test_are_read_by_day_then_security_in_the_given_order(self):
        self.assertEqual(
            self.found(["600519", "sz000001"], None, None),
            ["600519.SH_20260310", "600519.SH_20260311", "000001.SZ_20260311"],
        )
        self.assertEqual(self.found("600519.XSHG", "2026-03-11", None), ["600519.SH_20260311"])
        self.assertEqual(self.found(None, None, "20260310"), ["600519.SH_20260310"])
        with self.assertWarns(SymbolWarning):
            self.assertEqual(len(self.found(None, None, None)), 4)

    def test_never_give_an_index_for_digits_without_an_exchange(self):
        self.assertEqual(self.found("000001"), ["000001.SZ_20260311"])
        self.assertEqual(self.found("000001.SH"), ["000001.SH_20260311"])
        os.remove(self.path("20260311", "000001.SZ_20260311_orders.parquet"))
        with self.assertRaises(FileNotFoundError):
            read_history(self.folder, "000001")

    def test_are_refused_if_digits_without_an_exchange_mean_two_securities(self):
        for code in ("010107.SH", "010107.SZ"):
            self.make("20260311", f"{code}_20260311_orders.parquet")
        with self.assertRaisesRegex(ValueError, "010107.SH and 010107.SZ: write 010107 with its exchange"):
            read_history(self.folder, "010107")
        self.assertEqual(self.found("010107.SZ"), ["010107.SZ_20260311"])

    def test_with_two_securities_of_the_same_digits_cause_a_warning(self):
        with self.assertWarnsRegex(SymbolWarning, "^000001.SH and 000001.SZ have the same value"):
            self.found(["000001", "000001.SH"])

    def test_are_refused_if_no_file_matches_or_an_argument_is_invalid(self):
        with self.assertRaises(FileNotFoundError):
            read_history(self.folder, "300750")
        with self.assertRaisesRegex(ValueError, "is after the last day"):
            read_history(self.folder, None, "20260311", "20260310")
        with self.assertRaisesRegex(ValueError, "'pandas', 'polars' or 'arrow', not 'list'"):
            read_history(self.folder, to="list")

    def test_with_copies_of_a_file_list_them_together(self):
        self.make("again", "600519.SH", "600519.SH_20260311_orders.parquet")
        found = _paths(self.folder, "600519", "20260311", None)
        self.assertEqual([len(copies) for copies in found], [2])
        self.assertEqual(len(_paths(self.folder, None, None, None)), 4)


class Copies(InFolder):
    """Files of the same security, day and dataset in one folder."""

    day, trade = "20260311", {"symbol": "600519", "time": "093000000", "price": 1.5}

    def make(self, library, subfolder, day=day, **columns):
        os.makedirs(self.path(subfolder))
        path = self.path(subfolder, f"600519.SH_{day}_trades.parquet")
        data = {name: [value] * 2 for name, value in {"tradedate": day, **self.trade, **columns}.items()}
        if library == "polars":
            import_module("polars").DataFrame(data).write_parquet(path)
        else:
            import_module("pyarrow.parquet").write_table(import_module("pyarrow").table(data), path)
        return path

    def read(self, to, fields):
        read = read_history(self.folder, dataset="trades", to=to, fields=fields)
        if to == "pandas":
            return read.to_dict("records")
        return read.to_dicts() if to == "polars" else read.to_pylist()

    def check(self, library, to):
        self.make(library, "600519.SH")
        first = self.make(library, self.day, order_kind="2")
        self.assertEqual(self.read(to, "price"), [{"price": 1.5}] * 2)
        # Only the file of the share has the column.
        self.assertEqual(self.read(to, "price,order_kind"), [{"price": 1.5, "order_kind": "2"}] * 2)
        other = self.make(library, "other", price=1.25)
        with self.assertRaises(ValueError) as raised:
            self.read(to, "price")
        self.assertIn(first, str(raised.exception))
        self.assertIn(other, str(raised.exception))

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "SKIPPED: pyarrow is not here")
    def test_are_read_once_and_refused_if_they_differ(self):
        self.check("pyarrow", "arrow")

    @unittest.skipUnless(importlib.util.find_spec("polars"), "SKIPPED: polars is not here")
    def test_are_read_once_and_refused_if_they_differ_in_polars(self):
        self.check("polars", "polars")

    def check_columns(self, library, to):
        """Checks that a column is refused if only some days have it, and is read once every day has a file with it."""
        share = self.make(library, "20260310", "20260310", order_kind="2")
        api = self.make(library, self.day)
        for fields, said in (
            ("price,order_kind", f"{api!r} has no column 'order_kind': only files from a share"),
            ("price,kind", f"{share!r} has no column 'kind': fields can name symbol, tradedate, time, trade_id, price"),
            ("price,side", f"{share!r} has no column 'side': files have order_code instead of side"),
        ):
            with self.subTest(fields), self.assertRaises(ValueError) as raised:
                self.read(to, fields)
            self.assertIs(type(raised.exception), ValueError)
            self.assertIn(said, str(raised.exception))
        self.assertEqual(self.read(to, "price"), [{"price": 1.5}] * 4)
        self.make(library, "share", order_kind="4")
        self.assertEqual([each["order_kind"] for each in self.read(to, "price,order_kind")], ["2", "2", "4", "4"])

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "SKIPPED: pyarrow is not here")
    def test_without_a_requested_column_are_refused(self):
        self.check_columns("pyarrow", "arrow")

    @unittest.skipUnless(importlib.util.find_spec("polars"), "SKIPPED: polars is not here")
    def test_without_a_requested_column_are_refused_in_polars(self):
        self.check_columns("polars", "polars")

    @unittest.skipUnless(
        importlib.util.find_spec("pyarrow") and importlib.util.find_spec("pandas"), "SKIPPED: pandas is not here"
    )
    def test_without_a_requested_column_are_refused_in_pandas(self):
        self.check_columns("pyarrow", "pandas")


class ExternalShares(InFolder):
    """Shares that the operator stores outside the service. They have no manifest, so `history` downloads from the
    API."""

    page = http(200, "<html>enter the code</html>", content_type="text/html")

    def setUp(self):
        super().setUp()
        self.service = FakeService(_20260311=day(SH600519="one"), _20260312=day(SH600519="two"))
        self.addCleanup(self.service.close)
        self.site = FakeServer(lambda *_: self.page)
        self.addCleanup(self.site.close)
        self.service.share = {"url": f"{self.site.url}/s/1abc", "password": "x7-Q"}
        self.client = Client("key", self.service.url, max_wait=0)
        self.addCleanup(self.client.close)

    def history(self, folder):
        return self.client.history("600519", "20260311", "20260312", self.path(folder))

    def test_are_replaced_by_the_api_with_a_warning(self):
        pages = [self.page, http(404, "no"), http(403, "no"), http(302, "", location="/login"), http(200, "{}"), None]
        for place, self.page in enumerate(pages):
            with self.subTest(page=self.page), self.assertWarnsRegex(QuotaWarning, "share of 2026 .* is external"):
                report = self.history(f"folder{place}")
            self.assertEqual((len(report.fetched), report.left), (2, []))
        self.assertEqual(len(self.service.charged), 2 * len(pages))

    def test_are_reported_on_a_terminal_without_a_warning(self):
        terminal = mock.Mock(wraps=io.StringIO())
        terminal.isatty.return_value = True
        with mock.patch("sys.stderr", terminal), warnings.catch_warnings():
            warnings.simplefilter("error")
            self.history("folder")
        said = "".join(call.args[0] for call in terminal.write.call_args_list)
        self.assertTrue(said.startswith("the level2 share of 2026"), said)
        self.assertIn(self.site.url, said)

    def test_are_distinguished_from_the_services_own_shares(self):
        self.service.share = {"url": f"{self.site.url}/s/{'7aZ' * 6}xY/", "password": "9bC" * 8}
        with self.assertRaises(ProtocolError):
            self.history("folder")
        self.assertEqual(self.service.charged, [])

    def test_are_not_mentioned_if_the_plan_has_no_shares(self):
        self.service.share = None
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(len(self.history("folder").fetched), 2)
