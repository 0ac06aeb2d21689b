"""Engines in which one line is changed: what a test is worth shows on them."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader

import engines.quixo.game  # so that there is something to put back

PACKAGE = "engines.quixo"

# Places in engines.quixo.state where several mutations strike.
OPPONENT_LINE = "if low[mine & mask] & high[mine >> half]:"
OWN_LINE = "low[theirs & mask] & high[theirs >> half]"


@contextmanager
def mutant(module: str, old: str, new: str) -> Iterator[dict]:
    """The games by their seats, from a second copy of the package in which `old` reads `new`.

    `old` must stand in the module exactly once.
    """
    mine = {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith(PACKAGE)}
    finder = _Finder(f"{PACKAGE}.{module}", old, new)
    sys.meta_path.insert(0, finder)
    try:
        game = importlib.import_module(f"{PACKAGE}.game")
        yield {2: game.Quixo(), 4: game.QuixoTeams()}
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
            del sys.modules[name]
        sys.modules.update(mine)
        engines.quixo = mine[PACKAGE]


class _Finder(MetaPathFinder):
    def __init__(self, name, old, new):
        self.name, self.old, self.new = name, old, new

    def find_spec(self, name, path, target=None):
        if name != self.name:
            return None
        spec = PathFinder.find_spec(name, path)
        spec.loader = _Loader(name, spec.origin, self.old, self.new)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, name, path, old, new):
        super().__init__(name, path)
        self.old, self.new = old, new

    def get_code(self, fullname):
        source = self.get_source(fullname)
        assert source.count(self.old) == 1, (
            f"{self.old!r} stands {source.count(self.old)} times in {fullname}"
        )
        return compile(source.replace(self.old, self.new), self.path, "exec", dont_inherit=True)
