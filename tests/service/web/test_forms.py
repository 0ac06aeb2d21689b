"""Doing things by forms, without scripts: the API's own rules behind them, sessions, and forged requests."""

from __future__ import annotations

import re

import pytest

from service.models import BotState, Delivery, TournamentState
from service.web.session import COOKIE
from tests.service.web.browsing import Visitor


def signed_up(visitor, name="Ada L."):
    """A visitor who has signed up; the key that was shown."""
    seen = visitor.sign_up(name)
    assert seen.status == 201
    return re.search(r"arb_[0-9a-z]{16}_[\w-]{32}", seen.html)[0]


def enter_bot(visitor, name="Rook", **fields):
    given = {"name": name, "games": ["quixo"], "url": "http://127.0.0.1:9000/", **fields}
    return visitor.submit("/bots/new", "/bots/new", **given)


def test_signing_up_shows_a_key_once_and_signs_in(service, visitor):
    key = signed_up(visitor)
    assert service.store.keys.authenticate(key) is not None
    assert "Ada L." in visitor.get("/me").words
    assert key not in visitor.get("/me").html
    assert key not in visitor.client.get_cookie(COOKIE).value


def test_signing_in_and_out_with_a_key(visitor, stranger, ada):
    assert "Sign in" in visitor.get("/me").words  # led to the form
    seen = visitor.submit("/sign-in?next=/bots/new", "/sign-in", key=ada.key)
    assert "Games it plays" in seen.words
    assert visitor.submit("/me", "/sign-out").status == 200
    assert visitor.get("/me").page.forms[-1].action == "/sign-in"
    wrong = stranger.submit("/sign-in", "/sign-in", key="arb_nonsense ä\r\nX-Evil: 1")
    assert wrong.status == 401
    assert "This key is not good." in wrong.words


@pytest.mark.parametrize("where", ["//evil.example", "https://evil.example", "/\\evil.example", "x"])
def test_signing_in_leads_nowhere_else(visitor, ada, where):
    form = visitor.get("/sign-in").form("/sign-in")
    answer = visitor.client.post("/sign-in", data={**form.fields, "key": ada.key, "next": where})
    assert answer.headers["Location"] == "/me"


def test_the_cookie_is_guarded_and_ends_with_the_key(service, visitor):
    key = signed_up(visitor)
    visitor.client.delete_cookie(COOKIE)
    visitor.submit("/sign-in", "/sign-in", key=key)
    form = visitor.get("/sign-in").form("/sign-in")
    header = visitor.client.post("/sign-in", data={**form.fields, "key": key}).headers["Set-Cookie"]
    assert "HttpOnly" in header
    assert "SameSite=Lax" in header
    assert "Secure" not in header  # only under https
    found = service.store.keys.authenticate(key)
    service.store.keys.revoke(found[1].id, found[0].id)
    assert "Sign in" in visitor.get("/me").words


def test_the_cookie_is_secure_under_https(start_service):
    service = start_service(public_url="https://arbiter.example")
    answer = service.app.test_client().get("/sign-up")
    assert "Secure" in answer.headers["Set-Cookie"]


def test_a_forged_cookie_is_nobody(visitor):
    signed_up(visitor)
    value = visitor.client.get_cookie(COOKIE).value
    visitor.client.set_cookie(COOKIE, value[:-3] + "abc")
    assert "Sign in" in visitor.get("/me").words


def test_the_api_takes_nothing_from_a_cookie(visitor):
    signed_up(visitor)
    assert visitor.client.get("/v1/owners/me").status_code == 401


def test_forms_without_their_token_are_refused(service, visitor, stranger):
    signed_up(visitor)
    signed_up(stranger, "Eve")
    routes = [rule for rule in service.app.url_map.iter_rules() if "POST" in rule.methods]
    pages = [rule for rule in routes if rule.endpoint.startswith("web.")]
    assert len(pages) > 15
    foreign = stranger.get("/bots/new").form("/bots/new").fields["csrf"]
    for rule in pages:
        path = re.sub(r"<[^>]+>", "x", rule.rule)
        for token in ({}, {"csrf": foreign}, {"csrf": ["x"]}):
            assert visitor.client.post(path, data=token).status_code == 403, path
    own = visitor.get("/bots/new").form("/bots/new").fields["csrf"]
    crossed = visitor.client.post("/sign-out", data={"csrf": own}, headers={"Sec-Fetch-Site": "cross-site"})
    assert crossed.status_code == 403


def test_entering_a_bot_shows_its_secret_once(service, visitor):
    signed_up(visitor)
    seen = enter_bot(visitor, description="Hello\nthere")
    assert seen.status == 201
    secret = re.search(r"whsec_[\w+/=]+", seen.html)[0]
    (bot,) = service.store.bots.list().items
    assert bot.secret == secret
    page = visitor.get(f"/bots/{bot.id}")
    assert secret not in page.html
    assert "It may not play yet." in page.words


def test_the_api_finds_what_is_wrong_with_a_form(visitor):
    signed_up(visitor)
    seen = enter_bot(visitor, name="", url="ftp://127.0.0.1/", games=[], concurrency="many")
    assert seen.status == 422
    assert seen.form("/bots/new").fields["url"] == ["ftp://127.0.0.1/"]
    wrong = {a["id"].removesuffix("-wrong") for t, a in seen.page.tags if a.get("class") == "wrong"}
    assert {"name", "url", "concurrency", "games"} <= wrong
    invalid = {a["name"] for _, a in seen.page.tags if a.get("aria-invalid") == "true"}
    assert {"name", "url", "concurrency"} <= invalid
    assert "must be a whole number" in seen.words


def test_a_form_sent_twice_makes_one_thing(service, visitor):
    signed_up(visitor)
    form = visitor.get("/bots/new").form("/bots/new")
    data = {**form.fields, "name": "Twin", "games": ["quixo"], "url": "http://127.0.0.1:9000/"}
    assert visitor.post("/bots/new", data).status == 201
    visitor.post("/bots/new", data)
    assert len(service.store.bots.list().items) == 1


def test_looking_after_a_bot(service, visitor):
    signed_up(visitor)
    enter_bot(visitor)
    (bot,) = service.store.bots.list().items
    where = f"/bots/{bot.id}"
    assert "Verification is under way" in visitor.submit(where, f"{where}/verify").words
    service.store.verifications.failed(bot.id, "404 came from POST /\na bot answers 200")
    failed = visitor.get(where)
    assert "404 came from POST /" in failed.words
    assert "<button>Verify</button>" in failed.html, "what is to be done next is the filled button"
    service.store.verifications.passed(bot)
    passed = visitor.get(where).html
    assert '<button class="plain">Verify</button>' in passed
    assert '<a class="button" href="/matches/new' in passed
    visitor.submit(f"{where}/edit", f"{where}/edit", name="Rook 2", challenges="nobody", games=["sorry"])
    changed = service.store.bots.get(bot.id)
    assert (changed.name, changed.challenges, changed.games) == ("Rook 2", "nobody", ("sorry",))
    assert changed.state is BotState.ACTIVE
    assert "Come back" in visitor.submit(where, f"{where}/away").words
    visitor.submit(where, f"{where}/away")
    assert service.store.bots.get(bot.id).state is BotState.ACTIVE
    assert "whsec_" in visitor.submit(where, f"{where}/secret").html
    assert "retired" in visitor.submit(where, f"{where}/retire").words


def test_an_owner_sees_a_bot_s_times_and_faults_and_nobody_else_does(service, visitor, stranger):
    signed_up(visitor)
    enter_bot(visitor)
    (bot,) = service.store.bots.list().items
    turns = [(ms * 1000, 250) for ms in range(1, 101)]
    service.store.health.note(1, {bot.id: (turns, {"timeout": 2})})
    seen = visitor.get(f"/bots/{bot.id}").words
    assert "Its last 100 turns" in seen
    assert "half within 50 ms, 99 of 100 within 99 ms, the longest 100 ms; connecting at most 0.25 ms" in seen
    assert "2 × " in seen
    assert "half within" not in stranger.get(f"/bots/{bot.id}").words


def test_a_page_made_while_the_verification_ends_looks_again(service, visitor, monkeypatch):
    signed_up(visitor)
    enter_bot(visitor)
    (bot,) = service.store.bots.list().items
    read = service.store.bots.get

    def read_just_before_the_end(bot_id):
        found = read(bot_id)
        monkeypatch.undo()
        service.store.verifications.passed(service.store.bots.get(bot_id))
        return found

    service.store.verifications.ask(bot.id)
    monkeypatch.setattr(service.store.bots, "get", read_just_before_the_end)
    first = visitor.get(f"/bots/{bot.id}")
    assert "Verification is under way" in first.words
    assert any("data-refresh" in attributes for _, attributes in first.page.tags)
    assert "Verified on" in visitor.get(f"/bots/{bot.id}").words


def test_a_change_that_came_too_late_is_refused(service, visitor):
    signed_up(visitor)
    enter_bot(visitor)
    (bot,) = service.store.bots.list().items
    form = visitor.get(f"/bots/{bot.id}/edit").form(f"/bots/{bot.id}/edit")
    service.store.bots.update(bot.id, {"description": "meanwhile"})
    seen = visitor.post(f"/bots/{bot.id}/edit", {**form.fields, "description": "mine"})
    assert seen.status == 412
    assert service.store.bots.get(bot.id).description == "meanwhile"


def test_others_bots_cannot_be_touched(service, visitor, bob):
    signed_up(visitor)
    bot = service.bot(bob)
    own = visitor.get("/bots/new").form("/bots/new").fields["csrf"]
    for action in ("verify", "away", "secret", "retire", "edit"):
        assert visitor.post(f"/bots/{bot['id']}/{action}", {"csrf": own}).status == 404
    assert "Your bot" not in visitor.get(f"/bots/{bot['id']}").words


def test_private_things_are_not_there_for_others(service, visitor, stranger, ada):
    bot = service.bot(ada, private=True)
    other = service.bot(ada, private=True)
    match = ada.post("/v1/matches", json={"game": "quixo", "bots": [bot["id"], other["id"]]}).json["items"][0]
    cup = ada.post("/v1/tournaments", json={"name": "Secret cup", "game": "quixo", "private": True}).json
    visitor.submit("/sign-in", "/sign-in", key=ada.key)
    for path in (f"/bots/{bot['id']}", f"/matches/{match['id']}", f"/tournaments/{cup['id']}"):
        assert visitor.get(path).status == 200
        assert stranger.get(path).status == 404
    for path in ("frames", "position", "record.json", "verification"):
        assert stranger.get(f"/matches/{match['id']}/{path}").status == 404
    assert stranger.get(f"/tournaments/{cup['id']}/news").status == 404
    for file in ("standings.csv", "records.jsonl"):
        assert stranger.get(f"/tournaments/{cup['id']}/{file}").status == 404
    for path in ("/", "/matches", "/bots", "/tournaments", f"/owners/{ada.id}"):
        html = stranger.get(path).html
        assert bot["name"] not in html
        assert cup["name"] not in html


def test_asking_for_matches(service, visitor, bots):
    signed_up(visitor)
    one, other = bots[0].id, bots[1].id
    page = "/matches/new?game=quixo"
    fields = {"bots__0": one, "bots__1": other, "clock": "custom", "clock__control": "fischer"}
    fields |= {"clock__base_ms": "2.5", "clock__increment_ms": "0,1", "options__ply_limit": "50"}
    seen = visitor.submit(page, "/matches/new", **fields)
    assert "Waits for its bots and a worker." in seen.words
    (match,) = service.store.matches.list().items
    assert (match.clock["base_ms"], match.clock["increment_ms"]) == (2500, 100)
    assert match.options["ply_limit"] == 50
    assert not match.rated
    visitor.submit(f"/matches/{match.id}", f"/matches/{match.id}/cancel")
    assert "cancelled" in visitor.get(f"/matches/{match.id}").words
    many = visitor.submit(page, "/matches/new", bots__0=one, bots__1=other, count="4", rated="yes")
    assert many.words.count("queued") >= 4
    same = visitor.submit(page, "/matches/new", bots__0=one, bots__1=one)
    assert same.status == 422
    assert "would play against itself" in same.words


def test_a_tournament_from_its_making_to_its_end(service, visitor, bots):
    signed_up(visitor)
    made = visitor.submit(
        "/tournaments/new?game=quixo",
        "/tournaments/new",
        name="Cup",
        cycles="2",
        rated="yes",
        options__repetition="yes",
    )
    assert "draft" in made.words
    (cup,) = service.store.tournaments.list().items
    where = f"/tournaments/{cup.id}"
    visitor.submit(f"{where}/edit", f"{where}/edit", name="Cup 2", cycles="1")
    visitor.submit(where, f"{where}/open")
    entered = visitor.submit(where, f"{where}/enter", bot=[bot.id for bot in bots])
    assert entered.words.count("Withdraw") >= 4
    visitor.submit(where, f"{where}/withdraw/{bots[3].id}")
    running = visitor.submit(where, f"{where}/start")
    assert "0 of 3 games" in running.words
    assert "Round 1 of 3" in running.words
    for number in (1, 2, 3):
        assert any(link.endswith(f"round={number}#rounds") for link in running.page.links)
    changed = service.store.tournaments.get(cup.id)
    assert (changed.name, changed.state) == ("Cup 2", TournamentState.RUNNING)
    assert "Resume" in visitor.submit(where, f"{where}/pause").words
    visitor.submit(where, f"{where}/resume")
    ended = visitor.submit(where, f"{where}/cancel", reason="It rains.")
    assert "It rains." in ended.words
    assert not [f for f in ended.page.forms if f.action.endswith(("pause", "resume", "start"))]
    csv = visitor.client.get(f"{where}/standings.csv")
    assert csv.mimetype == "text/csv"
    assert csv.get_data(as_text=True).count("\n") == 4


def test_more_settings_of_a_tournament_are_kept_shown_and_taken_away(service, visitor):
    signed_up(visitor)
    new = "/tournaments/new"
    times = {"start_at": "2099-01-31T18:00", "entries_close_at": "2099-01-31T17:30"}
    visitor.submit(
        f"{new}?game=sorry",
        new,
        name="Cup",
        absence_grace_ms="7.5",
        pseudonyms="yes",
        duplicate="yes",
        **times,
    )
    (cup,) = service.store.tournaments.list().items
    kept = cup.settings
    assert (kept["absence_grace_ms"], kept["pseudonyms"], kept["duplicate"]) == (450_000, True, True)
    assert kept["start_at"] - kept["entries_close_at"] == 30 * 60_000
    where = f"/tournaments/{cup.id}"
    seen = visitor.get(where).words
    assert "Starts31 Jan 2099, 18:00 UTC" in seen
    assert "pseudonyms until the end" in seen
    shown = visitor.get(f"{where}/edit").form(f"{where}/edit").fields
    assert {name: shown[name] for name in times} == {name: [value] for name, value in times.items()}
    assert shown["absence_grace_ms"] == ["7.5"]
    visitor.submit(f"{where}/edit", f"{where}/edit", start_at="", entries_close_at="", pseudonyms=[])
    kept = service.store.tournaments.get(cup.id).settings
    assert (kept["start_at"], kept["entries_close_at"], kept["pseudonyms"]) == (None, None, False)
    refused = visitor.submit(f"{where}/edit", f"{where}/edit", start_at="tomorrow")
    assert "must be a time" in refused.words


def test_a_team_of_two_bots_is_entered(service, visitor, bots):
    signed_up(visitor)
    visitor.submit("/tournaments/new?game=quixo-teams", "/tournaments/new", name="Pairs")
    (cup,) = service.store.tournaments.list().items
    where = f"/tournaments/{cup.id}"
    seen = visitor.submit(where, f"{where}/enter-team", bot=bots[0].id, partner=bots[1].id)
    (entrant,) = service.store.tournaments.get(cup.id).entrants
    assert (entrant["bot"], entrant["partner"]) == (bots[0].id, bots[1].id)
    assert f"{bots[0].name} & {bots[1].name}" in seen.words


def test_duplicate_deals_by_form(service, visitor, bots):
    signed_up(visitor)
    pair = {"bots__0": bots[0].id, "bots__1": bots[1].id}
    visitor.submit("/matches/new?game=sorry", "/matches/new", count="2", duplicate="yes", **pair)
    made = service.store.matches.list().items
    assert len(made) == 2
    assert all(match.shared_deal for match in made)


def test_webhooks_by_form(service, visitor, stranger):
    signed_up(visitor)
    url = "https://example.org/hook"
    made = visitor.submit("/me/webhooks", "/me/webhooks", url=url, events=["bot.paused"])
    secret = re.search(r"whsec_[A-Za-z0-9+/=]+", made.html)[0]
    owner = service.store.owners.list().items[0].id
    (hook,) = service.store.webhooks.list(owner)
    assert (hook.url, hook.events, hook.secret) == (url, ("bot.paused",), secret)
    where = f"/me/webhooks/{hook.id}"
    visitor.submit("/me/webhooks", f"{where}/test")
    (letter,) = service.store.outbox.take()
    assert (letter.item["event"], letter.item["webhook"]) == ("ping", hook.id)
    service.store.webhooks.note(
        hook, Delivery("x", "ping", 1, 1, None, "unreachable: <b>no</b>", False, 9_000)
    )
    seen = visitor.get("/me/webhooks")
    assert "unreachable: <b>no</b>" in seen.words
    assert secret not in seen.html
    rotated = visitor.submit("/me/webhooks", f"{where}/secret")
    assert secret not in rotated.html
    refused = visitor.submit("/me/webhooks", "/me/webhooks", url="ftp://example.org/")
    assert "url" in refused.page.words or refused.status == 422
    signed_up(stranger, "Somebody else")
    assert "example.org/hook" not in stranger.get("/me/webhooks").words
    visitor.submit("/me/webhooks", f"{where}/delete")
    assert service.store.webhooks.list(owner) == []


def test_keys(service, visitor):
    signed_up(visitor)
    made = visitor.submit("/me", "/me/keys", name="laptop", scopes=["read", "bots"])
    key, owner = service.store.keys.authenticate(re.search(r"arb_\w+_[\w-]{32}", made.html)[0])
    assert (key.name, key.scopes) == ("laptop", ("read", "bots"))
    page = visitor.submit("/me", f"/me/keys/{key.id}/revoke")
    assert "laptop" not in page.words
    assert len(service.store.keys.list(owner.id)) == 1


def test_signing_up_by_invitation(start_service):
    service = start_service(signup="invite")
    visitor = Visitor(service.app.test_client())
    code = service.store.invitations.create(by="o_admin")[1]
    refused = visitor.submit("/sign-up", "/sign-up", name="Ada", invitation="nonsense")
    assert refused.status == 403
    assert visitor.submit("/sign-up", "/sign-up", name="Ada", invitation=code).status == 201


def test_a_banned_owner_is_nobody(service, visitor, ada):
    visitor.submit("/sign-in", "/sign-in", key=ada.key)
    service.store.owners.ban(ada.id, "spam")
    assert "Sign in" in visitor.get("/me").words


def test_wrong_keys_are_counted(start_service):
    service = start_service(rate_bad_keys="3 per minute")
    visitor = Visitor(service.app.test_client())
    tries = [visitor.submit("/sign-in", "/sign-in", key=f"arb_{n:016}_{'x' * 32}").status for n in range(5)]
    assert tries == [401, 401, 401, 429, 429]
