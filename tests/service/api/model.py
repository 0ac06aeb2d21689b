"""A model of the API: what owners, bots, matches and tournaments must look like after any requests.

Hypothesis makes the requests up; each answer and, after each, everything that can be read is compared with
the model (reliability row 13).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from service.app import create_app
from service.config import Settings
from tests.service.api.conftest import SETTINGS, Person, Service
from tests.service.api.playing import play

NAMES = st.sampled_from(["Ada", "Bob", "Cleo", "Dan", "ADA"])
BOT_NAMES = st.sampled_from(["one", "two", "three", "ONE"])
BOTS_EACH = 3
OPEN_MATCHES = 4
MOVES = {"open": {"draft": "open"}, "pause": {"running": "paused"}, "resume": {"paused": "running"}}
MOVES["cancel"] = dict.fromkeys(("draft", "open", "running", "paused"), "cancelled")
NOT_READY = {"unverified": "unverified-bot", "away": "bot-away", "retired": "bot-retired"}


@dataclass
class ModelBot:
    id: str
    owner: Person
    name: str
    state: str = "unverified"
    version: str = "1"
    etag: str = ""


@dataclass
class ModelMatch:
    id: str
    by: Person
    bots: tuple[ModelBot, ModelBot]
    rated: bool
    state: str = "queued"


@dataclass
class ModelTournament:
    id: str
    owner: Person
    state: str = "draft"
    started: bool = False
    entrants: list[ModelBot] = field(default_factory=list)


def kind(answer: Any) -> str:
    """The kind of a refusal, "" for a success."""
    return answer.json["type"].removeprefix("/problems/") if answer.status_code >= 400 else ""


class ApiModel(RuleBasedStateMachine):
    """`redis_url` is set by whoever runs it; the data is thrown away before each run."""

    redis_url = ""
    service: Service | None = None

    owners = Bundle("owners")
    bots = Bundle("bots")
    matches = Bundle("matches")
    tournaments = Bundle("tournaments")

    def __init__(self) -> None:
        super().__init__()
        if ApiModel.service is None:
            bounds = {"bots_per_owner": BOTS_EACH, "open_matches_per_owner": OPEN_MATCHES}
            settings = Settings(redis_url=self.redis_url, **{**SETTINGS, **bounds})
            app = create_app(settings)
            ApiModel.service = Service(app, app.extensions["arbiter-store"], settings)
        self.api = ApiModel.service
        self.api.store.db.run("FLUSHALL")
        self.people: dict[str, Person] = {}
        self.all_bots: list[ModelBot] = []
        self.all_matches: list[ModelMatch] = []
        self.all_tournaments: list[ModelTournament] = []
        self.played: Counter[str] = Counter()

    # Owners and bots

    @initialize(target=owners)
    def first(self) -> Any:
        return multiple(*(self._sign_up(name) for name in ("Ada", "Bob")))

    @rule(target=owners, name=NAMES)
    def sign_up(self, name: str) -> Any:
        person = self._sign_up(name)
        return multiple() if person is None else person

    def _sign_up(self, name: str) -> Person | None:
        answer = self.api.nobody.post("/v1/owners", json={"name": name})
        if name.casefold() in self.people:
            assert kind(answer) == "name-taken"
            return None
        assert answer.status_code == 201
        made = Person(self.api.app.test_client(), answer.json["owner"]["id"], answer.json["key"]["key"])
        self.people[name.casefold()] = made
        return made

    @rule(target=bots, owner=owners, name=BOT_NAMES)
    def register(self, owner: Person, name: str) -> Any:
        # Room for everything: who waits for whom is the scheduler's business, not the API's.
        about = {"name": name, "games": ["quixo"], "url": "http://127.0.0.1:9000/", "concurrency": 64}
        answer = owner.post("/v1/bots", json=about)
        own = [bot for bot in self.all_bots if bot.owner is owner and bot.state != "retired"]
        taken, full = any(b.name.casefold() == name.casefold() for b in own), len(own) >= BOTS_EACH
        if taken or full:
            assert kind(answer) in ["name-taken"] * taken + ["quota"] * full
            return multiple()
        assert answer.status_code == 201
        self.all_bots.append(ModelBot(answer.json["id"], owner, name))
        return self.all_bots[-1]

    @rule(bot=bots)
    def prove(self, bot: ModelBot) -> None:
        """A worker finds that the bot knows its secret."""
        self.api.store.verifications.passed(self.api.store.bots.get(bot.id))
        if bot.state == "unverified":
            bot.state = "active"

    @rule(bot=bots, version=st.sampled_from(["1", "2", "3"]), fresh=st.booleans())
    def change(self, bot: ModelBot, version: str, fresh: bool) -> None:
        etag = bot.owner.get(f"/v1/bots/{bot.id}").headers["ETag"]
        used = etag if fresh or not bot.etag else bot.etag
        answer = bot.owner.patch(f"/v1/bots/{bot.id}", json={"version": version}, headers={"If-Match": used})
        current = used.split("-")[0] == etag.split("-")[0]
        if bot.state == "retired":
            assert kind(answer) == "bot-retired"
        elif current:
            assert answer.status_code == 200
            bot.version = version
        else:  # a change that is there already may be answered as if it had been made now
            assert kind(answer) == "stale" or (answer.status_code == 200 and bot.version == version)
        bot.etag = etag

    @rule(bot=bots, away=st.booleans())
    def set_away(self, bot: ModelBot, away: bool) -> None:
        answer = bot.owner.patch(f"/v1/bots/{bot.id}", json={"away": away})
        if bot.state in ("active", "away"):
            assert answer.status_code == 200
            bot.state = "away" if away else "active"
        else:
            assert kind(answer) == ("bot-retired" if bot.state == "retired" else "wrong-state")

    @rule(bot=bots)
    def retire(self, bot: ModelBot) -> None:
        assert bot.owner.delete(f"/v1/bots/{bot.id}").status_code == 204
        bot.state = "retired"

    @rule(bot=bots, other=owners)
    def meddle(self, bot: ModelBot, other: Person) -> None:
        if other is not bot.owner:
            assert kind(other.delete(f"/v1/bots/{bot.id}")) == "not-found"
            assert kind(other.patch(f"/v1/bots/{bot.id}", json={"version": "9"})) == "not-found"

    # Matches

    @rule(target=matches, by=owners, first=bots, second=bots)
    def ask(self, by: Person, first: ModelBot, second: ModelBot) -> Any:
        answer = by.post("/v1/matches", json={"game": "quixo", "bots": [first.id, second.id]})
        refused = self._refusal(by, first, second)
        assert kind(answer) == refused
        if refused:
            return multiple()
        [made] = answer.json["items"]
        rated = first.owner is not second.owner
        assert (made["rated"], made["state"]) == (rated, "queued")
        self.all_matches.append(ModelMatch(made["id"], by, (first, second), rated))
        return self.all_matches[-1]

    def _refusal(self, by: Person, first: ModelBot, second: ModelBot) -> str:
        if first is second:
            return "own-bot-both-sides"
        for bot in (first, second):
            if bot.state in NOT_READY:
                return NOT_READY[bot.state]
        queued = [match for match in self.all_matches if match.by is by and match.state == "queued"]
        return "quota" if len(queued) >= OPEN_MATCHES else ""

    @rule(match=matches, who=owners)
    def cancel(self, match: ModelMatch, who: Person) -> None:
        answer = who.post(f"/v1/matches/{match.id}/cancel")
        if who is not match.by:
            assert kind(answer) == "not-found"
        elif match.state == "finished":
            assert kind(answer) == "wrong-state"
        else:
            assert answer.status_code == 200
            match.state = "cancelled"

    @rule(match=matches)
    def referee(self, match: ModelMatch) -> None:
        """A worker plays the match, if its bots are there."""
        if match.state == "queued" and all(bot.state == "active" for bot in match.bots):
            play(self.api.store, match.id, moves=1)
            match.state = "finished"
            if match.rated:
                self.played.update(bot.id for bot in match.bots)

    # Tournaments

    @rule(target=tournaments, owner=owners)
    def make(self, owner: Person) -> Any:
        answer = owner.post("/v1/tournaments", json={"name": "Cup", "game": "quixo"})
        own = [t for t in self.all_tournaments if t.owner is owner and t.state != "cancelled"]
        if len(own) >= self.api.settings.open_tournaments_per_player:
            assert kind(answer) == "quota"
            return multiple()
        assert answer.status_code == 201
        self.all_tournaments.append(ModelTournament(answer.json["id"], owner))
        return self.all_tournaments[-1]

    @rule(cup=tournaments, what=st.sampled_from(sorted(MOVES)))
    def move(self, cup: ModelTournament, what: str) -> None:
        answer = cup.owner.post(f"/v1/tournaments/{cup.id}/{what}", json={})
        to = MOVES[what].get(cup.state)
        assert kind(answer) == ("" if to else "wrong-state")
        cup.state = to or cup.state

    @rule(cup=tournaments)
    def start(self, cup: ModelTournament) -> None:
        answer = cup.owner.post(f"/v1/tournaments/{cup.id}/start")
        if cup.state not in ("draft", "open"):
            assert kind(answer) == ("already-started" if cup.started else "wrong-state")
            return
        cup.entrants = [bot for bot in cup.entrants if bot.state != "retired"]  # they are out
        if len(cup.entrants) < 2:
            assert kind(answer) == "too-few-entrants"
        else:
            n = len(cup.entrants)
            assert answer.json["games_total"] == n * (n - 1) // 2
            cup.state, cup.started = "running", True

    @rule(cup=tournaments, bot=bots)
    def enter(self, cup: ModelTournament, bot: ModelBot) -> None:
        answer = cup.owner.post(f"/v1/tournaments/{cup.id}/entrants", json={"bot": bot.id})
        if bot.state in NOT_READY:
            assert kind(answer) == NOT_READY[bot.state]
        elif cup.state not in ("draft", "open"):
            assert kind(answer) == "wrong-state"
        elif bot in cup.entrants:
            assert kind(answer) == "already-entered"
        else:
            assert answer.status_code == 201
            cup.entrants.append(bot)

    @rule(cup=tournaments, bot=bots)
    @precondition(lambda self: self.all_tournaments)
    def leave(self, cup: ModelTournament, bot: ModelBot) -> None:
        answer = bot.owner.delete(f"/v1/tournaments/{cup.id}/entrants/{bot.id}")
        if bot not in cup.entrants:
            assert kind(answer) == "not-found"
        elif cup.state in ("draft", "open"):
            assert answer.status_code == 204
            cup.entrants.remove(bot)
        else:
            assert kind(answer) == ("wrong-state" if cup.state == "cancelled" else "")

    # What can be read

    @invariant()
    def everything_is_as_the_model_says(self) -> None:
        nobody = self.api.nobody
        bots = nobody.get("/v1/bots?limit=200").json["items"]
        seen = {bot["id"]: (bot["state"], bot["version"]) for bot in bots}
        assert seen == {bot.id: (bot.state, bot.version) for bot in self.all_bots}
        matches = nobody.get("/v1/matches?limit=200").json["items"]
        states = {match["id"]: match["state"] for match in matches}
        assert states == {match.id: match.state for match in self.all_matches}
        cups = nobody.get("/v1/tournaments?limit=200").json["items"]
        found = {cup["id"]: (cup["state"], cup["entrants_count"]) for cup in cups}
        assert found == {cup.id: (cup.state, len(cup.entrants)) for cup in self.all_tournaments}
        table = nobody.get("/v1/ratings/quixo?limit=200").json["items"]
        assert {row["bot"]: row["games"] for row in table} == dict(self.played)
