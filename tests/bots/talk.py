"""What tests send to bots: real messages of real matches."""

import http.client
import json
import time

from engines.clock import PRESETS
from engines.messages import SeatMessages
from engines.protocol import encode, sign
from engines.referee import Setup, referee
from engines.registry import GAMES

SECRET = "whsec_YSBzZWNyZXQgZm9yIHRoZSB0ZXN0cyE="


def messages(game="quixo", seat=0, match_id="m_test"):
    rules = GAMES[game]
    return SeatMessages(match_id, game, rules.full_options({}), seat, rules.team(seat))


def first_turn(game="quixo", plies=0):
    """The first question of a match after some random plies."""
    rules = GAMES[game]
    options = rules.full_options({})
    setup = Setup(rules, rules.seats[0], options, PRESETS["blitz"], bytes(32), opening_plies=plies)
    return next(referee(setup))


def move_message(game="quixo", plies=0, match_id="m_test"):
    turn = first_turn(game, plies)
    return messages(game, turn.seat, match_id).move(turn, 1, None)


def start_message(game="quixo", seat=0, match_id="m_test"):
    players = [
        {"seat": s, "team": GAMES[game].team(s), "bot": f"b_{s}", "name": f"bot {s}", "version": None}
        for s in range(GAMES[game].seats[0])
    ]
    return messages(game, seat, match_id).start(players, PRESETS["blitz"], "0" * 64)


def end_message(game="quixo", seat=0, match_id="m_test"):
    result = {"outcome": "decided", "reason": "line", "placing": [1, 2], "points": None}
    return messages(game, seat, match_id).end(
        result, rated=False, unrated_reason="a test", seed="00" * 32, chain_head="00" * 32, record_url=""
    )


def connect(server):
    return http.client.HTTPConnection(*server.server_address[:2], timeout=10)


def post(connection, message, secret=SECRET):
    """The status and the JSON of the answer."""
    body = message if isinstance(message, bytes) else encode(message)
    connection.request("POST", "/", body, sign([secret], "m_test:0:1", int(time.time()), body))
    response = connection.getresponse()
    return response.status, json.loads(response.read())
