"""Tests the delivered package: wheel and source archive, Python 3.9, annotations and docstrings."""

import ast
import importlib.util
import inspect
import json
import os
import pickle
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

import edgetape
from edgetape.datasets import ORDERS, QUOTES, TRADES
from fake_http import FakeServer
from fake_service import refused, served

DAY = "20260311"
DATASETS = ("orders", "trades", "quotes")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(edgetape.__file__)))


def built(kind, folder, source=ROOT):
    """Returns the path of the wheel or source archive (`kind`) that the build backend builds from `source`."""
    made = os.path.join(folder, kind)
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", made]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (name,) = os.listdir(made)
    return os.path.join(made, name)


def sources():
    folder = os.path.join(ROOT, "edgetape")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield name, file.read()


#: Names and keywords that are newer than Python 3.9 and that a program like this might use.
NEWER = {
    *("pairwise", "batched", "bit_count", "file_digest", "UTC", "StrEnum", "aclosing", "chdir", "add_note"),
    *("aiter", "anext", "TaskGroup", "ExceptionGroup", "BaseExceptionGroup", "tomllib", "get_annotations"),
    *("Self", "TypeAlias", "ParamSpec", "Concatenate", "TypeGuard", "Required", "NotRequired", "Unpack"),
    *("LiteralString", "assert_never", "assert_type", "reveal_type", "override", "dataclass_transform"),
}
NEWER_KEYWORDS = {"strict": "zip", "slots": "dataclass", "kw_only": "dataclass", "root_dir": "glob"}


def names_in(node):
    """Returns the names in one node of a tree."""
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.Name):
        return [node.id]
    return [each.name for each in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    @unittest.skipUnless(importlib.util.find_spec("hatchling"), "SKIPPED: hatchling is not here")
    def test_builds_one_wheel_from_the_sources_and_from_the_source_archive(self):
        before = sorted(os.listdir(ROOT))
        wheel, archive = built("wheel", self.folder), built("sdist", self.folder)
        self.assertEqual(sorted(os.listdir(ROOT)), before)
        self.assertEqual(os.path.basename(wheel), f"edgetape-{edgetape.__version__}-py3-none-any.whl")
        with zipfile.ZipFile(wheel) as opened:
            listed = opened.namelist()
            self.assertIn("edgetape/py.typed", listed)
            self.assertEqual({f"edgetape/{name}" for name, _ in sources()} - set(listed), set())
            (metadata,) = [name for name in listed if name.endswith("METADATA")]
            self.assertIn(b"Requires-Python: >=3.9", opened.read(metadata))
            record = opened.read(metadata.replace("METADATA", "RECORD")).decode()
            self.assertEqual(len(record.splitlines()), len(listed))
        with tarfile.open(archive) as opened:
            names = [name.split("/", 1)[1] for name in opened.getnames()]
            opened.extractall(self.folder)
        for needed in ("pyproject.toml", "PKG-INFO", "README.md", "edgetape/__init__.py"):
            self.assertIn(needed, names)
        unpacked = os.path.join(self.folder, f"edgetape-{edgetape.__version__}")
        again = built("wheel", os.path.join(self.folder, "again"), unpacked)
        with open(wheel, "rb") as first, open(again, "rb") as second:
            self.assertEqual(first.read(), second.read())

    @unittest.skipUnless(importlib.util.find_spec("hatchling"), "SKIPPED: hatchling is not here")
    def test_can_be_imported_from_its_wheel(self):
        wheel = built("wheel", self.folder)
        program = "import sys; sys.path.insert(0, sys.argv[1]); import edgetape; print(edgetape.__file__)"
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        said = subprocess.run(
            [sys.executable, "-c", program, wheel],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        self.assertIn(wheel, said.stdout)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "SKIPPED: mypy is not here")
    def test_passes_mypy_strict(self):
        command = [sys.executable, "-m", "mypy", "--cache-dir", self.folder, "edgetape"]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stderr), (0, ""), said.stdout)

    def test_needs_only_python_3_9_and_its_standard_library(self):
        optional = {"pandas", "polars", "pyarrow", "tqdm", "edgetape"}
        known = getattr(sys, "stdlib_module_names", None)
        for name, text in sources():
            tree = ast.parse(text, name, feature_version=(3, 9))
            for node in ast.walk(tree):
                names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module]
                for module in {each.split(".")[0] for each in names} if known is not None else ():
                    self.assertTrue(module in known or module in optional, f"{name} imports {module}")
                place = f"{name}, line {getattr(node, 'lineno', 0)}"
                self.assertFalse(NEWER.intersection(names_in(node)), place)
                if isinstance(node, ast.Call):
                    called = (names_in(node.func) or [""])[0]
                    for keyword in node.keywords:
                        self.assertNotEqual(NEWER_KEYWORDS.get(keyword.arg, "-"), called, place)

    def test_has_annotations_and_docstrings_for_its_public_members(self):
        for name in edgetape.__all__:
            thing = getattr(edgetape, name)
            if not inspect.isclass(thing):
                continue
            self.assertTrue(thing.__doc__, name)
            for member, function in inspect.getmembers(thing, inspect.isfunction):
                if member.startswith("_") or not function.__module__.startswith("edgetape"):
                    continue
                self.assertTrue(function.__doc__, f"{name}.{member} has no docstring")
                signature = inspect.signature(function)
                self.assertIsNot(signature.return_annotation, inspect.Signature.empty, f"{name}.{member}")
                for parameter in list(signature.parameters.values())[1:]:
                    self.assertIsNot(parameter.annotation, inspect.Parameter.empty, f"{name}.{member}")

    def test_has_docstrings_that_name_every_operation_a_method_calls(self):
        asked = []

        def answer(head, body):
            interface = json.loads(body)["apiname"]
            asked.append(interface)
            facts = {"state": "available", "revision": 1, "published_at": DAY}
            day = {"tradedate": DAY, **facts, "datasets": dict.fromkeys(DATASETS, facts)}
            if interface == "data_status":
                return served({"month": DAY[:6], "window_from": None, "days": [day]})
            return refused(1002, "security_unknown")

        server = FakeServer(answer)
        self.addCleanup(server.close)
        client = edgetape.Client("key", server.url, max_wait=0)
        self.addCleanup(client.close)
        folder, file = os.path.join(self.folder, "sync"), os.path.join(self.folder, "x")
        calls = {
            **{"account": [()], "status": [(), (DAY, "trades")], "symbols": [(), (DAY, None, "trades")]},
            **{"changes": [(), ("20260101", None, "trades")], "wait_until_ready": [(DAY,), (DAY, "trades")]},
            **{"estimate": [("600519",)], "share": [("level2", 2026)]},
            **{name: [("600519", DAY), (["600519"], DAY, DAY)] for name in DATASETS},
            **{f"{name}_parquet": [("600519", DAY, file)] for name in DATASETS},
            **{name: [("600519", DAY, DAY, folder, each) for each in DATASETS] for name in ("sync", "history")},
        }
        members = [name for name, _ in inspect.getmembers(edgetape.Client, inspect.isfunction)]
        self.assertEqual(set(calls), {name for name in members if not name.startswith("_")} - {"close"})
        for member, attempts in calls.items():
            asked.clear()
            for arguments in attempts:
                try:
                    made = getattr(client, member)(*arguments)
                    list(made) if hasattr(made, "__iter__") else None
                    made.plan() if hasattr(made, "plan") else None
                except edgetape.EdgetapeError:
                    pass
            said = getattr(edgetape.Client, member).__doc__
            self.assertTrue(asked, member)
            for interface in set(asked):
                self.assertIn(f"``{interface}``", said, member)

    def test_has_docstrings_that_name_the_operations_that_read_rows(self):
        for kind in (edgetape.Orders, edgetape.Trades, edgetape.Quotes):
            for member in ("__iter__", "to_list", "to_df", "to_polars", "to_parquet", "to_csv"):
                said = getattr(kind, member).__doc__
                for dataset in (ORDERS, TRADES, QUOTES):
                    self.assertIn(f"``{dataset.interface}``", said, member)

    def test_raises_errors_that_can_be_pickled(self):
        error = edgetape.NoData("a sentence", code=1002, reason="not_loaded", request_id="r", status=200)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.code, again.reason, str(again)), (1002, "not_loaded", str(error)))
