"""Entering a bot and running a tournament by forms, from signing up to the last result."""

from __future__ import annotations

import re

import pytest

from tests.browser.players import thoughtful
from workers.embedded import free_port

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(300)]


def sign_up(window, name):
    page = window.go("/sign-up")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    assert re.fullmatch(r"arb_\w+", page.locator(".secret").inner_text()[:20])
    return page


def enter_bot(page, service, name, game="Quixo", pause_s=0.01):
    """Enter a bot, start it with the secret that is shown, verify it."""
    port = free_port()
    page.goto(f"{service.base}/bots/new")
    page.get_by_label("Name").fill(name)
    page.get_by_label(game, exact=True).check()
    page.get_by_label("Address").fill(f"http://127.0.0.1:{port}/")
    page.get_by_label("Matches at once").fill("4")
    page.get_by_role("button", name="Enter it").click()
    secret = page.locator(".secret").inner_text()
    page.get_by_role("link", name="Go on: verify it").click()
    page.get_by_text("It may not play yet.").wait_for()
    service.bots.enter_context(thoughtful(pause_s).listen(port=port, secret=secret))
    page.get_by_role("button", name="Verify").click()
    page.get_by_text("Verified on").wait_for()
    return page.url.rsplit("/", 1)[1]


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_a_bot_is_entered_by_form_and_plays(service, open_window, size):
    window = open_window(size)
    page = sign_up(window, f"Enterer {size}")
    page.get_by_role("link", name="Enter a bot").first.click()
    bot = enter_bot(page, service, f"Newcomer {size}")
    owner = service.owner("host")
    service.bot(owner, "quixo", thoughtful(0.01), name=f"Old hand {size}")
    page.get_by_role("link", name="Play a match").click()
    assert page.get_by_label("Seat 0").input_value() == bot
    page.get_by_label("Seat 1").select_option(label=f"Old hand {size}")
    page.get_by_role("button", name="Ask for it").click()
    page.locator("#verdict strong").wait_for(timeout=90_000)
    window.check()
    page.goto(f"{service.base}/bots/{bot}")
    assert "1 rated game:" in page.locator("main").inner_text()
    window.check()


def test_a_bot_that_does_not_answer_is_told_what_came(service, open_window):
    window = open_window()
    page = sign_up(window, "Silent")
    page.goto(f"{service.base}/bots/new")
    page.get_by_label("Name").fill("Mute")
    page.get_by_label("Quixo", exact=True).check()
    page.get_by_label("Address").fill(f"http://127.0.0.1:{free_port()}/")
    page.get_by_role("button", name="Enter it").click()
    page.get_by_role("link", name="Go on: verify it").click()
    page.get_by_role("button", name="Verify").click()
    page.get_by_text("Verification failed").wait_for()
    assert "refused" in page.locator("#care").inner_text()
    window.check()


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_a_tournament_is_made_and_run_by_form_and_seen_live(service, open_window, size):
    window = open_window(size)
    page = sign_up(window, f"Organiser {size}")
    names = [f"Cup {size} {letter}" for letter in "ABC"]
    for name in names:
        service.bot(service.owner("entrant"), "quixo", thoughtful(0.02), name=name)
    page.goto(f"{service.base}/tournaments/new?game=quixo")
    page.get_by_label("Name").fill(f"Cup {size}")
    page.get_by_label("Cycles").fill("2")
    page.get_by_role("button", name="Make it").click()
    page.get_by_role("button", name="Open for entry").click()
    for name in names:
        page.get_by_label(name).check()
    page.get_by_role("button", name="Enter", exact=True).click()
    page.get_by_role("button", name="Start").click()
    assert "of 6 games" in page.locator("#head").inner_text()
    page.get_by_text("6 of 6 games").wait_for(timeout=120_000)  # without reading the page again by hand
    page.locator("#head").get_by_text("finished").wait_for()
    points = page.locator("#standings tbody tr td:nth-child(3)").all_inner_texts()
    assert sum(float(text) for text in points) == 6
    assert page.locator("#cross tbody tr").count() == 3
    page.locator("#rounds").get_by_role("link", name="Watch").first.click()
    page.locator("#verdict strong").wait_for()
    window.check()


def test_challengers_are_asked_for_in_a_gauntlet_only_and_a_row_of_inputs_is_level(service, open_window):
    window = open_window()
    page = sign_up(window, "Gauntlet's host")
    page.goto(f"{service.base}/tournaments/new?game=sorry")
    challengers = page.get_by_label("Challengers of a gauntlet")
    assert not challengers.is_visible()
    page.get_by_label("Format").select_option("gauntlet")
    assert challengers.is_visible()
    row = [
        page.get_by_label(name) for name in ("Cycles", "Random opening moves", "Challengers of a gauntlet")
    ]
    assert len({field.bounding_box()["y"] for field in row}) == 1
    window.check()
