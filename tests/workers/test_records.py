"""`arbiter verify` of files with many records, and `arbiter tournament export` from servers of all kinds."""

from __future__ import annotations

import json
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner

from engines.record import chain_on, chain_start, public, setup_from
from engines.referee import referee
from engines.registry import game_named
from service.records import header_of, record_of
from tests.service.store.make import a_bot, a_match
from workers.cli import main


def a_record(number: int) -> dict[str, Any]:
    """The record of a match that nobody came to."""
    match = a_match(a_bot("ada"), a_bot("\x1b[2Jberna"), options=game_named("quixo").full_options({}))
    begun = {"type": "started", "at": number, "nonces": ["", ""], "no_shows": [0, 1]}
    header = header_of(match)
    with pytest.raises(StopIteration) as over:
        next(referee(setup_from(header, bytes.fromhex(match.secret), begun)))
    verdict = over.value.value
    events = [begun, *verdict.events[:-1], {**verdict.events[-1], "at": number + 1}]
    head = chain_on(chain_start(header), map(public, events)).hex()
    return record_of(replace(match, result=verdict.result, chain_head=head), events)


def verify(*words: str):
    return CliRunner().invoke(main, ["verify", *words])


def lines_in(path, *lines: str) -> str:
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def test_every_line_is_checked_and_counted(tmp_path):
    file = lines_in(tmp_path / "cup.jsonl", *(json.dumps(a_record(n)) for n in range(3)))
    found = verify(file)
    assert found.exit_code == 0, found.output
    assert found.output.count("holds (quixo") == 3
    assert f"{file}:3: holds" in found.output
    assert found.output.endswith("3 records: 3 hold, 0 do not\n")
    assert "\x1b" not in found.output
    assert verify("-q", file).output == "3 records: 3 hold, 0 do not\n"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: text[: len(text) // 2], "not JSON"),
        (lambda text: text.replace('"at": 1,', '"at": 7,'), "hash chain"),
        (lambda text: "[]", "this is no record: an object with header"),
        (lambda text: '"a text"', "this is no record: an object with header"),
        (lambda text: '{"events": []}', "it has no header, secret, seed"),
        (lambda text: "[" * 100_000, "not JSON"),
    ],
)
def test_one_bad_line_is_named_and_fails_them_all(tmp_path, spoil, said):
    good = [json.dumps(a_record(n)) for n in range(3)]
    file = lines_in(tmp_path / "cup.jsonl", good[0], spoil(good[1]), good[2])
    found = verify("-q", file)
    assert found.exit_code == 1
    assert f"{file}:2: does not hold" in found.output
    assert said in found.output
    assert found.output.endswith("3 records: 2 hold, 1 do not\n")


def test_a_file_of_one_record_may_be_written_over_many_lines(tmp_path):
    file = tmp_path / "record.json"
    file.write_text(json.dumps(a_record(1), indent=1))
    found = verify(str(file))
    assert (found.exit_code, found.output.count("holds")) == (0, 1)
    assert "records:" not in found.output


def test_lines_in_a_file_of_another_name_are_lines_too(tmp_path):
    file = lines_in(tmp_path / "records.txt", *(json.dumps(a_record(n)) for n in range(2)))
    assert verify(file).output.endswith("2 records: 2 hold, 0 do not\n")


def test_a_file_without_a_record_proves_nothing(tmp_path):
    found = verify(lines_in(tmp_path / "cup.jsonl"))
    assert (found.exit_code, found.output) == (1, "0 records: 0 hold, 0 do not\n")


class Server(BaseHTTPRequestHandler):
    """Has one tournament of two games; `cut`: the second record never comes."""

    protocol_version = "HTTP/1.1"
    cut = False

    def do_GET(self) -> None:
        if self.path.endswith("/records"):
            self._send_records()
        elif self.path.endswith("/t_quixo_1"):
            self._send(200, b'{"name": "Cup", "games_total": 2}', "application/json")
        else:
            self._send(404, b'{"detail": "there is no such tournament"}', "application/problem+json")

    def _send_records(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in (b'{"number":1}\n', *([] if self.cut else [b'{"number":2}\n'])):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        if self.cut:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def export(tmp_path, monkeypatch):
    """export(words…): the command against the server, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Server, "cut", False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    Thread(target=server.serve_forever, daemon=True).start()
    environ = {"ARBITER_SERVER": f"http://127.0.0.1:{server.server_address[1]}"}
    yield lambda *words: CliRunner().invoke(main, ["tournament", "export", *words], env=environ)
    server.shutdown()
    server.server_close()


BOTH = b'{"number":1}\n{"number":2}\n'


def test_a_tournament_is_saved_under_its_id(export, tmp_path):
    found = export("t_quixo_1")
    assert found.exit_code == 0, found.output
    assert (tmp_path / "t_quixo_1.jsonl").read_bytes() == BOTH
    assert "records in t_quixo_1.jsonl: 2" in found.stdout
    assert "2/2" in found.stderr
    assert "without" not in found.output


def test_it_goes_where_it_is_wanted(export, tmp_path):
    export("t_quixo_1", "-o", "cup.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["cup.jsonl"]
    assert export("t_quixo_1", "--output", "-", "--json").stdout.encode() == BOTH


def test_what_is_cut_short_is_said_and_leaves_no_file(export, tmp_path, monkeypatch):
    (tmp_path / "t_quixo_1.jsonl").write_text("of yesterday")
    monkeypatch.setattr(Server, "cut", True)
    found = export("t_quixo_1")
    assert found.exit_code == 1
    assert "cut short (records so far: 1)" in found.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["of yesterday"]


def test_a_refusal_is_told_and_leaves_no_file(export, tmp_path):
    found = export("t_quixo_2")
    assert (found.exit_code, found.stderr) == (1, "Error: there is no such tournament\n")
    assert list(tmp_path.iterdir()) == []
