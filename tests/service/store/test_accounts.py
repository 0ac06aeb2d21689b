"""Owners, keys, bots, checks of addresses, invitations."""

import re

import pytest

from service.errors import Conflict, NotFound, Refused
from service.models import BotState, Role
from service.store import BotFilter, Once, Store
from service.store.shared_secrets import shared_secret
from service.store.verifications import TRIES, TRIES_PER_HOST
from tests.service.store.make import a_bot


def owner_with_key(store: Store, name: str = "Ann"):
    new = store.keys.draft("", "first", ("play", "read"))
    return store.owners.create(name, Role.PLAYER, new.key), new


def test_an_owner_and_a_first_key_are_made_in_one_step(store):
    owner, new = owner_with_key(store)
    found = store.keys.authenticate(new.text)
    assert found is not None
    key, holder = found
    assert holder == owner == store.owners.get(owner.id) == store.owners.by_name(" ANN ")
    assert (key.owner, key.scopes) == (owner.id, ("play", "read"))


def test_names_are_taken_whatever_their_case(store):
    owner_with_key(store)
    with pytest.raises(Conflict) as caught:
        store.owners.create("aNN", Role.PLAYER)
    assert (caught.value.problem, caught.value.field) == ("name-taken", "name")
    assert len(store.owners.list().items) == 1


def test_only_the_digest_of_a_secret_is_stored(store, redis_server):
    _, new = owner_with_key(store)
    secret = new.text.split("_", 2)[2]
    with redis_server.client() as client:
        for name in client.keys("*"):
            content = client.hgetall(name) if client.type(name) == "hash" else {}
            assert secret not in str(content)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-1] + ("A" if text[-1] != "A" else "B"),
        lambda text: text.replace("arb_", "arc_"),
        lambda text: text + "x",
        lambda text: "arb_" + "0" * 16 + text[20:],
        lambda text: "",
        lambda text: text.upper(),
    ],
)
def test_wrong_keys_open_nothing(store, spoil):
    _, new = owner_with_key(store)
    assert store.keys.authenticate(spoil(new.text)) is None


def test_a_revoked_key_is_dead_at_once_and_not_listed(store):
    owner, new = owner_with_key(store)
    other, _ = owner_with_key(store, "Bob")
    with pytest.raises(NotFound):
        store.keys.revoke(other.id, new.key.id)
    store.keys.revoke(owner.id, new.key.id)
    assert store.keys.authenticate(new.text) is None
    assert store.keys.known(new.key.id) is None
    assert store.keys.list(owner.id) == ()


def test_a_key_is_known_by_its_id_once_it_was_shown(store):
    owner, new = owner_with_key(store)
    assert store.keys.known(new.key.id)[1] == owner
    assert store.keys.known("0" * 16) is None


def test_a_shared_secret_is_drawn_once(store):
    first = shared_secret(store.db, "session")
    assert len(first) == 32
    assert shared_secret(store.db, "session") == first
    assert shared_secret(store.db, "other") != first


def test_a_banned_owner_is_returned_as_banned(store):
    owner, new = owner_with_key(store)
    store.owners.ban(owner.id, "spam")
    found = store.keys.authenticate(new.text)
    assert found
    assert found[1].banned == "spam"
    assert store.owners.ban(owner.id, None).banned is None


def test_keys_are_bounded(store):
    owner, _ = owner_with_key(store)
    store.keys.create(owner.id, "second", ("play",), limit=2)
    with pytest.raises(Refused, match="2 keys"):
        store.keys.create(owner.id, "third", ("play",), limit=2)


def test_use_is_noted_once_a_minute(store):
    owner, new = owner_with_key(store)
    store.keys.authenticate(new.text)
    first = store.keys.list(owner.id)[0].last_used_at
    store.keys.authenticate(new.text)
    assert first is not None
    assert store.keys.list(owner.id)[0].last_used_at == first


def test_a_bot_is_kept_as_it_is(store):
    bot = a_bot("anna's", challengers=("o_2", "o_3"), challenges="owners", challenges_per_day=3, private=True)
    assert store.bots.create(bot) == bot
    assert store.bots.get(bot.id) == bot
    assert store.bots.get_many([bot.id, "b_none"]) == [bot, None]
    poll = a_bot("polls", url=None, transport="poll")
    store.bots.create(poll)
    assert store.bots.get(poll.id).url is None


def test_bot_names_are_unique_for_an_owner(store):
    store.bots.create(a_bot("x"))
    with pytest.raises(Conflict) as caught:
        store.bots.create(a_bot("X"))
    assert caught.value.problem == "name-taken"
    store.bots.create(a_bot("X", owner="o_2"))


def test_a_renamed_bot_frees_its_old_name(store):
    bot = store.bots.create(a_bot("x"))
    store.bots.update(bot.id, {"name": "y"})
    other = store.bots.create(a_bot("x"))
    with pytest.raises(Conflict) as caught:
        store.bots.update(other.id, {"name": "Y"})
    assert caught.value.problem == "name-taken"


def test_a_change_names_the_revision_it_has_seen(store):
    bot = store.bots.create(a_bot())
    after = store.bots.update(bot.id, {"description": "new"}, revision=0)
    assert after.revision == 1
    with pytest.raises(Conflict) as caught:
        store.bots.update(bot.id, {"description": "newer"}, revision=0)
    assert caught.value.problem == "stale"
    assert store.bots.update(bot.id, {"description": "new"}, revision=0) == after  # the same call again


def test_a_new_address_makes_a_bot_unverified(store):
    bot = store.bots.create(a_bot(verified_at=5))
    after = store.bots.update(bot.id, {"url": "http://127.0.0.1:10/"})
    assert (after.state, after.verified_at) == (BotState.UNVERIFIED, None)
    assert store.bots.update(bot.id, {"url": after.url}).state is BotState.UNVERIFIED


def test_five_failures_in_a_row_pause_a_bot(store):
    bot = store.bots.create(a_bot())
    for _ in range(4):
        store.bots.failed(bot.id, "timeout")
    store.bots.succeeded(bot.id)
    for _ in range(4):
        assert store.bots.failed(bot.id, "timeout").state is BotState.ACTIVE
    paused = store.bots.failed(bot.id, "unreachable")
    assert paused.state is BotState.PAUSED
    assert paused.state_reason == "5 failures in a row, the last: unreachable"


def test_states_change_from_the_expected_one_only(store):
    bot = store.bots.create(a_bot())
    store.bots.set_state(bot.id, BotState.RETIRED, "over")
    with pytest.raises(Conflict) as caught:
        store.bots.set_state(bot.id, BotState.ACTIVE, None, (BotState.AWAY,))
    assert caught.value.problem == "wrong-state"
    assert "retired" in caught.value.detail
    assert store.bots.create(a_bot(bot.name)).name == bot.name  # the name is free again


def test_a_rotated_secret_lives_on_for_a_day(store):
    bot = store.bots.create(a_bot())
    after = store.bots.rotate_secret(bot.id)
    assert after.secret != bot.secret
    assert after.previous_secret == bot.secret
    assert after.previous_secret_until is not None


def test_lists_of_bots(store):
    own = [store.bots.create(a_bot(f"bot {i}")) for i in range(5)]
    other = store.bots.create(a_bot("other", owner="o_2", games=("sorry",)))
    hidden = store.bots.create(a_bot("hidden", owner="o_2", private=True))
    listed = store.bots.list(limit=3)
    assert listed.items == (other, own[4], own[3])
    rest = store.bots.list(cursor=listed.next, limit=10)
    assert rest.items == (own[2], own[1], own[0])
    assert rest.next is None
    assert hidden in store.bots.list(BotFilter(viewer="o_2")).items
    assert hidden in store.bots.list(BotFilter(viewer=None)).items
    assert store.bots.list(BotFilter(game="sorry")).items == (other,)
    assert store.bots.list(BotFilter(owner="o_1", state=BotState.AWAY)).items == ()


def test_bots_are_bounded(store):
    store.bots.create(a_bot("a"), limit=1)
    with pytest.raises(Refused) as caught:
        store.bots.create(a_bot("b"), limit=1)
    assert caught.value.problem == "quota"
    store.bots.set_state(store.bots.list().items[0].id, BotState.RETIRED)
    store.bots.create(a_bot("b"), limit=1)


def test_an_unverified_address_gets_three_requests_of_an_owner_a_day(store):
    bot = store.bots.create(a_bot(state=BotState.UNVERIFIED))
    assert store.verifications.get(bot.id).state == "none"
    assert store.verifications.ask(bot.id).state == "pending"
    assert store.verifications.overdue() == []
    assert store.verifications.overdue(patience_ms=-1000) == [bot.id]
    assert [store.verifications.begin(bot) for _ in range(TRIES + 1)] == [True] * TRIES + [False]
    check = store.verifications.get(bot.id)
    assert (check.state, store.verifications.overdue(patience_ms=-1000)) == ("failed", [])
    assert re.search(r"3 requests .* try again after 20\d\d-\d\d-\d\d \d\d:\d\d UTC", check.detail or "")
    again = store.bots.create(a_bot("the same address", state=BotState.UNVERIFIED))
    assert not store.verifications.begin(again)
    (count,) = store.db.run("KEYS", "*:address-tries:*")
    assert 0 < store.db.run("PTTL", count) <= 24 * 3600 * 1000
    store.db.run("DEL", count)
    assert store.verifications.begin(bot)


def test_nobody_uses_up_anothers_address(store):
    one = store.bots.create(a_bot(state=BotState.UNVERIFIED))
    assert [store.verifications.begin(one) for _ in range(TRIES + 1)] == [True] * TRIES + [False]
    other = store.bots.create(a_bot("the same address", owner="o_2", state=BotState.UNVERIFIED))
    assert store.verifications.begin(other)


def test_what_was_not_sent_counts_for_the_host_alone(store):
    bot = store.bots.create(a_bot(state=BotState.UNVERIFIED))
    for _ in range(TRIES_PER_HOST):
        assert store.verifications.begin(bot)
        store.verifications.not_sent(bot)
    store.verifications.not_sent(bot)  # there is nothing left to give back
    assert not store.verifications.begin(bot)
    assert re.search(
        r"on this host today; try again after .* 00:\d\d UTC", store.verifications.get(bot.id).detail
    )


def test_a_bot_that_proves_itself_may_play(store):
    bot = store.bots.create(a_bot(state=BotState.UNVERIFIED))
    store.verifications.ask(bot.id)
    assert store.verifications.begin(bot)
    assert store.verifications.passed(bot).state is BotState.ACTIVE
    assert store.verifications.get(bot.id).state == "passed"
    proved = store.bots.get(bot.id)
    assert all(store.verifications.begin(proved) for _ in range(10))


def test_what_one_address_proves_does_not_count_for_the_next(store):
    asked = store.bots.create(a_bot(state=BotState.UNVERIFIED))
    moved = store.bots.update(asked.id, {"url": "http://elsewhere.test/"})
    with pytest.raises(Conflict):
        store.verifications.passed(asked)
    with pytest.raises(Conflict):
        store.checks.passed(asked)
    assert store.bots.get(asked.id) == moved


def test_passing_a_check_brings_a_paused_bot_back_and_no_other(store):
    paused = store.bots.create(a_bot("p", state=BotState.PAUSED, failures=5))
    away = store.bots.create(a_bot("a", state=BotState.AWAY))
    assert store.verifications.passed(paused).failures == 0
    assert store.bots.get(paused.id).state is BotState.ACTIVE
    assert store.verifications.passed(away).state is BotState.AWAY


def test_an_invitation_is_used_up(store):
    code = store.invitations.create("o_1", uses=2)[1]

    def sign_up(name, code=code, once=None):
        return store.owners.create(name, Role.PLAYER, once=once, invitation=store.invitations.use(code))

    once = Once("o_1", "key-1", "digest of the request")
    ada = sign_up("Ada", once=once)
    assert sign_up("Ada", once=once) == ada, "and it is not used again"
    with pytest.raises(Conflict):
        sign_up("Ada")  # nor by somebody who is not let in for another reason
    sign_up("Berna")
    other = store.invitations.create("o_1")[1]
    for wrong in (code, "inv_nothing", other[:-1] + ("A" if other[-1] != "A" else "B")):
        with pytest.raises(Refused) as caught:
            sign_up("Chris", wrong)
        assert caught.value.problem == "bad-invitation"
    assert store.invitations.get("i_" + code.split("_")[1]).uses == 0


def test_an_idempotency_key_makes_one_bot(store):
    once = Once("o_1", "key-1", "digest of the request")
    first = store.bots.create(a_bot("x"), once=once)
    assert store.bots.create(a_bot("x"), once=once).id == first.id
    with pytest.raises(Refused) as caught:
        store.bots.create(a_bot("y"), once=Once("o_1", "key-1", "digest of another"))
    assert caught.value.problem == "idempotency-key-reused"
    store.bots.create(a_bot("y", owner="o_2"), once=Once("o_2", "key-1", "digest of another"))


def test_a_key_that_comes_again_has_no_secret(store):
    owner, _ = owner_with_key(store)
    once = Once(owner.id, "key-1", "digest")
    first = store.keys.create(owner.id, "k", ("play",), once=once)
    again = store.keys.create(owner.id, "k", ("play",), once=once)
    assert (again.key.id, again.text) == (first.key.id, "")
