"""Logs are lines of JSON with the context's ids, and hold no secret, wherever it stood."""

import io
import json
import logging

import pytest
import structlog

from service import log

KEY = "arb_1m8mvse83e81jk4v_b7CVH1Xk3n7oamed81N9UE_z4lkUMeYn"
SECRET = "whsec_Hv2s3vNGgGA8BWIb+Y9JzhPnhNtYr6rO"


@pytest.fixture
def lines():
    """What is logged, line by line."""
    root = logging.getLogger()
    before = root.handlers, root.level
    log.configure("debug", "json")
    out = io.StringIO()
    root.handlers[0].setStream(out)
    yield lambda: [json.loads(line) for line in out.getvalue().splitlines()]
    root.handlers, level = before
    root.setLevel(level)
    structlog.contextvars.clear_contextvars()


def test_a_line_has_event_level_time_and_the_bound_ids(lines):
    structlog.contextvars.bind_contextvars(request="r1", match="m_quixo_1")
    log.logger("api").info("match finished", plies=3)
    [line] = lines()
    assert (line["event"], line["level"], line["request"], line["match"]) == (
        "match finished",
        "info",
        "r1",
        "m_quixo_1",
    )
    assert line["timestamp"].endswith("Z")
    assert line["plies"] == 3


@pytest.mark.parametrize(
    "text", [KEY, f"Authorization: Bearer {KEY}", SECRET, "redis://me:hush-hush@db/0", "Bearer abc.def-ghi"]
)
@pytest.mark.parametrize("where", ["event", "value", "library", "traceback"])
def test_no_secret_gets_through(lines, text, where):
    logger = log.logger("api")
    if where == "event":
        logger.info(text)
    elif where == "value":
        logger.info("seen", body={"inner": [text]})
    elif where == "library":
        logging.getLogger("library").warning("seen %s", text)
    else:
        try:
            raise ValueError(text)
        except ValueError:
            logger.exception("failed")
    shown = json.dumps(lines())
    for part in ("b7CVH1Xk3n7oamed81N9UE", "Hv2s3vNGgGA8BWIb", "hush-hush", "abc.def-ghi"):
        assert part not in shown
    assert "***" in shown


def test_the_public_part_of_a_key_stays_readable():
    assert log.mask(KEY) == "arb_1m8mvse83e81jk4v_***"
