"""`./run shots [FOLDER]`: every kind of page, light and dark, wide and on a phone, as pictures to look at.

A service of its own plays a league and some matches first. The folder (shots/) is outside version control.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from engines.registry import GAMES
from tests.browser.conftest import CHROMIUM, FLAGS, SIZES
from tests.browser.players import thoughtful
from tests.e2e.conftest import Service, running_service, wait_for

CAST = ("Ada", "Berna", "Chidi", "Dalia")
LEAGUE_S = 120.0


def prepare(service: Service) -> tuple[dict[str, str], str]:
    """Play something of everything: the addresses to look at by name, and a key that may see more."""
    owners = {name: service.owner(name) for name in CAST}
    bots = {
        name: service.bot(owner, "quixo", thoughtful(0.01, "towards the middle"), name=f"{name.lower()}-bot")
        for name, owner in owners.items()
    }
    ada = owners["Ada"]
    for name, bot in bots.items():
        owners[name].patch(f"/v1/bots/{bot}", {"games": list(GAMES), "description": "Takes what comes."})
    cup = ada.post("/v1/tournaments", {"name": "Spring league", "game": "quixo", "cycles": 3})
    for bot in bots.values():
        ada.post(f"/v1/tournaments/{cup['id']}/entrants", {"bot": bot})
    ada.post(f"/v1/tournaments/{cup['id']}/start", {})
    over = lambda: ada.get(f"/v1/tournaments/{cup['id']}")["state"] == "finished"  # noqa: E731
    wait_for(over, "the league", LEAGUE_S)
    matches = {game: _match(service, ada, game, list(bots.values())) for game in GAMES}
    hook = ada.post("/v1/webhooks", {"url": f"{service.base}/nobody-listens-here"})
    ada.post(f"/v1/webhooks/{hook['id']}/ping", {})
    checks = f"/v1/bots/{bots['Ada']}/checks"
    check = ada.post(checks, {"games": ["quixo"]})["id"]
    wait_for(lambda: ada.get(f"{checks}/{check}")["state"] == "done", "the check")
    draft = ada.post("/v1/tournaments", {"name": "Summer cup", "game": "sorry"})
    ada.post(f"/v1/tournaments/{draft['id']}/open", {})
    places = {
        "home": "/",
        "start": "/start",
        "protocol": "/protocol",
        "matches": "/matches",
        **{f"match-{game}": f"/matches/{match}" for game, match in matches.items()},
        "match-middle": f"/matches/{matches['sorry']}?at=60",
        "tournaments": "/tournaments",
        "tournament": f"/tournaments/{cup['id']}",
        "ladders": "/ladders",
        "ladder": "/ladders/quixo",
        "bots": "/bots",
        "bot": f"/bots/{bots['Berna']}",
        "owner": f"/owners/{owners['Chidi'].owner}",
        "rules": "/rules",
        "rules-quixo": "/rules/quixo",
        "rules-sorry": "/rules/sorry",
        "sheet": "/rules/sheets/quixo",
        "viewer": "/viewer",
        "sign-in": "/sign-in",
        "sign-up": "/sign-up",
        "error": "/nothing-here",
        "own-page": "/me",
        "own-webhooks": "/me/webhooks",
        "own-bot": f"/bots/{bots['Ada']}",
        "own-draft": f"/tournaments/{draft['id']}",
        "bot-form": "/bots/new",
        "match-form": "/matches/new?game=sorry",
        "tournament-form": "/tournaments/new?game=sorry",
    }
    return places, ada.post("/v1/keys", {"name": "shots"})["key"]


def _match(service: Service, owner: Any, game: str, bots: list[str]) -> str:
    seats = max(GAMES[game].seats)
    return str(service.match(owner, game, bots[:seats], clock="rapid")["id"])


def shoot(
    browser: Browser,
    service: Service,
    places: Mapping[str, str],
    key: str,
    folder: Path,
    size: str,
    scheme: str,
) -> None:
    """All places in one size and one colour scheme."""
    context = browser.new_context(viewport=SIZES[size], color_scheme=scheme)
    page = context.new_page()
    for name, path in places.items():
        if name == "own-page":
            _sign_in(page, service.base, key)
        page.goto(service.base + path)
        page.wait_for_timeout(350)
        page.screenshot(path=folder / f"{name}-{size}-{scheme}.png", full_page=True)
    context.close()


def _sign_in(page: Page, base: str, key: str) -> None:
    page.goto(f"{base}/sign-in")
    page.get_by_label("API key").fill(key)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run shots", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("shots"), help="made if need be")
    folder = parser.parse_args(argv).folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, running_service(Path(data)) as service:
        places, key = prepare(service)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for size in SIZES:
                for scheme in ("light", "dark"):
                    shoot(browser, service, places, key, folder, size, scheme)
            browser.close()
    print(f"{4 * len(places)} pictures in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
