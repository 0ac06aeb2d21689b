"""The description: complete, valid, equal to the routes, and readable without foreign hosts."""

import json
import re
from html import unescape

import pytest

from service.api import glossary
from service.api.access import ACCESS, SCOPES
from service.api.problems import PROBLEMS

UNDESCRIBED = {"api-docs.openapi_json"}


@pytest.fixture
def spec(service):
    return service.nobody.get("/openapi.json").json


def operations(spec):
    for path, item in spec["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield path, method, operation


def test_it_is_valid_openapi_3_1(spec):
    validator = pytest.importorskip(
        "openapi_spec_validator", reason="openapi-spec-validator is not installed"
    )
    assert spec["openapi"] == "3.1.0"
    validator.validate(spec)


def test_the_routes_are_those_described(service, spec):
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in service.app.url_map.iter_rules()
        if rule.endpoint not in UNDESCRIBED and not rule.endpoint.startswith("web.")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    assert routes == {(path, method) for path, method, _ in operations(spec)}


def test_every_operation_says_what_it_needs_and_how_it_fails(spec):
    for path, method, operation in operations(spec):
        line = ACCESS[operation["operationId"].replace("-", ".", 1)]
        assert operation["summary"], path
        assert {"400", "405", "429", "500", "503"} <= set(operation["responses"]), path
        if line.scope:
            assert operation["security"] == [{"key": []}]
            assert operation["x-scope"] in SCOPES
            assert {"401", "403"} <= set(operation["responses"])
        if "{" in path and path.startswith("/v1"):
            assert "404" in operation["responses"], path
        if method == "patch" and path.startswith(("/v1/bots", "/v1/tournaments")):
            assert {"412", "428"} <= set(operation["responses"])
        if "requestBody" in operation:
            assert {"413", "415", "422"} <= set(operation["responses"])


def test_every_member_says_what_it_means_and_shows_an_example(spec):
    for schema, name, member in glossary.members(spec):
        assert member.get("description"), f"{schema}.{name}: describe it there or in service/api/glossary.py"
        assert not glossary.is_plain(member) or "example" in member, f"{schema}.{name} has no example"


def test_every_example_is_one(spec):
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema comes with openapi-spec-validator")
    known = {"components": spec["components"]}
    shown = [(f"{s}.{n}", member) for s, n, member in glossary.members(spec) if "example" in member]
    shown += [(s, about) for s, about in spec["components"]["schemas"].items() if "example" in about]
    assert len(shown) > 400
    for name, about in shown:
        wrong = list(jsonschema.Draft202012Validator(about | known).iter_errors(about["example"]))
        assert not wrong, f"{name}: {wrong[0].message}"


def test_the_glossary_has_no_word_that_nobody_uses(spec):
    used = {word for schema, name, _ in glossary.members(spec) for word in (name, f"{schema}.{name}")}
    assert not glossary.MEANINGS.keys() - used
    assert not glossary.BODIES.keys() - spec["components"]["schemas"].keys()


@pytest.mark.parametrize(
    ("route", "cells"),
    [
        ("POST /v1/owners", ["none", "yes", "yes", "yes", "yes"]),
        (
            "GET /v1/bots/{bot_id}",
            ["none", "public ones", "own and public ones", "own and public ones", "yes"],
        ),
        ("PATCH /v1/bots/{bot_id}", ["bots", "no", "own", "own", "yes"]),
        ("POST /v1/roster", ["owners", "no", "no", "yes", "yes"]),
        ("POST /v1/admin/matches/{match_id}/void", ["admin", "no", "no", "no", "yes"]),
    ],
)
def test_who_may_what_is_shown_by_role(service, route, cells):
    html = service.nobody.get("/docs").get_data(as_text=True)
    [row] = re.findall(rf'<tr><td><a href="[^"]*">{re.escape(route)}</a></td>(.*)</tr>', html)
    assert re.findall("<td>(.*?)</td>", row) == cells


def test_an_operation_shows_a_request_and_an_answer(service):
    html = service.nobody.get("/docs").get_data(as_text=True)
    article = html[html.index('id="op-matches-create"') :].split("</article>")[0]
    request, answer = (
        json.loads(unescape(text)) for text in re.findall("<pre><code>(.*?)</code></pre>", article, re.S)
    )
    assert request["game"] == "quixo"
    assert answer["items"][0]["clock"]["control"] == "fischer"
    assert html.count("<summary>An answer</summary>") > 60


def test_errors_are_described_as_problems(spec):
    for answer in spec["components"]["responses"].values():
        assert list(answer["content"]) == ["application/problem+json"]


def test_every_route_has_a_line_in_the_access_table(service):
    endpoints = {rule.endpoint for rule in service.app.url_map.iter_rules()}
    assert {e for e in endpoints if not e.startswith("web.")} == set(ACCESS)


def test_the_page_names_everything_and_loads_nothing_foreign(service, spec):
    html = service.nobody.get("/docs").get_data(as_text=True)
    for path, _, operation in operations(spec):
        assert path in html
        assert operation["summary"] in html.replace("&#39;", "'")
    for slug in PROBLEMS:
        assert f"/problems/{slug}" in html
    links = re.findall(r"""(?:href|src)="([^"]*)""", html)
    assert links
    assert all(link.startswith(("/", "#")) or link == "data:," for link in links)
    assert "<script" not in html
    assert "style=" not in html
    anchors = set(re.findall(r'id="([^"]*)"', html))
    assert {link[1:] for link in links if link.startswith("#")} <= anchors


def test_the_policy_lets_the_page_s_style_in(service):
    page = service.nobody.get("/docs")
    assert "style-src 'self'" in page.headers["Content-Security-Policy"]
    assert "unsafe-inline" not in page.headers["Content-Security-Policy"]
    assert service.nobody.get("/docs/style.css").mimetype == "text/css"
