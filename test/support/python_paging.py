"""Runs paging tasks: reads each task from a line of JSON and writes a line of JSON with the rows or the error.

A wait of hours takes only milliseconds here, but counts with its full length towards the limits.
"""

import json
import sys
import time
import warnings

from edgetape import Client, EdgetapeError, RebuildWarning, waiting

LONGEST_WAIT_S = 0.02


def wait(seconds):
    time.sleep(min(seconds, LONGEST_WAIT_S))


def error_of(error):
    facts = {"error": type(error).__name__, "code": error.code, "reason": error.reason}
    facts.update(requestId=error.request_id, message=str(error))
    if hasattr(error, "resets_at"):
        facts.update(resetsInMs=error.resets_in * 1000, resetsAt=error.resets_at.isoformat())
    return facts


def read(orders, how):
    if how == "list":
        return {"rows": orders.to_list()}
    rows = []
    try:
        for page in orders.pages() if how == "pages" else ([row] for row in orders):
            rows.extend(page)
        return {"rows": rows}
    except EdgetapeError as error:
        return {"handed": rows, **error_of(error)}


def attempt(orders, how):
    try:
        return read(orders, how)
    except EdgetapeError as error:
        return {"handed": [], **error_of(error)}


def page(asked):
    client = Client(asked["key"], asked["urls"], max_wait=600.0, timeout=20.0)
    names = ("symbol", "date", "start", "end", "fields")
    orders = getattr(client, asked.get("dataset", "orders"))(*(asked.get(name) for name in names), page_size=asked["pageSize"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RebuildWarning)
        attempts = [attempt(orders, asked["how"]) for _ in range(asked.get("attempts", 1))]
    client.close()
    told = sum(issubclass(each.category, RebuildWarning) for each in caught)
    return {"attempts": attempts, "fields": orders.fields, "restarts": orders.restarts, "told": told}


waiting.sleep = wait
for line in sys.stdin:
    print(json.dumps(page(json.loads(line))), flush=True)
