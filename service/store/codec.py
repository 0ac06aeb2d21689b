"""Frozen dataclasses as Redis hashes: text and numbers as they are, the rest as JSON, None left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

T = TypeVar("T")


def to_fields(value: Any) -> dict[str, str]:
    """The hash that holds a dataclass."""
    found = {f.name: getattr(value, f.name) for f in fields(value)}
    return {name: to_text(member) for name, member in found.items() if member is not None}


def to_text(member: Any) -> str:
    """One member as a hash keeps it."""
    if isinstance(member, str):
        return str(member)
    return json.dumps(member, separators=(",", ":"), ensure_ascii=False)


def from_fields(kind: Callable[..., T], found: Mapping[str, str]) -> T:
    """The dataclass that `to_fields` wrote; members that were left out take their default or None."""
    types, optional = _types(kind), _optional(kind)
    known = {name: _read(types[name], text) for name, text in found.items() if name in types}
    missing = {f: None for f in optional if f not in known}
    return kind(**known, **missing)


def pairs(found: Iterable[str]) -> dict[str, str]:
    """A flat list of names and values, as Lua returns HGETALL, as a mapping."""
    words = iter(found)
    return dict(zip(words, words, strict=True))


def _read(kind: Any, text: str) -> Any:
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(text)
    if kind is str:
        return text
    value = json.loads(text)
    return tuple(value) if isinstance(value, list) else value


@cache
def _types(kind: Any) -> dict[str, Any]:
    """Each member's type, without its `| None`."""
    hints = get_type_hints(kind)
    return {f.name: _without_none(hints[f.name]) for f in fields(kind)}


def _without_none(hint: Any) -> Any:
    rest = [part for part in get_args(hint) if part is not NoneType]
    return rest[0] if NoneType in get_args(hint) and len(rest) == 1 else hint


@cache
def _optional(kind: Any) -> tuple[str, ...]:
    """Members without a default that may be None: only these are read as None when they were left out."""
    hints = get_type_hints(kind)
    return tuple(
        f.name
        for f in fields(kind)
        if NoneType in get_args(hints[f.name]) and f.default is not None and f.init
    )
