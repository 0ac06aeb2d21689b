"""A visitor without scripts: reads pages, fills in the forms that they have, follows redirects."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any


@dataclass
class PageForm:
    """A form of a page: where it goes and what its fields hold."""

    action: str
    method: str
    fields: dict[str, list[str]] = field(default_factory=dict)


class PageParser(HTMLParser):
    """Forms, links, texts, and what a strict Content-Security-Policy would stop."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[PageForm] = []
        self.links: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._select: str | None = None
        self._area: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        name, value = found.get("name"), found.get("value") or ""
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag == "form":
            self.forms.append(PageForm(found.get("action") or "", found.get("method", "get")))
        elif tag == "input" and name and self.forms:
            box = found.get("type") in ("checkbox", "radio")
            if not box or "checked" in found:
                self.forms[-1].fields.setdefault(name, []).append(value)
        elif tag == "select" and name:
            self._select = name
        elif tag == "option" and self._select and self.forms:
            if "selected" in found or self._select not in self.forms[-1].fields:
                self.forms[-1].fields[self._select] = [value]
        elif tag == "textarea" and name and self.forms:
            self._area = name
            self.forms[-1].fields[name] = [""]

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self._select = None
        elif tag == "textarea":
            self._area = None

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self._area and self.forms:
            self.forms[-1].fields[self._area] = [data.removeprefix("\n")]

    @property
    def words(self) -> str:
        """All text with single blanks."""
        return " ".join("".join(self.text).split())


@dataclass
class Seen:
    """A page as it came."""

    status: int
    html: str
    headers: Any

    @property
    def page(self) -> PageParser:
        return PageParser(self.html)

    @property
    def words(self) -> str:
        return self.page.words

    def form(self, action: str) -> PageForm:
        return next(form for form in self.page.forms if form.action == action)


@dataclass
class Visitor:
    """A browser without scripts, with its cookies."""

    client: Any

    def get(self, path: str, **options: Any) -> Seen:
        answer = self.client.get(path, headers={"Accept": "text/html"}, **options)
        return self.get(answer.headers["Location"]) if answer.status_code == 303 else self._seen(answer)

    def submit(self, on: str, action: str, **fields: Any) -> Seen:
        """Fill in the form of page `on` that goes to `action`, send it, follow where it leads."""
        form = self.get(on).form(action)
        data = {**form.fields, **{name.replace("__", "."): value for name, value in fields.items()}}
        data = {name: value for name, value in data.items() if value is not None}
        return self.post(action, data)

    def post(self, path: str, data: dict[str, Any]) -> Seen:
        answer = self.client.post(path, data=data, headers={"Accept": "text/html"})
        if answer.status_code == 303:
            return self.get(answer.headers["Location"])
        return self._seen(answer)

    def sign_up(self, name: str) -> Seen:
        return self.submit("/sign-up", "/sign-up", name=name)

    def _seen(self, answer: Any) -> Seen:
        return Seen(answer.status_code, answer.get_data(as_text=True), answer.headers)
