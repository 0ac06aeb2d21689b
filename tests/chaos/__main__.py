"""`./run chaos`: the long forms of the proofs by harm; prints test, reached, required.

python -m tests.chaos            all of them, an hour or so, and one table of everything at the end
python -m tests.chaos NAME ...   one of them, with its own arguments
python -m tests.chaos --help     their names and what they do

The exit code is 0 if every figure is as required.
"""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from types import ModuleType

from tests import chaos
from tests.chaos.table import Row, read, show

APART = {"soak"}  # ./run soak


def names() -> Iterator[str]:
    """Every module here that can be run."""
    found = (module.name for module in pkgutil.iter_modules(chaos.__path__))
    return (name for name in found if not name.startswith(("_", "test_")) and hasattr(load(name), "main"))


def load(name: str) -> ModuleType:
    return importlib.import_module(f"tests.chaos.{name}")


def run_all(wanted: Sequence[str]) -> int:
    """Each in a process of its own; what ends without a table counts as missed."""
    rows = []
    for name in wanted:
        begun = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "tests.chaos", name], stdout=subprocess.PIPE, text=True, check=False
        )
        print(f"{done.stdout}{name} took {time.monotonic() - begun:.0f} s\n", flush=True)
        found = read(done.stdout)
        rows += found or [Row(f"{name}: has a table", f"ended with {done.returncode}", "yes", False)]
    return show(rows)


def print_help() -> None:
    print((__doc__ or "").strip(), end="\n\n")
    for name in names():
        print(f"  {name:<18} {(load(name).__doc__ or '').splitlines()[0]}")


def main(argv: Sequence[str]) -> int:
    known = list(names())
    if not argv or list(argv) == ["all"]:
        return run_all([name for name in known if name not in APART])
    if argv[0] in ("-h", "--help", "help"):
        print_help()
        return 0
    if argv[0] not in known:
        print(f"there is no {argv[0]!r}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    print(f"{argv[0]}:", flush=True)
    return int(load(argv[0]).main(list(argv[1:])) or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
