"""The doctor's findings on a bot's page, without scripts: asked for, under way, done."""

from __future__ import annotations

from tests.service.web.test_forms import enter_bot, signed_up

BAD = {
    "game": "quixo",
    "check": "match",
    "level": "error",
    "summary": "a match: the reply is <b>no JSON</b>",
    "sent": "a move request: seat 0",
    "came": "status 200, body '<script>alert(1)</script>'",
    "expected": "a JSON object",
    "mend": "answer in plain UTF-8 JSON",
    "reason": "malformed-reply",
}
GOOD = BAD | {"check": "end", "level": "ok", "summary": "end is taken"}
GOOD |= dict.fromkeys(("sent", "came", "expected", "mend"), "")


def test_a_check_is_asked_for_and_its_findings_are_read(service, visitor):
    signed_up(visitor)
    enter_bot(visitor)
    (bot,) = service.store.bots.list().items
    where, store = f"/bots/{bot.id}", service.store.examinations
    asked = visitor.submit(where, f"{where}/check")
    assert "The check is waiting for a worker." in asked.words
    assert f"{where}/check" not in [form.action for form in asked.page.forms], "one at a time"
    assert asked.html.count("data-refresh") == 2, "it and what its owner sees of the bot are drawn anew"
    held = store.begin(store.latest(bot.id).id)
    store.renew(held, "quixo", 12)
    store.found(held, 1, GOOD)
    assert "The check is under way: Quixo, 12 messages sent." in visitor.get(where).words
    store.found(held, 2, BAD)
    store.finish(held, 20)
    done = visitor.get(where)
    assert "1 to mend" in done.words
    assert "How to mend itanswer in plain UTF-8 JSON" in done.words
    assert "Camestatus 200, body '<script>alert(1)</script>'" in done.words
    assert "<script>alert" not in done.html
    assert "1 point with nothing to mendQuixo, end: end is taken" in done.words
    assert "data-refresh" not in done.html
    assert "Check this bot again" in done.words


def test_a_check_of_which_nothing_came_says_why(service, visitor):
    signed_up(visitor)
    enter_bot(visitor)
    (bot,) = service.store.bots.list().items
    where, store = f"/bots/{bot.id}", service.store.examinations
    visitor.submit(where, f"{where}/check")
    held = store.begin(store.latest(bot.id).id)
    store.put_off(held, "the bot is busy", 0, blame=False)
    assert "The check is waiting: the bot is busy." in visitor.get(where).words
    store.finish(store.begin(held.examination.id), 0, failed="the bot was busy all the time")
    assert "could not be finished" in visitor.get(where).words


def test_nobody_else_sees_or_asks_for_checks(service, visitor, stranger, ada):
    bot = service.bot(ada)["id"]
    signed_up(visitor)
    assert "Check this bot" not in visitor.get(f"/bots/{bot}").html
    form = visitor.get("/bots/new").form("/bots/new")
    assert visitor.post(f"/bots/{bot}/check", {"csrf": form.fields["csrf"]}).status == 404
    assert service.store.examinations.latest(bot) is None
