"""my-bot plays quixo, with nothing but the standard library. Change `choose`; the rest runs as it is.

ARBITER_BOT_SECRET=whsec_… ARBITER_BOT_PORT=9000 python my_bot.py
"""

import base64
import hashlib
import hmac
import json
import os
import random
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECRET = base64.b64decode(os.environ.get("ARBITER_BOT_SECRET", "").removeprefix("whsec_"))


def choose(message: Mapping[str, Any]) -> object:
    """A move's text or its index in legal_moves; `state`, `view`, `history` and `clock` say the rest."""
    return random.choice(message["legal_moves"])


def answer(message: Mapping[str, Any]) -> dict[str, Any]:
    if message["type"] == "move":
        return {"move": choose(message)}
    if message["type"] == "verify":
        challenge = "arbiter-verify-v1\n" + message["challenge"]
        return {"answer": hmac.digest(SECRET, challenge.encode(), hashlib.sha256).hex()}
    return {}  # start and end


def is_signed(headers: Mapping[str, str], body: bytes) -> bool:
    """Whether the service sent this, and within the last five minutes."""
    stamp = headers.get("webhook-timestamp", "")
    if not SECRET:
        return True
    if not stamp.isdecimal() or abs(time.time() - int(stamp)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{stamp}.".encode() + body
    wanted = "v1," + base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256)).decode()
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(value.encode(), wanted.encode()) for value in given)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections open
    disable_nagle_algorithm = True  # saves about 40 ms a turn

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if is_signed(dict(self.headers), body):
            self.send(200, answer(json.loads(body)))
        else:
            self.send(401, {"error": "wrong signature"})

    def send(self, status: int, reply: Mapping[str, Any]) -> None:
        body = json.dumps(reply).encode()
        head = f"HTTP/1.1 {status} \r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.wfile.write(head.encode() + body)  # head and body in one piece

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("ARBITER_BOT_PORT", "9000"))), Handler)
    print(f"my-bot listening at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
