"""Teeth: break a rule in the engine, and the test that is named beside it must fail.

A mutation is a change of one place in the source. The test is a function of this folder; of a table of rows
that cite rules only the rule's own count.
"""

import importlib
import itertools
from dataclasses import dataclass

import pytest

from engines.errors import GameError
from tests.engines.mutation import mutated

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


@dataclass(frozen=True)
class Mutation:
    rule: str
    what: str
    module: str
    old: str
    new: str
    test: str


MUTATIONS = [
    Mutation(
        "S1",
        "two players take neighbouring colours",
        "setup",
        "2: (0, 2)",
        "2: (0, 1)",
        "turns.seats_take_colours",
    ),
    Mutation(
        "S1",
        "turns go anticlockwise",
        "state",
        "after = (seat + 1)",
        "after = (seat - 1)",
        "turns.turns_go_clockwise",
    ),
    Mutation("S2", "four 1s", "cards", "5 if value == ONE", "4 if value == ONE", "turns.the_deck"),
    Mutation("S3", "a long slide is short", "board", "9: 13", "9: 12", "plays.every_slide"),
    Mutation(
        "S3",
        "the entry is a square later",
        "board",
        "ENTRY = 2",
        "ENTRY = 3",
        "plays.home_is_64_steps_from_the_circle",
    ),
    Mutation(
        "S4", "seat 0 always begins", "game", "below(setup.seats)[0]", "below(1)[0]", "turns.who_begins"
    ),
    Mutation(
        "S4",
        "the deck lies as it was printed",
        "cards",
        "shuffled, stream = stream.shuffled(DECK)",
        "shuffled = DECK",
        "turns.the_start",
    ),
    Mutation(
        "S5",
        "shuffled as soon as one card is left",
        "cards",
        "if not draw:",
        "if len(draw) < 2:",
        "turns.the_last_card_is_drawn_without_a_shuffle",
    ),
    Mutation(
        "S5",
        "the card just played stays out of the shuffle",
        "basic",
        "card, piles = self.piles.put(bytes([self.card])).take()",
        "card, piles = self.piles.take()",
        "turns.all_that_was_played_is_shuffled_when_a_card_is_wanted",
    ),
    Mutation(
        "S5",
        "the shuffle begins the stream again",
        "cards",
        "shuffled, stream = stream.shuffled(discards)",
        "shuffled, stream = Stream(stream.seed).shuffled(discards)",
        "turns.the_next_shuffle_goes_on_in_the_stream",
    ),
    Mutation(
        "S5",
        "hands are dealt five at a time",
        "points",
        "card, piles = piles.take()\n                hands[seat] += bytes([card])",
        "hands[seat] = piles.draw[5 * seat : 5 * seat + 5]",
        "turns.the_start",
    ),
    Mutation(
        "S6",
        "a turn may be lost at will",
        "basic",
        "self.card) or [",
        "self.card) + [",
        "notation.a_refused_text_names_the_rule",
    ),
    Mutation(
        "S6",
        "a lost turn does not pass on",
        "basic",
        "again = self.card == TWO ",
        "again = move.text == LOST ",
        "turns.a_lost_turn_passes_on",
    ),
    Mutation(
        "S7",
        "the track has an end",
        "board",
        "return (place + count) % TRACK",
        "return min(place + count, TRACK - 1)",
        "plays.basic",
    ),
    Mutation(
        "S7",
        "whatever is passed over is bumped",
        "board",
        "path = slide(colour, square)\n    passed",
        "path = [square - 3, *slide(colour, square)] if square > 2 else slide(colour, square)\n    passed",
        "plays.basic",
    ),
    Mutation(
        "S8",
        "one's own pawn does not bar a square",
        "board",
        "end - unit[place], unit[to], struck",
        "end - unit[place], 0, struck",
        "plays.basic",
    ),
    Mutation(
        "S8",
        "opponents are not bumped",
        "board",
        "end - unit[place], unit[to], struck",
        "end - unit[place], unit[to], 0",
        "plays.basic",
    ),
    Mutation(
        "S8",
        "one's own pawn bars the slide's end, not the triangle",
        "board",
        "end - unit[place], unit[to], struck",
        "end - unit[place], end, struck",
        "plays.basic",
    ),
    Mutation(
        "S9",
        "pawns slide on their own colour's triangles",
        "board",
        "or side == colour or",
        "or",
        "plays.basic",
    ),
    Mutation("S9", "nobody slides", "board", "offset not in SLIDES", "offset in range(15)", "plays.basic"),
    Mutation(
        "S9",
        "a slide spares one's own colour",
        "board",
        "passed & ~UNIT[colour][square]",
        "passed & ~OUT[colour]",
        "plays.basic",
    ),
    Mutation(
        "S9",
        "a slide bumps only at its end",
        "board",
        "for passed in path)",
        "for passed in path[-1:])",
        "plays.basic",
    ),
    Mutation(
        "S10",
        "every colour goes into red's zone",
        "board",
        "to_entry = (SIDE * colour + ENTRY",
        "to_entry = (ENTRY",
        "plays.home_is_64_steps_from_the_circle",
    ),
    Mutation(
        "S10",
        "backward out of the zone is a square too far",
        "board",
        "(place - ZONE) - 1)",
        "(place - ZONE))",
        "plays.basic",
    ),
    Mutation(
        "S11",
        "HOME takes any count",
        "board",
        "return place + count if place + count <= HOME else None",
        "return min(place + count, HOME)",
        "plays.basic",
    ),
    Mutation(
        "S12",
        "a pawn before its entry goes round",
        "board",
        "if count <= to_entry:",
        "if count <= to_entry or to_entry < 3:",
        "plays.basic",
    ),
    Mutation(
        "S13",
        "a 2 that wins draws again",
        "basic",
        "if setup.won(move.board, seat):",
        "if setup.won(move.board, seat) and not again:",
        "turns.the_first_with_all_home_wins_at_once",
    ),
    Mutation(
        "S13",
        "three pawns HOME win",
        "board",
        "tuple(PAWNS * UNIT[colour][HOME]",
        "tuple(3 * UNIT[colour][HOME]",
        "turns.the_first_with_all_home_wins_at_once",
    ),
    Mutation(
        "S13",
        "the others are ranked too",
        "state",
        "return 0, int(winner is not None and",
        "return 0, seat + 9 * int(winner is not None and",
        "turns.the_first_with_all_home_wins_at_once",
    ),
    Mutation(
        "S14",
        "a 2 does not draw again",
        "basic",
        "again = self.card == TWO ",
        "again = False ",
        "turns.a_two_draws_again",
    ),
    Mutation(
        "S14",
        "a 2 draws again only if it moved",
        "basic",
        "again = self.card == TWO ",
        "again = self.card == TWO and move.text != LOST ",
        "turns.a_two_draws_again",
    ),
    Mutation(
        "S14",
        "a 2 starts a pawn two squares on",
        "moves",
        "step(colour, START, circle(colour))",
        "step(colour, START, circle(colour) + (card == TWO))",
        "plays.basic",
    ),
    Mutation(
        "S14",
        "a 1 starts no pawn",
        "moves",
        "**dict.fromkeys((ONE, TWO), _starting)",
        "ONE: _counted, TWO: _starting",
        "plays.basic",
    ),
    Mutation("S15", "a 4 goes forward", "moves", "FOUR: (-4,)", "FOUR: (4,)", "plays.basic"),
    Mutation("S15", "a 12 goes eleven", "moves", "TWELVE: (12,)", "TWELVE: (11,)", "plays.basic"),
    Mutation("S16", "a 7 is not split", "setup", "if teams else 2", "if teams else 1", "plays.basic"),
    Mutation(
        "S16",
        "a 7 is split in three",
        "setup",
        "if teams else 2",
        "if teams else 3",
        "notation.a_refused_text_names_the_rule",
    ),
    Mutation(
        "S16",
        "a part may be left over",
        "seven",
        "last = shares[number][left]",
        "last = shares[number][left] or shares[number][1]",
        "plays.basic",
    ),
    Mutation(
        "S16",
        "a bumped pawn takes the second part",
        "seven",
        "others & ~_numbers(pawns, hit)",
        "others",
        "plays.basic",
    ),
    Mutation(
        "S16",
        "both parts are played on the board as it was",
        "seven",
        "not board & barred:",
        "not sharing.shares and board:",
        "plays.basic",
    ),
    Mutation("S17", "a 10 only goes forward", "moves", "TEN: (10, -1)", "TEN: (10,)", "plays.basic"),
    Mutation(
        "S17",
        "a 10 need not go back when it cannot go forward",
        "moves",
        "for to in targets if to is not None]",
        "for to in targets if targets[0] is not None]",
        "plays.basic",
    ),
    Mutation(
        "S18",
        "the change may always be declined",
        "moves",
        "if moves and not forward_moves:",
        "if moves:",
        "plays.basic",
    ),
    Mutation(
        "S18",
        "the change may never be declined",
        "moves",
        "if moves and not forward_moves:",
        "if False:",
        "plays.basic",
    ),
    Mutation(
        "S18", "after a change nobody is bumped", "moves", "hit = left & struck\n", "hit = 0\n", "plays.basic"
    ),
    Mutation(
        "S18",
        "a pawn in the zone changes places",
        "moves",
        "for bit in bits(board & side.track) for",
        "for bit in bits(board & side.pawns) for",
        "plays.basic",
    ),
    Mutation(
        "S19",
        "Sorry! reaches into the zone",
        "moves",
        "sum(ON_TRACK) - ON_TRACK[colour]",
        "sum(OUT) - OUT[colour]",
        "plays.basic",
    ),
    Mutation(
        "S19",
        "Sorry! needs no pawn on START",
        "moves",
        "if board & ON_START[colour]:\n            targets",
        "if board:\n            targets",
        "plays.basic",
    ),
    Mutation(
        "S19",
        "Sorry! does not slide",
        "moves",
        "after = bumped(board - UNIT[colour][START] + end, board & struck)",
        "after = bumped(board - UNIT[colour][START] + UNIT[colour][int(square)], board & other)",
        "plays.basic",
    ),
    Mutation(
        "S20",
        "two ways to one position are two moves",
        "moves",
        "return _distinct(moves) if len(moves) > 1 else moves",
        "return moves",
        "plays.basic",
    ),
    Mutation(
        "S20",
        "a card that changes nothing is no move",
        "moves",
        "            if not board & barred:\n                hit",
        "            if change and not board & barred:\n                hit",
        "plays.basic",
    ),
    Mutation(
        "S20",
        "equal cards are played twice",
        "points",
        "sorted(set(self.hands[self.to_move]))",
        "sorted(self.hands[self.to_move])",
        "points.moves_of_every_card_held",
    ),
    Mutation(
        "S21",
        "partners leave each other's pawns alone",
        "setup",
        "colours[seat % 2 :: 2] if teams",
        "(colours[seat],) if teams",
        "plays.teams",
    ),
    Mutation(
        "S21",
        "red and blue are partners",
        "setup",
        "colours[seat % 2 :: 2] if teams",
        "colours[seat // 2 * 2 : seat // 2 * 2 + 2] if teams",
        "plays.teams",
    ),
    Mutation(
        "S22",
        "Sorry! spares the partner",
        "moves",
        "targets = board & _OTHERS_ON_TRACK[colour]",
        "targets = board & side.opponents",
        "plays.teams",
    ),
    Mutation(
        "S22",
        "an 11 changes places with the partner",
        "setup",
        "difference(mine)",
        "difference((colours[seat],))",
        "plays.teams",
    ),
    Mutation(
        "S22",
        "landing spares the partner",
        "board",
        "for other in range(4) for passed",
        "for other in range(4) if other != (colour + 2) % 4 for passed",
        "plays.teams",
    ),
    Mutation(
        "S23",
        "a team's 7 is split in two at most",
        "setup",
        "PAWNS * len(mine) if teams",
        "2 if teams",
        "plays.a_seven_among_three_pawns_far_apart",
    ),
    Mutation(
        "S23",
        "no two pawns are ever in each other's way",
        "seven",
        "if not _REACH[bit] & _REACH[other])",
        ")",
        "reference.crowded_team_sevens",
    ),
    Mutation(
        "S23",
        "the count left is forgotten",
        "seven",
        "(after, others, left - count, passed_by), text + part)",
        "(after, others, WHOLE - text.count(' ') - 1, passed_by), text + part)",
        "reference.crowded_team_sevens",
    ),
    Mutation(
        "S23",
        "a pawn takes two parts",
        "seven",
        "after, others = board + change, unmoved ^ bit",
        "after, others = board + change, unmoved",
        "plays.a_seven_among_three_pawns_far_apart",
    ),
    Mutation(
        "S24",
        "the partner's pawns are not started",
        "moves",
        "for colour in side.colours:\n        if board & ON_START[colour]:\n            text",
        "for colour in side.colours[:1]:\n        if board & ON_START[colour]:\n            text",
        "plays.teams",
    ),
    Mutation(
        "S25",
        "four pawns HOME win for the team",
        "setup",
        "for colour in self.sides[seat].colours",
        "for colour in self.colours[seat : seat + 1]",
        "turns.a_team_wins_with_all_eight",
    ),
    Mutation(
        "S26",
        "no pawn begins on the circle",
        "setup",
        "if self.points:",
        "if self.points and self.teams:",
        "turns.the_start",
    ),
    Mutation(
        "S26",
        "four cards are dealt",
        "points",
        "for _ in range(HAND)",
        "for _ in range(4)",
        "turns.the_start",
    ),
    Mutation(
        "S27",
        "a 2 put down plays again",
        "points",
        "again = move.card == TWO and move.board != self.board",
        "again = move.card == TWO",
        "points.a_two_put_down_ends_the_turn",
    ),
    Mutation(
        "S27",
        "a 2 does not play again",
        "points",
        "again = move.card == TWO and move.board != self.board",
        "again = False",
        "points.a_two_that_moved_plays_again_with_its_replacement",
    ),
    Mutation(
        "S27",
        "no replacement is drawn",
        "points",
        "hand + bytes([drawn])",
        "hand",
        "points.a_card_is_played_discarded_and_replaced",
    ),
    Mutation(
        "S27",
        "any card may be put down",
        "points",
        "return moves or [",
        "return moves + [",
        "points.moves_of_every_card_held",
    ),
    Mutation(
        "S27",
        "an 11 cannot be put down",
        "setup",
        'declined=f"11 {LOST}" if points else LOST',
        "declined=LOST",
        "points.an_eleven_that_can_only_change_places",
    ),
    Mutation(
        "S28", "a pawn is worth four points", "points", "PAWN_POINTS = 5", "PAWN_POINTS = 4", "points.scores"
    ),
    Mutation(
        "S28",
        "the bonuses are one pawn off",
        "points",
        "max(homes) <= most",
        "max(homes) < most",
        "points.scores",
    ),
    Mutation(
        "S28",
        "all bonuses count always",
        "points",
        "sum(earned) if self.setup.all_bonuses",
        "sum(earned) if True",
        "points.scores",
    ),
    Mutation(
        "S28",
        "only the highest bonus counts always",
        "points",
        "sum(earned) if self.setup.all_bonuses",
        "sum(earned) if False",
        "points.scores",
    ),
    Mutation(
        "S28",
        "the loser's pawns away are worth nothing",
        "points",
        "sum(PAWNS - home for home in homes)",
        "0",
        "points.scores",
    ),
    Mutation(
        "S29",
        "the same seat begins each deal",
        "points",
        "first = self.following(self.first, self.out)",
        "first = self.first",
        "points.the_next_deal",
    ),
    Mutation(
        "S29",
        "the winner always begins",
        "points",
        "if self.setup.winner_first and",
        "if",
        "points.the_next_deal",
    ),
    Mutation(
        "S29",
        "a deal wipes out what was won before",
        "points",
        "score + PAWN_POINTS",
        "PAWN_POINTS",
        "points.the_next_deal",
    ),
    Mutation(
        "S29",
        "there is one deal too many",
        "points",
        "if self.deal < self.setup.deals:\n            return",
        "if self.deal <= self.setup.deals:\n            return",
        "points.a_match_is_placed_by_totals",
    ),
    Mutation(
        "S30",
        "the limit comes a turn late",
        "basic",
        "self.turn + 1 == setup.turn_limit",
        "self.turn == setup.turn_limit",
        "turns.the_limit_on_turns_ties",
    ),
    Mutation(
        "S30",
        "a redraw is a turn",
        "basic",
        "if not again and self.turn",
        "if self.turn",
        "turns.a_redraw_belongs_to_the_last_turn",
    ),
    Mutation(
        "S30",
        "the limit gives a bonus",
        "points",
        "if seat == winner else 0",
        "",
        "points.the_limit_counts_pawns_at_home_and_no_bonus",
    ),
    Mutation(
        "S31",
        "a leaver's pawns stay",
        "state",
        "board &= ~WHOLE[",
        "board &= WHOLE[",
        "leaving.the_pawns_leave_and_the_others_go_on",
    ),
    Mutation(
        "S31",
        "earlier leavers are placed before later ones",
        "state",
        "return -1, max(",
        "return -1, -max(",
        "leaving.leavers_are_placed_behind_those_who_stayed",
    ),
    Mutation(
        "S31",
        "a leaver keeps his points",
        "points",
        "_with(self.scores, seat, 0)",
        "self.scores",
        "leaving.the_last_one_left_keeps_what_is_home",
    ),
    Mutation(
        "S31",
        "a leaver counts for the bonus",
        "points",
        "for seat in self.playing() if seat != winner]",
        "for seat in range(self.setup.seats) if seat != winner]",
        "leaving.a_leaver_scores_nothing_and_gives_the_winner_nothing",
    ),
    Mutation(
        "S31",
        "a hand is discarded upside down",
        "points",
        "piles=self.piles.put(self.hands[seat])",
        "piles=self.piles.put(self.hands[seat][::-1])",
        "leaving.a_hand_goes_to_the_discards_in_its_order",
    ),
    Mutation(
        "S31",
        "a partner plays on alone",
        "setup",
        "return (seat, (seat + 2) % 4) if self.teams",
        "return (seat,) if self.teams",
        "leaving.a_team_is_out_as_one",
    ),
    Mutation(
        "hidden",
        "a view shows the mover's hand",
        "points",
        "names(self.hands[seat]),",
        "names(self.hands[self.to_move]),",
        "hidden.what_is_hidden_does_not_show",
    ),
    Mutation(
        "hidden",
        "a view shows the next card",
        "state",
        '"draw_pile": len(self.piles.draw)',
        '"draw_pile": self.piles.draw[0]',
        "hidden.what_is_hidden_does_not_show",
    ),
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: f"{m.rule} {m.what}")
def test_a_broken_rule_is_found(mutation):
    module, _, name = mutation.test.partition(".")
    with mutated(f"engines.sorry.{mutation.module}", mutation.old, mutation.new, *ANEW):
        assert fails(module, name, mutation.rule)


def fails(module, name, rule):
    """Whether a test fails: it, one of its rows, or its very import."""
    try:
        test = getattr(importlib.import_module(f"tests.engines.sorry.test_{module}"), f"test_{name}")
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
