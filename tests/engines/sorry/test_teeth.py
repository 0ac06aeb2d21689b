"""Teeth: break a rule in the engine, and the test that is named beside it must fail.

A mutation is a change of one place in the source. The test is a function of this folder; of a table of rows
that cite rules only the rule's own count.
"""

import importlib
import itertools

import pytest

from engines.errors import GameError
from tests.engines.mutation import mutated
from tests.engines.sorry.mutations import BOARD
from tests.engines.sorry.mutations_of_play import PLAY

ANEW = ("engines.sorry", "engines.registry", "tests.engines.sorry")
FAILURES = (
    AssertionError,
    pytest.fail.Exception,
    GameError,
    LookupError,
    AttributeError,
    TypeError,
    RuntimeError,
)
MUTATIONS = BOARD + PLAY


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: f"{m.rule} {m.what}")
def test_a_broken_rule_is_found(mutation):
    module, _, name = mutation.test.partition(".")
    with mutated(f"engines.sorry.{mutation.module}", mutation.old, mutation.new, *ANEW):
        assert fails(module, name, mutation.rule)


def fails(module, name, rule):
    """Whether a test fails, or one of its rows."""
    test = getattr(importlib.import_module(f"tests.engines.sorry.test_{module}"), f"test_{name}")
    try:
        for row in rows(test, rule):
            test(**row)
    except FAILURES:
        return True
    return False


def rows(test, rule):
    """The arguments that a test is called with; of rows that cite rules, those that cite this one."""
    tables = [_table(*mark.args) for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    found = [dict(itertools.chain(*map(dict.items, row))) for row in itertools.product(*tables)]
    return [row for row in found if row.get("rule") == rule] or found


def _table(names, values):
    names = [names] if isinstance(names, str) else names
    return [dict(zip(names, value if len(names) > 1 else [value], strict=True)) for value in values]


def test_every_rule_is_broken_once():
    assert {m.rule for m in MUTATIONS} == {f"S{n}" for n in range(1, 32)} | {"hidden"}
