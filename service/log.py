"""Structured logs to standard error: one line an event, with the ids of the context, never a secret."""

from __future__ import annotations

import logging
import re
import sys
from typing import Any

import structlog

_SECRETS = re.compile(
    r"(arb_[0-9a-z]+_)[\w-]+"  # an API key keeps its public id
    r"|(whsec_)[\w+/=-]+"
    r"|(://[^/\s:@]*:)[^@\s/]+(?=@)"  # the password in a URL
    r"|((?i:bearer)\s+)(?!arb_)[\w.~+/=-]+"
)


def mask(text: str) -> str:
    """`text` with every API key, signing secret and password replaced by ***."""
    return _SECRETS.sub(lambda match: next(filter(None, match.groups())) + "***", text)


class _Masked(structlog.stdlib.ProcessorFormatter):
    """The last step before a line is written, so that nothing slips by: tracebacks and libraries included."""

    def format(self, record: logging.LogRecord) -> str:
        return mask(super().format(record))


def configure(level: str = "info", form: str = "json") -> None:
    """Send structlog's events and the standard library's through one formatter."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: Any = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    tail: list[Any] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if form == "json":
        renderer = structlog.processors.JSONRenderer(ensure_ascii=False)
        # As text: a traceback with its local variables would show seeds, secrets and headers.
        tail.append(structlog.processors.format_exc_info)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Masked(processors=[*tail, renderer], foreign_pre_chain=shared))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def logger(name: str) -> Any:
    """A logger whose methods take an event and named values: `log.info("match finished", match=id)`."""
    return structlog.stdlib.get_logger(name)
