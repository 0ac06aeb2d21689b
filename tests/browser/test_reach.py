"""For everybody: axe-core, keyboards, phones, contrast, on every kind of page, light and dark."""

from __future__ import annotations

import pytest

from tests.browser.players import thoughtful

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def places(service):
    """Addresses of every kind of page, and a key of the owner whose things they show."""
    owner, other = service.owner("reach"), service.owner("reached")
    bots = [service.bot(who, "quixo", thoughtful(0.0)) for who in (owner, other)]
    match = service.match(owner, "quixo", bots)
    cup = owner.post("/v1/tournaments", {"name": "Reach cup", "game": "quixo"})
    for bot in bots:
        owner.post(f"/v1/tournaments/{cup['id']}/entrants", {"bot": bot})
    owner.post(f"/v1/tournaments/{cup['id']}/start", {})
    service.over(owner, match["id"])
    paths = [
        "/",
        "/start",
        "/protocol",
        "/matches",
        f"/matches/{match['id']}",
        f"/matches/{match['id']}?at=4",
        "/tournaments",
        f"/tournaments/{cup['id']}",
        "/ladders",
        "/ladders/quixo",
        "/bots",
        f"/bots/{bots[0]}",
        f"/owners/{owner.owner}",
        "/rules",
        "/rules/quixo",
        "/rules/sorry",
        "/rules/sheets/quixo",
        "/viewer",
        "/sign-in",
        "/sign-up",
        "/nothing",
    ]
    owner.post("/v1/webhooks", {"url": f"{service.base}/nobody-listens-here"})
    own = [
        "/me",
        "/me/webhooks",
        "/bots/new",
        "/matches/new?game=quixo",
        "/tournaments/new?game=sorry",
        f"/bots/{bots[0]}",
    ]
    return paths, own, owner.post("/v1/keys", {"name": "browser"})["key"]


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        ("wide", "light"),
        ("phone", "dark"),
        pytest.param("wide", "dark", marks=pytest.mark.long),
        pytest.param("phone", "light", marks=pytest.mark.long),
    ],
)
def test_every_page_is_for_everybody(places, open_window, size, scheme):
    paths, own, key = places
    window = open_window(size, color_scheme=scheme, reduced_motion="reduce")
    found = {path: problems for path in paths if (problems := looked_at(window, path))}
    page = window.go("/sign-in")
    page.get_by_label("API key").fill(key)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    found |= {path: problems for path in own if (problems := looked_at(window, path))}
    assert found == {}


def looked_at(window, path):
    window.go(path)
    window.alive()
    window.wrong = [line for line in window.wrong if path != "/nothing"]
    window.check()
    return window.axe()


def a_match(places):
    return next(path for path in places[0] if path.startswith("/matches/m_"))


def test_a_keyboard_is_enough(places, open_window):
    """The skip link leads to the content, and everything that can be done has a visible focus."""
    window = open_window()
    page = window.go(a_match(places))
    window.alive()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.url.endswith("#main")
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break  # past the last of them
        reached.add(
            page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent.trim()")
        )
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", reached
    assert {"First position", "Play", "Position", "Speed", "Download the record"} <= reached


def test_moves_are_announced(places, open_window):
    window = open_window()
    page = window.go(a_match(places))
    window.alive()
    status = page.get_by_role("status")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    window.until("document.querySelector('[data-say]').textContent.includes('takes')")
    assert "slides it in from" in status.inner_text()
