"""What the bots' tests share: whole matches over HTTP, refereed as the service does."""

import pytest

from engines.clock import PRESETS
from engines.record import verify
from engines.registry import GAMES
from workers.local_bots import LocalBots, new_secret
from workers.local_play import Series, open_network, play


@pytest.fixture
def series():
    """Play matches between bots named as for `arbiter play`; their records, which have been verified."""

    def run(game, *bots, games=1, seed=7, control=PRESETS["course"], opening=0):
        rules, network = GAMES[game], open_network()
        with LocalBots(new_secret(), seed) as found:
            sides = [found.bot(bot) for bot in bots]
            options = rules.full_options({})
            planned = Series(rules, sides, options, control, games, seed, opening)
            by_id = {bot.id: bot for bot in sides}
            records = [play(match, by_id, network, lambda state: None) for match in planned.matches()]
        assert [problem for record in records for problem in verify(record)] == []
        return records

    return run
