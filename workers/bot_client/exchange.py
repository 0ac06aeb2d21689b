"""One exchange with a bot: a request, its retries, one total deadline, and the receipt of all that.

The clock runs from the last byte of the first request that was handed to the kernel, or from the first
failure if that came before, without a pause until the last byte of the reply (C1; "retried with the clock
running"). So a bot that drops a connection gains no time to think, and what comes before the first request
(look-up, connecting, TLS) is not charged but bounded.
"""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from service.endpoint import Endpoint
from workers.bot_client.clocks import Arrival, Deadline, DeadlinePassed, Instant, Span, span
from workers.bot_client.connection import Channel
from workers.bot_client.cut import Cut
from workers.bot_client.dial import Network, dial
from workers.bot_client.errors import Blocked, BotFault, HttpError, Malformed, Timeout, TooLarge, Unreachable
from workers.bot_client.http1 import Reading, Reply, read_reply, request, request_head
from workers.bot_client.receipts import MAX_EVIDENCE, Answer, Receipt

_EVIDENCE_US = 200_000  # how long the body of a refused reply is waited for
_LONGEST_IDLE_NS = 30_000_000_000  # how long a connection is kept for the next turn
_FIRST_PAUSE_MS, _LONGEST_PAUSE_MS = 50, 1000

Message = tuple[bytes, Mapping[str, str]]


class Exchange(NamedTuple):
    """A reply with status 200. `evidence` is its receipt with the answer in it, for faults found later."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    receipt: Receipt

    def evidence(self) -> Receipt:
        """The receipt of a reply that turned out to be no good."""
        return self.receipt._replace(answer=Answer(self.status, self.headers, self.body))


@dataclass(slots=True)
class _Progress:
    """How far an exchange has come; the times are the last attempt's."""

    limit_us: int
    attempts: int = 0
    failed: BotFault | None = None  # why there is another attempt
    begun_us: int = 0  # how long the clock had been running when the attempt began
    running_since: Instant | None = None
    pause_ms: int = _FIRST_PAUSE_MS
    kept: bool = False
    connect_us: int = 0
    tls_us: int = 0
    send_us: int = 0
    sent: Instant | None = None
    first: Arrival | None = None
    last: Arrival | None = None
    reply: Reply = field(default_factory=Reply)

    def begin_attempt(self, begun_us: int) -> None:
        self.attempts += 1
        self.begun_us = begun_us
        self.kept = False
        self.connect_us = self.tls_us = self.send_us = 0
        self.sent = self.first = self.last = None
        self.reply = Reply()

    def note(self, arrival: Arrival) -> None:
        self.first = self.first or arrival
        self.last = arrival


class Line:
    """The kept connection to one bot for one match; used by one thread at a time, aborted by any."""

    def __init__(self, endpoint: Endpoint, network: Network) -> None:
        self._endpoint = endpoint
        self._network = network
        self._cut = Cut()
        self._channel: Channel | None = None
        self._used_ns = 0
        self._surplus = b""  # what came behind the last reply
        proxy = network.proxy if endpoint.scheme == "http" else None
        target = endpoint.target if proxy is None else str(endpoint)
        self._head = request_head(endpoint, target, {} if proxy is None else proxy.headers)

    def abort(self) -> None:
        """End the exchange in flight, and any later one, with Abandoned (from any thread)."""
        self._cut.cut()

    def close(self) -> None:
        """Give the connection back; the line may be used again."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def unasked(self, wait_us: int) -> bytes | None:
        """What the bot sends behind its last reply, or before the first request, within `wait_us` from now.

        None: nothing; empty: it hangs up, or has ended the connection with its reply. Connects if nothing was
        asked yet. Raises BotFault, OurFault; only `close` may follow.
        """
        if self._surplus or (self._channel is None and self._used_ns):
            return self._surplus
        clocks = self._network.clocks
        channel = self._channel or self._open(
            _Progress(wait_us), Deadline(clocks.now(), self._network.setup_us, clocks)
        )
        self._channel = channel
        try:
            return channel.receive(Deadline(clocks.now(), wait_us, clocks))
        except DeadlinePassed:
            return None
        except OSError:
            return b""

    def post(
        self,
        body: bytes,
        headers: Mapping[str, str],
        limit_us: int,
        *,
        again: Callable[[int], Message] | None = None,
        tries: int | None = None,
    ) -> Exchange:
        """Ask the bot; the reply must be complete before more than `limit_us` is charged.

        `headers` follow Host, User-Agent, Accept, Accept-Encoding and Content-Length; the content's type is
        theirs to say. Deliveries are counted from 1; `again(n)` makes the n-th, by default all are alike.
        `tries` bounds them. Raises BotFault, with its receipt, and OurFault.
        """
        progress = _Progress(limit_us)
        while True:
            try:
                self._attempt(request(self._head, body, headers), progress)
            except BotFault as fault:
                fault.connected = self._channel is not None
                self.close()
                self._cut.check()  # then it is us who broke it off
                fault.receipt = self._fault_receipt(fault, progress)
                pause_ms = None if progress.attempts == tries else self._pause_ms(fault, progress)
                if pause_ms is None:
                    raise _blamed(fault, progress) from None
                progress.failed = fault
                self._cut.sleep(pause_ms / 1000)
            except BaseException:
                self.close()
                raise
            else:
                return self._exchange(progress)
            if again is not None:
                body, headers = again(progress.attempts + 1)

    def _attempt(self, message: bytes, progress: _Progress) -> None:
        self._cut.check()
        progress.begin_attempt(self._elapsed_us(progress))
        setup = Deadline(self._network.clocks.now(), self._setup_us(progress), self._network.clocks)
        channel = self._channel = self._kept(progress) or self._open(progress, setup)
        self._send(channel, message, progress, setup)
        self._read(channel, progress)

    def _setup_us(self, progress: _Progress) -> int:
        return min(self._network.setup_us, max(0, progress.limit_us - self._elapsed_us(progress)))

    def _elapsed_us(self, progress: _Progress) -> int:
        """How long the clock has been running, by the monotonic clock."""
        if progress.running_since is None:
            return 0
        return (self._network.clocks.monotonic_ns() - progress.running_since.mono_ns) // 1000

    def _kept(self, progress: _Progress) -> Channel | None:
        """The last exchange's connection, unless the bot has closed it or sent something unasked since."""
        if self._channel is not None and (self._is_old() or not self._channel.is_quiet()):
            self.close()
        progress.kept = self._channel is not None
        return self._channel

    def _is_old(self) -> bool:
        """Whether something on the way may have forgotten the connection; a new one is not charged."""
        return self._network.clocks.monotonic_ns() - self._used_ns > _LONGEST_IDLE_NS

    def _open(self, progress: _Progress, setup: Deadline) -> Channel:
        channel, progress.connect_us, progress.tls_us = dial(self._endpoint, self._network, setup, self._cut)
        return channel

    def _send(self, channel: Channel, message: bytes, progress: _Progress, setup: Deadline) -> None:
        begun_ns = self._network.clocks.monotonic_ns()
        try:
            progress.sent = channel.send(message, setup)
        except DeadlinePassed:
            raise Timeout(f"the bot did not read the request of {len(message)} bytes in time") from None
        except OSError as error:
            raise _hung_up(error) from error
        progress.send_us = max(0, progress.sent.mono_ns - begun_ns) // 1000
        progress.running_since = progress.running_since or progress.sent

    def _read(self, channel: Channel, progress: _Progress) -> None:
        reply = progress.reply
        reading = read_reply(reply)
        next(reading)
        assert progress.running_since is not None
        deadline = Deadline(progress.running_since, progress.limit_us, self._network.clocks)
        more = True
        try:
            while more and reply.status in (0, 200):
                more = self._read_more(channel, reading, deadline, progress)
        except DeadlinePassed:
            raise Timeout(_came_late(progress)) from None
        except OSError as error:
            raise _hung_up(error) from error
        except (Malformed, TooLarge):
            if reply.status in (0, 200):
                raise
            more = False
        if reply.status != 200:
            if more:
                self._read_evidence(channel, reading, progress)
            raise _refusal(reply)

    def _read_more(self, channel: Channel, reading: Reading, deadline: Deadline, progress: _Progress) -> bool:
        """Take the next bytes; whether the reply goes on."""
        piece = channel.receive(deadline)
        if piece:
            progress.note(channel.arrival)
        elif not progress.reply.begun:
            raise ConnectionResetError
        try:
            reading.send(piece)
        except StopIteration:
            return False
        return True

    def _read_evidence(self, channel: Channel, reading: Reading, progress: _Progress) -> None:
        """Some of a refused reply's body, for the receipt; its status is the fault, whatever happens here."""
        deadline = Deadline(self._network.clocks.now(), _EVIDENCE_US, self._network.clocks)
        with contextlib.suppress(DeadlinePassed, OSError, Malformed, TooLarge, StopIteration):
            while len(progress.reply.body) < MAX_EVIDENCE:
                reading.send(channel.receive(deadline))

    def _pause_ms(self, fault: BotFault, progress: _Progress) -> int | None:
        """How long to wait before the next attempt, None for no further one."""
        if not _is_passing(fault):
            return None
        if progress.kept and not progress.reply.begun:
            return 0  # it closed the connection between two turns, as it may
        progress.running_since = progress.running_since or self._network.clocks.now()
        left_ms = (progress.limit_us - self._elapsed_us(progress)) // 1000
        pause_ms = min(progress.pause_ms, left_ms // 2)
        progress.pause_ms = min(2 * progress.pause_ms, _LONGEST_PAUSE_MS)
        return pause_ms if pause_ms >= _FIRST_PAUSE_MS else None

    def _exchange(self, progress: _Progress) -> Exchange:
        reply = progress.reply
        self._used_ns = self._network.clocks.monotonic_ns()
        self._surplus = reply.surplus
        if not reply.kept:
            self.close()
        assert progress.running_since is not None
        assert progress.last is not None
        charge = span(progress.running_since, progress.last)
        return Exchange(reply.status, tuple(reply.headers), bytes(reply.body), _receipt(progress, charge))

    def _fault_receipt(self, fault: BotFault, progress: _Progress) -> Receipt:
        """What a fault is charged: to the last byte that came, or until now if bytes were missing."""
        answer = progress.reply.answer() if progress.reply.status else None
        whole = not isinstance(fault, Timeout | Unreachable)
        if whole and progress.running_since is not None and progress.last is not None:
            charge = span(progress.running_since, progress.last)
        else:
            charge = Span(self._elapsed_us(progress), "monotonic", 0)
        return _receipt(progress, charge)._replace(answer=answer)


def _is_passing(fault: BotFault) -> bool:
    """Whether the next attempt may go better: only unreachable and 5xx are retried."""
    if isinstance(fault, HttpError):
        return fault.status >= 500
    return isinstance(fault, Unreachable) and not isinstance(fault, Blocked)


def _blamed(fault: BotFault, progress: _Progress) -> BotFault:
    """What took the clock: a last try that the deadline cuts short says less than what failed before."""
    failed = progress.failed
    if failed is None or not isinstance(fault, Timeout) or 2 * progress.begun_us < progress.limit_us:
        return fault
    spent = fault.receipt
    failed.receipt = failed.receipt._replace(charged_us=spent.charged_us, attempts=spent.attempts)
    return failed


def _receipt(progress: _Progress, charge: Span) -> Receipt:
    wait_us = receive_us = 0
    if progress.sent is not None and progress.first is not None and progress.last is not None:
        wait_us = span(progress.sent, progress.first).us
        receive_us = max(0, span(progress.sent, progress.last).us - wait_us)
    return Receipt(
        progress.connect_us,
        progress.tls_us,
        progress.send_us,
        wait_us,
        receive_us,
        charge.stall_us,
        charge.us,
        progress.attempts,
        charge.stamp,
    )


def _hung_up(error: OSError) -> Unreachable:
    if isinstance(error, ssl.SSLError):
        return Unreachable(f"TLS broke off before the reply was complete ({error.reason or 'end of stream'})")
    if isinstance(error, ConnectionResetError | BrokenPipeError):
        return Unreachable("the bot closed or reset the connection before its reply was complete")
    return Unreachable(f"the connection broke: {error.strerror}")


def _came_late(progress: _Progress) -> str:
    reply, limit = progress.reply, f"{progress.limit_us / 1e6:g} s"
    if not reply.begun:
        return f"no reply came within {limit}"
    if not reply.status:
        return f"the head of the reply was not complete within {limit}"
    of = "" if reply.length is None else f" of {reply.length}"
    return f"the reply was not complete within {limit}: {len(reply.body)}{of} bytes had come"


def _refusal(reply: Reply) -> HttpError:
    to = reply.values("location")
    where = f" (to {to[0][:200]!r}; redirects are not followed)" if to and reply.status // 100 == 3 else ""
    said, expected = f"the bot answered with status {reply.status}", "200 is expected"
    return HttpError(f"{said}{where}; {expected}", reply.status, f"{said}; {expected}")
