"""Engines in which one place of the source is changed: what a test is worth shows on them."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader


@contextmanager
def mutated(module: str, old: str, new: str, *anew: str) -> Iterator[None]:
    """While it lasts, `module` reads `new` for `old`, and the packages `anew` are imported again.

    `old` must stand in the module exactly once.
    """
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith(anew)}
    finder = _Finder(module, old, new)
    sys.meta_path.insert(0, finder)
    try:
        importlib.import_module(module)
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.startswith(anew)]:
            del sys.modules[name]
        sys.modules.update(kept)
        for name, before in kept.items():
            parent, _, child = name.rpartition(".")
            setattr(sys.modules[parent], child, before)


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
