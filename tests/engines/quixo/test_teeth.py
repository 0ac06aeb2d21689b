"""Teeth: break a rule in the engine, and one of that rule's rows must fail.

A mutation is a change of one place in the source. Q14 is the game ending in `apply` and `position`
themselves, and Q16 is the clock's.
"""

from dataclasses import dataclass

import pytest

from engines.errors import GameError
from tests.engines.quixo.mutants import OPPONENT_LINE, OWN_LINE, mutant
from tests.engines.quixo.rule_table import ROWS


@dataclass(frozen=True)
class Mutation:
    rule: str
    what: str
    module: str
    old: str
    new: str


MUTATIONS = [
    Mutation("Q1", "the size is always 5", "state", "board_of(self.size)", "board_of(5)"),
    Mutation("Q1", "a sixth row is on the board", "notation", "0 <= row < size", "0 <= row"),
    Mutation("Q2", "seat 0 plays O", "notation", '".XO  "', '".OX  "'),
    Mutation("Q2", "seat 1 starts", "game", "options), 0, 0, 0", "options), 1, 0, 0"),
    Mutation("Q3", "a seat moves twice", "state", "return self.ply % self.", "return self.ply // 2 % self."),
    Mutation(
        "Q3",
        "a pass is a move",
        "state",
        "barred >> board.half] or (PASS,)",
        "barred >> board.half] + (PASS,)",
    ),
    Mutation("Q4", "the opponents' cubes may be taken", "state", "barred = theirs  # Q4", "barred = 0"),
    Mutation("Q4", "inner cubes may be taken", "board", "row in (0, size - 1)\n", "row >= 0\n"),
    Mutation(
        "Q4", "only blank cubes may be taken", "state", "barred = theirs  # Q4", "barred = theirs | mine"
    ),
    Mutation("Q5", "the first round is like any", "state", "barred |= mine  # Q5", "pass"),
    Mutation(
        "Q5",
        "the first round lasts two rounds",
        "state",
        "if ply < rules.seats:",
        "if ply < 2 * rules.seats:",
    ),
    Mutation("Q5", "the first round ends with seat 1", "state", "if ply < rules.seats:", "if ply < 2:"),
    Mutation(
        "Q6", "the cube keeps its mark", "moves", "slide.path, slide.enter,", "slide.path, slide.pass_by,"
    ),
    Mutation(
        "Q6",
        "the cube shows the other mark",
        "moves",
        "slide.enter, slide.pass_by, dots",
        "slide.pass_by, slide.enter, dots",
    ),
    Mutation("Q7", "the cube may go straight back", "board", "size)) > 1", "size)) > 0"),
    Mutation(
        "Q7",
        "the cubes are swapped, not slid",
        "board",
        "path := _path(bit, end, size)",
        "path := _path(bit, end, size)[:: size - 1]",
    ),
    Mutation("Q7", "left is right", "board", 'ENDS = "ENSW"', 'ENDS = "ENS"'),
    Mutation("Q8", "seats 0 and 1 are a team", "state", "seat % 2 == side", "seat // 2 == side"),
    Mutation("Q9", "partners share their cubes", "state", "mine & (far if seat < 2 else ~far)", "0"),
    Mutation(
        "Q9",
        "a cube belongs to whom it does not face",
        "state",
        "far if seat < 2 else ~far",
        "~far if seat < 2 else far",
    ),
    Mutation(
        "Q10", "the dot always faces the mover's side of the table", "moves", "far=seat >= 2", "far=False"
    ),
    Mutation("Q10", "sliding turns the other cubes", "state", "far ^= move.dots[far & path]", "far ^= path"),
    Mutation(
        "Q10",
        "the dot need not be said",
        "notation",
        "text[:1].lower() + text[1:].upper()",
        'text[:1].lower() + text[1:].upper() + "@0" * (text == "c1N")',
    ),
    Mutation("Q11", "nobody passes", "state", " or (PASS,)", ""),
    Mutation(
        "Q11",
        "a position after a pass does not count",
        "state",
        "and not move.cell & ~mine",
        "and move.cell & mine",
    ),
    Mutation("Q12", "diagonals do not count", "board", "in columns + rows + diagonals", "in columns + rows"),
    Mutation("Q12", "columns do not count", "board", "in columns + rows + diagonals", "in rows + diagonals"),
    Mutation("Q12", "rows do not count", "board", "in columns + rows + diagonals", "in columns + diagonals"),
    Mutation(
        "Q12",
        "a line loses",
        "state",
        "rules.won(1 - ply % 2, Reason.LINE)",
        "rules.won(ply % 2, Reason.LINE)",
    ),
    Mutation(
        "Q13",
        "the mover's own line goes first",
        "state",
        OPPONENT_LINE,
        f"{OPPONENT_LINE[:-1]} and not {OWN_LINE}:",
    ),
    Mutation(
        "Q13",
        "an opponent's line alone does not count",
        "state",
        OPPONENT_LINE,
        f"{OPPONENT_LINE[:-1]} and {OWN_LINE}:",
    ),
    Mutation(
        "Q13",
        "an opponent's line wins for the mover",
        "state",
        "rules.won(ply % 2, Reason.OPPONENT_LINE)",
        "rules.won(1 - ply % 2, Reason.OPPONENT_LINE)",
    ),
    Mutation(
        "Q14",
        "the game goes on after a line",
        "state",
        "        if outcome is not None:\n            return ()\n",
        "",
    ),
    Mutation(
        "Q14",
        "a line is announced, not seen",
        "position",
        "outcome=judge(rules, ply, state.mine, state.theirs, state.far, None)",
        "outcome=None",
    ),
    Mutation("Q15", "the second visit draws", "state", "far) >= 2:", "far) >= 1:"),
    Mutation("Q15", "the fourth visit draws", "state", "far) >= 2:", "far) >= 3:"),
    Mutation("Q15", "the dots do not matter", "state", " and state.far == far:", ":"),
    Mutation("Q15", "the seat does not matter", "state", "(ply - state.ply) % state.rules.seats == 0", "1"),
    Mutation(
        "Q15", "repetition cannot be turned off", "state", "self if rules.repetition and not", "self if not"
    ),
    Mutation("Q15", "there is no limit", "state", "if ply >= rules.ply_limit:", "if False:"),
    Mutation(
        "Q15",
        "the limit comes a ply late",
        "state",
        "if ply >= rules.ply_limit:",
        "if ply > rules.ply_limit:",
    ),
    Mutation(
        "Q15",
        "the limit goes before a line",
        "state",
        f"    {OPPONENT_LINE}",
        f"    if ply >= rules.ply_limit:\n        return rules.drawn(Reason.PLY_LIMIT)\n    {OPPONENT_LINE}",
    ),
    Mutation(
        "Q15",
        "the limit goes before repetition",
        "state",
        "    if before and before",
        "    if ply < rules.ply_limit and before and before",
    ),
    Mutation(
        "Q17",
        "the one who forfeits wins",
        "state",
        "won(1 - seat % 2, Reason.LAST",
        "won(seat % 2, Reason.LAST",
    ),
    Mutation(
        "Q17",
        "the side of seat 1 wins always",
        "state",
        "won(1 - seat % 2, Reason.LAST",
        "won(1, Reason.LAST",
    ),
    Mutation(
        "Q17",
        "a forfeit overturns a result",
        "state",
        "        if self.outcome is not None:\n            return self\n",
        "",
    ),
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: f"{m.rule} {m.what}")
def test_a_broken_rule_is_found(mutation):
    with mutant(mutation.module, mutation.old, mutation.new) as games:
        found = [row for row in ROWS if row.rule == mutation.rule and fails(row, games)]
    assert found


def fails(row, games):
    try:
        row.check(games)
    except (AssertionError, pytest.fail.Exception, GameError, LookupError, AttributeError, TypeError):
        return True
    return False


def test_every_rule_that_can_be_broken_is():
    assert {m.rule for m in MUTATIONS} == {f"Q{n}" for n in range(1, 18)} - {"Q16"}
