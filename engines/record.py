"""The record of a match: its public events, the hash chain over them, and the check that needs no server.

A record is one JSON object: `header` (all that was fixed before play), `events`, `secret` (the server's 32
bytes, hex), `seed`, `result`, `chain_head`, and what the service adds (`match`). The chain begins with
SHA-256(canonical header); every event adds SHA-256(previous digest ‖ canonical public event).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engines.chance import commitment, match_seed
from engines.clock import Control
from engines.errors import GameError, IllegalMove
from engines.game import State
from engines.protocol import FaultReason, canonical
from engines.referee import Setup, Verdict, recorded_answer, referee
from engines.registry import game_named

Event = Mapping[str, Any]
SCHEMA_VERSION = 1


def public(event: Event) -> dict[str, Any]:
    """The event without its private receipt, which its hash stands for."""
    out = {name: value for name, value in event.items() if name != "receipt"}
    if "receipt" in event:
        out["receipt_sha256"] = hashlib.sha256(canonical(event["receipt"])).hexdigest()
    return out


def chain_start(header: Mapping[str, Any]) -> bytes:
    """The chain's first digest."""
    return hashlib.sha256(canonical(header)).digest()


def chain_on(digest: bytes, events: Iterable[Event]) -> bytes:
    """The digest behind more (public) events."""
    for event in events:
        digest = hashlib.sha256(digest + canonical(event)).digest()
    return digest


def setup_from(header: Mapping[str, Any], secret: bytes, started: Event) -> Setup:
    """What the referee needs, from a record's header, the server's secret and the `started` event."""
    return Setup(
        game=game_named(header["game"]),
        seats=len(header["players"]),
        options=header["options"],
        control=Control.from_json(header["clock"]),
        seed=match_seed(secret, started["nonces"]),
        opening_plies=header["opening"]["plies"],
        opening_seed=bytes.fromhex(header["opening"]["seed"]),
        attempts=header["attempts"],
        no_shows=tuple(started["no_shows"]),
        absences=tuple(started.get("absences", ())),
    )


def replayed(setup: Setup, events: Sequence[Event]) -> Iterator[dict[str, Any]]:
    """The events that the referee makes of the recorded answers, `started` left out.

    Ends where the answers end; raises what the referee raises on an answer that it cannot take.
    """
    answers = [a for a in map(recorded_answer, events) if a is not None]
    running = referee(setup)
    try:
        yield from next(running).events
        for answer in answers:
            yield from running.send(answer).events
    except StopIteration as stop:
        verdict: Verdict = stop.value
        yield from verdict.events


def positions(setup: Setup, events: Iterable[Event]) -> Iterator[tuple[State, Event | None]]:
    """Every position of a recorded match with the event that led to it, the first with None."""
    state = setup.game.start(setup.seats, setup.options, setup.seed)
    yield state, None
    for event in events:
        if event["type"] in ("move", "forced"):
            state = state.apply(state.move(event["move"]))
        elif event["type"] == "fault" and event["final"]:
            state = state.without(event["seat"])
        else:
            continue
        yield state, event


_MEMBERS = ("header", "events", "secret", "seed", "result", "chain_head")


def verify(record: Mapping[str, Any]) -> list[str]:
    """What is wrong with a record, a sentence each; empty if it holds.

    Checks the commitment, the seed, the rules, the deck, the clocks, the result and the chain.
    """
    if not isinstance(record, Mapping):
        return [f"this is no record: an object with {', '.join(_MEMBERS)} is expected"]
    if missing := [name for name in _MEMBERS if name not in record]:
        return [f"this is no record, or not all of one: it has no {', '.join(missing)}"]
    try:
        return list(_problems(record))
    except KeyError as error:
        return [f"the record is not complete: the member {error} is missing"]
    except IndexError:
        return ["the record is not complete: a list in it, such as its events, is too short"]
    except (TypeError, AttributeError) as error:
        return [f"the record is not well formed: {error}"]
    except (GameError, ValueError) as error:
        return [f"the record cannot be replayed: {error}"]


def _problems(record: Mapping[str, Any]) -> Iterator[str]:
    header, events = record["header"], record["events"]
    if header["schema_version"] != SCHEMA_VERSION:
        yield f"schema_version is {header['schema_version']}; this program reads {SCHEMA_VERSION}"
        return
    game = game_named(header["game"])
    if header["engine_version"] != game.version:
        yield f"played under version {header['engine_version']} of the rules; this program has {game.version}"
        return
    yield from _chance_problems(record, header, events)
    setup = setup_from(header, bytes.fromhex(record["secret"]), events[0])
    yield from _event_problems(setup, events[1:])
    if (events[-1]["type"], events[-1].get("result")) != ("finished", record["result"]):
        yield "the result is not the one of the last event"
    for number, event in enumerate(events, start=1):
        if "receipt" in event and public(event)["receipt_sha256"] != event["receipt_sha256"]:
            yield f"event {number}: the receipt is not the one that was hashed"
    bare = ({n: v for n, v in event.items() if n != "receipt"} for event in events)
    head = chain_on(chain_start(header), bare).hex()
    if head != record["chain_head"]:
        yield f"the hash chain ends in {head}, not in {record['chain_head']}: something was changed"


def _chance_problems(
    record: Mapping[str, Any], header: Mapping[str, Any], events: Sequence[Event]
) -> Iterator[str]:
    secret = bytes.fromhex(record["secret"])
    if commitment(secret) != header["commitment"]:
        yield "the server's secret is not the one it committed itself to before the match"
    if match_seed(secret, events[0]["nonces"]).hex() != record["seed"]:
        yield "the seed does not follow from the server's secret and the bots' nonces"


def _event_problems(setup: Setup, events: Sequence[Event]) -> Iterator[str]:
    made = list(replayed(setup, events))
    for number, (want, got) in enumerate(zip(made, events, strict=False), start=2):
        for name in want:
            if got.get(name) != want[name] and name != "receipt":
                yield (
                    f"event {number} ({got['type']}): {name} is {got.get(name)!r};"
                    f" by the rules and the clock it is {want[name]!r}"
                )
                return
    if len(made) != len(events):
        yield f"the record has {len(events) + 1} events; by the rules there are {len(made) + 1}"
    yield from _false_faults(setup, events)


def _false_faults(setup: Setup, events: Sequence[Event]) -> Iterator[str]:
    """Answers that the record calls illegal and the rules allow."""
    state = None
    for state, event in _before(setup, events):
        if event.get("reason") == FaultReason.ILLEGAL_MOVE and not _refused(state, event["got"]):
            yield f"turn {event['turn']}: {event['got']} was called illegal, but the rules allow it"


def _before(setup: Setup, events: Sequence[Event]) -> Iterator[tuple[State, Event]]:
    reached = positions(setup, events)
    state, _ = next(reached)
    for event in events:
        if event["type"] == "finished":
            return
        yield state, event
        if event["type"] != "fault" or event["final"]:
            state, _ = next(reached)


def _refused(state: State, move: str | int) -> bool:
    if isinstance(move, int):
        return not 0 <= move < len(state.legal_moves())
    try:
        state.move(move)
    except IllegalMove:
        return True
    return False
