"""Names, comments and moves that others wrote: text, kept apart, and not without end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.records import header_of
from tests.service.web.playing import claimed, finish, played, refused, stored

SCRIPT = "<script>alert(1)</script>"
BIDI = "\u202emorf won\u2066"
LONG = "W" * 10_000
HOSTILE = [SCRIPT, BIDI, LONG, '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}", "</title><h1>x</h1>"]


@pytest.fixture(params=HOSTILE, ids=["script", "bidi", "long", "attribute", "template", "title"])
def text(request) -> str:
    return request.param


def test_hostile_names_are_text(service, visitor, bots, text):
    """Kept names are checked, so these are put into the store by hand."""
    evil = replace(bots[0], name=text, version=text)
    service.store.bots.update(evil.id, {"name": text, "version": text, "description": text})
    match = stored(service.store, "quixo", [evil, bots[1]])
    for path in ("/", "/matches", f"/matches/{match.id}", f"/bots/{evil.id}", "/bots", "/ladders/quixo"):
        seen = visitor.get(path)
        assert seen.status == 200
        check(seen, text, path)


def check(seen, text, path):
    tags = [tag for tag, _ in seen.page.tags]
    assert tags.count("script") == 1, path
    assert "img" not in tags, path
    assert tags.count("h1") == 1, path
    assert len(seen.html) < 120_000, path
    assert text in seen.page.words or text in (LONG, BIDI), path
    if text == BIDI:
        body = seen.html.split("</head>")[1]
        outside = [part for part in body.split("<bdi")[1:] if BIDI in part.split("</bdi>", 1)[-1]]
        assert not [part for part in outside if "<title" not in part], path


def test_hostile_comments_moves_and_faults_are_text(service, visitor, bots, text):
    match = stored(service.store, "quixo", bots[:2], stop_after=3)
    header, secret = header_of(match), bytes.fromhex(match.secret)
    events = played(header, secret)
    made = next(event for event in events if event["type"] == "move")
    made["comment"] = text
    fault = refused(made["turn"], made["seat"], text, f"{text}: not a move")
    events.insert(events.index(made), fault)
    other = service.store.matches.create(replace(match, id=match.id[:-4] + "0000", state="queued"))[0]
    claim = claimed(service.store, other)
    service.store.matches.append(claim, 1, events[:-1])
    finish(service.store, claim, events)
    seen = visitor.get(f"/matches/{other.id}")
    assert seen.status == 200
    check(seen, text, "match")
    assert "came: " in seen.words
    told = visitor.client.get(f"/matches/{other.id}/frames")
    assert all(len(frame.get("comment", "")) <= 240 for frame in told.json["items"])


def test_hostile_entrants_are_text(service, visitor, ada, bots, text):
    made = ada.post("/v1/tournaments", json={"name": "Cup", "game": "quixo"}).json
    service.store.bots.update(bots[1].id, {"name": text})
    for bot in bots[:3]:
        ada.post(f"/v1/tournaments/{made['id']}/entrants", json={"bot": bot.id})
    ada.post(f"/v1/tournaments/{made['id']}/start")
    seen = visitor.get(f"/tournaments/{made['id']}")
    assert seen.status == 200
    check(seen, text, "tournament")


def test_hostile_addresses_are_text(visitor):
    seen = visitor.get(f"/{SCRIPT}")
    assert seen.status == 404
    assert [tag for tag, _ in seen.page.tags].count("script") == 1
