"""The subcommands of `arbiter`, a file per theme; each module lists its own in COMMANDS."""
