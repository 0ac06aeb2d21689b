"""How bots have been doing, for their owners: what their last turns took, how often they failed and why.

Nothing follows from it, so it is neither in the ledger nor audited, and a crash may lose a match's part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.models import BotHealth
from service.store import keys
from service.store.connection import Connection, Word

TURNS_KEPT = 1000
Played = tuple[Sequence[tuple[int, int]], Mapping[str, int]]
"""A bot's part in a match: (charged, connecting) of each of its turns in µs, and its faults by reason."""


class Health:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def note(self, at: int, bots: Mapping[str, Played]) -> None:
        """Add a match: how each of its bots did."""
        self._db.many([c for bot, played in bots.items() for c in _commands(bot, at, *played)], atomic=True)

    def totals(self) -> dict[str, int]:
        """Over all bots: `turns`, `charged_us`, and `fault:<reason>` for each reason there was."""
        found: dict[str, str] = self._db.run("HGETALL", keys.turn_totals())
        return {name: int(number) for name, number in found.items()}

    def get(self, bot_id: str) -> BotHealth:
        """The last turns, the oldest first, and all faults."""
        lines, counts = self._db.many(
            [("LRANGE", keys.bot_turns(bot_id), 0, -1), ("HGETALL", keys.bot_faults(bot_id))]
        )
        seen = counts.pop("last_seen_at", None)
        turns = [tuple(map(int, line.split())) for line in lines]
        return BotHealth(
            charged_us=tuple(charged for charged, _ in turns),
            connect_us=tuple(connect for _, connect in turns),
            faults={reason: int(number) for reason, number in counts.items()},
            last_seen_at=None if seen is None else int(seen),
        )


def _commands(
    bot_id: str, at: int, turns: Sequence[tuple[int, int]], faults: Mapping[str, int]
) -> list[Sequence[Word]]:
    recent, counts = keys.bot_turns(bot_id), keys.bot_faults(bot_id)
    commands: list[Sequence[Word]] = [("HSET", counts, "last_seen_at", at)] if turns else []
    commands += [("HINCRBY", counts, reason, number) for reason, number in faults.items()]
    commands += [("HINCRBY", keys.turn_totals(), f"fault:{r}", n) for r, n in faults.items()]
    if turns:
        charged = sum(one for one, _ in turns)
        commands.append(("HINCRBY", keys.turn_totals(), "turns", len(turns)))
        commands.append(("HINCRBY", keys.turn_totals(), "charged_us", charged))
        commands.append(("RPUSH", recent, *(f"{charged} {connect}" for charged, connect in turns)))
        commands.append(("LTRIM", recent, -TURNS_KEPT, -1))
    return commands
