"""Tests that `sync` keeps a folder correct for any answer of the service, and on a full or failing disk."""

import datetime
import io
import json
import os
import unittest
import warnings
from unittest import mock

import edgetape
from edgetape import Client, ConnectionFailed, FolderInUse, IntegrityError, NotAllowed, QuotaUsed, QuotaWarning
from edgetape.datasets import ORDERS, TRADES
from edgetape.disk import locked
from edgetape.sync import SyncReport
from fake_drive import InFolder
from fake_http import http
from fake_service import FakeService, day, envelope, parquet, refused, without

DAY, NEXT = "20260311", "20260312"
FILE = f"600519.SH/600519.SH_{DAY}_orders.parquet"
PORTAL = http(200, "<html>sign in</html>", content_type="text/html")


class SyncCase(InFolder):
    dataset = ORDERS

    def setUp(self):
        super().setUp()
        self.waits = []
        patched = mock.patch("edgetape.waiting.sleep", self.waits.append)
        patched.start()
        self.addCleanup(patched.stop)
        self.service = self.serve(_20260311=day(SH600519="one"), _20260312=day("b2", SH600519="two"))

    def serve(self, **days):
        service = FakeService(**days)
        service.dataset = self.dataset
        self.addCleanup(service.close)
        return service

    def sync(self, symbols="600519", first=DAY, last=NEXT, urls=None, **options):
        client = Client("key", urls or self.service.url, timeout=5.0)
        self.addCleanup(client.close)
        return client.sync(symbols, first, last, self.folder, self.dataset.name, **options)

    def files(self):
        return sorted(
            os.path.relpath(os.path.join(folder, name), self.folder)
            for folder, _, names in os.walk(self.folder)
            for name in names
            if not name.startswith(".")
        )

    def read(self, name=None):
        name = name or FILE.replace("orders", self.dataset.name)
        with open(self.path(name), "rb") as file:
            return file.read()

    def journal(self):
        with open(self.path(".edgetape-sync.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]


class Answers(SyncCase):
    def test_of_a_captive_portal_do_not_count_as_missing_data(self):
        self.service.change = lambda interface, params, answer: (
            PORTAL if params.get("format") == "parquet" else answer
        )
        with self.assertRaises(IntegrityError) as raised:
            self.sync()
        report = raised.exception.report
        self.assertEqual(report.left, [("600519", DAY), ("600519", NEXT)])
        self.assertEqual((report.empty, report.missing, report.is_complete), ([], [], False))
        self.assertEqual(self.files(), [])
        self.service.change = lambda interface, params, answer: answer
        self.assertEqual(len(self.sync().fetched), 2)

    def test_with_1002_and_an_unknown_reason_do_not_count_as_missing_data(self):
        for answer in (envelope(1002, None, "gone"), refused(1002, "key_unknown")):
            self.service.change = lambda interface, params, real, answer=answer: (
                answer if params.get("format") == "parquet" else real
            )
            with self.assertRaises(edgetape.NoData) as raised:
                self.sync()
            self.assertEqual(len(raised.exception.report.left), 2)

    def test_without_headers_are_saved_and_charged_once(self):
        stripped = ("Content-Disposition", "X-Row-Count", "X-Revision", "X-Build", "Content-Type")
        self.service.change = lambda interface, params, answer: without(answer, *stripped)
        self.assertEqual(len(self.sync().fetched), 2)
        self.assertEqual(self.read(), parquet("one"))
        self.assertEqual(len(self.sync().kept), 2)
        self.assertEqual(len(self.service.charged), 2)

    def test_with_the_reason_only_in_the_message_are_understood(self):
        self.service.change = lambda interface, params, answer: without(answer, "X-Reason", "X-Request-Id")
        report = self.sync("688111")
        self.assertEqual(report.empty, [("688111", DAY), ("688111", NEXT)])

    def test_that_break_off_at_the_same_byte_are_charged_at_most_twice(self):
        self.service.change = lambda interface, params, answer: (
            answer.replace(b"content-length: 15", b"connection: close\r\ncontent-length: 99")
            if params.get("format") == "parquet"
            else answer
        )
        with self.assertRaises(IntegrityError):
            self.sync(last=DAY)
        self.assertEqual(len(self.service.charged), 2)

    def test_with_a_withdrawn_day_are_reported_once_for_all_symbols(self):
        self.service.change = lambda interface, params, answer: (
            refused(1002, "withdrawn") if params.get("tradedate") == DAY else answer
        )
        report = self.sync(["600519", "000001", "000002"])
        self.assertEqual(report.missing, [(DAY, "withdrawn")])
        self.assertEqual(report.left, [])

    def test_with_a_window_that_begins_later_leave_out_the_earlier_days(self):
        self.service.window_from = "20260312"
        report = self.sync(first="20260115")
        self.assertEqual((report.fetched, report.window_from), ([("600519", NEXT)], "20260312"))
        self.assertIn("days before 20260312 are not in the plan", str(report))
        with self.assertRaises(NotAllowed):
            self.sync(first="20260101", last="20260131")


class Builds(SyncCase):
    def test_of_equal_size_on_another_deployment_are_distinguished(self):
        stale = self.serve(_20260311=day("b0", 1, SH600519="0ne"))
        self.sync(last=DAY, urls=[stale.url])
        report = self.sync(last=DAY)
        self.assertEqual(report.fetched, [("600519", DAY)])
        self.assertEqual(self.read(), parquet("one"))

    def test_are_recorded_for_the_deployment_that_sent_the_file(self):
        stale = self.serve(_20260311=day("b0", 1, SH600519="0ne"))
        self.service.change = lambda interface, params, answer: (
            None if params.get("format") == "parquet" else answer
        )
        self.assertEqual(len(self.sync(last=DAY, urls=[self.service.url, stale.url]).fetched), 1)
        self.assertEqual(self.read(), parquet("0ne"))
        self.service.change = lambda interface, params, answer: answer
        self.assertEqual(len(self.sync(last=DAY).fetched), 1)
        self.assertEqual(self.read(), parquet("one"))

    def test_missing_in_an_old_journal_cause_a_new_download_from_another_deployment(self):
        self.sync(last=DAY)
        entries = [{name: each[name] for name in each if name != "build"} for each in self.journal()]
        with open(self.path(".edgetape-sync.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(each) + "\n" for each in entries)
        self.assertEqual(len(self.sync(last=DAY).kept), 1)
        other = self.serve(_20260311=day("b1", 5, SH600519="one"))
        with open(self.path(".edgetape-sync.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(each) + "\n" for each in entries)
        self.assertEqual(len(self.sync(last=DAY, urls=[other.url]).fetched), 1)


class Folders(SyncCase):
    def test_are_locked_against_a_concurrent_run(self):
        with locked(self.folder):
            # The same thread may reuse a lock that an interrupted run still holds. Another process may not.
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    edgetape.disk._held.clear()
                    self.sync()
                except FolderInUse:
                    code = 0
                finally:
                    os._exit(code)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.service.asked, [])
        self.assertEqual(len(self.sync().fetched), 2)
        self.assertNotIn(".edgetape.lock", os.listdir(self.folder))

    def test_hold_one_file_for_all_spellings_of_a_security(self):
        report = self.sync(["600519", "600519.SH", "sh600519", "600519.XSHG"], last=DAY)
        self.assertEqual((report.fetched, len(self.service.charged)), ([("600519.SH", DAY)], 1))
        self.assertEqual(self.sync("600519", last=DAY).kept, [("600519", DAY)])
        self.assertEqual(len(self.service.charged), 1)

    def test_keep_two_securities_with_the_same_digits(self):
        self.service.days[DAY] = day(SH000001="index", SZ000001="bank")
        report = self.sync(["000001", "000001.SH"], last=DAY)
        self.assertEqual(len(report.fetched), 2)
        self.assertEqual(len(self.files()), 2)

    def test_receive_a_new_copy_of_a_file_that_was_overwritten(self):
        self.sync()
        with open(self.path(FILE), "r+b") as file:
            file.write(bytes(len(parquet("one"))))
        report = self.sync()
        self.assertEqual((report.fetched, report.kept), ([("600519", DAY)], [("600519", NEXT)]))
        self.assertEqual(self.read(), parquet("one"))

    def test_are_checked_by_checksum_if_verify_is_set(self):
        self.sync()
        stat = os.stat(self.path(FILE))
        with open(self.path(FILE), "r+b") as file:
            file.write(bytes(len(parquet("one"))))
        os.utime(self.path(FILE), ns=(stat.st_atime_ns, stat.st_mtime_ns))
        self.assertEqual(len(self.sync().kept), 2)
        self.assertEqual(self.sync(verify=True).fetched, [("600519", DAY)])

    def test_accept_invalid_entries_in_their_journal(self):
        self.sync()
        whole = self.journal()[0]
        for corrupt in ({"size": None}, {"file": 7}, {"published": 3, "build": 1}, {"sha256": []}):
            entry = {**whole, **corrupt}
            if entry["size"] is None:
                del entry["size"]
            with open(self.path(".edgetape-sync.jsonl"), "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
                file.write(json.dumps({**entry, "name": f"600519.SH {DAY}"}) + "\n")
            with self.subTest(corrupt):
                self.assertEqual(len(self.sync().fetched) + len(self.sync().kept), 3)

    def test_are_cleared_of_the_partial_files_of_killed_processes(self):
        with open(self.path(".edgetape-123-abc.part"), "wb") as file:
            file.write(b"x")
        os.utime(self.path(".edgetape-123-abc.part"), (0, 0))
        self.sync()
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".part")], [])


class Disks(SyncCase):
    def fails(self, kind, **sync):
        with self.assertRaises(kind) as raised:
            self.sync(**sync)
        self.assertEqual((self.service.charged, self.waits), ([], []))
        return raised.exception

    def test_with_a_file_instead_of_the_folder_cause_no_charge(self):
        self.folder = self.path("file")
        with open(self.folder, "wb"):
            pass
        self.fails(FileExistsError)
        self.assertEqual(self.service.asked, [])

    def test_with_a_file_instead_of_a_subfolder_cause_no_charge(self):
        with open(self.path("600519.SH"), "wb"):
            pass
        self.fails(NotADirectoryError)

    def test_that_are_full_cause_no_charge(self):
        with mock.patch("edgetape.disk.shutil.disk_usage") as usage:
            usage.return_value.free = 14
            error = self.fails(OSError)
        self.assertIn("15 bytes are needed, 14 are free", str(error))

    def test_that_fail_during_a_write_raise_the_error_at_once(self):
        for times, raised in enumerate((OSError(28, "No space left on device"), OSError(5, "I/O error")), 1):
            file = mock.Mock()
            file.fileno.side_effect = OSError
            file.write.side_effect = raised
            real = open

            def opened(path, *mode, file=file, real=real, **options):
                return file if str(path).endswith(".part") else real(path, *mode, **options)

            with mock.patch("edgetape.disk.open", opened, create=True), self.assertRaises(OSError) as seen:
                self.sync()
            self.assertIs(seen.exception, raised)
            self.assertEqual((len(self.service.charged), self.waits), (times, []))

    def test_without_the_target_folder_of_a_file_cause_no_charge(self):
        client = Client("key", self.service.url)
        self.addCleanup(client.close)
        with open(self.path("file"), "wb"):
            pass
        for target in ("missing/a.parquet", "file/a.parquet"):
            with self.subTest(target), self.assertRaises((FileNotFoundError, NotADirectoryError)):
                client.orders_parquet("600519", DAY, self.path(target))
        self.assertEqual((self.service.asked, self.waits), ([], []))

    def test_have_files_that_other_users_can_read(self):
        former = os.umask(0o022)
        self.addCleanup(os.umask, former)
        self.sync()
        self.assertEqual(os.stat(self.path(FILE)).st_mode & 0o777, 0o644)


class Connections(SyncCase):
    def test_that_never_answer_raise_an_error_with_the_remaining_files(self):
        self.service.change = lambda interface, params, answer: (
            None if params.get("format") == "parquet" else answer
        )
        with self.assertRaises(ConnectionFailed) as raised:
            self.sync()
        self.assertEqual(len(raised.exception.report.left), 2)


class AnswersOfTrades(Answers):
    dataset = TRADES


class BuildsOfTrades(Builds):
    dataset = TRADES


class Datasets(SyncCase):
    def test_share_a_folder_and_its_journal(self):
        self.sync(last=DAY)
        self.dataset = self.service.dataset = TRADES
        self.service.days[DAY]["files"]["600519.SH"] = parquet("trades")
        self.assertEqual(self.sync(last=DAY).fetched, [("600519", DAY)])
        self.assertEqual(self.files(), [FILE, FILE.replace("orders", "trades")])
        self.assertEqual((self.read(FILE), self.read()), (parquet("one"), parquet("trades")))
        self.assertEqual(self.sync(last=DAY).kept, [("600519", DAY)])
        self.dataset = self.service.dataset = ORDERS
        self.assertEqual(self.sync(last=DAY).kept, [("600519", DAY)])

    def test_that_are_unknown_are_refused_without_a_request(self):
        client = Client("key", self.service.url)
        self.addCleanup(client.close)
        with self.assertRaisesRegex(ValueError, "dataset is 'orders' or 'trades' or 'quotes', not 'ticks'"):
            client.sync("600519", DAY, NEXT, self.folder, "ticks")
        self.assertEqual(self.service.asked, [])

    def test_of_a_range_that_ends_before_it_begins_are_refused_without_a_request(self):
        with self.assertRaisesRegex(ValueError, "20260312 is after the last day 20260311"):
            self.sync(first=NEXT, last="2026-03-11")
        self.assertEqual(self.service.asked, [])


class Quotas(SyncCase):
    def test_of_many_days_cause_a_warning_that_names_the_dataset(self):
        self.dataset = self.service.dataset = TRADES
        with mock.patch("edgetape.quota._MANY", 1), mock.patch("edgetape.quota._MANY_DAYS", 0):
            with self.assertWarnsRegex(QuotaWarning, r"\.download\(folder, dataset='trades'\)"):
                self.sync(["600519", "688111"])

    def test_are_printed_on_a_terminal_before_the_first_file(self):
        terminal = mock.Mock(wraps=io.StringIO())
        terminal.isatty.return_value = True
        with mock.patch("sys.stderr", terminal):
            self.sync(["600519", "688111", "000001"])
        said = "".join(call.args[0] for call in terminal.write.call_args_list)
        self.assertEqual(
            said.splitlines()[0], "6 of 6 files of orders will be downloaded, 2 left today: takes 3 days of quota"
        )
        asked = [interface for interface, _ in self.service.asked]
        self.assertLess(asked.index("account_info"), asked.index("level2_order_history"))

    def test_of_many_days_cause_a_warning_that_advises_shares(self):
        with mock.patch("edgetape.quota._MANY", 3), mock.patch("edgetape.quota._MANY_DAYS", 2):
            with self.assertWarnsRegex(QuotaWarning, r"3 days of quota; shares hold these days in 2 daily files"):
                self.sync(["600519", "688111", "000001"])
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.sync(["600519", "688111", "000001"])  # No file is left to download.


class Reports(unittest.TestCase):
    def test_state_the_numbers_of_files_in_one_line(self):
        file = ("600519", "20260302")
        self.assertEqual(
            str(SyncReport([file], [file, file], [], [], [], None)), "fetched 1, kept 2, without rows 0"
        )

    def test_list_the_unavailable_days_by_state(self):
        missing = [("20260225", "missing"), ("20260304", "pending"), ("20260226", "missing")]
        said = str(SyncReport([], [], [], missing, [], None))
        self.assertIn("days not available: 2 missing (20260225 to 20260226), 1 pending (20260304)", said)

    def test_state_the_remaining_files_and_the_time_of_the_reset(self):
        quota = QuotaUsed("used up", code=429)
        quota.resets_at = datetime.datetime(2026, 3, 13)
        said = str(SyncReport([], [], [], [], [("600519", "20260302")], quota))
        self.assertIn("left 1; can continue after 2026-03-13 00:00", said)
