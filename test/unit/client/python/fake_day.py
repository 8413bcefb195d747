"""A deployment in memory that serves a security's day as the service does: pages, cursors, refusals."""

from edgetape.calls import Answer
from edgetape.datasets import ORDERS
from edgetape.paging import Paging
from edgetape.selection import select

FIELDS = list(ORDERS.standard)
SYMBOL = "600519"
DAY = "20260311"


def order(time, number, price=12.5):
    """Returns an order with the ten standard fields."""
    return (SYMBOL, DAY, time, 0, number, "A", "B", float(price), 100, 100.0 * price)


def trade(time, number, price=12.5):
    """Returns a trade with the eleven standard fields."""
    return (SYMBOL, DAY, time, number, float(price), 100, 100.0 * price, "B", "", number, number + 1)


def quote(time, number, price=12.5):
    """Returns a quote with the fifty standard fields."""
    own = (price, price, price, price, price, 100 * number, 100.0 * price * number)
    levels = [(price - level, number, price + level + number, 200 * level) for level in range(1, 11)]
    return (SYMBOL, DAY, time, *own, *(value for level in levels for value in level))


#: For each dataset, the function that makes a row.
ROWS = {"orders": order, "trades": trade, "quotes": quote}


class FakeDay:
    """One deployment. `knows` lists what it supports: ``undated`` for undated cursors, ``build`` for build ids."""

    def __init__(self, name, rows, revision=1, knows=("undated", "build"), dataset=ORDERS):
        self.url = f"http://{name}"
        self.rows = list(rows)
        self.revision = revision
        self.knows = knows
        self.dataset = dataset
        self.fields = list(dataset.standard)
        #: Signs cursors, and differs by deployment. When it changes, earlier cursors are refused.
        self.secret = name
        self.asked = []

    def answer(self, interface, payload):
        """Returns the answer to one request."""
        params = payload["params"]
        assert interface == self.dataset.interface, interface
        self.asked.append({"interface": interface, **payload})
        window = (params.get("start_time", ""), params.get("end_time", "999999999"))
        rows = [row for row in self.rows if window[0] <= row[2] < window[1]]
        place = self._place(params.get("cursor"), rows, window)
        if isinstance(place, Answer):
            return place
        page = rows[place : place + params["page_size"]]
        after = place + len(page)
        names = payload.get("fields", self.fields)
        data = {
            "fields": list(names),
            "items": [[row[self.fields.index(name)] for name in names] for row in page],
            "tradedate": DAY,
            "page_size": params["page_size"],
            "next_cursor": f"{self.secret}/{self.revision}/{window[0]}/{after}"
            if after < len(rows)
            else None,
            "has_more": after < len(rows),
        }
        return self.served(data)

    def served(self, data):
        """Returns a success with `data`."""
        build = f"{hash(tuple(self.rows)):x}" if "build" in self.knows else None
        return Answer(self.url, 200, "success", data, 200, None, "rid", self.revision, None, None, build)

    def refused(self, code, reason, wait_s=None, resets_in=None):
        """Returns a refusal."""
        return Answer(self.url, code, "no", None, 200, reason, "rid", None, wait_s, resets_in)

    def _place(self, cursor, rows, window):
        if cursor is None:
            return 0
        if cursor.startswith("v2."):
            if self.dataset.name != ORDERS.name:
                return self.refused(422, "cursor_mismatch")
            if "undated" not in self.knows:
                return self.refused(422, "cursor_old_format")
            time, skip = cursor[3:].split("-")
            before = sum(row[2] < time for row in rows)
            if int(skip) > sum(row[2] == time for row in rows):
                return self.refused(422, "cursor_invalid")
            return before + int(skip)
        secret, revision, start, place = cursor.split("/")
        if secret != self.secret:
            return self.refused(422, "cursor_invalid")
        if int(revision) != self.revision:
            return self.refused(422, "data_rebuilt")
        if start != window[0]:
            return self.refused(422, "cursor_mismatch")
        return int(place)


class Endpoints:
    """The `call` argument of a `Paging` over several deployments. `choose` receives the number of earlier calls and
    returns the index of the deployment that answers."""

    def __init__(self, days, choose=lambda place: 0):
        self.days = list(days)
        self.choose = choose
        self.calls = 0

    def __call__(self, interface, payload_for):
        day = self.days[self.choose(self.calls)]
        self.calls += 1
        return day.answer(interface, payload_for(day.url))


def steps(count, every=3, dataset=ORDERS):
    """Returns `count` rows in groups of `every` rows with the same time."""
    return [ROWS[dataset.name](f"0930{place // every:05}", place) for place in range(count)]


def paging_over(lines, page_size=10, **selection):
    return Paging(lines, select(SYMBOL, DAY, **selection), page_size)


def read(paging):
    """Returns all rows. After a restart of paging, these are only the rows read since then."""
    rows, restarts = [], 0
    while True:
        found = paging.next_rows()
        if found is None:
            return rows
        rows = rows + found if paging.state.restarts == restarts else found
        restarts = paging.state.restarts
