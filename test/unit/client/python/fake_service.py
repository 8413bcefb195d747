"""A service in memory over HTTP, with what `sync` and Parquet downloads use: days, builds, files, changes."""

import json

from edgetape.datasets import ORDERS
from fake_http import FakeServer, http

MEDIA_TYPE = "application/vnd.apache.parquet"


def parquet(text):
    """Returns bytes that look like a Parquet file with the content `text`."""
    return b"PAR1" + text.encode() + b"\0\0\0\0PAR1"


class FakeService:
    """Serves `days`, each with ``revision``, ``build``, ``published`` and ``files`` by code. `charged` lists the
    charged files, `change` can replace any answer, and `dataset` is the only dataset. `share` is the address and the
    password of every year's share; None if the plan has no shares."""

    dataset = ORDERS
    share = None

    def __init__(self, **days):
        self.days = {name[1:]: day for name, day in days.items()}
        self.charged = []
        self.asked = []
        self.changes = []
        self.window_from = None
        self.change = lambda interface, params, answer: answer
        self._server = FakeServer(self._answer)
        self.url, self.close = self._server.url, self._server.close

    def _answer(self, head, body):
        asked = json.loads(body)
        interface, params = asked["apiname"], asked["params"]
        self.asked.append((interface, params))
        if interface == "data_changes" and params.get("dataset", "orders") != self.dataset.name:
            return refused(422, "param_invalid")
        operations = {self.dataset.estimate: self._estimate, self.dataset.interface: self._file}
        answer = (operations.get(interface) or getattr(self, f"_{interface}"))(params)
        return self.change(interface, params, answer)

    def _data_status(self, params):
        month = params["month"]
        if self.window_from is not None and month < self.window_from[:6]:
            return refused(403, "outside_window")
        days = [
            dated(
                date,
                self.dataset,
                **{"state": "available", "revision": day["revision"]},
                **{"build_id": day["build"], "published_at": day["published"]},
                **{"rows": 1, "securities": 1, "size_bytes": 10**12},
            )
            for date, day in sorted(self.days.items())
            if date.startswith(month) and date >= (self.window_from or "")
        ]
        return served({"month": month, "window_from": self.window_from, "days": days})

    def _data_changes(self, params):
        return served({"changes": self.changes, "next_after": 1, "has_more": False})

    def _estimate(self, params):
        code, data = self._found(params)
        if data is None:
            return refused(1002, "security_unknown")
        return served({"market": code[-2:], "parquet_bytes": len(data)})

    def _file(self, params):
        code, data = self._found(params)
        if data is None:
            return refused(1002, "security_unknown")
        date = params["tradedate"]
        self.charged.append((code, date))
        day = self.days[date]
        return http(
            200,
            data,
            content_type=MEDIA_TYPE,
            content_disposition=f'attachment; filename="{code}_{date}_{self.dataset.name}.parquet"',
            x_row_count=7,
            x_revision=day["revision"],
            x_build=day["build"],
        )

    def _file_download(self, params):
        if self.share is None:
            return refused(403, "outside_window")
        covered = {"start_date": "20260105", "end_date": "20261231", "file_count": 3, "size_bytes": 3, "expires_at": ""}
        share = {"status": "ready", "retry_after": 0, **params, **covered, **self.share}
        return served({"code": 200, "message": "success", "data": share})

    def _account_info(self, params):
        counter = {"limit": 2, "used": 0, "credited": 0, "left": 2}
        quota = {"interface": self.dataset.interface, "requests": counter, "files": counter}
        return served({"quotas": [quota]})

    def _found(self, params):
        symbol, files = params["symbol"], self.days[params["tradedate"]]["files"]
        for code in [symbol] if "." in symbol else [f"{symbol}.SZ", f"{symbol}.SH"]:
            if code in files:
                return code, files[code]
        return symbol, None


def day(build="b1", revision=1, **files):
    """Returns a day; the names of `files` have the form `SH600519`."""
    named = {f"{name[2:]}.{name[:2]}": parquet(text) for name, text in files.items()}
    published = f"2026-03-12T18:00:0{revision}+08:00"
    return {"revision": revision, "build": build, "published": published, "files": named}


def dated(date, dataset, **facts):
    """Returns a day of `data_status` on which only one dataset is loaded."""
    absent = {"state": "missing", **dict.fromkeys(set(facts) - {"state"})}
    datasets = {"orders": absent, "trades": absent, dataset.name: facts}
    return {"tradedate": date, **datasets["orders"], "datasets": datasets}


def envelope(code, data, message="success", **headers):
    """Returns an answer in the service's envelope."""
    return http(200, json.dumps({"code": code, "message": message, "data": data}), **headers)


def served(data):
    """Returns a success with `data`."""
    return envelope(200, data)


def refused(code, reason):
    """Returns a refusal whose headers and message state the reason and the request id."""
    return envelope(code, None, f"no [{reason} · r1]", x_reason=reason, x_request_id="r1")


def without(answer, *names):
    """Returns `answer` without the headers `names`."""
    head, body = answer.split(b"\r\n\r\n", 1)
    dropped = tuple(f"{name.lower()}:".encode() for name in names)
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(dropped)]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body
