"""Matches played by chance and replayed in another process: bit for bit the same (reliability row 15).

python -m tests.chaos replays [MATCHES]

A match of any game, options and clock is played with all kinds of answers. What is kept of it is its header,
its secret and its events, as JSON. From that another process, in which sets and dictionaries are in another
order, sends the recorded answers to a new referee. Every turn, position, clock and event must come out as at
first, byte by byte, and the record must hold.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from engines.chance import commitment, match_seed
from engines.clock import PRESETS, Control
from engines.game import Option
from engines.protocol import FaultReason, MoveReply, canonical
from engines.record import SCHEMA_VERSION, chain_on, chain_start, public, setup_from, verify
from engines.referee import Answer, Fault, Setup, Turn, Verdict, recorded_answer, referee
from engines.registry import GAMES
from tests.chaos.table import Row, show

PROCESSES = 2
CONTROLS = (
    *PRESETS.values(),
    Control("delay", base_ms=20_000, delay_ms=200),
    Control("bronstein", base_ms=20_000, delay_ms=200),
    Control("byoyomi", base_ms=5_000, periods=3, period_ms=500),
    Control("per_move", base_ms=1_000, cap_ms=700),
)
ODD_ANSWERS = 0.01  # the share of answers that are faulty in some way
Reply = Callable[[Turn], Answer | Fault]


def header_by(dice: random.Random, number: int) -> dict[str, Any]:
    """A match of some game, seats, options, clock and opening."""
    game = list(GAMES.values())[number % len(GAMES)]
    options = {name: value_of(option, dice) for name, option in game.options.items() if dice.random() < 0.5}
    return {
        "schema_version": SCHEMA_VERSION,
        "match_id": f"m_{game.name}_{number:016}",
        "game": game.name,
        "options": game.full_options(options),
        "clock": dice.choice(CONTROLS).to_json(),
        "opening": {"plies": dice.choice((0, 0, 4)), "seed": dice.randbytes(32).hex()},
        "attempts": dice.choice((1, 1, 3)),
        "players": [
            {"seat": seat, "team": game.team(seat), "bot": f"b_{seat}", "name": f"bot {seat}", "version": "1"}
            for seat in range(dice.choice(game.seats))
        ],
        "rated": True,
        "engine_version": game.version,
    }


def value_of(option: Option, dice: random.Random) -> Any:
    if option.choices:
        return dice.choice(option.choices)
    if isinstance(option.default, bool):
        return dice.random() < 0.5
    low, high = option.low or 0, option.high or 0
    return dice.choice((option.default, dice.randint(low, min(high, low + 60))))


def answers_by(dice: random.Random) -> Reply:
    """Legal moves mostly, as a text or a number; now and then what bots do wrong."""

    def answer(turn: Turn) -> Answer | Fault:
        charged = dice.randrange(1, 90_000)
        receipt = {"charged_us": charged, "wait_us": charged - 1}
        if dice.random() < ODD_ANSWERS:
            return odd_answer(dice, charged)
        move = dice.randrange(len(turn.legal))
        reply = MoveReply(move if dice.random() < 0.5 else turn.legal[move], dice.choice((None, "well…")))
        return Answer(reply, charged, 1, receipt, "kernel")

    return answer


def odd_answer(dice: random.Random, charged: int) -> Answer | Fault:
    reasons = (FaultReason.MALFORMED_REPLY, FaultReason.UNREACHABLE, FaultReason.RESIGNED)
    return dice.choice(
        (
            Answer(MoveReply("zz"), charged),
            Answer(MoveReply(9_999), charged, 2, stamp="monotonic"),
            Answer(MoveReply(0), 10**9),
            *(Fault(reason, "said why", charged, got="<html>") for reason in reasons),
        )
    )


def run(setup: Setup, reply: Reply) -> tuple[list[dict[str, Any]], Verdict, str]:
    """All events, how it ended, and a digest of every turn and position on the way."""
    seen, events, running = hashlib.sha256(), [], referee(setup)
    try:
        turn = next(running)
        while True:
            events += turn.events
            seen.update(look(setup, turn))
            turn = running.send(reply(turn))
    except StopIteration as over:
        verdict: Verdict = over.value
        seen.update(str(verdict.state).encode() + canonical(dict(verdict.result)))
        return events + list(verdict.events), verdict, seen.hexdigest()


def look(setup: Setup, turn: Turn) -> bytes:
    """Everything that a turn tells."""
    views = [turn.state.view(seat) for seat in (None, *range(setup.seats))]
    history, error = list(map(dict, turn.history)), turn.error and dict(turn.error)
    told = [turn.turn, turn.seat, list(turn.legal), repr(turn.clock), history, error, views]
    return canonical(told) + str(turn.state).encode()


def played(number: int) -> dict[str, Any]:
    """The record of match `number`, and what its play looked like."""
    dice = random.Random(number)
    secret = dice.randbytes(32)
    header = {**header_by(dice, number), "commitment": commitment(secret)}
    seats = range(len(header["players"]))
    away = [seat for seat in seats if dice.random() < 0.01]
    nonces = ["" if seat in away else dice.randbytes(8).hex() for seat in seats]
    begun = {"type": "started", "at": 1, "nonces": nonces, "no_shows": away}
    events, verdict, seen = run(setup_from(header, secret, begun), answers_by(dice))
    events = [begun, *events[:-1], {**events[-1], "at": 2}]
    record = {"header": header, "events": events, "secret": secret.hex(), "result": dict(verdict.result)}
    record["seed"] = match_seed(secret, nonces).hex()
    record["chain_head"] = chain_on(chain_start(header), map(public, events)).hex()
    return {"record": record, "seen": seen}


def replay_faults(kept: dict[str, Any]) -> list[str]:
    """What is not as it was, played again from what was kept."""
    record = kept["record"]
    events = record["events"]
    setup = setup_from(record["header"], bytes.fromhex(record["secret"]), events[0])
    answers = iter([a for a in map(recorded_answer, events) if a is not None])
    again, verdict, seen = run(setup, lambda _: next(answers))
    again[-1] = {**again[-1], "at": events[-1]["at"]}
    faults = [] if seen == kept["seen"] else ["turns and positions"]
    if canonical([events[0], *again]) != canonical(events):
        faults.append("events")
    if canonical(dict(verdict.result)) != canonical(record["result"]):
        faults.append("result")
    head = chain_on(chain_start(record["header"]), map(public, [events[0], *again])).hex()
    if head != record["chain_head"]:
        faults.append("hash chain")
    shown = {**record, "events": list(map(public, events))}
    return faults + verify(shown)


def play_part(part: int, count: int) -> None:
    """One process' share of the matches, a line each."""
    for number in range(part, count, PROCESSES):
        print(json.dumps(played(number)))


def replay_part() -> None:
    """Replay what comes in; a line each: the game and what is not as it was."""
    for line in sys.stdin:
        kept = json.loads(line)
        print(json.dumps([kept["record"]["header"]["game"], replay_faults(kept)]))


def in_parts(
    words: Sequence[str], order: str, sources: Sequence[Path | None], targets: Sequence[Path]
) -> None:
    """Run this module in several processes in which hashes are in another order."""
    environ = {**os.environ, "PYTHONHASHSEED": order}
    running = []
    for part, (source, target) in enumerate(zip(sources, targets, strict=True)):
        given = source.open() if source else subprocess.DEVNULL
        command = [sys.executable, "-m", "tests.chaos.replays", words[0], str(part), *words[1:]]
        running.append(subprocess.Popen(command, stdin=given, stdout=target.open("w"), env=environ))
    if any(process.wait() for process in running):
        raise RuntimeError("a process failed")


def replayed(count: int, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """For each of so many matches its game and what is not as it was."""
    kept = [folder / f"kept-{part}.jsonl" for part in range(PROCESSES)]
    found = [folder / f"found-{part}.jsonl" for part in range(PROCESSES)]
    in_parts(["play", str(count)], "1", [None] * PROCESSES, kept)
    in_parts(["replay"], "2", kept, found)
    for path in found:
        with path.open() as file:
            yield from ((game, faults) for game, faults in map(json.loads, file))


def run_all(count: int) -> list[Row]:
    """A row a game, and one for all."""
    with tempfile.TemporaryDirectory() as folder:
        results = list(replayed(count, Path(folder)))
    for game, faults in results:
        if faults:
            print(f"{game}: {'; '.join(faults)}", file=sys.stderr)
    rows = []
    for name in (*GAMES, "all games"):
        own = [faults for game, faults in results if name in (game, "all games")]
        same = sum(not faults for faults in own)
        rows.append(
            Row(f"{name}: replays that are bit-identical", str(same), str(len(own)), same == len(own))
        )
    rows.append(Row("matches replayed", str(len(results)), str(count), len(results) == count))
    return rows


def main(argv: Sequence[str]) -> int:
    return show(run_all(int(argv[0]) if argv else 10_000))


if __name__ == "__main__":
    if sys.argv[1] == "play":
        play_part(int(sys.argv[2]), int(sys.argv[3]))
    else:
        replay_part()
