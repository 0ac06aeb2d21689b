"""`./run check`: format, lint, types, import contracts, and what no file of the project may hold."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
STEPS = (
    ("format", [BIN / "ruff", "format", "--check", "-q", "."]),
    ("lint", [BIN / "ruff", "check", "-q", "."]),
    ("types", [BIN / "mypy", "--no-error-summary"]),
    ("import contracts", [BIN / "lint-imports", "--no-logo"]),
)
# Lock files and settings name packages, never where they come from.
ADDRESS_FREE = ("*.lock", "pyproject.toml", "pip.conf", ".npmrc", "package-lock.json")
ADDRESS = re.compile(r"://")


def addresses() -> list[str]:
    """The lines of locks and settings that hold an address."""
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for pattern in ADDRESS_FREE
        for path in sorted(ROOT.glob(pattern))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if ADDRESS.search(line)
    ]


def main() -> int:
    failed = []
    for name, command in STEPS:
        done = subprocess.run([str(word) for word in command], cwd=ROOT, check=False, capture_output=True)
        print(f"{name:<18}{'ok' if done.returncode == 0 else 'FAILED'}", flush=True)
        if done.returncode:
            failed.append(name)
            print((done.stdout + done.stderr).decode())
    found = addresses()
    print(f"{'no addresses':<18}{'FAILED' if found else 'ok'}")
    print("\n".join(found))
    return 1 if failed or found else 0


if __name__ == "__main__":
    sys.exit(main())
