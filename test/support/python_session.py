"""Runs the Python programs of a test. Each line of input is a program as JSON; each line of output is JSON that contains
the value of the program's variable `result`."""

import json
import sys
import traceback

names = {}
for line in sys.stdin:
    names["result"] = None
    try:
        exec(json.loads(line), names)
        answer = {"result": names["result"]}
    except BaseException as error:
        told = {name: getattr(error, name, None) for name in ("code", "reason", "request_id")}
        answer = {
            "error": type(error).__name__,
            **told,
            "message": str(error),
            "trace": traceback.format_exc(),
        }
    print(json.dumps(answer, default=str), flush=True)
