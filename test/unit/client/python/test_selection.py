"""Tests dates, times, symbols and columns in the forms that callers write."""

import datetime
import unittest

from edgetape.selection import field_names, month_of, security_code, select, time_of_day, tradedate


class Selections(unittest.TestCase):
    def test_accepts_dates_in_every_usual_form(self):
        moment = datetime.datetime(2026, 3, 11, 23, 59, tzinfo=datetime.timezone.utc)
        for value in ("20260311", "2026-03-11", " 20260311 ", datetime.date(2026, 3, 11), moment):
            self.assertEqual(tradedate(value), "20260311")
        for value in ("2026-0311", "20260230", "11.3.2026", "２０２６０３１１", ""):
            with self.subTest(value), self.assertRaises(ValueError):
                tradedate(value)
        with self.assertRaises(TypeError):
            tradedate(20260311)

    def test_raises_an_error_that_quotes_an_invalid_date(self):
        for wrong in ("2026-13-01", "20260230", "2026/03/11"):
            with self.assertRaisesRegex(ValueError, f"^'{wrong}' is not a date: "):
                tradedate(wrong)

    def test_accepts_months(self):
        self.assertEqual([month_of(each) for each in ("202603", "2026-03", "20260311")], ["202603"] * 3)
        self.assertIsNone(month_of(None))

    def test_writes_times_to_the_millisecond(self):
        self.assertEqual(time_of_day(datetime.time(9, 30, 0, 7000)), "093000007")
        self.assertEqual(time_of_day("09:30"), "09:30")
        with self.assertRaises(ValueError):
            time_of_day(datetime.time(9, 30, 0, 1))
        with self.assertRaises(TypeError):
            time_of_day(93000)

    def test_refuses_a_number_as_a_symbol(self):
        with self.assertRaises(TypeError):
            select(1, "20260311")
        self.assertEqual(select(" 000001 ", "20260311").symbol, "000001")

    def test_returns_one_spelling_of_each_security(self):
        for value in ("600519.SH", "sh600519", "600519.XSHG", "600519.ss", " SH600519 "):
            self.assertEqual(security_code(value), "600519.SH")
        self.assertEqual(security_code("sz000001"), "000001.SZ")
        self.assertEqual([security_code(each) for each in ("600519", "abc")], ["600519", "ABC"])

    def test_accepts_columns_as_text_or_list_without_repeats(self):
        self.assertEqual(field_names("time, price,,time"), ["time", "price"])
        self.assertEqual(field_names(["price", "side"]), ["price", "side"])
        self.assertEqual([field_names(each) for each in (None, "", [])], [None] * 3)

    def test_omits_parameters_that_were_not_given(self):
        self.assertTrue(select("600519", None, "", None).is_whole_day)
        self.assertEqual(select("600519", None).params(), {"symbol": "600519"})
        window = select("600519", "20260311", "09:30", datetime.time(9, 31))
        self.assertFalse(window.is_whole_day)
        self.assertEqual(window.params()["end_time"], "093100000")
