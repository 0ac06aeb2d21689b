"""Every error is an RFC 9457 problem that says what, where and what to do; bad input is never a 500."""

import re
from pathlib import Path

import pytest

import service as service_package
from service.api.errors import flat
from service.api.parsing import MAX_DEPTH, depth, read_json
from service.api.problems import PROBLEMS
from service.errors import ServiceError
from tests.service.api.conftest import fields, problem

BODIES = [
    (b"", "bad-request"),
    (b"{", "malformed-json"),
    (b"nonsense", "malformed-json"),
    (b"\xff\xfe", "malformed-json"),
    (b"\xef\xbb\xbf{}", "malformed-json"),
    (b'{"name": NaN}', "malformed-json"),
    (b'{"name": -Infinity}', "malformed-json"),
    (b'{"name": ' + b"9" * 10_000 + b"}", "malformed-json"),
    (b'{"name": "\\ud800"}', "malformed-json"),
    (b'{"name": "a", "name": "b"}', "duplicate-member"),
    (b"[" * 10_000 + b"]" * 10_000, "too-deep"),
    (b'{"a":' * 20 + b"1" + b"}" * 20, "too-deep"),
    (b"[]", "invalid"),
    (b"null", "invalid"),
    (b'"text"', "invalid"),
    (b"1", "invalid"),
    (b"{}", "invalid"),
    (b'{"name": 5}', "invalid"),
    (b'{"name": null}', "invalid"),
    (b'{"name": "a\\u0000b"}', "invalid"),
    (b'{"name": "a\\u202eb"}', "invalid"),
    (b'{"name": "x", "extra": 1}', "unknown-member"),
]


@pytest.mark.parametrize(("body", "kind"), BODIES, ids=[f"{k}-{i}" for i, (_, k) in enumerate(BODIES)])
def test_a_bad_body_has_its_own_error(service, body, kind):
    answer = service.nobody.post("/v1/owners", data=body, content_type="application/json")
    assert problem(answer) == (PROBLEMS[kind].status, kind)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"content_type": "text/plain"}, "unsupported-media-type"),
        ({"content_type": "application/x-www-form-urlencoded"}, "unsupported-media-type"),
        ({}, "unsupported-media-type"),
        (
            {"content_type": "application/json", "headers": {"Content-Encoding": "gzip"}},
            "unsupported-media-type",
        ),
    ],
)
def test_what_is_not_plain_json_is_refused(service, options, kind):
    answer = service.nobody.post("/v1/owners", data=b'{"name": "Ada"}', **options)
    assert problem(answer) == (415, kind)


def test_all_unknown_members_are_named(service):
    answer = service.nobody.post("/v1/owners", json={"name": "Ada", "role": "admin", "id": "o_1"})
    assert problem(answer) == (400, "unknown-member")
    assert sorted(fields(answer)) == ["id", "role"]


def test_the_field_s_path_is_named(ada):
    answer = ada.post("/v1/bots", json={"name": "B", "games": ["quixo", "chess"], "url": "http://h/"})
    assert problem(answer) == (422, "invalid")
    assert fields(answer) == ["games.1"]


def test_an_unknown_query_parameter_is_refused(service):
    answer = service.nobody.get("/v1/bots?colour=red")
    assert problem(answer) == (400, "unknown-member")
    assert fields(answer) == ["colour"]


def test_an_unknown_address_a_wrong_method_a_large_body(service):
    nobody = service.nobody
    assert problem(nobody.get("/v1/nothing")) == (404, "not-found")
    wrong = nobody.put("/v1/bots")
    assert problem(wrong) == (405, "method-not-allowed")
    assert {"GET", "POST"} <= set(wrong.headers["Allow"].split(", "))
    large = nobody.post("/v1/owners", data=b" " * 300_000, content_type="application/json")
    assert problem(large) == (413, "body-too-large")


def test_a_fault_of_ours_says_nothing_of_its_inside(service, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("secret inside")

    monkeypatch.setattr(service.store.owners, "get", broken)
    answer = service.nobody.get("/v1/owners/o_1")
    assert problem(answer) == (500, "internal")
    assert "secret" not in answer.get_data(as_text=True)
    assert "Traceback" not in answer.get_data(as_text=True)


def test_the_request_id_is_the_client_s_if_it_is_plain(service):
    assert (
        service.nobody.get("/healthz", headers={"X-Request-Id": "abc-12345"}).headers["X-Request-Id"]
        == "abc-12345"
    )
    for wild in ("short", "x" * 65, "has blank in it", "semi;colon"):
        given = service.nobody.get("/healthz", headers={"X-Request-Id": wild}).headers["X-Request-Id"]
        assert re.fullmatch("[0-9a-f]{16}", given)


def test_every_kind_of_problem_has_a_page(service):
    for slug, kind in PROBLEMS.items():
        page = service.nobody.get(f"/problems/{slug}")
        assert page.status_code == 200
        assert kind.title in page.get_data(as_text=True)
    assert problem(service.nobody.get("/problems/nothing"))[0] == 404


def test_every_problem_that_the_service_raises_is_in_the_table():
    raised = re.compile(r"""(?:NotFound|Conflict|Refused|ApiError|_bad)\(\s*["']([a-z-]+)["']""")
    sources = Path(service_package.__file__).parent.rglob("*.py")
    found = {slug for path in sources for slug in raised.findall(path.read_text())}
    assert len(found) > 30
    assert found <= set(PROBLEMS)


def test_service_errors_carry_what_an_answer_needs():
    error = ServiceError("quota", "too many", "name")
    assert (error.problem, error.detail, error.field, str(error)) == ("quota", "too many", "name", "too many")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"[" * 17 + b"]" * 17, 17),
        (b'{"a": "' + b"[" * 50 + b'"}', 1),
        (b'{"a": "\\"' + b"[" * 50 + b'"}', 1),
        (b'{"a": "\\\\"' + b', "b": [[[' + b"]]]" + b', "c": "' + b"{" * 30 + b'"}', 4),
        (b"[{}]" * 30, 2),
    ],
)
def test_depth_counts_brackets_outside_strings_only(text, expected):
    assert depth(text) == expected


def test_json_at_the_bound_is_read():
    assert read_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert read_json('{"name": "Zoë 🙂"}'.encode()) == {"name": "Zoë 🙂"}
    assert read_json(b'{"name": "\\ud83d\\ude42"}') == {"name": "🙂"}


def test_nested_messages_become_dotted_paths():
    messages = {"games": {1: ["no"]}, "url": ["bad", "worse"], "_schema": ["whole"]}
    assert list(flat(messages)) == [("games.1", "no"), ("url", "bad"), ("url", "worse"), ("", "whole")]
