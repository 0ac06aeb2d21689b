"""The Lua scripts by their names. A line `--@ name` takes in another file of the folder at that place."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

_INCLUDE = re.compile(r"^--@ (?P<name>[a-z_0-9]+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Script:
    """A script's whole text and the digest Redis knows it by."""

    text: str
    sha: str

    @classmethod
    def of(cls, text: str) -> Script:
        return cls(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


@cache
def script(name: str) -> Script:
    """The script lua/<name>.lua with everything it takes in."""
    return Script.of(source(name))


def source(name: str) -> str:
    """The text of lua/<name>.lua with everything it takes in."""
    text = resources.files(__package__).joinpath("lua", f"{name}.lua").read_text(encoding="utf-8")
    return _INCLUDE.sub(lambda line: source(line["name"]), text)
