"""Every page, read without scripts: what it says, what it must not hold, and how large it is."""

from __future__ import annotations

import io
import re

import pytest

from engines.registry import GAMES
from service.coordinate import advance
from service.fitting import fit_ladder
from service.records import header_of
from tests.service.api.playing import play
from tests.service.web.browsing import Visitor
from tests.service.web.playing import claimed, finish, stored
from tests.service.web.playing import played as whole

MOST_BYTES = 200 * 1024


@pytest.fixture
def played(service, bots):
    """A match of each game: finished ones, and one of Quixo and of Sorry! that goes on."""
    over = {game: stored(service.store, game, bots[: min(GAMES[game].seats)]) for game in GAMES}
    running = {game: stored(service.store, game, bots[:2], stop_after=9) for game in ("quixo", "sorry")}
    return over, running


@pytest.fixture
def tournament(service, ada, bots):
    made = ada.post("/v1/tournaments", json={"name": "Spring", "game": "quixo", "cycles": 2}).json
    for bot in bots:
        ada.post(f"/v1/tournaments/{made['id']}/entrants", json={"bot": bot.id})
    assert ada.post(f"/v1/tournaments/{made['id']}/start").status_code == 200
    return made["id"]


def addresses(service, played, tournament, bots) -> list[str]:
    over, running = played
    matches = [*over.values(), *running.values()]
    return [
        "/",
        "/start",
        "/protocol",
        "/matches",
        "/matches?game=sorry&state=finished",
        "/tournaments",
        "/ladders",
        "/bots",
        "/rules",
        "/rules/sheets/quixo",
        "/rules/sheets/sorry",
        "/viewer",
        "/sign-in",
        "/sign-up",
        f"/tournaments/{tournament}",
        f"/bots/{bots[0].id}",
        f"/bots/{bots[0].id}?ladder=sorry",
        f"/owners/{bots[0].owner}",
        *(f"/ladders/{game}" for game in GAMES),
        *(f"/rules/{game}" for game in GAMES),
        *(f"/matches/{match.id}" for match in matches),
        *(f"/matches/{match.id}?at=5" for match in matches),
        *(f"/matches/{match.id}/verification" for match in over.values()),
    ]


def test_every_page_is_small_strict_and_complete(service, visitor, played, tournament, bots):
    for path in addresses(service, played, tournament, bots):
        seen = visitor.get(path)
        assert seen.status == 200, (path, seen.words[:300])
        assert len(seen.html.encode()) < MOST_BYTES, path
        check_strict(path, seen)
        check_outline(path, seen)


def check_strict(path, seen):
    """Nothing that the Content-Security-Policy would stop, and the policy itself is strict."""
    policy = seen.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag, attributes in seen.page.tags:
        assert "style" not in attributes, (path, tag)
        assert not any(name.startswith("on") for name in attributes), (path, tag, attributes)
        assert tag != "style", path
        if tag == "script":
            assert attributes["src"].startswith("/assets/"), path
        for name in ("src", "href", "action"):
            value = attributes.get(name) or ""
            assert not re.match(r"(?:[a-z]+:)?//|javascript:", value), (path, tag, value)


def check_outline(path, seen):
    """One heading of the first level, a title, a language, labels for all fields."""
    tags = seen.page.tags
    assert sum(tag == "h1" for tag, _ in tags) == 1, path
    assert ("html", {"lang": "en"}) in tags
    labels = {attributes.get("for") for tag, attributes in tags if tag == "label"}
    for tag, attributes in tags:
        if tag in ("input", "select", "textarea") and attributes.get("type") != "hidden":
            assert attributes.get("id") in labels or "aria-label" in attributes, (path, attributes)
    ids = [attributes["id"] for _, attributes in tags if attributes.get("id")]
    assert len(ids) == len(set(ids)), (path, sorted(i for i in ids if ids.count(i) > 1))


def test_large_things_are_shown_in_parts(start_service):
    """A tournament of many, with the longest names there may be."""
    service = start_service(bots_per_owner=100)
    ada, visitor = service.somebody(), Visitor(service.app.test_client())
    made = ada.post("/v1/tournaments", json={"name": "Many", "game": "quixo"}).json
    for number in range(64):
        bot = service.bot(ada, name=f"{number:02}" + "\N{PILE OF POO}" * 38)
        ada.post(f"/v1/tournaments/{made['id']}/entrants", json={"bot": bot["id"]})
    assert ada.post(f"/v1/tournaments/{made['id']}/start").status_code == 200
    for query in ("", "?round=40", "?from=50"):
        seen = visitor.get(f"/tournaments/{made['id']}{query}")
        assert seen.status == 200
        assert len(seen.html.encode()) < MOST_BYTES
    many = visitor.get(f"/tournaments/{made['id']}?round=40")
    assert "Round 40 of 63" in many.words
    around = [link for link in many.page.links if "round=" in link]
    assert [link.partition("round=")[2] for link in around] == ["39#rounds", "41#rounds"]
    assert "round" in many.form(f"/tournaments/{made['id']}#rounds").fields, "the others by their number"


def test_a_long_match_is_shown_in_parts(service, visitor, bots, ada):
    """Its owner's receipts included, and comments as long as there may be."""
    match = stored(service.store, "sorry-teams", bots, says="\N{PILE OF POO}" * 200)
    visitor.submit("/sign-in", "/sign-in", key=ada.key)
    for at in (1, 50, 10_000):
        seen = visitor.get(f"/matches/{match.id}?at={at}")
        assert len(seen.html.encode()) < MOST_BYTES
        current = [a for tag, a in seen.page.tags if a.get("aria-current") == "step"]
        assert len(current) == 1


@pytest.mark.slow
def test_pages_say_so_while_the_store_is_away(start_service, start_redis):
    visitor = Visitor(start_service().app.test_client())
    server = start_redis("embedded")
    visitor.sign_up("Ada")
    server.pause()
    try:
        for path in ("/", "/me", "/bots"):
            seen = visitor.get(path)
            assert seen.status == 503
            assert seen.headers["Retry-After"]
            check_strict(path, seen)
        assert visitor.get("/rules/quixo").status == 200
    finally:
        server.go_on()


def test_every_link_leads_somewhere(service, visitor, played, tournament, bots):
    """All addresses that the pages name, but for what only an owner may open."""
    found = set()
    for path in addresses(service, played, tournament, bots):
        page = visitor.get(path).page
        found |= {link.split("#")[0] for link in page.links if link.startswith("/")}
    for path in sorted(found - {""}):
        answer = visitor.client.get(path, headers={"Accept": "text/html"})
        assert answer.status_code in (200, 303), path


def test_a_match_is_read_without_scripts(visitor, played):
    over, _ = played
    match = over["quixo"]
    seen = visitor.get(f"/matches/{match.id}?at=4")
    assert seen.words.count("Check the record now") == 1
    pieces = [attributes for tag, attributes in seen.page.tags if tag == "use" and "x" in attributes]
    assert sum(a["href"].startswith("#look-") for a in pieces) >= 25
    assert "?at=3" in seen.page.links
    assert "?at=5" in seen.page.links
    assert "4 of" in seen.words
    last = visitor.get(f"/matches/{match.id}")
    assert " won: " in last.words or "Drawn: " in last.words


def test_a_running_match_says_so_and_hides_what_comes(service, visitor, bots):
    match = stored(service.store, "sorry-points", bots[:2], stop_after=9)
    seen = visitor.get(f"/matches/{match.id}")
    assert "running" in seen.words
    assert match.secret not in seen.html
    assert "Download the record" not in seen.words
    frames = visitor.client.get(f"/matches/{match.id}/frames").json["items"]
    assert frames[-1]["hands"] == [5, 5]
    assert "receipt" not in str(frames)


def test_an_owner_sees_the_own_hand_and_receipts(service, visitor, bots, ada):
    match = stored(service.store, "sorry-points", bots[:2], stop_after=9)
    visitor.submit("/sign-in", "/sign-in", key=ada.key)
    frames = visitor.client.get(f"/matches/{match.id}/frames").json["items"]
    own = next(player.seat for player in match.players if player.owner == ada.id)
    assert len(frames[-1]["hands"][own]) == 5
    assert frames[-1]["hands"][1 - own] == 5
    seats = {frame["seat"] for frame in frames if "receipt" in frame}
    assert seats == {own}


def test_all_hands_are_shown_after_the_end(visitor, played):
    match = played[0]["sorry-points"]
    frames = visitor.client.get(f"/matches/{match.id}/frames").json["items"]
    assert all(isinstance(hand, list) for hand in frames[3]["hands"])


def test_frames_come_as_events_that_resume(service, visitor, bots):
    match = stored(service.store, "quixo", bots[:2])
    headers = {"Accept": "text/event-stream", "Last-Event-ID": "3"}
    answer = visitor.client.get(f"/matches/{match.id}/frames", headers=headers)
    assert answer.mimetype == "text/event-stream"
    text = answer.get_data(as_text=True)
    answer.close()  # a stream's place is held until then
    assert text.count("event: frame") == len(service.store.matches.record(match.id)) - 3
    assert text.index("id: 4") < text.index("id: 5")
    assert text.rstrip().endswith("data: {}")


def test_the_boards_of_the_front_page_share_one_stream(service, visitor, bots):
    one, other = (stored(service.store, "quixo", bots[:2], stop_after=n) for n in (3, 4))
    answer = visitor.client.get(f"/live?m={one.id}&m={other.id}&after=2.1").json
    assert {item["match"] for item in answer["items"]} == {one.id, other.id}
    numbers = [int(part) for part in answer["next"].split(".")]
    again = visitor.client.get(f"/live?m={one.id}&m={other.id}&after={answer['next']}").json
    assert again["items"] == []
    assert numbers[0] > 2


@pytest.mark.parametrize("cursor", ["x", "1", "1.2.3", "1.-2"])
def test_a_cursor_that_is_none_is_refused(service, visitor, bots, cursor):
    one, other = (stored(service.store, "quixo", bots[:2], stop_after=3) for _ in range(2))
    answer = visitor.client.get(f"/live?m={one.id}&m={other.id}&after={cursor}")
    assert answer.status_code == 400


def test_a_record_is_handed_out_and_shown_from_its_file(visitor, played):
    match = played[0]["sorry"]
    answer = visitor.client.get(f"/matches/{match.id}/record.json")
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    form = visitor.get("/viewer").form("/viewer")

    def show(body: bytes, accept: str):
        data = {**form.fields, "record": (io.BytesIO(body), "match.json")}
        return visitor.client.post("/viewer", data=data, headers={"Accept": accept})

    page = show(answer.data, "text/html")
    assert page.status_code == 200
    assert "The record holds." in page.get_data(as_text=True)
    told = show(answer.data, "application/json").json
    frames = visitor.client.get(f"/matches/{match.id}/frames").json["items"]
    assert [f["say"] for f in told["frames"]] == [f["say"] for f in frames]
    forged = show(answer.data.replace(b'"rated":true', b'"rated":false', 1), "text/html")
    assert "This record does not hold." in forged.get_data(as_text=True)
    assert show(b"{}", "text/html").status_code == 422
    assert show(b"x" * (2 * 1024 * 1024), "text/html").status_code == 413


def test_original_sheets_are_there_word_for_word(visitor):
    for name, language, words in (("quixo", "mn", "25 шоо"), ("sorry", "uz", "Bump")):
        seen = visitor.get(f"/rules/sheets/{name}")
        assert ("div", {"class": "sheet", "lang": language}) in seen.page.tags
        assert (words in seen.html) == (name == "quixo")


def test_errors_are_pages_for_people_and_problems_for_programs(visitor):
    for path in ("/nothing-here", "/matches/m_quixo_0000000000000000", "/ladders/chess", "/rules/go"):
        seen = visitor.get(path)
        assert seen.status == 404
        assert "text/html" in seen.headers["Content-Type"]
        check_strict(path, seen)
    assert visitor.client.get("/nothing-here").mimetype == "application/problem+json"
    answer = visitor.client.get("/v1/nothing-here", headers={"Accept": "text/html"})
    assert answer.mimetype == "application/problem+json"


def test_assets_are_kept_for_good_under_their_version(visitor):
    page = visitor.get("/").page
    style = next(a["href"] for tag, a in page.tags if tag == "link" and a.get("rel") == "stylesheet")
    answer = visitor.client.get(style)
    assert answer.status_code == 200
    assert "immutable" in answer.headers["Cache-Control"]
    assert "immutable" not in visitor.client.get("/assets/other/style.css").headers.get("Cache-Control", "")
    assert visitor.client.get(style.replace("style.css", "../app.py")).status_code == 404


def test_shared_cards_are_shown_once_all_their_games_are_over(service, visitor, ada, bots):
    """F1: with duplicate deals a record, and every hand, is told when the whole set is over."""
    wanted = {"game": "sorry-points", "bots": [b.id for b in bots[:2]], "count": 2, "duplicate": True}
    first, second = (m["id"] for m in ada.post("/v1/matches", json=wanted).json["items"])
    for match, told in ((first, False), (second, True)):
        claim = claimed(service.store, service.store.matches.get(match))
        events = played_out(claim.match)
        service.store.matches.append(claim, 1, events[:-1])
        finish(service.store, claim, events)
        frames = visitor.client.get(f"/matches/{first}/frames").json["items"]
        assert isinstance(frames[3]["hands"][0], list) == told
        seen = visitor.get(f"/matches/{first}")
        assert ("Download the record" in seen.words) == told
        assert ("once the other games with the same cards are over" in seen.words) != told
        assert visitor.client.get(f"/matches/{first}/record.json").status_code == (200 if told else 409)
        assert visitor.get(f"/matches/{first}/verification").status == (200 if told else 409)


def played_out(match):
    return whole(header_of(match), bytes.fromhex(match.secret))


def test_tables_tell_what_all_results_say(service, visitor, bots):
    for _ in range(3):
        stored(service.store, "quixo", bots[:2])
    before = visitor.get("/ladders/quixo").words
    fit_ladder(service.store, "quixo", 1_000_000)
    (line,) = service.store.fits.lines("quixo", [(bots[0].id, bots[0].version)])
    wanted = f"{round(line.rating)} ± {round(line.half_width)}"
    assert wanted not in before
    assert "by chance" in before
    assert "by chance" not in visitor.get("/ladders/quixo").words.replace("By chance", "")
    assert wanted in visitor.get("/ladders/quixo").words
    seen = visitor.get(f"/bots/{bots[0].id}").words
    assert f"Strength by all results at once: {wanted} (95 %), against 1 opponent." in seen


def test_the_front_page_shows_something_of_every_game(service, visitor, bots):
    stored(service.store, "sorry", bots[:2])
    for _ in range(8):
        stored(service.store, "quixo", bots[:2])
    boards = re.findall(r'aria-label="(Quixo|Sorry!) board', visitor.get("/").html)
    assert sorted(boards) == ["Quixo"] * 4 + ["Sorry!"]


@pytest.mark.parametrize("game", GAMES)
def test_cards_are_spoken_of_where_there_are_cards(service, visitor, bots, game):
    match = stored(service.store, game, bots[: min(GAMES[game].seats)])
    for path in (f"/matches/{match.id}", f"/matches/{match.id}/verification"):
        assert ("card" in visitor.get(path).words) == GAMES[game].chance, path


def test_a_tournament_s_page_says_who_won_each_game(service, visitor, ada, bots):
    made = ada.post("/v1/tournaments", json={"name": "Cup", "game": "quixo"}).json["id"]
    for bot in bots[:2]:
        ada.post(f"/v1/tournaments/{made}/entrants", json={"bot": bot.id})
    ada.post(f"/v1/tournaments/{made}/start")
    advance(service.store, made, 1, 100)
    (match,) = service.store.matches.list().items
    play(service.store, match.id, loser=0)
    assert f"{match.players[1].name} won" in visitor.get(f"/tournaments/{made}").words
