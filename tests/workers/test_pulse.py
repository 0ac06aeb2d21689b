"""A worker whose queue is not read any more does not say that it lives."""

from workers.pulse import STUCK_S, Pulse


class Loop:
    """Celery's loop: it calls what it was given when it comes round."""

    def __init__(self):
        self.asked = []

    def call_soon(self, callback):
        self.asked.append(callback)

    def come_round(self):
        while self.asked:
            self.asked.pop()()


def test_a_loop_that_comes_round_is_felt_and_one_that_hangs_is_not():
    loop, now = Loop(), [100.0]
    pulse = Pulse(loop, lambda: now[0])
    for _ in range(40):
        now[0] += 2
        assert pulse.felt()
        loop.come_round()
    felt = []
    for _ in range(20):
        now[0] += 2
        felt.append(pulse.felt())
    assert felt == [True] * 14 + [False] * 6
    assert 14 * 2 < STUCK_S <= 15 * 2
    loop.come_round()
    assert pulse.felt(), "it has come round again"
