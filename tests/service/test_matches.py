"""Which matches may be made, which of them are rated, and how seats and openings go round."""

import pytest

from engines.chance import commitment
from engines.clock import PRESETS
from engines.registry import GAMES
from service.errors import Conflict, Refused
from service.matches import Order, check, make_matches, unrated_reason
from service.models import Bot, BotState, Owner, Role

ADA, BOB = Owner("o_ada", "Ada", Role.PLAYER, 0), Owner("o_bob", "Bob", Role.PLAYER, 0)
ADMIN = Owner("o_root", "Root", Role.ADMIN, 0)


def bot(name: str, owner: str = "o_ada", **more) -> Bot:
    about = {
        "id": f"b_{name}",
        "owner": owner,
        "name": name,
        "games": tuple(GAMES),
        "version": "1",
        "url": "http://127.0.0.1:1/",
        "transport": "http",
        "concurrency": 1,
        "state": BotState.ACTIVE,
        "state_reason": None,
        "secret": "whsec_x",
        "created_at": 0,
    }
    return Bot(**{**about, **more})


def order(*bots: Bot, game: str = "quixo", **more) -> Order:
    options = more.pop("options", {})
    return Order(
        game=GAMES[game],
        bots=bots,
        options=GAMES[game].full_options(options),
        control=PRESETS["blitz"],
        requested_by="o_ada",
        **more,
    )


A, A2, B, C = bot("a"), bot("a2"), bot("b", "o_bob"), bot("c", "o_cleo")

REFUSED = [
    ("wrong-seat-count", order(A), "bots"),
    ("wrong-seat-count", order(A, B, C), "bots"),
    ("own-bot-both-sides", order(A, A), "bots.1"),
    ("own-bot-both-sides", order(A, B, A, game="sorry"), "bots.2"),
    ("own-bot-both-sides", order(A, B, C, A, game="quixo-teams"), "bots.3"),
    ("game-not-played", order(A, bot("s", games=("sorry",))), "bots.1"),
    ("unverified-bot", order(A, bot("u", state=BotState.UNVERIFIED)), "bots.1"),
    ("bot-retired", order(bot("r", state=BotState.RETIRED), B), "bots.0"),
    ("bot-away", order(A, bot("w", state=BotState.AWAY)), "bots.1"),
    ("bot-paused", order(A, bot("p", state=BotState.PAUSED, state_reason="five failures")), "bots.1"),
    ("challenge-refused", order(A, bot("n", "o_bob", challenges="nobody")), "bots.1"),
    (
        "challenge-refused",
        order(A, bot("f", "o_bob", challenges="owners", challengers=("o_cleo",))),
        "bots.1",
    ),
]


@pytest.mark.parametrize(("problem", "wanted", "field"), REFUSED, ids=[f"{p}-{f}" for p, _, f in REFUSED])
def test_what_is_refused_and_where(problem, wanted, field):
    with pytest.raises((Refused, Conflict)) as caught:
        check(wanted, ADA)
    assert (caught.value.problem, caught.value.field) == (problem, field)


@pytest.mark.parametrize(
    ("wanted", "asker"),
    [
        (order(A, B), ADA),
        (order(A, A2), ADA),
        (order(A, B, A, C, game="quixo-teams"), ADA),
        (order(bot("n", challenges="nobody"), B), ADA),
        (order(A, bot("f", "o_bob", challenges="owners", challengers=("o_ada",))), ADA),
        (order(A, bot("n", "o_bob", challenges="nobody")), ADMIN),
    ],
)
def test_what_is_allowed(wanted, asker):
    check(wanted, asker)


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (order(A, B), None),
        (order(A, B, rated=False), "asked for as unrated"),
        (order(A, A2), "a and a2 have one owner"),
        (order(A, B, A2, C, game="quixo-teams"), None),
        (order(A, A2, C, B, game="quixo-teams"), "a and a2 have one owner"),
        (order(A, bot("p", "o_bob", private=True)), "p is private"),
        (order(A, B, private=True), "the match is private"),
        (order(A, B, options={"size": 4}), "played with options of its own: size"),
        (order(A, B, options={"size": 5}), None),
    ],
)
def test_what_is_rated_and_why_not(wanted, reason):
    assert unrated_reason(wanted) == reason


def test_seats_rotate_and_each_opening_is_played_from_every_seat():
    made = make_matches(order(A, B, C, game="sorry", count=6, opening_plies=4), 5, 100)
    assert [[p.bot for p in m.players] for m in made[:3]] == [
        ["b_a", "b_b", "b_c"],
        ["b_b", "b_c", "b_a"],
        ["b_c", "b_a", "b_b"],
    ]
    seeds = [match.opening_seed for match in made]
    assert len(set(seeds[:3])) == len(set(seeds[3:])) == 1
    assert seeds[0] != seeds[3]
    assert all(m.opening_plies == 4 and m.created_at == 5 for m in made)


def test_teams_stay_together_when_seats_rotate():
    made = make_matches(order(A, B, A2, C, game="quixo-teams", count=2), 0, 100)
    for match in made:
        teams = {(p.team, p.bot) for p in match.players}
        sides = [{b for t, b in teams if t == team} for team in (0, 1)]
        assert {"b_a", "b_a2"} in sides
        assert {"b_b", "b_c"} in sides


def test_a_deck_is_played_from_every_seat_where_that_is_asked_for():
    made = make_matches(order(A, B, game="sorry", count=5, duplicate=True), 0, 100)
    assert [m.secret for m in made] == [s for m in made[::2] for s in [m.secret] * 2][:5]
    assert len({m.secret for m in made}) == 3
    assert [m.shared_deal for m in made] == [True] * 4 + [False], "the last has nobody to share it with"
    assert [m.set for m in made] == [made[0].id] * 2 + [made[2].id] * 2 + [None]
    assert made[1].set_games == made[0].set_games == (made[0].id, made[1].id)


@pytest.mark.parametrize(("plies", "count", "sets"), [(0, 4, 0), (2, 4, 2), (2, 1, 0), (2, 3, 1)])
def test_games_that_share_an_opening_are_one_set(plies, count, sets):
    made = make_matches(order(A, B, count=count, opening_plies=plies), 0, 100)
    assert len({m.set for m in made} - {None}) == sets
    assert not any(m.shared_deal for m in made)


def test_a_game_without_chance_has_no_deals():
    with pytest.raises(Refused) as caught:
        check(order(A, B, duplicate=True), ADA)
    assert caught.value.field == "duplicate"


def test_games_beyond_the_day_s_rated_ones_are_unrated_and_say_so():
    made = make_matches(order(A, B, count=4), 0, rated_left=3)
    assert [match.rated for match in made] == [True, True, True, False]
    assert "for today" in made[3].unrated_reason


def test_every_match_commits_to_a_secret_of_its_own():
    made = make_matches(order(A, B, count=3), 0, 100)
    assert len({match.secret for match in made}) == 3
    assert all(match.commitment == commitment(bytes.fromhex(match.secret)) for match in made)
