"""No part of a running service writes a secret down: workers and sweep neither, whatever bots do."""

import http.server
import json
import threading

import pytest

from bots.sdk import Bot
from tests.e2e.conftest import running_service, wait_for
from tests.e2e.test_match import first_move
from workers.embedded import free_port

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with running_service(tmp_path_factory.mktemp("secrets"), log_level="debug") as running:
        yield running


def mumbler():
    bot = Bot("wrong")

    @bot.move
    def move(turn):
        return "nonsense"

    return bot


class Refuser(http.server.BaseHTTPRequestHandler):
    """A webhook's receiver that is not pleased."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_error(500)

    def log_message(self, *_):
        pass


@pytest.fixture
def receiver():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refuser)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()


def test_no_log_record_or_delivery_tells_a_secret(service, receiver):
    ada, bob = service.owner("Ada"), service.owner("Bob")
    secrets = {}
    for name, client in (("Ada", ada), ("Bob", bob)):
        secrets[f"{name}'s key"] = client._session.headers["Authorization"].split("_", 2)[2]
        hook = client.post("/v1/webhooks", {"url": receiver})
        secrets[f"{name}'s webhook"] = hook["secret"].removeprefix("whsec_")
    players = {"good": (ada, first_move()), "other": (bob, first_move()), "bad": (bob, mumbler())}
    bots = {name: service.bot(client, "quixo", player) for name, (client, player) in players.items()}
    dead = service.register(ada, "quixo", f"http://127.0.0.1:{free_port()}/")
    ada.post(f"/v1/bots/{dead['id']}/verify", {})
    wait_for(lambda: ada.get(f"/v1/bots/{dead['id']}/verification")["state"] == "failed", "the refusal")
    secrets |= {f"{name}'s secret": service.store.bots.get(bot).secret[6:] for name, bot in bots.items()}
    secrets["the dead bot's secret"] = dead["secret"].removeprefix("whsec_")

    played = [service.match(ada, "quixo", [bots["good"], bots[other]]) for other in ("other", "bad")]
    open_match = ada.post("/v1/matches", {"game": "quixo", "bots": [bots["good"], bots["other"]]})["items"][0]
    secrets["the seed of a match that goes on"] = service.store.matches.get(open_match["id"]).secret
    hooks = ada.get("/v1/webhooks")["items"]
    tries = f"/v1/webhooks/{hooks[0]['id']}/deliveries"
    wait_for(lambda: len(ada.get(tries)["items"]) >= 2, "the deliveries")
    service.over(ada, open_match["id"])

    logs = {part: service.stack.log(part).read_text() for part in service.stack.parts}
    assert "match finished" in logs["worker"] or "request" in logs["api"], "they are logs of a run"
    told = {
        f"{part}: {name}" for part, text in logs.items() for name, secret in secrets.items() if secret in text
    }
    assert told == set()
    kept = {name: secret for name, secret in secrets.items() if "seed" not in name}
    records = json.dumps(
        [ada.get(f"/v1/matches/{match['id']}/record") for match in played] + ada.get(tries)["items"]
    )
    assert {name for name, secret in kept.items() if secret in records} == set()
