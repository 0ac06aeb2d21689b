"""`./run bench NAME [ARGS]`: a benchmark of this folder; without a name, the names there are."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path


def names() -> list[str]:
    """The modules that can be run: those with a `main`."""
    modules = Path(__file__).parent.glob("[!_]*.py")
    return sorted(module.stem for module in modules if "\ndef main(" in module.read_text())


def main(argv: list[str]) -> int:
    name, rest = (argv[0] if argv else ""), argv[1:]
    if name not in names():
        print(f"./run bench NAME, where NAME is one of: {', '.join(names())}")
        return 2
    return import_module(f"tests.bench.{name}").main(rest) or 0


sys.exit(main(sys.argv[1:]))
