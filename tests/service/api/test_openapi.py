"""The description: complete, valid, equal to the routes, and readable without foreign hosts."""

import re

import pytest

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
        assert {"400", "429", "500", "503"} <= set(operation["responses"]), path
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
