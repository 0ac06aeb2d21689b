"""Tournaments over the API: making, entering, starting, standings, and every refusal by name."""

import csv
import io

import pytest

from engines.clock import Control
from engines.registry import game_named
from service.competition import Competition
from service.matches import Common, Order, Place, make_match
from service.models import Role
from service.tournaments.tie_breaks import DEFAULT
from tests.service.api.conftest import fields, problem
from tests.service.api.playing import play


def make(person, **more):
    answer = person.post("/v1/tournaments", json={"name": "League", "game": "quixo", **more})
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return answer.json


def enter(person, tournament, bot):
    return person.post(f"/v1/tournaments/{tournament['id']}/entrants", json={"bot": bot})


@pytest.fixture
def league(ada):
    return make(ada)


@pytest.fixture
def running(service, ada, league):
    """A league of three bots of three owners that has begun; and the bots."""
    bots = [service.bot(service.somebody())["id"] for _ in range(3)]
    for bot in bots:
        assert enter(ada, league, bot).status_code == 201
    started = ada.post(f"/v1/tournaments/{league['id']}/start")
    assert started.status_code == 200, started.get_data(as_text=True)
    return started.json, bots


def play_games(service, tournament_id, count):
    """What the coordinator and the workers do: make the next matches and play them."""
    store = service.store
    tournament = store.tournaments.get(tournament_id)
    schedule = Competition.of(tournament, store.tournaments.result_records(tournament_id)).schedule()
    for index in range(count):
        pairing = schedule.game(index)
        bots = [store.bots.get(tournament.entrants[e]["bot"]) for e in pairing.seats]
        control = Control.from_json(tournament.clock)
        order = Order(game_named("quixo"), tuple(bots), tournament.options, control, tournament.owner)
        place = Place(tournament_id, index, pairing.round)
        [match] = store.matches.create(make_match(order, bots, Common(), None, 0, place))
        play(store, match.id, moves=2, loser=1)


def test_a_new_one_is_a_draft_with_complete_settings(service, ada):
    answer = ada.post(
        "/v1/tournaments", json={"name": "League", "game": "quixo", "clock": "course", "cycles": 2}
    )
    league = answer.json
    assert answer.headers["Location"] == f"/v1/tournaments/{league['id']}"
    assert (league["state"], league["entrants_count"], league["games_total"]) == ("draft", 0, None)
    assert league["clock"]["control"] == "per_move"
    assert league["settings"]["cycles"] == 2
    assert league["settings"]["tie_breaks"] == list(DEFAULT)
    seen = service.nobody.get(f"/v1/tournaments/{league['id']}").json
    assert seen == league | {"progress": None}


@pytest.mark.parametrize(
    ("body", "kind", "field"),
    [
        ({"name": ""}, "invalid", "name"),
        ({"game": "chess"}, "invalid", "game"),
        ({"format": "lottery"}, "invalid", "format"),
        ({"cycles": 0}, "invalid", "cycles"),
        ({"seats": 3}, "invalid", "seats"),
        ({"partners": "fixed"}, "invalid", "partners"),
        ({"duplicate": True}, "invalid", "duplicate"),
        ({"tie_breaks": ["luck"]}, "invalid", "tie_breaks.0"),
        ({"tie_breaks": ["wins", "wins"]}, "invalid", "tie_breaks"),
        ({"max_entrants": 10_000}, "invalid", "max_entrants"),
        ({"max_entrants": 900}, "quota", "max_entrants"),
        ({"clock": "endless"}, "bad-clock", "clock"),
        ({"options": {"size": 9}}, "bad-option", "options.size"),
        ({"start_at": "tomorrow"}, "invalid", "start_at"),
        (
            {"start_at": "2030-01-01T00:00:00Z", "entries_close_at": "2030-01-02T00:00:00Z"},
            "invalid",
            "entries_close_at",
        ),
        ({"owner": "o_1"}, "unknown-member", "owner"),
    ],
)
def test_wrong_requests_have_errors_of_their_own(ada, body, kind, field):
    answer = ada.post("/v1/tournaments", json={"name": "League", "game": "quixo", **body})
    assert problem(answer)[1] == kind
    assert fields(answer) == [field]


def test_changing_until_the_start(service, ada, league):
    path = f"/v1/tournaments/{league['id']}"
    etag = ada.get(path).headers["ETag"]
    changed = ada.patch(path, json={"cycles": 3, "name": "Cup"}, headers={"If-Match": etag})
    assert (changed.json["settings"]["cycles"], changed.json["name"]) == (3, "Cup")
    assert problem(ada.patch(path, json={"cycles": 4}, headers={"If-Match": etag})) == (412, "stale")
    assert problem(ada.patch(path, json={"seats": 4})) == (422, "invalid")


def test_after_the_start_nothing_changes(ada, running):
    path = f"/v1/tournaments/{running[0]['id']}"
    assert problem(ada.patch(path, json={"cycles": 2})) == (409, "wrong-state")
    assert problem(ada.post(f"{path}/open")) == (409, "wrong-state")


def test_entering_while_it_is_open(service, ada, bob, league):
    mine, other = service.bot(bob)["id"], service.bot(service.somebody())["id"]
    assert problem(enter(bob, league, mine)) == (409, "entry-closed")
    ada.post(f"/v1/tournaments/{league['id']}/open")
    assert problem(enter(bob, league, other)) == (422, "unknown-bot")
    made = enter(bob, league, mine)
    assert made.status_code == 201
    assert made.json["owner"] == bob.id
    assert problem(enter(bob, league, mine)) == (409, "already-entered")
    [entrant] = service.nobody.get(f"/v1/tournaments/{league['id']}/entrants").json["items"]
    assert entrant == made.json


@pytest.mark.parametrize(
    ("about", "kind"),
    [
        ({"games": ["sorry"]}, "game-not-played"),
        ({"active": False}, "unverified-bot"),
        ({"challenges": "nobody"}, "challenge-refused"),
    ],
)
def test_bots_that_cannot_enter(service, ada, bob, league, about, kind):
    assert problem(enter(ada, league, service.bot(bob, **about)["id"]))[1] == kind


@pytest.mark.parametrize("entry", ["open", "invitation"])
def test_a_tournaments_owner_enters_others_public_bots(service, ada, bob, entry):
    league = make(ada, entry=entry)
    assert enter(ada, league, service.bot(bob)["id"]).status_code == 201  # in a draft
    ada.post(f"/v1/tournaments/{league['id']}/open")
    hers = service.bot(bob, challenges="owners", challengers=[ada.id])["id"]
    assert enter(ada, league, hers).status_code == 201
    others = service.bot(bob, challenges="owners", challengers=[bob.id])["id"]
    assert problem(enter(ada, league, others)) == (403, "challenge-refused")
    hidden = service.bot(bob, private=True)["id"]
    assert problem(enter(ada, league, hidden)) == (422, "unknown-bot")
    assert bob.delete(f"/v1/tournaments/{league['id']}/entrants/{hers}").status_code == 204


def test_an_unknown_bot_cannot_enter(ada, league):
    answer = enter(ada, league, "b_0000000000000000")
    assert problem(answer) == (422, "unknown-bot")
    assert fields(answer) == ["bot"]


def test_by_invitation_its_owner_enters_bots(service, ada, bob):
    league = make(ada, entry="invitation")
    bot = service.bot(bob)["id"]
    ada.post(f"/v1/tournaments/{league['id']}/open")
    assert problem(enter(bob, league, bot)) == (409, "entry-closed")
    assert enter(ada, league, bot).status_code == 201


def test_a_full_one(service, ada, bob):
    league = make(ada, max_entrants=2)
    for _ in range(2):
        assert enter(ada, league, service.bot(bob)["id"]).status_code == 201
    assert problem(enter(ada, league, service.bot(bob)["id"])) == (409, "tournament-full")


@pytest.mark.parametrize("entrants", [0, 1])
def test_one_entrant_is_too_few(service, ada, league, entrants):
    for _ in range(entrants):
        enter(ada, league, service.bot(ada)["id"])
    answer = ada.post(f"/v1/tournaments/{league['id']}/start")
    assert problem(answer) == (409, "too-few-entrants")
    assert ada.get(f"/v1/tournaments/{league['id']}").json["state"] == "draft"


def test_a_second_start(ada, running):
    answer = ada.post(f"/v1/tournaments/{running[0]['id']}/start")
    assert problem(answer) == (409, "already-started")


def test_a_schedule_that_is_too_long(start_service):
    service = start_service(games_per_tournament=2)
    ada = service.somebody()
    league = make(ada)
    for _ in range(3):
        enter(ada, league, service.bot(ada)["id"])
    assert problem(ada.post(f"/v1/tournaments/{league['id']}/start")) == (409, "quota")


def test_open_tournaments_have_a_quota(start_service):
    service = start_service(open_tournaments_per_player=1)
    ada = service.somebody()
    first = make(ada)
    assert problem(ada.post("/v1/tournaments", json={"name": "L", "game": "quixo"})) == (409, "quota")
    ada.post(f"/v1/tournaments/{first['id']}/cancel", json={})
    make(ada)
    organiser = service.somebody(Role.ORGANISER)
    make(organiser)
    make(organiser, max_entrants=900)


def test_pausing_and_cancelling(ada, running):
    path = f"/v1/tournaments/{running[0]['id']}"
    assert problem(ada.post(f"{path}/resume")) == (409, "wrong-state")
    assert ada.post(f"{path}/pause").json["state"] == "paused"
    assert problem(ada.post(f"{path}/pause")) == (409, "wrong-state")
    assert ada.post(f"{path}/resume").json["state"] == "running"
    gone = ada.post(f"{path}/cancel", json={"reason": "the hall is on fire"})
    assert (gone.json["state"], gone.json["state_reason"]) == ("cancelled", "the hall is on fire")
    assert problem(ada.post(f"{path}/cancel", json={})) == (409, "wrong-state")


def test_cancelling_needs_no_body(ada, league):
    path = f"/v1/tournaments/{league['id']}/cancel"
    assert problem(ada.post(path, json={"why": "so"})) == (400, "unknown-member")
    gone = ada.post(path)
    assert (gone.status_code, gone.json["state"], gone.json["state_reason"]) == (200, "cancelled", None)


def test_what_its_owner_does_nobody_else_does(service, ada, bob, league):
    path = f"/v1/tournaments/{league['id']}"
    for tail in ("open", "start", "pause", "resume"):
        assert problem(bob.post(f"{path}/{tail}")) == (404, "not-found")
    assert problem(bob.post(f"{path}/cancel", json={})) == (404, "not-found")
    assert problem(bob.patch(path, json={"cycles": 2})) == (404, "not-found")
    assert service.somebody(Role.ADMIN).post(f"{path}/open").status_code == 200


def test_leaving_before_the_start(service, ada, bob, league):
    bot = service.bot(bob)["id"]
    enter(ada, league, bot)
    path = f"/v1/tournaments/{league['id']}/entrants/{bot}"
    assert problem(service.somebody().delete(path)) == (404, "not-found")
    assert bob.delete(path).status_code == 204
    assert problem(bob.delete(path)) == (404, "not-found")
    assert ada.get(f"/v1/tournaments/{league['id']}/entrants").json["items"] == []


def test_a_team_of_two_bots(service, ada, bob):
    league = make(ada, game="quixo-teams")
    bots = [service.bot(bob, games=["quixo-teams"])["id"] for _ in range(4)]
    path = f"/v1/tournaments/{league['id']}/entrants"
    ada.post(f"/v1/tournaments/{league['id']}/open")
    made = bob.post(path, json={"bot": bots[0], "partner": bots[1]})
    assert made.status_code == 201
    assert (made.json["partner"], made.json["partner_version"]) == (bots[1], "1")
    for wanted in (
        {"bot": bots[1]},
        {"bot": bots[2], "partner": bots[1]},
        {"bot": bots[2], "partner": bots[0]},
    ):
        assert problem(bob.post(path, json=wanted)) == (409, "already-entered")
    same = bob.post(path, json={"bot": bots[2], "partner": bots[2]})
    assert (problem(same), fields(same)) == ((422, "invalid"), ["partner"])
    assert bob.post(path, json={"bot": bots[3]}).status_code == 201
    assert "partner" not in ada.get(path).json["items"][1]
    single = make(ada)
    ada.post(f"/v1/tournaments/{single['id']}/open")
    refused = bob.post(
        f"/v1/tournaments/{single['id']}/entrants",
        json={"bot": service.bot(bob)["id"], "partner": service.bot(bob)["id"]},
    )
    assert (problem(refused), fields(refused)) == ((422, "invalid"), ["partner"])


def test_before_any_result_all_share_the_first_place(service, ada, running):
    league, bots = running
    table = service.nobody.get(f"/v1/tournaments/{league['id']}/standings").json
    assert table["partial"] is True
    assert [row["rank"] for row in table["rows"]] == [1, 1, 1]
    assert {row["bot"] for row in table["rows"]} == set(bots)


def test_a_draft_has_tables_too(service, ada, league):
    path = f"/v1/tournaments/{league['id']}"
    assert ada.get(f"{path}/standings").json["rows"] == []
    enter(ada, league, service.bot(ada)["id"])
    assert len(ada.get(f"{path}/standings").json["rows"]) == 1
    assert len(ada.get(f"{path}/crosstable").json["rows"]) == 1
    assert ada.get(f"{path}/pairings").json["items"] == []


def test_standings_cross_table_and_pairings(service, ada, running):
    league, bots = running
    path = f"/v1/tournaments/{league['id']}"
    assert league["games_total"] == 3
    play_games(service, league["id"], 3)
    assert service.nobody.get(path).json["games_done"] == 3
    table = service.nobody.get(f"{path}/standings").json
    assert table["partial"] is False
    assert sum(row["points"] for row in table["rows"]) == 3
    assert [row["played"] for row in table["rows"]] == [2, 2, 2]
    assert all(set(row["tie_breaks"]) == set(DEFAULT) for row in table["rows"])
    assert all(row["rating"] is not None for row in table["rows"])
    cross = service.nobody.get(f"{path}/crosstable").json
    assert [bot["bot"] for bot in cross["bots"]] == [row["bot"] for row in table["rows"]]
    for i, row in enumerate(cross["rows"]):
        assert row["cells"][i] is None
        points = sum(cell["points"] for cell in row["cells"] if cell)
        assert points == table["rows"][i]["points"]
    pairings = service.nobody.get(f"{path}/pairings").json["items"]
    assert [p["index"] for p in pairings] == [0, 1, 2]
    assert {frozenset(p["bots"]) for p in pairings} == {frozenset(bots) - {bot} for bot in bots}
    assert all(p["match"] and p["placing"] == [1, 2] for p in pairings)
    assert service.nobody.get(f"/v1/matches/{pairings[0]['match']}").json["tournament"] == league["id"]


def test_pairings_by_page_round_and_bot(service, running):
    league, bots = running
    path = f"/v1/tournaments/{league['id']}/pairings"

    def listed(query):
        return [p["index"] for p in service.nobody.get(f"{path}?{query}").json["items"]]

    first = service.nobody.get(f"{path}?limit=2").json
    assert [p["index"] for p in first["items"]] == [0, 1]
    assert listed(f"limit=2&cursor={first['next']}") == [2]
    assert listed("round=2") == [1]
    assert listed("round=9") == []
    assert len(listed(f"bot={bots[0]}")) == 2
    assert len(listed(f"bot={bots[0]}&round=1")) + len(listed(f"bot={bots[0]}&round=2")) in (1, 2)
    assert listed("bot=b_0000000000000000") == []


def test_standings_as_csv(service, ada, running):
    path = f"/v1/tournaments/{running[0]['id']}/standings"
    answer = service.nobody.get(f"{path}?format=csv")
    assert answer.mimetype == "text/csv"
    rows = list(csv.DictReader(io.StringIO(answer.get_data(as_text=True))))
    assert len(rows) == 3
    assert {"rank", "bot", "points", "wins"} <= set(rows[0])
    assert "tie_breaks" not in rows[0]
    assert not any("{" in cell for row in rows for cell in row.values())


def test_pairings_as_csv(service, running):
    league, _ = running
    play_games(service, league["id"], 1)
    path = f"/v1/tournaments/{league['id']}/pairings"
    answer = service.nobody.get(f"{path}?format=csv&limit=1")
    assert answer.mimetype == "text/csv"
    rows = list(csv.DictReader(io.StringIO(answer.get_data(as_text=True))))
    listed = service.nobody.get(f"{path}?limit=200").json["items"]
    assert [int(row["index"]) for row in rows] == [item["index"] for item in listed]
    assert [[row["bot_0"], row["bot_1"]] for row in rows] == [item["bots"] for item in listed]
    played = [item["placing"] for item in listed if item["placing"]]
    assert [[int(row["place_0"]), int(row["place_1"])] for row in rows if row["place_0"]] == played != []
    few = service.nobody.get(f"{path}?format=csv&round=1").get_data(as_text=True)
    assert few.count("\n") == 1 + sum(item["round"] == 1 for item in listed)


def test_each_line_says_what_decided(service, running):
    league, _ = running
    play_games(service, league["id"], 3)
    rows = service.nobody.get(f"/v1/tournaments/{league['id']}/standings").json["rows"]
    for row, above in zip(rows[1:], rows, strict=False):
        assert above["name"] in row["explanation"]
        assert row["decided_by"] in row["explanation"] or row["decided_by"] == "shared"


def test_head_to_head_and_the_cross_table_as_csv(service, running):
    league, bots = running
    play_games(service, league["id"], 3)
    path = f"/v1/tournaments/{league['id']}/crosstable"
    whole = service.nobody.get(path).json
    [one] = service.nobody.get(f"{path}?bot={bots[1]}").json["rows"]
    assert one in whole["rows"]
    for cell in filter(None, one["cells"]):
        assert cell["games"] == cell["ahead"] + cell["level"] + cell["behind"] == 1
    lines = list(csv.reader(io.StringIO(service.nobody.get(f"{path}?format=csv").get_data(as_text=True))))
    assert [line[0] for line in lines[1:]] == [bot["bot"] for bot in whole["bots"]]
    assert [line[2 + at] for at, line in enumerate(lines[1:])] == ["", "", ""]
    points = [sum(float(cell) for cell in line[2:] if cell) for line in lines[1:]]
    table = service.nobody.get(f"/v1/tournaments/{league['id']}/standings").json["rows"]
    assert points == [row["points"] for row in table]


def test_results_by_seat_and_faults_by_reason(service, ada, running):
    league, _ = running
    play_games(service, league["id"], 3)
    path = f"/v1/tournaments/{league['id']}/breakdown"
    found = service.nobody.get(path).json
    assert found["partial"] is False
    table = service.nobody.get(f"/v1/tournaments/{league['id']}/standings").json["rows"]
    for row, line in zip(found["rows"], table, strict=True):
        assert row["bot"] == line["bot"]
        assert [seat["seat"] for seat in row["seats"]] == [0, 1]
        assert sum(seat["won"] for seat in row["seats"]) == line["won"]
    assert sum(row["faults"].get("resigned", 0) for row in found["rows"]) == 3
    answer = service.nobody.get(f"{path}?format=csv").get_data(as_text=True)
    lines = list(csv.DictReader(io.StringIO(answer)))
    assert [line["bot"] for line in lines] == [row["bot"] for row in found["rows"]]
    assert sum(int(line["resigned"]) for line in lines) == 3
    assert {"seat_0_won", "seat_1_lost_by_forfeit", "timeout"} <= set(lines[0])


def test_a_cross_table_that_is_too_large_is_asked_for_by_row(service, ada, running, monkeypatch):
    monkeypatch.setattr("service.api.crosstables.MOST_CELLS", 8)
    path = f"/v1/tournaments/{running[0]['id']}/crosstable"
    answer = service.nobody.get(path)
    assert problem(answer) == (422, "invalid")
    assert fields(answer) == ["bot"]
    assert service.nobody.get(f"{path}?bot={running[1][0]}").status_code == 200
    assert service.nobody.get(f"{path}?format=csv").status_code == 200


def test_a_name_that_a_spreadsheet_would_run(service, ada, bob, league):
    enter(ada, league, service.bot(bob, name="=1+1")["id"])
    answer = ada.get(f"/v1/tournaments/{league['id']}/standings?format=csv")
    assert "'=1+1" in answer.get_data(as_text=True)


def test_withdrawal_before_half_the_games_annuls(service, ada, running):
    league, bots = running
    play_games(service, league["id"], 1)
    first = service.nobody.get(f"/v1/tournaments/{league['id']}/pairings").json["items"][0]
    rest = next(bot for bot in bots if bot not in first["bots"])
    assert ada.delete(f"/v1/tournaments/{league['id']}/entrants/{rest}").status_code == 204
    rows = {r["bot"]: r for r in service.nobody.get(f"/v1/tournaments/{league['id']}/standings").json["rows"]}
    assert rows[rest]["decided_by"] == "annulled"
    assert rows[rest]["withdrawn_at"] is not None


def test_private_ones_are_seen_by_those_concerned(service, ada, bob):
    league = make(ada, private=True)
    path = f"/v1/tournaments/{league['id']}"
    for tail in ("", "/entrants", "/standings", "/crosstable", "/pairings", "/events"):
        assert problem(bob.get(path + tail)) == (404, "not-found")
    assert problem(enter(bob, league, service.bot(bob)["id"])) == (404, "not-found")
    assert bob.get("/v1/tournaments").json["items"] == []
    enter(ada, league, service.bot(bob)["id"])
    assert bob.get(path).status_code == 200
    assert len(bob.get("/v1/tournaments").json["items"]) == 1


def test_its_events_can_be_followed(service, ada, running):
    path = f"/v1/tournaments/{running[0]['id']}/events"
    seen = service.nobody.get(path).json
    assert [(e["type"], e.get("state")) for e in seen["items"]] == [("state", "running")]
    assert seen["over"] is False
    play_games(service, running[0]["id"], 1)
    more = service.nobody.get(f"{path}?after={seen['next']}").json
    assert more["items"]
    assert problem(service.nobody.get(f"{path}?after=x")) == (422, "invalid")


def test_a_gauntlet(service, ada):
    league = make(ada, format="gauntlet", challengers=2)
    for _ in range(2):
        enter(ada, league, service.bot(ada)["id"])
    path = f"/v1/tournaments/{league['id']}"
    assert problem(ada.post(f"{path}/start")) == (409, "too-few-entrants")
    enter(ada, league, service.bot(ada)["id"])
    assert ada.post(f"{path}/start").json["games_total"] == 2


def test_teams_are_fixed_unless_partners_rotate(service, ada):
    assert make(ada, game="quixo-teams")["settings"]["partners"] == "fixed"
    assert make(ada, game="quixo-teams", partners="rotating")["settings"]["seats"] == 4


@pytest.mark.parametrize("path", ["t_quixo_0000000000000000", "t_nothing_0000000000000000", "nonsense"])
def test_a_tournament_that_is_not_there(ada, path):
    for tail in ("", "/entrants", "/standings", "/crosstable", "/pairings", "/events"):
        assert problem(ada.get(f"/v1/tournaments/{path}{tail}")) == (404, "not-found")
