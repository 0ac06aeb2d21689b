"""What comes again until it is done: delayed work and letters; workers; hints to Celery; news."""

import threading
import time

from service.jobs import Jobs
from service.models import CONTROL_QUEUE, MATCH_QUEUE
from service.store import Store
from tests.conftest import new_server
from tests.service.store.make import a_bot, a_match, claimed, finished, move, played, result_of, started

SOON = 5_000  # ms


def test_due_work_comes_when_it_is_due_and_until_it_is_done(store):
    now = time.time_ns() // 1_000_000
    store.due.add("verify", {"bot": "b_1"}, now + 60_000)
    store.due.add("start", {"tournament": "t_quixo_1"}, now - SOON)
    store.due.add("verify", {"bot": "b_2"}, now - 2 * SOON)
    store.due.add("start", {"tournament": "t_quixo_1"}, now - SOON)  # one piece of work
    tasks = store.due.take(10)
    assert [(task.kind, task.payload) for task in tasks] == [
        ("verify", {"bot": "b_2"}),
        ("start", {"tournament": "t_quixo_1"}),
    ]
    assert store.due.take(10) == ()  # taken
    store.due.done(tasks[0])
    store.db.run("ZADD", "{capacity}:due", 1, tasks[1].key)  # its taker died a minute ago
    assert store.due.take(10) == (tasks[1],)
    store.due.cancel("start", {"tournament": "t_quixo_1"})
    store.due.cancel("verify", {"bot": "b_1"})
    assert store.info()["due"] == 0


def test_letters_come_until_they_are_done(store):
    a, b = store.bots.create(a_bot("a")), store.bots.create(a_bot("b", owner="o_2"))
    match = a_match(a, b)
    played(store, match, 1, 2)
    letters = store.outbox.take(10)
    assert [letter.item["kind"] for letter in letters] == ["end", "end", "webhook"]
    assert letters[2].item["owners"] == ["o_1", "o_2"]
    assert [letter.item.get("seat") for letter in letters] == [0, 1, None]
    assert store.outbox.take(10) == ()
    store.outbox.done(letters[0].id)
    store.outbox.again(letters[1].id, 1)
    (again,) = store.outbox.take(10)
    assert (again.id, again.attempt) == (letters[1].id, 2)
    assert store.outbox.get(again.id) == again
    for letter in letters:
        store.outbox.done(letter.id)
    store.outbox.again(again.id, 1)  # over is over
    assert (store.outbox.take(10), store.outbox.size(), store.outbox.get(again.id)) == ((), 0, None)


def test_takers_share_the_letters(store):
    a, b = store.bots.create(a_bot("a")), store.bots.create(a_bot("b"))
    for _ in range(5):
        played(store, a_match(a, b), 1, 2)
    taken = [letter.id for _ in range(5) for letter in store.outbox.take(4)]
    assert len(taken) == len(set(taken)) == 15


def test_workers_are_there_as_long_as_they_say_so(store):
    store.workers.beat("one", MATCH_QUEUE, 50, 3, {"plies": 7})
    store.workers.beat("two", CONTROL_QUEUE, 4, 1)
    one, two = sorted(store.workers.alive(), key=lambda worker: worker.name)
    assert (one.places, one.running, one.progress) == (50, 3, {"plies": 7})
    assert (two.queue, two.places) == (CONTROL_QUEUE, 0)
    store.db.run("ZADD", "{capacity}:workers", time.time_ns() // 1_000_000 - 60_000, "one")
    assert [worker.name for worker in store.workers.alive()] == ["two"]
    assert len(store.workers.all()) == 2
    store.db.run("ZADD", "{capacity}:workers", 1, "one")
    store.workers.beat("two", CONTROL_QUEUE, 4, 1)
    assert len(store.workers.all()) == 1
    store.workers.gone("two")
    assert store.workers.all() == ()


def test_whoever_waits_is_woken_by_news(store):
    a, b = store.bots.create(a_bot("a")), store.bots.create(a_bot("b"))
    claim = claimed(store, a_match(a, b))
    heard: list[tuple[float, list]] = []

    def listen() -> None:
        found = store.matches.wait_events(claim.match.id, 0, 5_000)
        heard.append((time.monotonic(), found))

    listeners = [threading.Thread(target=listen) for _ in range(20)]
    for listener in listeners:
        listener.start()
    time.sleep(0.3)
    assert heard == []
    begun = time.monotonic()
    store.matches.append(claim, 1, [started()])
    for listener in listeners:
        listener.join(5)
    assert [found for _, found in heard] == [[(1, started())]] * 20
    assert max(at for at, _ in heard) - begun < 1.5  # by news, not by looking again after 2 s


def test_waiting_ends_in_time_without_news(store):
    a, b = store.bots.create(a_bot("a")), store.bots.create(a_bot("b"))
    claim = claimed(store, a_match(a, b))
    begun = time.monotonic()
    assert store.matches.wait_events(claim.match.id, 0, 200) == []
    assert 0.2 <= time.monotonic() - begun < 1.5


def test_a_follower_sees_every_event_once_over_the_fold(store):
    """Live readers of a match that finishes do not notice that its stream becomes a record."""
    a, b = store.bots.create(a_bot("a")), store.bots.create(a_bot("b"))
    claim = claimed(store, a_match(a, b))
    seen: list[tuple[int, dict]] = []

    def follow() -> None:
        while not seen or seen[-1][1]["type"] != "finished":
            seen.extend(store.matches.wait_events(claim.match.id, seen[-1][0] if seen else 0, 2_000, limit=3))

    follower = threading.Thread(target=follow)
    follower.start()
    written = [started(), *(move(ply, seat=ply % 2) for ply in range(40))]
    for number, event in enumerate(written, start=1):
        store.matches.append(claim, number, [event])
    result = result_of(1, 2)
    store.matches.finish(claim, len(written) + 1, [finished(result)], result, "0" * 64)
    follower.join(10)
    assert seen == list(enumerate([*written, finished(result)], start=1))


def test_waiting_survives_a_restart_of_redis(tmp_path):
    server = new_server("embedded", tmp_path).start()
    store = Store.connect(server.url)
    try:
        a, b = store.bots.create(a_bot("a")), store.bots.create(a_bot("b"))
        claim = claimed(store, a_match(a, b))
        assert store.matches.wait_events(claim.match.id, 0, 50) == []
        server.restart()
        timer = threading.Timer(0.5, lambda: store.matches.append(claim, 1, [started()]))
        timer.start()
        assert store.matches.wait_events(claim.match.id, 0, 8_000) == [(1, started())]
        timer.join()
    finally:
        server.stop()


def test_hints_are_messages_that_may_be_lost(tmp_path):
    """Failing to send one never raises, and a broker that hangs is waited for once, not for every hint."""
    server = new_server("embedded", tmp_path).start()
    try:
        jobs = Jobs.at(server.url, timeout_s=0.3)
        assert jobs.play("m_quixo_1")
        assert jobs.verify("b_1")
        assert jobs.coordinate("t_quixo_1")
        assert jobs.deliver()
        with server.client() as client:
            assert (client.llen(MATCH_QUEUE), client.llen(CONTROL_QUEUE)) == (1, 3)
        server.pause()
        begun = time.monotonic()
        assert not any(jobs.play(f"m_quixo_{i}") for i in range(100))
        assert time.monotonic() - begun < 2
        server.go_on()
        time.sleep(2.1)
        assert jobs.play("m_quixo_2")
        server.kill()
        assert not jobs.play("m_quixo_3")
    finally:
        server.stop()
