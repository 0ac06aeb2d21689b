"""Write every golden playthrough anew."""

from tests.engines.golden import lines, path, playthroughs

for name, seats in playthroughs():
    path(name, seats).write_text("\n".join(lines(name, seats)) + "\n")
    print(path(name, seats).name)
