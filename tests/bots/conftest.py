"""What the bots' tests share: whole matches over HTTP, refereed as the service does."""

from contextlib import ExitStack
from importlib import import_module

import pytest

from bots.samples import SAMPLES, course_bot
from engines.clock import PRESETS
from engines.record import verify
from engines.registry import GAMES
from workers.local_bots import LocalBots, new_secret
from workers.local_play import Series, open_network, play


@pytest.fixture
def series():
    """Play matches between bots named as for `arbiter play`; their records, which have been verified.

    Samples answer from threads of this process: starting programs is tested elsewhere and takes longer.
    """

    def run(game, *bots, games=1, seed=7, control=PRESETS["course"], opening=0):
        rules, network, secret = GAMES[game], open_network(), new_secret()
        with LocalBots(secret) as found, ExitStack() as served:
            sides = [found.bot(address(bot, seed, secret, served)) for bot in bots]
            planned = Series(rules, sides, rules.full_options({}), control, games, seed, opening)
            by_id = {bot.id: bot for bot in sides}
            records = [play(match, by_id, network, lambda state: None) for match in planned.matches()]
        assert [problem for record in records for problem in verify(record)] == []
        return records

    return run


def address(name, seed, secret, served):
    """Where a sample answers; any other name as it is."""
    sample, _, level = name.partition(":")
    if sample not in SAMPLES:
        return name
    module = import_module(f"bots.samples.{SAMPLES[sample]}")
    if module is course_bot:
        bot = module.make(course_bot.RandomPlayer(seed))
    else:
        bot = module.make(seed=seed, **({"level": int(level)} if level else {}))
    return served.enter_context(bot.listen(secret=secret)).url
