"""The kinds of values that every resource shares."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Any

import marshmallow as ma
from marshmallow import ValidationError, validate

from engines.game import Game
from engines.registry import GAMES
from service.ids import is_id
from service.times import rfc3339

_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # control, format (bidi), surrogates, unassigned


class Time(ma.fields.Field[int]):
    """Milliseconds inside, RFC 3339 outside."""

    def _serialize(self, value: int | None, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else rfc3339(value)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        try:
            stamp = datetime.fromisoformat(value)
            if stamp.tzinfo is None:
                raise ValueError("no time zone")
            ms = round(stamp.timestamp() * 1000)
        except (TypeError, ValueError, OverflowError):
            raise ValidationError(
                "must be a time with its zone (RFC 3339), such as 2026-01-31T12:00:00Z"
            ) from None
        if not 0 <= ms < 253402300800000:
            raise ValidationError("must be between the years 1970 and 9999")
        return ms


class Line(ma.fields.String):
    """One line of visible text, in NFC, without surrounding blanks."""

    def __init__(self, least: int, most: int, **kwargs: Any) -> None:
        super().__init__(validate=validate.Length(least, most), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = unicodedata.normalize("NFC", super()._deserialize(value, attr, data, **kwargs)).strip()
        if any(unicodedata.category(c) in _UNSEEN for c in text):
            raise ValidationError("holds characters that cannot be seen (control or direction marks)")
        return text


class Prose(Line):
    """Visible text of several lines."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        lines = value.replace("\r\n", "\n").replace("\t", " ").split("\n")
        return "\n".join(super(Prose, self)._deserialize(line, attr, data, **kwargs) for line in lines)


class Id(ma.fields.String):
    """An id with its prefix: o, b, m or t."""

    def __init__(self, prefix: str, **kwargs: Any) -> None:
        self.prefix = prefix
        example = f"{prefix}_quixo_01k8z4n2q7h3v9ty" if prefix in "mt" else f"{prefix}_01k8z4n2q7h3v9ty"
        metadata = {"example": example, **kwargs.pop("metadata", {})}
        super().__init__(metadata=metadata, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text: str = super()._deserialize(value, attr, data, **kwargs)
        if not is_id(self.prefix, text):
            raise ValidationError(f"must be an id such as {self.metadata['example']}")
        return text


class Whole(ma.fields.Integer):
    """A whole number between two bounds; a text or a fraction is none."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(strict=True, validate=validate.Range(low, high), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValidationError("must be a whole number")
        return super()._deserialize(value, attr, data, **kwargs)


class Digits(ma.fields.Integer):
    """A whole number in a query."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(low, high), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, str) and not (value.isascii() and value.isdecimal() and len(value) < 16):
            raise ValidationError("must be a whole number")
        return super()._deserialize(value, attr, data, **kwargs)


class Yes(ma.fields.Boolean):
    """true or false and nothing that resembles them."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("must be true or false")
        return value


class GameName(ma.fields.String):
    """The wire name of a game; loads as the game."""

    def __init__(self, **kwargs: Any) -> None:
        metadata = {"example": "quixo", "enum": list(GAMES), **kwargs.pop("metadata", {})}
        super().__init__(metadata=metadata, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if text not in GAMES:
            raise ValidationError(f"must be one of {', '.join(GAMES)}")
        return GAMES[text]

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return value.name if isinstance(value, Game) else value


def described(text: str, **more: Any) -> dict[str, Any]:
    """Field metadata: a description, and what else OpenAPI takes."""
    return {"description": text, **more}
