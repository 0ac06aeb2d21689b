"""`./run chaos NAME`: the long form of a proof by breaking things; prints test, reached, required.

python -m tests.chaos            the names
python -m tests.chaos NAME ...   one of them, with its own arguments
python -m tests.chaos all        one after the other; exits 0 if every figure is as required
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

from tests import chaos


def names() -> Iterator[str]:
    """Every module here that can be run."""
    found = (module.name for module in pkgutil.iter_modules(chaos.__path__))
    return (name for name in found if not name.startswith(("_", "test_")) and hasattr(load(name), "main"))


def load(name: str) -> ModuleType:
    return importlib.import_module(f"tests.chaos.{name}")


def run(name: str, argv: Sequence[str]) -> int:
    """0 if every figure is as required."""
    print(f"{name}:", flush=True)
    return int(load(name).main(list(argv)) or 0)


def main(argv: Sequence[str]) -> int:
    known = list(names())
    if not argv:
        print((__doc__ or "").strip(), "names:", *known, sep="\n  ")
        return 0
    if argv[0] == "all":
        return max(run(name, ()) for name in known)
    if argv[0] not in known:
        print(f"there is no {argv[0]!r}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    return run(argv[0], argv[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
