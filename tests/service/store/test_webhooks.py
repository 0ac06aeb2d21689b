"""Webhooks as the store keeps them: bounded, made once, paused by what never arrives; their letters."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.errors import NotFound, Refused
from service.ids import new_id
from service.models import Delivery, Webhook
from service.store import Once
from service.store.owners import now_ms
from service.store.webhooks import DELIVERIES_KEPT, EVENTS, FAILURES_TO_PAUSE
from tests.service.store.make import a_bot, a_match, played
from tests.service.venue import a_tournament


def a_hook(owner: str = "o_1", **members) -> Webhook:
    about = {"url": "http://127.0.0.1:9/", "events": EVENTS, "secret": "whsec_AAAA", "created_at": 1}
    return Webhook(id=new_id("w"), owner=owner, **{**about, **members})


@pytest.fixture
def hook(store):
    return store.webhooks.create(a_hook(), 5)


def a_delivery(number: int = 1, delivered: bool = True) -> Delivery:
    return Delivery(f"m_quixo_{number}", EVENTS[0], number, 1, 200, "delivered", delivered)


def told_of(store) -> list[str]:
    return [letter.item["event"] for letter in store.outbox.take() if letter.item["kind"] == "webhook"]


def test_an_owner_has_his_webhooks_newest_first_and_so_many(store, hook):
    other = store.webhooks.create(a_hook(), 2)
    store.webhooks.create(a_hook("o_2"), 2)
    assert store.webhooks.list("o_1") == [other, hook]
    with pytest.raises(Refused) as caught:
        store.webhooks.create(a_hook(), 2)
    assert caught.value.problem == "quota"
    store.webhooks.delete(hook.id)
    store.webhooks.create(a_hook(), 2)


def test_a_request_that_comes_again_gets_what_it_got(store):
    first = store.webhooks.create(a_hook(), 1, Once("o_1", "key-1234", "p"))
    assert store.webhooks.create(a_hook(), 1, Once("o_1", "key-1234", "p")) == first
    assert store.webhooks.list("o_1") == [first]


def test_what_was_deleted_leaves_nothing_and_stays_deleted(store, hook):
    store.webhooks.note(hook, a_delivery())
    store.webhooks.delete(hook.id)
    store.webhooks.delete(hook.id)
    store.webhooks.gone(hook)
    store.webhooks.gave_up(hook, "m_quixo_1:finished", "timeout")
    with pytest.raises(NotFound):
        store.webhooks.get(hook.id)
    assert store.db.run("KEYS", f"*{hook.id}*") == []


def test_the_last_deliveries_are_kept(store, hook):
    for number in range(DELIVERIES_KEPT + 10):
        store.webhooks.note(hook, a_delivery(number))
    found = store.webhooks.deliveries(hook.id)
    assert [delivery.at for delivery in found] == list(range(DELIVERIES_KEPT + 9, 9, -1))
    assert store.webhooks.delivered(hook.id, "m_quixo_0")
    assert not store.webhooks.delivered(hook.id, "m_quixo_x")


def test_letters_given_up_at_the_same_time_all_count(store, hook):
    with ThreadPoolExecutor(8) as pool:
        letters = [f"{hook.id}:m_quixo_{number}" for number in range(FAILURES_TO_PAUSE)]
        list(pool.map(lambda letter: store.webhooks.gave_up(hook, letter, "timeout"), letters))
    paused = store.webhooks.get(hook.id)
    assert paused.failures == FAILURES_TO_PAUSE
    assert paused.paused == f"{FAILURES_TO_PAUSE} messages in a row did not arrive, the last: timeout"
    assert store.webhooks.go_on(hook.id).paused is None


def test_one_that_arrives_ends_a_row_of_failures(store, hook):
    store.webhooks.gave_up(hook, "m_quixo_1", "timeout")
    store.webhooks.note(store.webhooks.get(hook.id), a_delivery())
    assert store.webhooks.get(hook.id).failures == 0


def test_what_ends_and_who_is_paused_is_a_letter_of_the_same_step(store):
    bots = [store.bots.create(a_bot(name)) for name in "ab"]
    played(store, a_match(*bots), 1, 2)
    assert told_of(store) == ["match.finished"]
    cup = store.tournaments.create(a_tournament())
    store.tournaments.start(cup.id, 0)
    store.tournaments.finish(cup.id, 0)
    assert told_of(store) == ["tournament.finished"]
    for _ in range(6):
        store.bots.failed(bots[0].id, "timeout")
    store.bots.pause(bots[1].id, "for a test", (bots[1].state,))
    assert told_of(store) == ["bot.paused", "bot.paused"]


def test_a_letter_that_is_put_off_is_not_hurried_by_another_of_its_name(store, hook):
    letter = f"{hook.id}:ping:1"
    store.outbox.add(letter, {"kind": "webhook"})
    assert store.outbox.due() == 1
    assert [found.id for found in store.outbox.take()] == [letter]
    store.outbox.again(letter, now_ms() + 60_000)
    store.outbox.add(letter, {"kind": "webhook"})
    assert (store.outbox.due(), store.outbox.size(), store.outbox.take()) == (0, 1, ())
