"""Entering a bot and having it checked: the doctor's findings come onto the page by themselves."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest

from engines.protocol import verify_answer
from tests.browser.players import thoughtful
from tests.browser.test_doing import sign_up
from tests.hostile import reply, serving
from workers.embedded import free_port

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(300)]


def enter(page, service, name, url):
    """Enter a bot by form; its secret. Leaves the bot's page open."""
    page.goto(f"{service.base}/bots/new")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Quixo", exact=True).check()
    page.get_by_label("Address").fill(url)
    page.get_by_role("button", name="Enter it").click()
    secret = page.locator(".secret").inner_text()
    page.get_by_role("link", name="Go on: verify it").click()
    return secret


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_a_new_bot_is_verified_and_found_well_by_one_button(service, open_window, size):
    window = open_window(size)
    page = sign_up(window, f"Patient {size}")
    port = free_port()
    secret = enter(page, service, f"Healthy {size}", f"http://127.0.0.1:{port}/")
    service.bots.enter_context(thoughtful(0.01).listen(port=port, secret=secret))
    page.get_by_role("button", name="Check this bot").click()
    page.get_by_text("The check is").wait_for()
    page.get_by_text("Nothing must be mended").wait_for(
        timeout=60_000
    )  # without reading the page again by hand
    page.locator("#care").get_by_text("Verified on").wait_for()
    page.locator(".crumbs").get_by_text("active").wait_for()
    page.locator("#check summary").click()
    assert "Quixo, keep-alive: connections are kept open" in page.locator("#check").inner_text()
    assert window.axe() == []
    window.check()


@contextmanager
def mumbling(secret: list[str]):
    """A bot that proves itself and then answers every move with what is no JSON; its address."""

    def act(visit):
        while (body := visit.read()) is not None:
            message = json.loads(body)
            if message["type"] == "verify":
                visit.send(
                    reply(json.dumps({"answer": verify_answer(secret[0], message["challenge"])}).encode())
                )
            else:
                visit.send(reply(b"{}" if message["type"] != "move" else b"<p>my move: e5</p>"))

    with serving(act) as bot:
        yield bot.url


def test_what_is_wrong_is_told_with_how_to_mend_it(service, open_window):
    window = open_window("phone")
    page = sign_up(window, "Mumbler")
    secret: list[str] = []
    with mumbling(secret) as url:
        secret.append(enter(page, service, "Mumbling", url))
        page.get_by_role("button", name="Check this bot").click()
        page.get_by_text("2 to mend").wait_for(timeout=60_000)
    told = page.locator("#check").inner_text()
    assert "<p>my move: e5</p>" in told, "what came, as text"
    assert "plain UTF-8 JSON" in told
    assert "it does not check signatures" in told
    assert window.axe() == []
    window.check()


def test_a_check_is_read_without_scripts(service, open_window):
    window = open_window(java_script_enabled=False)
    page = sign_up(window, "Plain")
    enter(page, service, "Nobody there", f"http://127.0.0.1:{free_port()}/")
    page.get_by_role("button", name="Check this bot").click()
    for _ in range(60):
        if "1 to mend" in page.locator("#check").inner_text():
            break
        page.wait_for_timeout(250)
        page.reload()
    told = page.locator("#check").inner_text()
    assert "cannot be verified" in told
    assert "check that the bot runs" in told
