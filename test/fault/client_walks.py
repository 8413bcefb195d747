"""Walks on demand for `client-walks.test.ts`: a line of JSON says which, a line of JSON gives the rows.

Waits are cut short, so that hours of patience pass in seconds; what is counted against the bound is not.
"""

import json
import sys
import time
import warnings

from edgetape import Client, EdgetapeError, waiting

LONGEST_WAIT_S = 0.02


def wait(seconds):
    time.sleep(min(seconds, LONGEST_WAIT_S))


def paging(asked):
    client = Client(asked["key"], asked["urls"], max_wait=600.0, timeout=20.0)
    names = ("symbol", "date", "start", "end", "fields")
    orders = client.orders(*(asked.get(name) for name in names), page_size=asked["page_size"])
    rows = []
    try:
        if asked["how"] == "iterate":
            for row in orders:
                rows.append(row)
        else:
            rows = orders.to_list()
        return {"rows": rows, "fields": orders.fields, "restarts": orders.restarts}
    except EdgetapeError as error:
        kind = type(error).__name__
        told = {"error": kind, "code": error.code, "reason": error.reason, "request_id": error.request_id}
        return {**told, "message": str(error), "restarts": orders.restarts}
    finally:
        client.close()


waiting.sleep = wait
warnings.simplefilter("ignore")
for line in sys.stdin:
    print(json.dumps(paging(json.loads(line))), flush=True)
