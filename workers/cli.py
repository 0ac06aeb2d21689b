"""The `arbiter` command: everything that a user or an operator does from a terminal."""

from __future__ import annotations

import click

from workers.commands import (
    accounts,
    admin,
    contests,
    matches,
    operate,
    operator,
    people,
    play,
    records,
    registered,
    sprt,
    webhooks,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name=None, version="1.0.0", prog_name="arbiter")
def main() -> None:
    """Arbiter: tournaments and matches for programs that play Quixo and Sorry!.

    \b
    Watch a league being played:      arbiter demo
    Write a bot and try it here:      arbiter bot new · play · bot check
    Use a service:                    arbiter owner · bot · match · tournament · ratings · webhook
    Run the service:                  arbiter serve · worker · sweep · status · audit · admin
    """


THEMES = (operate, operator, records, play, registered, accounts, people, matches, contests, webhooks, admin)
for theme in THEMES:
    for command in theme.COMMANDS:
        main.add_command(command)
matches.match.add_command(sprt.sprt)

if __name__ == "__main__":
    main(prog_name="arbiter")
