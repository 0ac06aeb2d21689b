"""Times as the API and webhooks write them."""

from datetime import UTC, datetime


def rfc3339(ms: int) -> str:
    """A time in milliseconds since the epoch as RFC 3339 in UTC: 2026-01-31T12:00:00.000Z."""
    stamp = datetime.fromtimestamp(ms / 1000, UTC)
    return stamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")
