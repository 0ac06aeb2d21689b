"""The bot protocol for people, and bots to begin with, from no more than the service's address.

The protocol's one text is the second half of bots/README.md. It and the starters are read as files; nothing
of `bots` is imported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from flask import Response, abort, render_template, send_file
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from service.web.blueprint import web

_BOTS = Path(__file__).parents[3] / "bots"
_BEGIN = "# The protocol, "


@dataclass(frozen=True, slots=True)
class Starter:
    """A program to begin with: its file in bots/starters, media type, language and how to start it."""

    file: str
    mimetype: str
    language: str
    command: str


# By the names that they are saved under, which are those that they call themselves by.
STARTERS = {
    "my_bot.py": Starter("bare_bot.py", "text/x-python", "Python, without packages", "python my_bot.py"),
    "my_bot.mjs": Starter("bot.mjs", "text/javascript", "JavaScript, for Node.js", "node my_bot.mjs"),
}


@dataclass(frozen=True, slots=True)
class Protocol:
    """The text as HTML: its title, what is below that, and the sections by their anchors."""

    title: str
    body: Markup
    sections: dict[str, str]


@cache
def protocol_text() -> Protocol:
    """The protocol's part of bots/README.md. Raises ValueError if its heading is not there."""
    page = (_BOTS / "README.md").read_text(encoding="utf-8")
    begin = page.index(f"\n{_BEGIN}") + 1
    title, _, text = page[begin:].partition("\n")
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    sections = _anchored(tokens)
    body = Markup(markdown.renderer.render(tokens, markdown.options, {}))
    return Protocol(title.removeprefix("# "), body, sections)


def _anchored(tokens: list[Token]) -> dict[str, str]:
    """Give every heading an id; the headings' texts by their ids."""
    sections = {}
    for token, inside in pairwise(tokens):
        if token.type == "heading_open":
            anchor = re.sub(r"\W+", "-", inside.content.lower()).strip("-")
            token.attrSet("id", anchor)
            sections[anchor] = inside.content
    return sections


@web.get("/protocol")
def protocol() -> str:
    return render_template("web/protocol.html", protocol=protocol_text(), starters=STARTERS)


@web.get("/starters/<name>")
def starter(name: str) -> Response:
    """A starter as a file, byte for byte as it is in bots/starters."""
    found = STARTERS.get(name)
    if found is None:
        abort(404, f"There is no starter of that name; there are: {', '.join(STARTERS)}.")
    path = _BOTS / "starters" / found.file
    return send_file(path, mimetype=found.mimetype, as_attachment=True, download_name=name)
