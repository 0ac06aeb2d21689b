"""Words for figures, the rating plot, the spread of a rating, and a bot's tally."""

from __future__ import annotations

import random

import pytest

from engines.clock import PRESETS, Control
from service.elo import START, changes_by_k, k_factor
from service.models import MatchState
from service.web.plot import HEIGHT, WIDTH, rating_plot
from service.web.show import words
from service.web.spread import PRIOR_POINTS, half_width
from service.web.tally import tally_of
from tests.service.store.make import a_bot, a_match, result_of


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (-5, "0:00.0"),
        (0, "0:00.0"),
        (999, "0:00.9"),
        (9_999, "0:09.9"),
        (10_000, "0:10"),
        (61_999, "1:01"),
        (3_600_000, "1:00:00"),
        (86_399_000, "23:59:59"),
    ],
)
def test_clocks(ms, text):
    assert words.clock(ms) == text


@pytest.mark.parametrize(
    ("ms", "periods", "text"), [(0, 3, "0:30 × 3"), (0, 1, "0:30 × 1"), (0, 0, "0:00.0"), (61_000, 3, "1:01")]
)
def test_clocks_with_byo_yomi(ms, periods, text):
    assert words.clock(ms, periods, 30_000) == text


@pytest.mark.parametrize(
    ("placing", "bots", "teams", "said"),
    [
        ([1, 2], "ab", False, (["a"], "won")),
        ([2, 1], "ab", False, (["b"], "won")),
        ([1, 1], "ab", False, ([], "drawn")),
        ([2, 1, 2, 1], "abab", True, (["b"], "won")),
        ([1, 2, 1, 2], "abcd", True, (["a", "c"], "won")),
        ([1, 1, 1, 1], "abab", True, ([], "drawn")),
        ([3, 1, 2, 4], "abcd", False, (["b"], "won")),
        ([1, 3, 1], "abc", False, (["a", "c"], "share the first place")),
    ],
)
def test_how_a_game_of_a_schedule_ended(placing, bots, teams, said):
    assert words.placed(placing, list(bots), teams) == said


@pytest.mark.parametrize(
    ("us", "text"), [(840, "0.84 ms"), (35_400, "35 ms"), (1_240_000, "1.24 s"), (125_000_000, "2:05")]
)
def test_durations(us, text):
    assert words.duration(us) == text


@pytest.mark.parametrize(
    ("control", "text"),
    [
        (PRESETS["blitz"], "1:00 + 1 s a move"),
        (PRESETS["course"], "5 s a move"),
        (Control("delay", base_ms=60_000, delay_ms=2500), "1:00, 2.5 s delay"),
        (Control("bronstein", base_ms=60_000, delay_ms=2000), "1:00, 2 s Bronstein"),
        (Control("byoyomi", base_ms=0, periods=3, period_ms=1000), "0:00.0, then 3 × 1 s"),
    ],
)
def test_controls(control, text):
    assert words.control(control.to_json()) == text


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (22, "22nd")]
)
def test_ordinals(number, text):
    assert words.ordinal(number) == text


@pytest.mark.parametrize(
    ("result", "won", "words_"),
    [
        (result_of(1, 2), ["A"], "won: a line of five"),
        (result_of(1, 1), [], "Drawn: the limit on moves"),
        (result_of(1, 1, outcome="void", reason="no-show"), [], "No result: a bot did not come"),
        (result_of(2, 1, 2, 1), ["B", "D"], "won: a line of five"),
    ],
)
def test_results(result, won, words_):
    assert words.winners(result, "ABCD"[: len(result["placing"])]) == won
    assert words.ending(result) == words_


def test_the_spread_holds_the_true_strength_in_95_of_100_cases():
    """Newcomers of normally spread strength play equals of known rating; K as in the ladder."""
    chance = random.Random(5)
    for games in (10, 60, 200):
        inside = sum(_final_error(chance, games) <= half_width(games) for _ in range(400))
        assert 0.92 <= inside / 400 <= 0.98, (games, inside)


def _final_error(chance: random.Random, games: int) -> float:
    strength = chance.gauss(0, PRIOR_POINTS)
    rating = START
    for game in range(games):
        other = START + round(1000 * strength)  # an equal
        won = chance.random() < 0.5
        rating += changes_by_k((rating, other), (k_factor(game), 0), (1, 2) if won else (2, 1))[0]
    return abs(rating / 1000 - START / 1000 - strength)


def test_the_spread_shrinks_and_settles():
    widths = [half_width(games) for games in (0, 5, 30, 100, 600, 5000)]
    assert widths[:5] == sorted(widths[:5], reverse=True)
    assert widths[-1] == widths[-2]
    assert 70 < widths[-1] < 95  # K = 20 keeps moving a rating for ever


def test_a_plot_needs_two_games():
    assert rating_plot([1500.0]) is None


@pytest.mark.parametrize("games", [2, 7, 31, 5000])
def test_a_plot_stays_within_its_frame(games):
    chance = random.Random(games)
    ratings = [1500 + chance.gauss(0, 60) for _ in range(games)]
    plot = rating_plot(ratings, 11)
    assert plot is not None
    numbers = [float(n) for n in plot.band.strip("Mz").replace("L", " ").split()]
    assert all(0 <= x <= WIDTH for x in numbers[::2])
    assert all(0 <= y <= HEIGHT for y in numbers[1::2])
    assert len(plot.curve) < 8000
    assert f"to game {10 + games}" in plot.label
    assert 2 <= len(plot.lines) <= 8


def test_a_tally_counts_by_opponent_seat_and_version():
    ada, bob, eve = a_bot("ada"), a_bot("bob"), a_bot("eve")

    def over(*bots, placing, **more):
        return a_match(*bots, state=MatchState.FINISHED, result=result_of(*placing, **more))

    fault = {"turn": 4, "seat": 1, "reason": "timeout"}
    matches = [
        over(ada, bob, placing=(1, 2)),
        over(bob, ada, placing=(1, 2), faults=[fault]),
        over(ada, eve, placing=(1, 1)),
        over(ada, bob, placing=(1, 1), outcome="void"),
        a_match(ada, bob),
    ]
    tally = tally_of(ada.id, matches)
    assert (tally.total.won, tally.total.drawn, tally.total.lost) == (1, 1, 1)
    assert [(name, score.games) for name, score in tally.by_opponent] == [(bob.id, 2), (eve.id, 1)]
    assert {seat: score.games for seat, score in tally.seats.items()} == {0: 2, 1: 1}
    assert tally.versions["1"].games == 3
    assert [(f.turn, f.reason) for f in tally.faults] == [(4, "timeout")]
    assert tally.reasons == [("timeout", 1)]


def test_a_team_of_one_bot_counts_a_game_once():
    ada, bob = a_bot("ada"), a_bot("bob")
    match = a_match(ada, bob, ada, bob, ladder="quixo-teams", result=result_of(1, 2, 1, 2))
    tally = tally_of(bob.id, [match])
    assert tally.total.games == 1
    assert tally.opponents[ada.id].lost == 1
