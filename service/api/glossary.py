"""What members mean, with an example of each; `complete` writes them into the OpenAPI description.

A schema's own words go before these; "" is for members that always have some. "Schema.member" is for one
schema, "member" for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engines.clock import PRESETS

AT = "2026-01-31T12:00:00.000Z"
_BOT, _OWNER, _MATCH = "b_01k8z4n2q7h3v9ty", "o_01k8z4n2q7h3v9ty", "m_quixo_01k8z4n2q7h3v9ty"
_HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_BLITZ = PRESETS["blitz"].to_json()
_RESULT = {"outcome": "decided", "reason": "line", "placing": [1, 2], "points": None}

MEANINGS: Mapping[str, tuple[str, Any]] = {
    # Who and what
    "id": ("Its id.", _BOT),
    "Key.id": ("What stands between arb_ and the second _.", "01k8z4n2q7h3v9ty"),
    "NewKey.id": ("What stands between arb_ and the second _.", "01k8z4n2q7h3v9ty"),
    "name": ("What it is called.", "Greedy"),
    "Owner.name": ("What the owner is called.", "Ada"),
    "Me.name": ("What the owner is called.", "Ada"),
    "AdminOwner.name": ("What the owner is called.", "Ada"),
    "AddOwner.name": ("Unique, whatever the case.", "Ada"),
    "Enrolled.name": ("As it was sent.", "Ada"),
    "Key.name": ("What it is for.", "laptop"),
    "NewKey.name": ("What it is for.", "laptop"),
    "Tournament.name": ("For people.", "Spring league"),
    "TournamentChange.name": ("For people.", "Spring league"),
    "Followed.name": ("For people.", "Spring league"),
    "Game.name": ("", "quixo"),
    "Option.name": ("Its name in `options`.", "size"),
    "Worker.name": ("The machine and the process.", "host-1:4711"),
    "title": ("For people.", "Quixo"),
    "Problem.title": ("", "Unknown bot"),
    "description": ("Its owner's words about it.", "Looks two plies ahead."),
    "version": ("The program's version, as its owner names it.", "1"),
    "Game.version": ("", 1),
    "owner": ("Whose it is.", _OWNER),
    "Enrolled.owner": ("The new owner; null if there is none.", None),
    "bot": ("Which bot.", _BOT),
    "other": ("The bot it is compared with.", _BOT),
    "tournament": ("Which tournament; null where there is none.", "t_quixo_01k8z4n2q7h3v9ty"),
    "match": ("Which match.", _MATCH),
    "Record.match": ("", {"id": _MATCH}),
    "game": ("The game's name.", "quixo"),
    "CheckProgress.game": ("", "quixo"),
    "ladder": ("The pool of ratings: a game's name.", "quixo"),
    "role": ("player, organiser or admin.", "player"),
    "scopes": ("What the key may do.", ["read", "bots", "matches"]),
    "key_id": ("", "01k8z4n2q7h3v9ty"),
    "key": ("The API key, shown this once.", None),
    "revision": ("Grows with every change; part of the ETag.", 3),
    "format": ("How it is played.", "round-robin"),
    "transport": ("http: the service calls `url`; poll: the bot fetches its turns.", "http"),
    "url": ("The address that is POSTed to.", "https://bots.example.org/quixo"),
    "secret": ("", "whsec_…"),
    "Record.secret": ("", _HASH),
    "invitation": ("", "inv_01k8z4n2q7h3v9ty_…"),
    "expires_at": ("From then on it is no good.", AT),
    "uses": ("", 30),
    "days": ("", 30),
    # Times
    "created_at": ("When it was made.", AT),
    "started_at": ("When it began.", AT),
    "finished_at": ("When it ended.", AT),
    "turn_began_at": ("", AT),
    "asked_at": ("When it was asked for.", AT),
    "begun_at": ("When it began.", AT),
    "entered_at": ("When it entered.", AT),
    "verified_at": ("When it last proved that the address is its own.", AT),
    "withdrawn_at": ("When it left the tournament, if it did.", None),
    "last_poll_at": ("When it last fetched its turns, if it does.", None),
    "last_seen_at": ("", AT),
    "last_used_at": ("When it was last used, to the minute.", AT),
    "start_at": ("When it starts by itself.", AT),
    "entries_close_at": ("After this nobody enters any more.", AT),
    "next_at": ("", AT),
    "at": ("When.", AT),
    "took_ms": ("How long it took.", 120),
    # States
    "state": ("What it is at.", "active"),
    "state_reason": ("Why, where there is something to say.", None),
    "reason": ("A sentence that those concerned will read.", "The opponent's key had leaked."),
    "banned": ("", None),
    "paused": ("", None),
    "by": ("Who did it.", _OWNER),
    "detail": ("What is wrong, where, and what to do.", "it answered with status 500; any 2xx is expected"),
    "Ready.detail": ("What is missing, if anything is.", "all is well"),
    "Check.detail": ("", None),
    "Verification.detail": ("", None),
    "status": ("", 422),
    "Live.status": ("ok while the process answers.", "ok"),
    "Ready.status": ("ready, or not ready.", "ready"),
    "Delivery.status": ("", 200),
    "request_id": ("", "5f0c1a9b2d3e4f60"),
    "problem": ("", None),
    "failures": ("Failures in a row; five pause it.", 0),
    # Bots
    "games": ("The games it plays.", ["quixo"]),
    "Rating.games": ("Rated games played.", 42),
    "Fit.games": ("Games that it is of.", 1200),
    "CrossCell.games": ("Games against each other.", 2),
    "concurrency": ("Matches it plays at once.", 1),
    "private": ("Seen by those concerned only; never rated.", False),
    "challenges": ("Who may ask for a match with it: anyone, owners (named ones), nobody.", "anyone"),
    "challengers": ("The owners who may challenge it, where `challenges` is owners.", [_OWNER]),
    "TournamentRequest.challengers": ("", 1),
    "TournamentChange.challengers": ("", 1),
    "TournamentSettings.challengers": ("In a gauntlet: how many, the first to enter.", 1),
    "challenges_per_day": ("Challenges it takes a day (UTC); null: as many as come.", None),
    "open_matches": ("Its matches that are not over.", 2),
    "turns": ("", 1000),
    "charged": ("What it was charged a turn.", None),
    "connecting": ("What connecting to it took.", None),
    "p50_ms": ("Half of them took at most this.", 12.5),
    "p90_ms": ("90 of 100 took at most this.", 21.0),
    "p99_ms": ("99 of 100 took at most this.", 48.2),
    "max_ms": ("The longest.", 61.3),
    "faults": ("", {"timeout": 1}),
    "messages": ("", []),
    # The doctor
    "findings": ("What was found, in the order it was looked at.", []),
    "passed": ("", True),
    "progress": ("What it says of how far it is.", {}),
    "requests": ("", 40),
    "Limits.requests": ("", {"body_bytes": 262144, "page_items": 200}),
    "service": ("What the service knows of the bot.", None),
    "health": ("How its last turns went.", None),
    "verification": ("How its last verification went.", None),
    "summary": ("What was found, in a sentence.", "answers within its time"),
    "sent": ("What was sent.", "POST …"),
    "came": ("What came.", "200 {}"),
    "expected": ("What was expected.", "200 and a move"),
    "mend": ("What to do.", "answer with one of legal_moves"),
    # Matches
    "seat": ("Which seat, from 0.", 0),
    "team": ("Which team, from 0; null where there are none.", None),
    "players": ("Who sits where.", []),
    "options": ("The game's options.", {}),
    "clock": ("The time control.", _BLITZ),
    "Limits.clock": ("", {"controls": ["fischer"], "allowance_ms": 100}),
    "opening": ("Random plies that are played first; null: some where there is more than one cycle.", 6),
    "opening_plies": ("Random plies that were played first.", 6),
    "attempts": ("Answers a turn may take while they are illegal.", 1),
    "rated": ("Whether it counts for the ratings.", True),
    "unrated_reason": ("Why it does not count, if so.", None),
    "count": ("", 2),
    "engine_version": ("The version of the rules it is played under.", 1),
    "commitment": ("", _HASH),
    "pairing": ("Its place in the tournament's schedule.", None),
    "round": ("The round of the tournament, from 1.", 1),
    "set": ("", None),
    "requested_by": ("Who asked for it.", _OWNER),
    "plies": ("Moves made so far.", 31),
    "result": ("outcome, reason, placing by seat, points; null until it is over.", _RESULT),
    "chain_head": ("The last hash over its events; null until it is over.", _HASH),
    "header": ("", {"match_id": _MATCH}),
    "seed": ("What deck and opening follow from, hex.", _HASH),
    "events": ("In order.", [{"id": 1, "type": "started"}]),
    "Webhook.events": ("What it is told of.", ["match.finished"]),
    "NewWebhook.events": ("What it is told of.", ["match.finished"]),
    "WebhookRequest.events": ("", ["match.finished", "bot.paused"]),
    "items": ("In their order.", [{"id": 1, "type": "started"}]),
    "next": ("", None),
    "Events.next": ("", 1),
    "Feed.next": ("", "1769860800000-0"),
    # Tournaments
    "settings": ("How it is played.", None),
    "seats": ("Seats at a table.", 2),
    "Game.seats": ("", [2]),
    "SeatResults.seat": ("Which seat, from 0.", 0),
    "partners": ("In team games: fixed teams, or partners that rotate.", "rotating"),
    "partner_name": ("The second bot's name, of a team that has two.", "Lazy"),
    "partner_version": ("The second bot's version.", "1"),
    "cycles": ("How often the whole schedule is played.", 2),
    "duplicate": ("One deck for every rotation of the seats, set by set.", False),
    "pseudonyms": ("Until the end only the host and each owner know who plays.", False),
    "max_entrants": ("How many may enter.", 64),
    "entry": ("open: owners enter their bots; invitation: the tournament's owner alone does.", "open"),
    "absence_grace_ms": (
        "How long an entrant's bot may be unable to play before it is withdrawn.",
        3_600_000,
    ),
    "tie_breaks": ("In the order they apply.", ["direct-encounter", "wins", "sonneborn-berger"]),
    "StandingsRow.tie_breaks": ("", {"direct-encounter": 0.67}),
    "entrants_count": ("How many have entered.", 8),
    "games_total": ("", 56),
    "games_done": ("Played to their end.", 14),
    "games_settled": ("", 0),
    "running": ("Being played now.", 4),
    "estimate_ms": ("", 90_000),
    "withdrawn_reason": ("", None),
    "rows": ("A line each.", []),
    "partial": ("Whether games are still missing.", True),
    "notes": ("", []),
    "rank": ("Its place in the table.", 1),
    "played": ("Games.", 14),
    "won": ("Games won.", 9),
    "drawn": ("Games drawn.", 0),
    "lost": ("Games lost.", 5),
    "won_by_forfeit": ("Of those won: without the opponent's playing on.", 1),
    "lost_by_forfeit": ("Of those lost: by a fault of its own.", 0),
    "points": ("A win 1, a draw ½.", 9.0),
    "game_points": ("Points in the game itself, where it has any.", 0),
    "decided_by": ("", "points"),
    "explanation": ("", "More points than Lazy."),
    "cells": ("", [None]),
    "ahead": ("Games in which it was placed before the other.", 1),
    "level": ("Games in which both shared a place.", 0),
    "behind": ("Games in which it was placed behind the other.", 1),
    "Fit.behind": ("", 0),
    "index": ("Its place in the schedule, from 0.", 0),
    "table": ("The table in its round.", 1),
    "cycle": ("The cycle it belongs to.", 1),
    "bots": ("", [_BOT, _BOT]),
    "Limits.bots": ("", {"ports": ["443"], "reply_bytes": 65536}),
    "CrossTable.bots": ("In the order of the standings.", None),
    "placing": ("", [1, 2]),
    # Ratings
    "rating": ("", 1612.4),
    "rating_milli": ("", 1612400),
    "before": ("The rating before the match.", 1600.0),
    "after": ("The rating after it.", 1612.4),
    "place": ("Its place in the match.", 1),
    "opponents": ("", 5),
    "RatingChange.opponents": ("Whom it met.", [_BOT]),
    "wins": ("Rated games won.", 27),
    "draws": ("Rated games drawn.", 0),
    "losses": ("Rated games lost.", 15),
    "fit": ("", 1620.1),
    "interval": ("", [1571.3, 1668.9]),
    "pool": ("Of bots that games connect, from 0; fits of different pools cannot be compared.", 0),
    "lines": ("", 12),
    "ledger": ("", 1200),
    "left_out": ("", 0),
    "first_seat": ("", 18.2),
    "first_seat_half_width": ("Half of that figure's 95 % interval.", 9.1),
    "draw": ("", None),
    "difference": ("", 42.0),
    "superiority": ("", 0.93),
    # Games and limits
    "default": ("What it is where nothing is said.", False),
    "help": ("What it does.", "cubes in a row and a column"),
    "rule": ("", "Q4"),
    "low": ("The least, of a number.", None),
    "high": ("The most, of a number.", None),
    "choices": ("What it may be, of a text.", []),
    "rates": ("", {"reads": "1200 per minute"}),
    "quotas": ("", {"bots_per_owner": 50}),
    "limit": ("How many there may be.", 50),
    "used": ("How many there are.", 2),
    # Webhooks and operators
    "letter": ("", f"w_01k8z4n2q7h3v9ty:{_MATCH}"),
    "event": ("What it told of.", "match.finished"),
    "attempt": ("Which try, from 1.", 1),
    "delivered": ("Whether it arrived.", True),
    "Matchmaking.paused": ("Whether no new matches begin.", False),
    "MatchmakingChange.paused": ("Whether new matches are to wait.", True),
    "places": ("Matches it plays at once.", 50),
    "silent_ms": ("", 800),
    "redis": ("ok, or away.", "ok"),
    "workers": ("Heard of within the last seconds.", 2),
}


# Whole bodies of requests, where more is worth showing than what is required.
BODIES: Mapping[str, Mapping[str, Any]] = {
    "BotRequest": {
        "name": "Greedy",
        "games": ["quixo"],
        "url": "https://bots.example.org/quixo",
        "concurrency": 2,
    },
    "BotChange": {"version": "2", "url": "https://bots.example.org/quixo-2"},
    "MatchRequest": {"game": "quixo", "bots": [_BOT, "b_01k8z4n2q7h3v9tz"], "clock": "blitz", "count": 2},
    "TournamentRequest": {
        "name": "Spring league",
        "game": "quixo",
        "clock": "blitz",
        "cycles": 2,
        "start_at": AT,
    },
    "TournamentChange": {"cycles": 4, "max_entrants": 32},
    "WebhookRequest": {"url": "https://example.org/arbiter", "events": ["match.finished"]},
    "KeyRequest": {"name": "laptop", "scopes": ["read", "play"]},
    "InvitationRequest": {"uses": 30, "days": 14},
    "OptionalReason": {"reason": "Too few have entered."},
    "MatchmakingChange": {"paused": True, "reason": "The server moves; back at noon."},
    "AddOwner": {"name": "Olga", "role": "organiser"},
}


def complete(spec: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI description with a meaning and an example for every member; it is changed in place."""
    schemas = spec["components"]["schemas"]
    schemas.pop("PaginationMetadata", None)  # flask-smorest's, which nothing here uses
    for schema, body in BODIES.items():
        schemas[schema]["example"] = body
    for schema, name, member in members(spec):
        if meaning := MEANINGS.get(f"{schema}.{name}") or MEANINGS.get(name):
            text, example = meaning
            member.setdefault("description", text)
            if is_plain(member):
                member.setdefault("example", example)
    return spec


def members(spec: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every member of every schema: the schema's name, the member's, its description."""
    for schema, about in spec["components"]["schemas"].items():
        for name, member in about.get("properties", {}).items():
            yield schema, name, member


def is_plain(member: Mapping[str, Any]) -> bool:
    """Whether an example says more than the type: no choice, truth or other schema."""
    chosen = {"enum", "$ref", "anyOf", "allOf", "oneOf"} & member.keys()
    listed = "$ref" in member.get("items", {})
    return not chosen and not listed and member.get("type") != "boolean"
