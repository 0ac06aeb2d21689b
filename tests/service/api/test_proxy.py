"""service/nginx.conf as it is handed out, in a real nginx with TLS before a real gunicorn."""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from pathlib import Path

import pytest
import requests
from requests.adapters import HTTPAdapter

import service
from tests.service.api.playing import begin, play
from tests.service.api.served import START_S, Served
from workers.embedded import free_port
from workers.processes import start, stop

pytestmark = [pytest.mark.nginx, pytest.mark.slow]

RECIPE = Path(next(iter(service.__path__))) / "nginx.conf"
TLS = Path(__file__).resolve().parents[2] / "data" / "tls"
AROUND = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ }}
http {{
  access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  include {folder}/arbiter.conf;
}}
"""


class Behind:
    """nginx by the recipe, with only addresses and certificate changed, before the API at a port."""

    def __init__(self, folder: Path, api_port: int) -> None:
        binary = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
        if binary is None:
            if os.environ.get("CI"):
                pytest.fail("CI must have nginx: apt install nginx-light")
            pytest.skip("no nginx on this machine")
        self.api_port, self.plain, self.tls = api_port, free_port(), free_port()
        (folder / "arbiter.conf").write_text(self._changed(RECIPE.read_text()))
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
        command = [binary, "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]
        self.process = start(command, folder / "nginx.log")
        self.base = f"https://127.0.0.1:{self.tls}"
        self._await(folder)

    def _changed(self, text: str) -> str:
        changes = {
            "server 127.0.0.1:8000;": f"server 127.0.0.1:{self.api_port};",
            "listen 80;": f"listen 127.0.0.1:{self.plain};",
            "listen 443 ssl": f"listen 127.0.0.1:{self.tls} ssl",
            "/etc/ssl/arbiter/fullchain.pem": str(TLS / "bot.pem"),
            "/etc/ssl/arbiter/privkey.pem": str(TLS / "bot.key"),
        }
        for before, after in changes.items():
            assert text.count(before) == 1, before
            text = text.replace(before, after)
        return text

    def _await(self, folder: Path) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            try:
                self.client().get(f"{self.base}/healthz", timeout=5)
                return
            except requests.ConnectionError:
                assert self.process.poll() is None, (folder / "error.log").read_text()
                time.sleep(0.05)
        raise AssertionError("nginx does not answer")

    def client(self, address: str = "127.0.0.1") -> requests.Session:
        """Somebody at an address of loopback."""
        session = requests.Session()
        session.trust_env, session.verify = False, str(TLS / "bot.pem")
        session.mount("https://", _From(address))
        session.mount("http://", _From(address))
        return session

    def close(self) -> None:
        stop(self.process, 10)


class _From(HTTPAdapter):
    def __init__(self, address: str) -> None:
        self.address = address
        super().__init__()

    def init_poolmanager(self, *args, **kwargs):
        super().init_poolmanager(*args, source_address=(self.address, 0), **kwargs)


@pytest.fixture(scope="module")
def behind(tmp_path_factory):
    folder = tmp_path_factory.mktemp("behind")
    api = Served(folder, trusted_proxies="127.0.0.1/32", rate_signups="4 per hour", api_threads=4)
    found = Behind(folder, api.port)
    found.api = api
    yield found
    found.close()
    api.close()


def test_the_client_s_address_is_what_is_limited_whatever_it_says_of_itself(behind):
    def sign_up(address, number, **headers):
        body = {"name": f"Owner {address} {number}"}
        answer = behind.client(address).post(
            f"{behind.base}/v1/owners", json=body, headers=headers, timeout=10
        )
        return answer.status_code

    assert [sign_up("127.0.0.2", n) for n in range(5)] == [201] * 4 + [429]
    assert sign_up("127.0.0.2", 6, **{"X-Forwarded-For": "192.0.2.7"}) == 429
    assert sign_up("127.0.0.3", 1) == 201


def test_forwarded_headers_from_elsewhere_are_not_believed(behind):
    def ask(address):
        headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}
        return behind.client(address).get(f"{behind.api.base}/v1/games", headers=headers, timeout=10)

    assert "Strict-Transport-Security" in ask("127.0.0.1").headers
    assert "Strict-Transport-Security" not in ask("127.0.0.4").headers
    assert "Strict-Transport-Security" in behind.client().get(f"{behind.base}/v1/games", timeout=10).headers


def test_cookies_are_secure_and_plain_http_is_sent_on(behind):
    page = behind.client("127.0.0.5").get(f"{behind.base}/sign-in", timeout=10)
    assert re.search(r"arbiter_session=.*; Secure", page.headers["Set-Cookie"])
    moved = requests.get(f"http://127.0.0.1:{behind.plain}/ladders", allow_redirects=False, timeout=10)
    assert (moved.status_code, moved.headers["Location"]) == (301, "https://127.0.0.1/ladders")


def test_events_pass_at_once(behind):
    match = behind.api.match()
    claimed = begin(behind.api.store, match)
    forced = {"type": "forced", "turn": 0, "seat": 0, "move": "x", "by": "opening"}
    url, accept = f"{behind.base}/v1/matches/{match}/events", {"Accept": "text/event-stream"}
    with behind.client().get(url, headers=accept, stream=True, timeout=20) as answer:
        lines = answer.iter_lines(chunk_size=1, decode_unicode=True)
        assert next(line for line in lines if line.startswith("event:")) == "event: started"
        asked = time.monotonic()
        threading.Timer(0.2, behind.api.store.matches.append, (claimed, 2, [forced])).start()
        assert next(line for line in lines if line.startswith("event:")) == "event: forced"
        assert time.monotonic() - asked < 2, "a proxy that collects would have waited for more"


def test_polls_wait_and_large_answers_come_whole(behind):
    match = behind.api.match()
    began = time.monotonic()
    waited = behind.client().get(f"{behind.base}/v1/matches/{match}/events?wait=2", timeout=20)
    assert waited.json()["items"] == []
    assert time.monotonic() - began > 1.9
    play(behind.api.store, match)
    assert behind.client().get(f"{behind.base}/v1/matches/{match}/record", timeout=10).json()["result"]
    assert len(behind.client().get(f"{behind.base}/docs", timeout=10).content) > 100_000


def test_what_is_too_large_is_refused_by_the_api_and_far_too_large_by_nginx(behind):
    def send(size):
        return behind.client("127.0.0.6").post(f"{behind.base}/v1/owners", data=b"x" * size, timeout=10)

    refused = send(300_000)
    assert (refused.status_code, refused.json()["type"]) == (413, "/problems/body-too-large")
    assert send(3_000_000).status_code == 413


def test_connections_to_the_api_are_kept(behind):
    def closed():
        """Connections to the API that were closed lately (TIME_WAIT is 06)."""
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        port = f":{behind.api.port:04X}"
        return sum(row[3] == "06" and (row[1].endswith(port) or row[2].endswith(port)) for row in rows)

    before, client = closed(), behind.client()
    for _ in range(40):
        assert client.get(f"{behind.base}/v1/games/quixo", timeout=10).ok
    assert closed() - before < 10


def test_metrics_are_not_for_everybody(behind):
    assert behind.client().get(f"{behind.base}/metrics", timeout=10).status_code == 404


def test_while_the_api_is_away_programs_are_told_when_to_come_again(tmp_path):
    behind = Behind(tmp_path, free_port())
    try:
        away = behind.client().get(f"{behind.base}/v1/games", timeout=10)
    finally:
        behind.close()
    assert away.status_code == 503
    assert away.headers["Content-Type"] == "application/problem+json"
    assert away.headers["Retry-After"] == "5"
    assert away.json()["type"] == "/problems/unavailable"
