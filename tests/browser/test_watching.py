"""Matches watched live and replayed, by Chromium, wide and on a phone."""

from __future__ import annotations

import itertools
import json
import re
import time

import pytest
import requests

from tests.browser.players import thoughtful
from tests.e2e.conftest import wait_for

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(240)]
SHOWS = "text => document.querySelector('[data-count]').textContent.startsWith(text)"
ONE_TO_MOVE = """!("live" in document.querySelector("[data-match]").dataset) ||
    document.querySelectorAll(".player[data-turn]").length === 1"""
NO_STREAMS = "delete window.EventSource;"


@pytest.fixture(scope="module")
def pair(service):
    """Two owners, and a slow bot of each that plays every game."""
    owners = [service.owner("watcher"), service.owner("watched")]
    bots = [
        service.bot(owner, "quixo", thoughtful(says="so be it" if owner is owners[0] else None), **more)
        for owner, more in zip(owners, ({"name": "Tortoise"}, {"name": "Hare"}), strict=True)
    ]
    for owner, bot in zip(owners, bots, strict=True):
        owner.patch(f"/v1/bots/{bot}", {"games": ["quixo", "quixo-teams", "sorry", "sorry-points"]})
    return owners, bots


@pytest.fixture(scope="module")
def over(service):
    """A match that is over, without dots and with them."""
    owner, other = service.owner("quick"), service.owner("quicker")
    bots = [
        service.bot(who, "quixo", thoughtful(0), games=["quixo", "quixo-teams"]) for who in (owner, other)
    ]
    return {
        game: service.match(owner, game, bots * (2 if game == "quixo-teams" else 1))
        for game in ("quixo", "quixo-teams")
    }


def asked(pair, game="quixo"):
    (owner, _), bots = pair
    return owner.post("/v1/matches", {"game": game, "bots": bots, "clock": "blitz"})["items"][0]["id"]


def number(page):
    """Which frame is shown, and how many there are."""
    text = page.locator("[data-count]").inner_text()
    return tuple(int(part) for part in re.findall(r"\d+", text))


@pytest.mark.parametrize(
    ("size", "scripts"), [("wide", ""), ("phone", NO_STREAMS)], ids=["events-wide", "polls-phone"]
)
def test_a_match_is_watched_live_to_its_end(service, pair, open_window, size, scripts):
    match = asked(pair)
    window = open_window(size, scripts)
    page = window.go(f"/matches/{match}")
    window.until("document.querySelectorAll('[data-rows] li').length > 6")
    shown, known = number(page)
    assert shown == known
    assert page.evaluate(ONE_TO_MOVE)
    page.locator("#verdict strong").wait_for(timeout=120_000)
    page.get_by_text("The record holds.").wait_for()
    shown, known = number(page)
    assert shown == known
    assert page.locator("[data-rows] li").count() == known
    words = page.locator("#verdict").inner_text()
    assert re.search(r"(Tortoise|Hare) won|Drawn", words)
    assert "so be it" in page.locator("[data-rows]").inner_text()
    events = service.store.matches.record(match)
    assert known == len(events)
    window.check()


def test_clocks_run_between_moves(service, open_window):
    owner, other = service.owner("slow"), service.owner("slower")
    bots = [service.bot(who, "quixo", thoughtful(1.5)) for who in (owner, other)]
    made = owner.post("/v1/matches", {"game": "quixo", "bots": bots, "clock": "blitz"})["items"][0]
    wait_for(lambda: len(service.store.matches.events(made["id"])) > 2, "two moves")
    window = open_window()
    page = window.go(f"/matches/{made['id']}")
    window.alive()
    clock = page.locator(".player[data-turn] [data-clock]")
    seen = []
    for _ in range(12):
        seen.append(clock.inner_text())
        page.wait_for_timeout(250)
    assert any(now < before for before, now in itertools.pairwise(seen)), seen
    window.check()


def test_periods_of_byo_yomi_are_counted_on_the_page(service, open_window):
    owner, other = service.owner("counter"), service.owner("beads")
    bots = [service.bot(who, "quixo", thoughtful(5)) for who in (owner, other)]
    control = {"control": "byoyomi", "base_ms": 0, "periods": 3, "period_ms": 2000}
    made = owner.post("/v1/matches", {"game": "quixo", "bots": bots, "clock": control})["items"][0]
    wait_for(lambda: len(service.store.matches.events(made["id"])) > 0, "the start")
    window = open_window()
    page = window.go(f"/matches/{made['id']}")
    window.alive()
    clock = page.locator(".player[data-turn] [data-clock]")
    seen = set()
    for _ in range(40):
        seen.add(clock.inner_text().partition(" × ")[2])
        page.wait_for_timeout(100)
    assert {"2", "1"} <= seen, seen
    window.check()


def clock_s(text):
    """0:52, or 0:08.4, as seconds."""
    minutes, seconds = text.split(":")
    return int(minutes) * 60 + float(seconds)


def test_a_clock_counts_from_when_the_turn_began_not_from_the_page_s_opening(service, open_window):
    owner, other = service.owner("thinker"), service.owner("dreamer")
    bots = [service.bot(who, "quixo", thoughtful(25)) for who in (owner, other)]
    body = {"game": "quixo", "bots": bots, "clock": "blitz"}
    made = owner.post("/v1/matches", body)["items"][0]["id"]
    wait_for(lambda: service.store.matches.events(made), "the start")
    time.sleep(4)
    window = open_window()
    page = window.go(f"/matches/{made}")
    window.alive()
    clock = page.locator(".player[data-turn] [data-clock]")

    def gone():
        return 60 - clock_s(clock.inner_text())

    page.wait_for_timeout(300)
    real = service.store.matches.turn_age_ms(made) / 1000
    assert abs(gone() - real) < 1.2, "opened in mid-turn"
    page.get_by_label("First position").click()
    page.keyboard.press("End")
    page.wait_for_timeout(300)
    real = service.store.matches.turn_age_ms(made) / 1000
    assert abs(gone() - real) < 1.2, "looking back does not start it anew"
    window.check()


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_a_match_is_replayed_by_buttons_slider_and_keys(over, open_window, size):
    window = open_window(size)
    page = window.go(f"/matches/{over['quixo']['id']}")
    window.alive()
    _, known = number(page)
    for press, wanted in (
        (lambda: page.get_by_label("First position").click(), 1),
        (lambda: page.get_by_label("One on").click(), 2),
        (lambda: page.get_by_label("One on").click(), 3),
        (lambda: page.get_by_label("One back").click(), 2),
        (lambda: page.keyboard.press("End"), known),
        (lambda: page.keyboard.press("ArrowLeft"), known - 1),
        (lambda: page.keyboard.press("Home"), 1),
        (lambda: page.keyboard.press("ArrowRight"), 2),
        (lambda: page.locator("[data-slider]").fill("7"), 7),
        (lambda: page.locator("[data-rows] a[href='?at=5']").click(), 5),
    ):
        press()
        window.until(SHOWS, f"{wanted} ")
        assert number(page)[0] == wanted
        assert page.locator("[data-rows] [aria-current]").get_attribute("href").endswith(f"at={wanted}")
    assert page.url.endswith("?at=5")
    page.keyboard.press("Space")
    window.until(SHOWS, "8 ")
    page.get_by_label("Pause").click()
    window.check()


def pieces(page):
    """What the board shows, in the order of the pieces' places."""
    return sorted(
        page.evaluate(
            "[...document.querySelectorAll('#board .pieces use')]"
            ".map(u => [u.getAttribute('href'), u.getAttribute('x'), u.getAttribute('y')].join(' '))"
        )
    )


@pytest.mark.parametrize("game", ["quixo", "quixo-teams"])
def test_a_link_to_a_move_shows_what_the_replay_shows_there(over, open_window, game):
    """The board drawn by the server and the one that scripts moved are the same."""
    window, plain = open_window(), open_window(java_script_enabled=False)
    path = f"/matches/{over[game]['id']}"
    page = window.go(f"{path}?at=1")
    window.alive()
    for at in range(2, 9):
        page.keyboard.press("ArrowRight")
        window.until(SHOWS, f"{at} ")
        window.until("document.querySelectorAll('#board .marks use').length")
        assert pieces(page) == pieces(plain.go(f"{path}?at={at}")), at
        assert page.locator("[data-say]").inner_text() == plain.page.locator("[data-say]").inner_text()
    window.check()


def test_without_motion_a_board_jumps(over, open_window):
    window = open_window(reduced_motion="reduce")
    page = window.go(f"/matches/{over['quixo']['id']}?at=2")
    window.alive()
    after = pieces(open_window(java_script_enabled=False).go(f"/matches/{over['quixo']['id']}?at=3"))
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(60)
    assert pieces(page) == after


def test_a_record_dropped_on_the_viewer_is_shown(service, over, open_window, tmp_path):
    record = tmp_path / "match.json"
    text = requests.get(f"{service.base}/v1/matches/{over['quixo']['id']}/record", timeout=10).json()
    record.write_text(json.dumps(text))
    window = open_window()
    page = window.go("/viewer")
    window.alive()
    data = page.evaluate_handle(
        "text => { const t = new DataTransfer(); t.items.add(new File([text], 'match.json')); return t; }",
        record.read_text(),
    )
    page.dispatch_event("[data-drop]", "drop", {"dataTransfer": data})
    page.get_by_text("The record holds.").wait_for()
    page.keyboard.press("Home")
    assert number(page)[0] == 1
    page.keyboard.press("ArrowRight")
    assert number(page)[0] == 2
    window.check()
    page = window.go("/viewer")
    window.alive()
    page.set_input_files("#record", {"name": "x.json", "mimeType": "application/json", "buffer": b"{}"})
    page.get_by_text("Show it").click()
    page.get_by_text("This is no record of a match").wait_for()


def test_boards_of_the_front_page_are_alive(pair, open_window):
    match = asked(pair, "sorry")
    window = open_window()
    page = window.go("/")
    card = f"[data-match-id='{match}'] .pieces"
    page.locator(card).wait_for()
    before = page.locator(card).inner_html()
    window.until("([s, old]) => document.querySelector(s)?.innerHTML !== old", [card, before])
    window.check()


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_nothing_jumps_about_while_a_page_loads_and_lives(pair, open_window, size):
    match = asked(pair)
    window = open_window(size)
    for path in (f"/matches/{match}", "/", "/ladders/quixo"):
        page = window.go(path)
        page.wait_for_timeout(1000)
        assert page.evaluate("window.shifts") < 0.02, path
