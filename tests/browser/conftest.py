"""Debian's Chromium, driven by Playwright, before the whole running service."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Service, service

__all__ = ["Service", "service"]

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE = Path(__file__).resolve().parents[2] / ".axe/node_modules/axe-core/axe.min.js"
SIZES = {"wide": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
PATIENCE_MS = 30_000
_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(event.violatedDirective + " " + event.blockedURI);
});
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def missing(what: str) -> None:
    """Skip here; fail where CI is set, which must have everything."""
    if os.environ.get("CI"):
        pytest.fail(f"CI must have {what}")
    pytest.skip(f"needs {what}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("Playwright (it is in the ci lock)")
    if not Path(CHROMIUM).exists():
        missing("Chromium: apt install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Window:
    """A page with what went wrong in it. `go` opens an address of the service."""

    page: Any
    base: str
    wrong: list[str] = field(default_factory=list)

    def go(self, path: str) -> Any:
        self.page.goto(self.base + path)
        return self.page

    def until(self, expression: str, arg: Any = None, patience_s: float = PATIENCE_MS / 1000) -> None:
        """Wait for an expression (or a function of `arg`) to be true; the policy forbids to do it inside."""
        deadline = time.monotonic() + patience_s
        while not self.page.evaluate(expression, arg):
            assert time.monotonic() < deadline, f"not within {patience_s} s: {expression} ({arg})"
            self.page.wait_for_timeout(30)

    def alive(self) -> None:
        """Wait for the scripts."""
        self.until("document.documentElement.classList.contains('js')")
        self.until(
            "[...document.querySelectorAll('[data-match]')].every((match) => 'ready' in match.dataset)"
        )

    def check(self) -> None:
        """Nothing was stopped by the Content-Security-Policy, nothing failed, nothing sticks out."""
        assert self.wrong == []
        assert self.page.evaluate("window.violations") == []
        wide = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{self.page.url} is {wide} pixels too wide"

    def axe(self) -> list[str]:
        """Serious and critical findings of axe-core on the page as it stands."""
        if not AXE.exists():
            missing("axe-core: npm install --no-save --prefix .axe axe-core")
        client = self.page.context.new_cdp_session(self.page)
        client.send("Runtime.evaluate", {"expression": AXE.read_text()})
        found = self.page.evaluate("axe.run({resultTypes: ['violations']})")
        return [
            f"{rule['id']}: {node['target']} {node.get('failureSummary', '')[:160]}"
            for rule in found["violations"]
            if rule["impact"] in ("serious", "critical")
            for node in rule["nodes"]
        ]


@pytest.fixture
def open_window(chromium, service) -> Iterator[Any]:
    """open_window("wide" | "phone", script to begin with, **options of a browser context)."""
    windows: list[Window] = []

    def opened(size: str = "wide", scripts: str = "", **options: Any) -> Window:
        context = chromium.new_context(viewport=SIZES[size], **options)
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(_WATCH + scripts)
        window = Window(context.new_page(), service.base)
        window.page.on("pageerror", lambda error: window.wrong.append(str(error)))
        window.page.on("console", lambda message: _note(window, message))
        windows.append(window)
        return window

    yield opened
    for window in windows:
        window.page.context.close()


def _note(window: Window, message: Any) -> None:
    if message.type == "error":
        window.wrong.append(message.text)
