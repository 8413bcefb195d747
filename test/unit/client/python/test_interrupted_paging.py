"""Tests that an interrupt before any line of the paging code loses no row, repeats no row, and causes no later
error."""

import unittest
import warnings

from edgetape.datasets import ORDERS, TRADES
from edgetape.errors import RebuildWarning
from edgetape.paging import Paging
from edgetape.selection import select
from edgetape.ticks import Ticks
from fake_day import DAY, ROWS, SYMBOL, FakeDay, Endpoints, steps
from interrupts import Interrupts, places_of

MODULES = ("paging", "ticks")

#: The ways in which a caller can read all rows.
WAYS = {
    "to_list": lambda orders: orders.to_list(),
    "iterate": lambda orders: list(orders),
    "pages": lambda orders: [row for page in orders.pages() for row in page],
}


class Interrupted(unittest.TestCase):
    dataset = ORDERS

    def setUp(self):
        warnings.simplefilter("ignore", RebuildWarning)
        self.addCleanup(warnings.resetwarnings)
        self.rows = steps(50, dataset=self.dataset)

    def orders(self, days, choose):
        selection = select(SYMBOL, DAY, dataset=self.dataset)
        return Ticks(Paging(Endpoints(days, choose), selection, 20), selection, lambda *_: None)

    def day(self, name, *more, **known):
        return FakeDay(name, self.rows, *more, dataset=self.dataset, **known)

    def check(self, make, expected):
        """For each line of a call, in a separate run: interrupts the call before that line, then repeats the call."""
        for name, way in WAYS.items():
            orders = make()
            places = places_of(lambda orders=orders, way=way: way(orders), MODULES)
            self.assertGreater(len(places), 150)
            for at in places:
                orders = make()
                kept = None
                try:
                    with Interrupts(MODULES, at) as interrupts:
                        way(orders)
                except KeyboardInterrupt as interrupt:
                    kept = interrupt  # Its traceback keeps the frames, as an interactive session does.
                before = f"{name}, interrupted before {interrupts.hit}"
                self.assertEqual(orders.rows, expected[: len(orders.rows)], before)
                self.assertEqual(way(orders), expected, before)
                self.assertIsNotNone(kept, before)

    def test_loses_no_row_on_one_deployment(self):
        self.check(lambda: self.orders([self.day("a")], lambda call: 0), self.rows)

    def test_loses_no_row_after_a_switch_of_the_base_url(self):
        def make():
            days = [self.day("a"), self.day("b", 4, knows=("build",))]
            return self.orders(days, lambda call: 0 if call < 2 else 1)

        self.check(make, self.rows)

    def test_loses_no_row_after_a_rebuild_that_kept_the_first_rows(self):
        after = [*self.rows[:45], ROWS[self.dataset.name]("100000000", 7)]

        def make():
            day = self.day("a")

            def choose(call):
                if call == 2:
                    day.rows, day.revision = after, 2
                return 0

            return self.orders([day], choose)

        for name, way in WAYS.items():
            orders = make()
            for at in places_of(lambda orders=orders, way=way: way(orders), MODULES):
                orders = make()
                with self.subTest(name=name, at=at):
                    try:
                        with Interrupts(MODULES, at) as interrupts:
                            way(orders)
                    except KeyboardInterrupt:
                        pass
                    self.assertEqual(way(orders), after, f"interrupted before {interrupts.hit}")


class InterruptedTrades(Interrupted):
    dataset = TRADES
