"""Mailboxes of bots without an address: what is put, fetched, answered, closed, and who may do it."""

import inspect
import json
import threading
import time
from dataclasses import replace

import pytest

from service.errors import NotFound
from service.store import Store
from service.store import mailbox as module
from service.store.mailbox import Place, Replied
from tests.service.store.make import LEASE_MS, a_bot, a_match, claimed, finish, started
from tests.service.store.test_teeth import without

LIMIT_US = 300_000
BODY = b'{"protocol":1,"type":"move"}'


class Seat:
    """One seat of a match that is being played, from both ends of its mailbox."""

    def __init__(self, store, ladder="quixo", seats=2):
        mine = a_bot("polls", url=None, transport="poll")
        other = a_bot("other", owner="o_2")
        self.bots = [store.bots.create(mine), store.bots.create(other)]
        self.claim = claimed(store, a_match(*self.bots * (seats // 2), ladder=ladder))
        self.store, self.box, self.bot = store, store.mailbox, mine.id
        self.match = self.claim.match.id
        self.place = Place(self.bot, self.match, 0)

    def name(self, turn=0, attempt=1):
        return f"{self.match}:{turn}:{attempt}"

    def ask(self, turn=0, attempt=1, claim=None, limit_us=LIMIT_US):
        return self.box.ask(claim or self.claim, self.place, self.name(turn, attempt), BODY, limit_us)

    def fetch(self, wait_ms=0, most=8):
        again_us = module.AGAIN_US if wait_ms else 0
        return [mail.id for mail in self.box.fetch(self.bot, most, wait_ms, never, again_us)]

    def reply(self, turn=0, attempt=1, body=b"{}", age_us=0, bot=None):
        return self.box.reply(bot or self.bot, self.name(turn, attempt), body, age_us)

    def wait(self, turn=0, attempt=1, limit_us=LIMIT_US, check=lambda: None):
        return self.box.wait(self.place, self.name(turn, attempt), limit_us, check)

    def claim_again(self):
        """The worker dies, its lease runs out and another one takes the match."""
        self.store.db.run("ZADD", f"{{{self.claim.match.game}}}:leases", 1, self.match)
        again = self.store.matches.claim(self.match, "another", LEASE_MS)
        assert again is not None
        return again


def never():
    """The check of a wait that nothing ends early."""


@pytest.fixture
def seat(store):
    return Seat(store)


@pytest.fixture
def short_grace(monkeypatch):
    monkeypatch.setattr(module, "GRACE_US", 200_000)
    monkeypatch.setattr(module, "UNDERWAY_US", 50_000)


def test_a_message_is_fetched_answered_and_read(seat):
    assert seat.ask()
    assert seat.fetch() == [seat.name()]
    assert seat.reply(body=b'{"move":"c1N"}') is Replied.TAKEN
    outcome = seat.wait()
    assert outcome.reply == b'{"move":"c1N"}'
    assert outcome.ready_us <= outcome.delivered_us <= outcome.ended_us
    assert seat.fetch() == []


def test_a_message_is_what_was_put_with_its_id_in_it(seat):
    seat.ask()
    (mail,) = seat.box.fetch(seat.bot, 8, 0, never)
    assert json.loads(mail.body) == {"message_id": seat.name(), "protocol": 1, "type": "move"}


def test_a_reply_may_be_any_bytes(seat):
    seat.ask()
    seat.reply(body=b"\xff\x00{")
    assert seat.wait().reply == b"\xff\x00{"


def test_a_message_comes_again_until_it_is_answered(seat, monkeypatch):
    seat.ask()
    assert [seat.fetch() for _ in range(3)] == [[seat.name()]] * 3, "at once to polls that do not wait"
    monkeypatch.setattr(module, "AGAIN_US", 400_000)
    begun = time.monotonic()
    while not seat.fetch(wait_ms=100):
        assert time.monotonic() - begun < 5
    assert time.monotonic() - begun > 0.25, "a poll that waits is not answered with what was just handed out"
    seat.reply()
    assert seat.fetch() == []


def test_a_message_that_is_new_comes_before_those_that_come_again(seat):
    seat.ask()
    assert seat.fetch() == [seat.name()]
    seat.box.tell(Place(seat.bot, seat.match, 1), f"{seat.match}:end:1", BODY)
    assert seat.fetch(most=1) == [f"{seat.match}:end:1"]
    assert seat.fetch(most=1) == [seat.name()]


def test_a_waiting_poll_is_answered_as_soon_as_there_is_a_message(seat):
    found = []
    poll = threading.Thread(target=lambda: found.append((seat.fetch(wait_ms=10_000), time.monotonic())))
    poll.start()
    time.sleep(0.3)
    asked = time.monotonic()
    seat.ask()
    poll.join(5)
    ((messages, at),) = found
    assert messages == [seat.name()]
    assert at - asked < 0.5


def test_messages_of_all_ladders_come_in_one_poll(store):
    quixo = Seat(store)
    bot = quixo.bots[0]
    sorry = a_match(bot, a_bot("third", owner="o_3"), ladder="sorry")
    place = Place(bot.id, sorry.id, 0)
    store.mailbox.tell(place, f"{sorry.id}:end:1", BODY)
    quixo.ask()
    assert set(quixo.fetch()) == {quixo.name(), f"{sorry.id}:end:1"}


def test_the_first_reply_counts(seat):
    seat.ask()
    assert seat.reply(body=b"1") is Replied.TAKEN
    assert seat.reply(body=b"2") is Replied.ANSWERED
    assert seat.wait().reply == b"1"
    seat.ask(turn=2)
    assert seat.reply(body=b"3") is Replied.ANSWERED, "also while the next turn is open"
    assert seat.wait(turn=2, limit_us=1).reply is None


def test_of_many_racing_replies_one_is_taken(seat):
    seat.ask()
    seat.fetch()
    found = []
    racers = [
        threading.Thread(target=lambda n=n: found.append((seat.reply(body=str(n).encode()), n)))
        for n in range(8)
    ]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    (winner,) = (n for outcome, n in found if outcome is Replied.TAKEN)
    assert seat.wait().reply == str(winner).encode()


def test_what_is_over_takes_no_reply(seat):
    assert seat.reply() is Replied.OVER, "never asked"
    seat.ask(turn=0)
    seat.ask(turn=2)
    assert seat.reply(turn=0) is Replied.OVER, "the turn has passed"
    assert seat.reply(turn=2, bot=seat.bots[1].id) is Replied.OVER, "another bot's message"
    seat.store.matches.append(seat.claim, 1, [started()])
    finish(seat.store, replace(seat.claim, events=(started(),)), 1, 2)
    assert seat.reply(turn=2) is Replied.OVER, "the match is over"
    assert seat.fetch() == []


@pytest.mark.parametrize("wrong", ["nonsense", "m_chess_0000000000000000:0:1", ""])
def test_an_id_that_is_none_is_not_found(seat, wrong):
    with pytest.raises(NotFound):
        seat.box.reply(seat.bot, wrong, b"{}", 0)


def test_only_the_current_claim_may_ask(seat):
    seat.ask(attempt=1)
    again = seat.claim_again()
    assert not seat.ask(attempt=2), "the claim is lost"
    assert seat.ask(attempt=1001, claim=again)
    assert seat.fetch() == [seat.name(attempt=1001)]


def test_a_turn_is_asked_again_by_the_next_claim(seat):
    """The worker was killed while the bot was thinking: its old reply comes too late."""
    seat.ask(attempt=1)
    assert seat.fetch() == [seat.name(attempt=1)]
    again = seat.claim_again()
    assert seat.fetch() == [], "nobody waits for that reply any more"
    assert seat.reply(attempt=1) is Replied.OVER
    assert seat.ask(attempt=1001, claim=again)
    assert seat.reply(attempt=1) is Replied.OVER
    assert seat.wait(attempt=1) is None
    assert seat.fetch() == [seat.name(attempt=1001)]
    assert seat.reply(attempt=1001) is Replied.TAKEN


def test_a_call_that_comes_twice_changes_nothing(seat, monkeypatch):
    """redis-py repeats a call whose answer was lost."""
    call, lost = seat.box._db.call, []

    def twice(name, *args):
        if name in ("mail_put", "mail_reply"):
            lost.append(call(name, *args))
            seat.fetch()
        return call(name, *args)

    monkeypatch.setattr(seat.box._db, "call", twice)
    assert seat.ask()
    assert seat.store.db.run("HGET", seat.place.key, "delivered"), "its clock runs on"
    assert seat.reply() is Replied.TAKEN
    assert lost == ["put", "taken"]


def test_a_team_s_bot_has_a_message_for_each_seat(store):
    """Both seats of a side: two `start` messages at once, each answered by itself."""
    one = Seat(store, ladder="quixo-teams", seats=4)
    other = Place(one.bot, one.match, 2)
    names = [f"{one.match}:start:1", f"{one.match}:start:7"]
    for place, name in zip((one.place, other), names, strict=True):
        assert one.box.ask(one.claim, place, name, BODY, LIMIT_US)
    assert one.fetch() == names
    assert [one.box.reply(one.bot, name, name.encode(), 0) for name in names] == [Replied.TAKEN] * 2
    assert one.box.wait(other, names[1], LIMIT_US, never).reply == names[1].encode()


def test_time_runs_from_the_first_delivery(seat):
    seat.ask()
    time.sleep(0.1)
    seat.fetch()
    time.sleep(0.1)
    seat.fetch()
    time.sleep(0.1)
    seat.reply()
    outcome = seat.wait()
    assert 0.1e6 <= outcome.delivered_us - outcome.ready_us < 2e6
    assert 0.2e6 <= outcome.ended_us - outcome.delivered_us < 2e6


def test_what_sending_takes_is_not_charged_within_bounds(seat, monkeypatch):
    monkeypatch.setattr(module, "SENDING_US", 400_000)
    for turn, sending_s, charged_s in ((0, 0.3, 0.1), (2, 0.8, 0.5)):
        seat.ask(turn)
        mails = seat.box.fetch(seat.bot, 8, 0, never)
        time.sleep(sending_s)
        seat.box.sent(mails)
        time.sleep(0.1)
        seat.box.sent(mails)  # of another poll; the first one counts
        seat.reply(turn)
        seat.box.sent(mails)
        outcome = seat.wait(turn)
        assert charged_s <= (outcome.ended_us - outcome.delivered_us) / 1e6 < charged_s + 0.25


def test_a_reply_counts_from_when_it_arrived(seat):
    seat.ask()
    seat.fetch()
    time.sleep(0.6)
    seat.reply(age_us=500_000)
    outcome = seat.wait(limit_us=2_000_000)
    assert 0.1e6 <= outcome.ended_us - outcome.delivered_us < 0.5e6


def test_no_reply_arrives_before_its_message_was_delivered(seat):
    seat.ask()
    seat.fetch()
    seat.reply(age_us=60_000_000)
    outcome = seat.wait()
    assert outcome.ended_us == outcome.delivered_us


def test_a_message_is_closed_once_its_time_is_up(seat, short_grace):
    seat.ask()
    seat.fetch()
    outcome = seat.wait()
    assert outcome.reply is None
    assert 0.3e6 <= outcome.ended_us - outcome.delivered_us < 2e6
    assert seat.reply() is Replied.OVER
    assert seat.fetch() == []


def test_unfetched_its_time_runs_after_the_grace(seat, short_grace):
    seat.ask()
    outcome = seat.wait()
    assert (outcome.reply, outcome.delivered_us) == (None, None)
    assert 0.5e6 <= outcome.ended_us - outcome.ready_us < 2e6


def test_a_wait_ends_at_once_when_it_is_woken_and_its_check_says_so(seat):
    class Enough(Exception):
        pass

    enough, ended = threading.Event(), []

    def check():
        if enough.is_set():
            raise Enough

    def wait():
        with pytest.raises(Enough):
            seat.wait(limit_us=60_000_000, check=check)
        ended.append(time.monotonic())

    seat.ask()
    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.3)
    enough.set()
    seat.box.wake(seat.match)
    woken = time.monotonic()
    waiting.join(5)
    assert ended[0] - woken < 0.5


def test_at_a_stop_polls_end_at_once(seat):
    found = []
    poll = threading.Thread(target=lambda: found.append(seat.fetch(wait_ms=20_000)))
    poll.start()
    time.sleep(0.3)
    seat.store.live.stop()
    poll.join(1)
    assert found == [[]]


def test_a_message_that_asks_nothing_is_kept_for_a_bounded_time(seat, monkeypatch):
    """`end`: until it is fetched, and then until it is answered."""
    seat.ask()
    seat.fetch()
    seat.reply()
    name = f"{seat.match}:end:1"
    seat.box.tell(seat.place, name, BODY)
    assert seat.reply() is Replied.ANSWERED, "the last turn is remembered"
    kept = seat.store.db.run("PTTL", seat.place.key)
    assert module.FETCHED_KEPT_MS < kept <= module.END_KEPT_MS
    assert seat.fetch() == [name]
    assert 0 < seat.store.db.run("PTTL", seat.place.key) <= module.FETCHED_KEPT_MS
    assert seat.box.reply(seat.bot, name, b"{}", 0) is Replied.TAKEN
    assert seat.fetch() == []
    assert seat.box.reply(seat.bot, name, b"{}", 0) is Replied.ANSWERED


def test_nothing_is_left_for_ever(seat, monkeypatch):
    monkeypatch.setattr(module, "SPARE_MS", 100)
    monkeypatch.setattr(module, "END_KEPT_MS", 100)
    seat.ask(limit_us=1000)
    seat.box.tell(Place(seat.bot, seat.match, 1), f"{seat.match}:end:1", BODY)
    time.sleep(0.3)
    assert seat.fetch() == []
    assert [key for key in seat.store.db.run("KEYS", "*") if ":mail:" in key] == []


def test_a_poll_is_noted(seat):
    assert seat.store.bots.get(seat.bot).last_poll_at is None
    before = seat.store.bots.get(seat.bot)
    seat.store.bots.polled(seat.bot)
    after = seat.store.bots.get(seat.bot)
    assert abs(after.last_poll_at - time.time() * 1000) < 5000
    assert replace(after, last_poll_at=None) == before, "it is no change of the bot"


def test_the_desk_says_since_when_it_is_open(store, monkeypatch):
    assert store.desk.since_us() is None
    store.desk.open()
    since = store.desk.since_us()
    time.sleep(0.05)
    store.desk.beat()
    assert store.desk.since_us() == since
    store.desk.open()
    assert store.desk.since_us() > since, "a new start"
    since = store.desk.since_us()
    monkeypatch.setattr("service.store.desk.SILENCE_US", 50_000)
    time.sleep(0.1)
    assert store.desk.since_us() is None, "silent for too long"
    store.desk.beat()
    assert store.desk.since_us() > since, "it was away in between"


# Teeth: each safeguard, taken out of the Lua, makes the test that is there for it fail.

CLAIMED = "if ARGV[8] ~= '' and fenced(KEYS[1], KEYS[2], ARGV[7], ARGV[8]) then return 'fenced' end"
CURRENT = "if fence ~= '' and fenced(KEYS[1], KEYS[2], epoch, fence) then return 'over' end"
BITES = [
    ("mail_put", CLAIMED, "", test_only_the_current_claim_may_ask),
    ("mail_put", "if before == id then return 'put' end", "", test_a_call_that_comes_twice_changes_nothing),
    (
        "mail_put",
        "redis.call('PUBLISH', ARGV[5], id)",
        "",
        test_a_waiting_poll_is_answered_as_soon_as_there_is_a_message,
    ),
    ("mail_put", "redis.call('PEXPIRE', place, kept)", "", test_nothing_is_left_for_ever),
    ("mail_put", "answered = replied and before or answered", "", test_the_first_reply_counts),
    (
        "mail_fetch",
        "or (fence ~= '' and fenced(ARGV[2] .. match, KEYS[2], epoch, fence))",
        "",
        test_a_turn_is_asked_again_by_the_next_claim,
    ),
    (
        "mail_fetch",
        "now - seen >= tonumber(ARGV[4])",
        "true",
        test_a_message_comes_again_until_it_is_answered,
    ),
    ("mail_fetch", "HSETNX", "HSET", test_time_runs_from_the_first_delivery),
    (
        "mail_fetch",
        "if fence == '' then redis.call('PEXPIRE', place, ARGV[5]) end",
        "",
        test_a_message_that_asks_nothing_is_kept_for_a_bounded_time,
    ),
    (
        "mail_fetch",
        "if #out == 3 * most then return end",
        "",
        test_a_message_that_is_new_comes_before_those_that_come_again,
    ),
    ("mail_reply", CURRENT, "", test_what_is_over_takes_no_reply),
    ("mail_reply", CURRENT, "", test_a_turn_is_asked_again_by_the_next_claim),
    ("mail_reply", "if replied then", "if false then", test_of_many_racing_replies_one_is_taken),
    (
        "mail_reply",
        "token == ARGV[3] and 'taken' or 'answered'",
        "'answered'",
        test_a_call_that_comes_twice_changes_nothing,
    ),
    ("mail_reply", "if answered == id then return 'answered' end", "", test_the_first_reply_counts),
    ("mail_reply", "now_us() - ARGV[4]", "now_us()", test_a_reply_counts_from_when_it_arrived),
    (
        "mail_reply",
        "math.max(now_us() - ARGV[4], tonumber(delivered or '0'))",
        "now_us() - ARGV[4]",
        test_no_reply_arrives_before_its_message_was_delivered,
    ),
    (
        "mail_sent",
        "math.min(now, delivered + ARGV[1])",
        "now",
        test_what_sending_takes_is_not_charged_within_bounds,
    ),
    ("mail_sent", " and not sent", "", test_what_sending_takes_is_not_charged_within_bounds),
    (
        "mail_wait",
        "redis.call('HDEL', KEYS[1], 'id', 'body')",
        "",
        test_a_message_is_closed_once_its_time_is_up,
    ),
    (
        "mail_wait",
        "if id ~= ARGV[2] then return {'gone'} end",
        "",
        test_a_turn_is_asked_again_by_the_next_claim,
    ),
]


@pytest.mark.parametrize("bite", BITES, ids=[f"{name}: {old[:40]}" for name, old, _, _ in BITES])
def test_every_safeguard_is_missed(bite, redis_url, monkeypatch):
    name, old, new, test = bite
    store = Store.connect(redis_url)
    monkeypatch.setattr(module, "GRACE_US", 200_000)
    given = {"seat": Seat(store), "monkeypatch": monkeypatch, "short_grace": None}
    with without(name, old, new), pytest.raises(Exception):  # noqa: B017 -- whatever notices
        test(**{n: given[n] for n in inspect.signature(test).parameters})
    store.close()
