"""Walks over deployments in memory: each way to continue, to begin anew, and to give up."""

import unittest
import warnings
from unittest import mock

from edgetape.errors import BadRequest, DataRebuilt, ProtocolError, QuotaUsed, RebuildWarning
from fake_day import DAY, FakeDay, Endpoints, order, read, steps, paging_over


class Walks(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", RebuildWarning)
        self.addCleanup(warnings.resetwarnings)

    def test_continues_elsewhere_by_an_undated_cursor_with_64_rows_of_overlap(self):
        days = [FakeDay("a", steps(300)), FakeDay("b", steps(300), 4)]
        paging = paging_over(Endpoints(days, lambda call: 0 if call < 1 else 1), page_size=100)
        self.assertEqual(read(paging), steps(300))
        first = days[1].asked[0]["params"]
        # Row 36 is the first one of its millisecond, the thirteenth of three rows each.
        self.assertEqual((first["cursor"], first["page_size"]), ("v2.093000012-0", 164))
        self.assertEqual(first["tradedate"], DAY)

    def test_continues_by_a_window_where_undated_cursors_are_not_known(self):
        days = [FakeDay("a", steps(300, 90)), FakeDay("b", steps(300, 90), 4, knows=("build",))]
        paging = paging_over(
            Endpoints(days, lambda call: 0 if call < 1 else 1), page_size=100, end="100000000"
        )
        self.assertEqual(read(paging), steps(300, 90))
        undated, window = days[1].asked[:2]
        self.assertEqual(undated["params"]["cursor"], "v2.093000000-36")
        self.assertEqual(window["params"]["start_time"], "093000000")
        self.assertEqual(window["params"]["end_time"], "100000000")
        self.assertNotIn("cursor", window["params"])

    def test_continues_when_its_own_deployment_forgot_the_cursor(self):
        day = FakeDay("a", steps(100))

        def choose(call):
            if call == 3:
                day.secret = "a new one"
            return 0

        self.assertEqual(read(paging_over(Endpoints([day], choose))), steps(100))

    def test_does_not_take_an_early_end_elsewhere_for_the_end(self):
        for knows in (("undated", "build"), ("build",)):
            days = [FakeDay("a", steps(300)), FakeDay("b", steps(90), 4, knows)]
            paging = paging_over(Endpoints(days, lambda call: 0 if call < 2 else 1), page_size=100)
            self.assertEqual(read(paging), steps(90))
            self.assertEqual(paging.state.restarts, 1)

    def test_notices_other_rows_elsewhere_before_those_it_compares(self):
        other = [order("093000000", 0, 99.0), *steps(300)[1:]]
        days = [FakeDay("a", steps(300)), FakeDay("b", other, 4)]
        paging = paging_over(Endpoints(days, lambda call: 0 if call < 2 else 1), page_size=100)
        self.assertEqual(read(paging), other)
        self.assertEqual(paging.state.restarts, 1)

    def test_notices_a_rebuild_of_a_deployment_it_comes_back_to(self):
        other = [order("093000000", 0, 99.0), *steps(300)[1:]]
        days = [FakeDay("a", steps(300)), FakeDay("b", steps(300), 4)]

        def choose(call):
            if call == 2:
                days[0].rows, days[0].revision = other, 2
            return 1 if call == 1 else 0

        paging = paging_over(Endpoints(days, choose), page_size=100)
        self.assertEqual(read(paging), other)

    def test_notices_a_rebuild_of_both_deployments_between_two_pages(self):
        days = [FakeDay("a", steps(300)), FakeDay("b", steps(300), 4)]
        other = [order("093000000", 0, 99.0), *steps(300)[1:]]

        def choose(call):
            if call == 1:
                for day in days:
                    day.rows, day.revision = other, day.revision + 1
            return 0 if call < 2 else 1

        self.assertEqual(read(paging_over(Endpoints(days, choose), page_size=100)), other)

    def test_compares_with_the_present_content_after_it_began_anew(self):
        days = [FakeDay("a", steps(300)), FakeDay("b", steps(300), 4)]

        def choose(call):
            if call == 2:
                for day in days:
                    day.rows, day.revision = steps(250), day.revision + 1
            return 0 if call < 4 else 1

        paging = paging_over(Endpoints(days, choose), page_size=100)
        self.assertEqual(read(paging), steps(250))
        self.assertEqual(paging.state.restarts, 1)

    def test_passes_over_more_rows_of_a_millisecond_than_an_answer_holds(self):
        days = [FakeDay("a", steps(300, 300)), FakeDay("b", steps(300, 300), 4, knows=("build",))]
        with mock.patch("edgetape.paging.MOST_ROWS", 50):
            paging = paging_over(Endpoints(days, lambda call: 0 if call < 4 else 1), page_size=50)
            self.assertEqual(read(paging), steps(300, 300))

    def test_takes_two_addresses_of_one_deployment_for_no_circle(self):
        days = [FakeDay(name, steps(300, 300), knows=("build",)) for name in "ab"]
        days[1].secret = days[0].secret
        with mock.patch("edgetape.paging.MOST_ROWS", 50):
            paging = paging_over(Endpoints(days, lambda call: int(3 <= call < 8)), page_size=50)
            self.assertEqual(read(paging), steps(300, 300))
        self.assertGreater(len(days[1].asked), 3)

    def test_gives_up_when_every_way_is_refused(self):
        day = FakeDay("a", steps(300, 300), knows=())

        def choose(call):
            day.secret = f"a new one for each of {call}"
            return 0

        with mock.patch("edgetape.paging.MOST_ROWS", 50), self.assertRaises(BadRequest):
            read(paging_over(Endpoints([day], choose), page_size=50))

    def test_asks_for_time_as_well_and_does_not_show_it(self):
        day = FakeDay("a", steps(25))
        paging = paging_over(Endpoints([day]), fields="price,order_id")
        found = paging.next_rows()
        self.assertEqual((found.fields, found.rows[0]), (["price", "order_id"], (12.5, 0)))
        self.assertEqual(day.asked[0]["fields"], ["price", "order_id", "time"])

    def test_asks_nothing_beside_the_pages(self):
        days = [FakeDay("a", steps(25)), FakeDay("b", steps(25))]
        read(paging_over(Endpoints(days, lambda call: call % 2)))
        asked = [each["interface"] for day in days for each in day.asked]
        self.assertEqual(asked, ["level2_order_history"] * 3)

    def test_never_mixes_two_builds_of_the_same_rows_and_size(self):
        other = [*steps(300)[:2], (*steps(300)[2][:8], 900, 11250.0), *steps(300)[3:]]
        days = [FakeDay("a", steps(300)), FakeDay("b", other, 1)]
        paging = paging_over(Endpoints(days, lambda call: 0 if call < 2 else 1), page_size=100)
        self.assertEqual(read(paging), other)
        self.assertEqual(paging.state.restarts, 1)

    def test_reads_anew_elsewhere_when_a_build_id_is_missing(self):
        for knows in ((("undated",), ("undated", "build")), (("undated", "build"), ("undated",))):
            days = [FakeDay(name, steps(300), 1, known) for name, known in zip("ab", knows)]
            paging = paging_over(Endpoints(days, lambda call: 0 if call < 2 else 1), page_size=100)
            with self.assertWarns(RebuildWarning):
                self.assertEqual(read(paging), steps(300))
            self.assertEqual(paging.state.restarts, 1)

    def test_notices_a_rebuild_by_its_revision_where_no_build_id_is_sent(self):
        day = FakeDay("a", steps(30), knows=("undated",))
        paging = paging_over(Endpoints([day]))
        paging.next_rows()
        day.secret, day.revision = "a new one", 2
        self.assertTrue(paging.next_rows().begins_anew)

    def test_begins_anew_once_and_says_so(self):
        day = FakeDay("a", steps(30))
        paging = paging_over(Endpoints([day]))
        paging.next_rows()
        day.rows, day.revision = steps(40), 2
        with self.assertWarns(RebuildWarning):
            again = paging.next_rows()
        self.assertTrue(again.begins_anew)
        self.assertEqual(again.rows, steps(40)[:10])
        day.revision = 3
        with self.assertRaises(DataRebuilt) as raised:
            paging.next_rows()
        self.assertEqual((raised.exception.code, raised.exception.request_id), (422, "rid"))

    def test_says_that_it_begins_anew_also_after_a_refusal_in_between(self):
        day = FakeDay("a", steps(30))
        paging = paging_over(Endpoints([day]))
        paging.next_rows()
        day.revision = 2
        serve, refusals = day.answer, [day.refused(422, "data_rebuilt"), day.refused(429, "quota_used")]
        day.answer = lambda *asked: refusals.pop(0) if refusals else serve(*asked)
        with self.assertRaises(QuotaUsed):
            paging.next_rows()
        self.assertTrue(paging.next_rows().begins_anew)

    def test_stays_where_it_was_when_the_quota_is_used_up(self):
        day = FakeDay("a", steps(30))
        paging = paging_over(Endpoints([day]))
        rows = list(paging.next_rows().rows)
        serve = day.answer
        day.answer = lambda *_: day.refused(429, "quota_used", resets_in=3600.0)
        with self.assertRaises(QuotaUsed) as raised:
            paging.next_rows()
        self.assertEqual(raised.exception.resets_in, 3600.0)
        self.assertEqual(str(raised.exception.resets_at.tzinfo), "Beijing")
        day.answer = serve
        self.assertEqual(rows + read(paging), steps(30))

    def test_refuses_a_cursor_that_comes_twice(self):
        day = FakeDay("a", steps(30))
        serve = day.answer

        def stuck(interface, payload):
            return serve(interface, {**payload, "params": {**payload["params"], "cursor": None}})

        day.answer = stuck
        paging = paging_over(Endpoints([day]))
        paging.next_rows()
        with self.assertRaises(ProtocolError):
            paging.next_rows()

    def test_refuses_pages_that_are_none(self):
        def spoilt(**change):
            day = FakeDay("a", steps(30))
            serve = day.answer
            day.answer = lambda *asked: day.served({**serve(*asked).data, **change})
            return paging_over(Endpoints([day]))

        backwards = [list(row) for row in reversed(steps(5))]
        for change in (
            {"items": None},
            {"items": [[1, 2]]},
            {"fields": ["time"]},
            {"items": backwards},
            {"next_cursor": None},
            {"tradedate": "20260310"},
            {"items": []},
        ):
            with self.subTest(change=change), self.assertRaises(ProtocolError):
                spoilt(**change).next_rows()


if __name__ == "__main__":
    unittest.main()
