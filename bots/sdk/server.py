"""The HTTP side of a bot: a threaded, keep-alive HTTP/1.1 server that sends each answer in one write."""

from __future__ import annotations

import json
import logging
import socket
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from types import TracebackType
from typing import Any

from bots.sdk.responder import Answer, BadMessage, Responder
from engines.protocol import MAX_REQUEST_BYTES, check_signature, encode, secret_bytes

log = logging.getLogger("arbiter.bot")
IDLE_S = 600  # a connection on which nothing comes is closed after this
STOP_S = 10  # a move being thought about may take this long once the bot is told to stop
_OK = "HTTP/1.1 200 OK\r\n"
_FAILED = Answer({"error": "the bot's own code failed; see its log"})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # two small packets would wait ~40 ms for each other
    timeout = IDLE_S
    server: Server

    def do_GET(self) -> None:
        """For a person who wonders whether the bot is up."""
        self._send(HTTPStatus.OK, {"bot": self.server.bot.name, "protocol": 1})

    def do_POST(self) -> None:
        # If the author's code fails this is what goes out, and the error goes to handle_error.
        status, answer = HTTPStatus.INTERNAL_SERVER_ERROR, _FAILED
        try:
            status, answer = self._answer()
        finally:
            self._send(status, answer.reply)
        answer.log()

    def _answer(self) -> tuple[HTTPStatus, Answer]:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_REQUEST_BYTES:
            self.close_connection = True
            return _refuse(HTTPStatus.BAD_REQUEST, f"a Content-Length up to {MAX_REQUEST_BYTES} is needed")
        body = self.rfile.read(int(length))
        secret = self.server.secret
        if secret and not self._is_signed(secret, body):
            return _refuse(HTTPStatus.UNAUTHORIZED, "the signature is not that of this bot's secret")
        try:
            return HTTPStatus.OK, self.server.bot.answer(_read(body), secret)
        except BadMessage as error:
            return _refuse(HTTPStatus.BAD_REQUEST, str(error))

    def _is_signed(self, secret: str, body: bytes) -> bool:
        headers = {name.lower(): value for name, value in self.headers.raw_items()}
        return check_signature(secret, headers, body, int(time.time()))

    def _send(self, status: HTTPStatus, reply: Mapping[str, Any]) -> None:
        body = encode(reply)
        head = _OK if status is HTTPStatus.OK else f"HTTP/1.1 {status} {status.phrase}\r\n"
        close = "Connection: close\r\n" if self.close_connection else ""
        text = f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n{close}\r\n"
        self.wfile.write(text.encode() + body)

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)


def _read(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except ValueError as error:
        raise BadMessage(f"the body is not JSON: {error}") from error
    if not isinstance(message, dict):
        raise BadMessage("the body is not a JSON object")
    return message


def _refuse(status: HTTPStatus, why: str) -> tuple[HTTPStatus, Answer]:
    log.warning("refused a request: %s", why)
    return status, Answer({"error": why})


class Server(ThreadingMixIn, TCPServer):
    """A listening bot; port 0 takes any free one. Use it as a context manager, or `stop` it.

    `secret` None: signatures are not checked and ownership cannot be proven.
    """

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, bot: Responder, host: str, port: int, secret: str | None) -> None:
        if secret is not None:
            secret_bytes(secret)  # says what is wrong with it now, not at the first request
        self.bot = bot
        self.secret = secret
        self._open: set[socket.socket] = set()
        self._closed = threading.Condition()
        if ":" in host:
            self.address_family = socket.AF_INET6
        super().__init__((host, port), _Handler)
        self._thread = threading.Thread(
            target=self.serve_forever, args=(0.05,), name=f"{bot.name} accepts", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the bot answers."""
        host, port = self.server_address[:2]
        text = host.decode() if isinstance(host, (bytes, bytearray)) else str(host)
        return f"http://[{text}]:{port}/" if ":" in text else f"http://{text}:{port}/"

    def stop(self, grace_s: float = STOP_S) -> None:
        """Take no more requests, let those that are being answered finish (for `grace_s` seconds)."""
        self.shutdown()
        self._thread.join()
        with self._closed:
            for connection in self._open:
                with suppress(OSError):  # the other side may have closed it already
                    connection.shutdown(socket.SHUT_RD)
            self._closed.wait_for(lambda: not self._open, grace_s)
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._closed:
            self._open.add(request)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._closed:
                self._open.discard(request)
                self._closed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if isinstance(sys.exception(), ConnectionError):
            log.debug("%s closed the connection", client_address)
        else:
            log.exception("%s failed while answering %s", self.bot.name, client_address)

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
