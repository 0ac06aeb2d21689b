"""What the bot client's tests share: a network that may call loopback."""

import pytest

from workers.bot_client import Guard, Network


@pytest.fixture
def network():
    return Network(Guard.of(["127.0.0.0/8", "::1/128"]))
