"""`./run bench client`: what an exchange with a bot costs, over the same by http.client and requests.Session.

A process of its own answers a constant, plain and under TLS. Each client posts the same body and headers over
one kept connection, in turn, round by round; the medians count.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import requests

from tests.clockwork import TLS, loopback_network, server_context
from workers.bot_client import Endpoint, Line

ROUNDS = 9
POSTS = 1500
BODY = b'{"protocol":1,"type":"move","state":"' + b"." * 900 + b'"}'
HEADERS = {"webhook-id": "m_quixo_x:1:1", "webhook-timestamp": "1", "webhook-signature": "v1," + "a" * 44}
REPLY = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{"move":"c1N"}'

Post = Callable[[], object]


def _answer(sock: socket.socket, tls: bool) -> None:
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with server_context().wrap_socket(sock, server_side=True) if tls else sock as stream:
        missing = 0  # bytes of the body that have not come with their head
        while data := stream.recv(65536):
            missing = len(BODY) - len(data.partition(b"\r\n\r\n")[2]) if not missing else missing - len(data)
            if not missing:
                stream.sendall(REPLY)


def serve(tls: bool) -> None:
    """Answer whoever comes; prints the port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(server.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=_answer, args=(server.accept()[0], tls), daemon=True).start()


def _posters(url: str, tls: bool) -> dict[str, Post]:
    line = Line(Endpoint.parse(url), loopback_network())
    session = requests.Session()
    session.trust_env = False  # else the environment's certificates would be asked
    session.verify = str(TLS / "bot.pem")
    port = Endpoint.parse(url).port
    context = ssl.create_default_context(cafile=TLS / "bot.pem") if tls else None
    plain = (
        http.client.HTTPSConnection("localhost", port, context=context)
        if tls
        else http.client.HTTPConnection("localhost", port)
    )

    def by_http_client() -> object:
        plain.request("POST", "/", BODY, HEADERS)
        return plain.getresponse().read()

    return {
        "bot client": lambda: line.post(BODY, HEADERS, 10_000_000),
        "http.client": by_http_client,
        "requests.Session": lambda: session.post(url, data=BODY, headers=HEADERS, timeout=10).content,
    }


def _cpu_us(post: Post) -> float:
    begun = time.process_time()
    for _ in range(POSTS):
        post()
    return (time.process_time() - begun) / POSTS * 1e6


def _rounds(posters: dict[str, Post]) -> list[dict[str, float]]:
    for post in posters.values():
        post()  # connects
    return [{name: _cpu_us(post) for name, post in posters.items()} for _ in range(ROUNDS)]


def measure(tls: bool) -> None:
    """Print CPU µs an exchange, and the share of requests.Session's."""
    command = [sys.executable, "-m", "tests.bench.client", "serve", *(["tls"] if tls else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            url = f"{'https' if tls else 'http'}://localhost:{int(process.stdout.readline())}/"
            rounds = _rounds(_posters(url, tls))
        finally:
            process.kill()
    for name in rounds[0]:
        cpu = statistics.median(each[name] for each in rounds)
        share = statistics.median(each[name] / each["requests.Session"] for each in rounds)
        print(f"{'HTTPS' if tls else 'HTTP':5}  {name:16}  {cpu:6.0f} µs  {share:.2f}")


def main(argv: list[str]) -> None:
    """See the module's docstring."""
    if argv[:1] == ["serve"]:
        serve("tls" in argv)
        return
    for tls in (False, True):
        measure(tls)


if __name__ == "__main__":
    main(sys.argv[1:])
