"""Who may do what: one line for every route of the API. A route without a line is refused at start.

`scope` is what the key must hold (None: nobody is asked for a key). `role` is the least role. `thing` says
what is checked about the object in the address:

    ""      there is none, or anybody may see it
    seen    somebody else's private one answers 404
    own     somebody else's answers 404, private or not

An admin's key with the scope `admin` passes as the owner of everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from service.models import Role

SCOPES: Mapping[str, str] = {
    "read": "read what only you may see",
    "play": "fetch turns and reply to them, for bots without an address",
    "bots": "register and manage your bots",
    "matches": "ask for matches and cancel them",
    "tournaments": "make and run tournaments, enter bots",
    "webhooks": "be told of results",
    "owners": "add and invite owners (organisers)",
    "keys": "make and revoke API keys",
    "admin": "run the service (admins only)",
}
PLAYER_SCOPES = tuple(scope for scope in SCOPES if scope != "admin")
_RANK = {Role.PLAYER: 0, Role.ORGANISER: 1, Role.ADMIN: 2}


def scopes_of(role: Role) -> tuple[str, ...]:
    """What a key of that role may hold."""
    return tuple(SCOPES) if role is Role.ADMIN else PLAYER_SCOPES


def reaches(role: Role, least: Role) -> bool:
    """Whether `role` is at least `least`."""
    return _RANK[role] >= _RANK[least]


@dataclass(frozen=True, slots=True)
class Access:
    """One line of the table."""

    scope: str | None
    thing: Literal["", "seen", "own"] = ""
    role: Role = Role.PLAYER


_PUBLIC, _SEEN = Access(None), Access(None, "seen")
_BOTS, _OWN_BOT = Access("bots"), Access("bots", "own")
_OWN_TOURNAMENT = Access("tournaments", "own")
_OWN_WEBHOOK = Access("webhooks", "own")
_ADMIN = Access("admin", role=Role.ADMIN)

ACCESS: Mapping[str, Access] = {
    "owners.sign_up": _PUBLIC,
    "owners.me": Access("read"),
    "owners.read": _PUBLIC,
    "keys.list_keys": Access("keys"),
    "keys.create": Access("keys"),
    "keys.revoke": Access("keys", "own"),
    "bots.register": _BOTS,
    "bots.list_bots": _PUBLIC,
    "bots.read": _SEEN,
    "bots.change": _OWN_BOT,
    "bots.retire": _OWN_BOT,
    "bots.verify": _OWN_BOT,
    "bots.verification": _OWN_BOT,
    "bots.health": _OWN_BOT,
    "bots.rotate_secret": _OWN_BOT,
    "checks.create": _OWN_BOT,
    "checks.read": _OWN_BOT,
    "turns.fetch": Access("play", "own"),
    "turns.reply": Access("play", "own"),
    "matches.create": Access("matches"),
    "matches.list_matches": _PUBLIC,
    "matches.read": _SEEN,
    "matches.cancel": Access("matches", "own"),
    "matches.events": _SEEN,
    "matches.record": _SEEN,
    "tournaments.create": Access("tournaments"),
    "tournaments.list_tournaments": _PUBLIC,
    "tournaments.read": _SEEN,
    "tournaments.change": _OWN_TOURNAMENT,
    "tournaments.open_entry": _OWN_TOURNAMENT,
    "tournaments.start": _OWN_TOURNAMENT,
    "tournaments.pause": _OWN_TOURNAMENT,
    "tournaments.resume": _OWN_TOURNAMENT,
    "tournaments.cancel": _OWN_TOURNAMENT,
    "entrants.list_entrants": _SEEN,
    "entrants.enter": Access("tournaments", "seen"),
    "entrants.withdraw": Access("tournaments", "own"),
    "tables.standings": _SEEN,
    "crosstables.cross_table": _SEEN,
    "crosstables.breakdown": _SEEN,
    "tables.pairings": _SEEN,
    "exports.records": _SEEN,
    "tournaments.events": _SEEN,
    "webhooks.create": Access("webhooks"),
    "webhooks.list_webhooks": Access("webhooks"),
    "webhooks.read": _OWN_WEBHOOK,
    "webhooks.delete": _OWN_WEBHOOK,
    "webhooks.deliveries": _OWN_WEBHOOK,
    "webhooks.ping": _OWN_WEBHOOK,
    "webhooks.rotate_secret": _OWN_WEBHOOK,
    "roster.enrol": Access("owners", role=Role.ORGANISER),
    "roster.invite": Access("owners", role=Role.ORGANISER),
    "roster.list_invitations": Access("owners", role=Role.ORGANISER),
    "roster.revoke_invitation": Access("owners", "own", Role.ORGANISER),
    "ratings.list_ladders": _PUBLIC,
    "ratings.table": _PUBLIC,
    "ratings.read": _SEEN,
    "ratings.read_fit": _PUBLIC,
    "ratings.superiority": _PUBLIC,
    "ratings.history": _SEEN,
    "games.list_games": _PUBLIC,
    "games.read": _PUBLIC,
    "limits.read": _PUBLIC,
    "admin.void_match": _ADMIN,
    "admin.resume_match": _ADMIN,
    "admin.list_held": _ADMIN,
    "admin.matchmaking": _ADMIN,
    "admin.set_matchmaking": _ADMIN,
    "admin.list_owners": _ADMIN,
    "admin.add": _ADMIN,
    "admin.change_owner": _ADMIN,
    "admin.ban": _ADMIN,
    "admin.unban": _ADMIN,
    "admin.recover_key": _ADMIN,
    "admin.list_workers": _ADMIN,
    "admin.drain": _ADMIN,
    "admin.undrain": _ADMIN,
    "health.live": _PUBLIC,
    "health.ready": _PUBLIC,
    "metrics.scrape": _PUBLIC,  # guarded by a token of its own
    "docs.page": _PUBLIC,
    "docs.problem": _PUBLIC,
    "docs.style": _PUBLIC,
    "docs.schema": _PUBLIC,
    "api-docs.openapi_json": _PUBLIC,
}
