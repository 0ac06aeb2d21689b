"""Who may import what, beyond the layers that import-linter checks: allow-lists, by reading every import."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Engines are pure: of the standard library only what computes. `random` for generators that are handed in.
PURE = {
    "__future__",
    "abc",
    "array",
    "base64",
    "binascii",
    "bisect",
    "collections",
    "copy",
    "dataclasses",
    "enum",
    "functools",
    "hashlib",
    "heapq",
    "hmac",
    "itertools",
    "json",
    "math",
    "operator",
    "random",
    "re",
    "statistics",
    "string",
    "struct",
    "types",
    "typing",
    "engines",
}
# module -> where it may be imported
ONLY_IN = {
    "redis": ("service/store/",),
    "flask": ("service/api/", "service/web/", "service/app.py"),
    "celery": ("workers/celery.py", "workers/tasks.py", "workers/serving.py", "service/jobs.py"),
    "requests": ("workers/client.py", "workers/stack.py", "workers/demo.py", "workers/commands/"),
}
CHANCE = {"Random"}  # all that is taken from `random`: a generator with a seed of its own


def sources(package):
    return sorted((ROOT / package).rglob("*.py"))


def imported(path):
    """The top-level names of the modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", sources("engines"), ids=name)
def test_engines_import_only_what_computes(path):
    assert set(imported(path)) <= PURE


@pytest.mark.parametrize("path", sources("engines"), ids=name)
def test_engines_use_no_global_randomness(path):
    tree = ast.parse(path.read_text())
    whole = [n for n in ast.walk(tree) if isinstance(n, ast.Import) and n.names[0].name == "random"]
    taken = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "random"
        for alias in node.names
    }
    assert not whole, "import Random from random, and nothing else"
    assert taken <= CHANCE


@pytest.mark.parametrize("module", ONLY_IN)
def test_a_module_stays_where_it_belongs(module):
    places = ONLY_IN[module]
    users = [
        name(path)
        for package in ("engines", "service", "workers", "bots")
        for path in sources(package)
        if module in imported(path)
    ]
    assert [user for user in users if not user.startswith(places)] == []
    assert users


@pytest.mark.parametrize("path", sources("bots"), ids=name)
def test_bots_need_engines_and_the_standard_library(path):
    course = {"numpy"} if name(path) == "bots/samples/course_bot.py" else set()
    assert set(imported(path)) - {"bots", "engines", "service"} - course <= set(sys.stdlib_module_names)
