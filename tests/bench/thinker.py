"""A bot that thinks about every move and says in its comment how long, in µs, by the stamps of the kernel.

python -m tests.bench.thinker THINK_MS      prints its port
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
import time

from tests.clockwork import Stream


def _body(stream: Stream) -> dict[str, object]:
    """The next request's JSON."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += stream.receive()
    head, _, body = data.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    while len(body) < int(fields[b"content-length"]):
        body += stream.receive()
    message: dict[str, object] = json.loads(body)
    return message


def _serve(sock: socket.socket, think_s: float) -> None:
    with sock, contextlib.suppress(EOFError, OSError):  # the referee hung up
        stream = Stream(sock, None)
        while True:
            answer: dict[str, object] = {}
            if _body(stream)["type"] == "move":
                time.sleep(think_s)
                answer = {"move": 0, "comment": str((time.time_ns() - stream.came_ns) // 1000)}
            body = json.dumps(answer).encode()
            stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))


def main() -> None:
    think_s = float(sys.argv[1]) / 1000
    with socket.create_server(("127.0.0.1", 0), backlog=512) as server:
        print(server.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=_serve, args=(server.accept()[0], think_s), daemon=True).start()


if __name__ == "__main__":
    main()
