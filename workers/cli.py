"""The `arbiter` command: everything that a user or an operator does from a terminal."""

from __future__ import annotations

import click

from workers.commands import (
    accounts,
    matches,
    operate,
    operator,
    play,
    records,
    registered,
    sprt,
    tournaments,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name=None, version="1.0.0", prog_name="arbiter")
def main() -> None:
    """Arbiter: tournaments and matches for programs that play Quixo and Sorry!.

    \b
    Watch a league being played:      arbiter demo
    Write a bot and try it here:      arbiter bot new · play · bot check
    Use a service:                    arbiter owner · bot · match · tournament · ratings
    Run the service:                  arbiter serve · worker · sweep · status · audit
    """


for theme in (operate, operator, records, play, registered, accounts, matches, tournaments):
    for command in theme.COMMANDS:
        main.add_command(command)
matches.match.add_command(sprt.sprt)

if __name__ == "__main__":
    main(prog_name="arbiter")
