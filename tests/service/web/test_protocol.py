"""The protocol and the starters, from no more than the service's address."""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path

import pytest

import bots
from service.web.pages.protocol import STARTERS
from tests.test_architecture import imported

BOTS = Path(bots.__path__[0])
TEXT = (BOTS / "README.md").read_text().partition("\n# The protocol, version 1\n")[2]


def shown(seen):
    return [
        html.unescape(block) for block in re.findall(r"<pre><code.*?>(.*?)</code></pre>", seen.html, re.S)
    ]


def test_the_page_has_every_message_and_section_of_the_text(visitor):
    seen = visitor.get("/protocol")
    assert "<h1>The protocol, version 1</h1>" in seen.html
    examples = re.findall(r"```json\n(.*?)```", TEXT, re.S)
    assert len(examples) >= 10
    assert shown(seen) == examples
    headings = re.findall(r"^## (.*)$", TEXT, re.M)
    assert [text for text in re.findall(r"<h2[^>]*>(.*?)</h2>", seen.html) if text in headings] == headings
    assert "<table>" in seen.html
    assert "The first bot" not in seen.words


def test_links_within_the_page_lead_somewhere(visitor):
    page = visitor.get("/protocol").page
    ids = {attributes.get("id") for _, attributes in page.tags}
    inner = [link[1:] for link in page.links if link.startswith("#")]
    assert {"verify", "move", "without-an-address"} <= set(inner)
    assert set(inner) <= ids


@pytest.mark.parametrize("path", ["/", "/start", "/bots/new", "/docs"])
def test_those_who_write_a_bot_are_led_to_it(visitor, path):
    visitor.sign_up("Ada")
    main = visitor.get(path).html.partition("<footer")[0]
    assert 'href="/protocol' in main


@pytest.mark.parametrize("name", STARTERS)
def test_a_starter_is_handed_out_as_it_is(visitor, name):
    assert f"/starters/{name}" in visitor.get("/protocol").page.links
    answer = visitor.client.get(f"/starters/{name}")
    assert answer.data == (BOTS / "starters" / STARTERS[name].file).read_bytes()
    assert answer.headers["Content-Disposition"] == f"attachment; filename={name}"
    assert answer.content_type == f"{STARTERS[name].mimetype}; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert STARTERS[name].command in answer.text
    assert (
        visitor.client.get(f"/starters/{name}", headers={"If-None-Match": answer.headers["ETag"]}).status_code
        == 304
    )


def test_the_python_starter_needs_no_clone(visitor, tmp_path):
    (tmp_path / "my_bot.py").write_bytes(visitor.client.get("/starters/my_bot.py").data)
    assert set(imported(tmp_path / "my_bot.py")) <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("name", ["sdk_bot.py", "bare_bot.py", "..%2F__init__.py", "__init__.py", "my_bot"])
def test_nothing_else_is_handed_out(visitor, name):
    assert visitor.client.get(f"/starters/{name}").status_code == 404
