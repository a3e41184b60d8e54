"""A whole night on a copy of the example workspace: before, after and why. `make demo` runs this.

It only uses the command `dream`, as a person would, and leaves the copy in `.demo/` to look around in.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
COPY = HERE.parent / ".demo" / "lived-in"
DREAM = Path(sys.executable).with_name("dream")
MOMENT = "2026-11-09T03:00:00+01:00"
LONGEST = 112


def main() -> None:
    shutil.rmtree(COPY.parent, ignore_errors=True)
    shutil.copytree(HERE / "lived-in", COPY)
    before = (COPY / "MEMORY.md").read_text("utf-8")

    title("Before: three weeks of a violin maker's notes, and a memory that no longer fits")
    say(f"{len(list(COPY.rglob('*.md')))} Markdown files. MEMORY.md has {units(before):,} characters;")
    say("past 18,000 the agent is about to lose the end of it, without a word.")
    dream("status")

    title("What the night would do, and why (dream plan --prose; nothing is written)")
    dream("plan", "--prose", most=18)

    title("The night (dream review)")
    dream("review", "--quiet")
    after = (COPY / "MEMORY.md").read_text("utf-8")
    say(f"MEMORY.md: {units(before):,} → {units(after):,} characters, {before.count(chr(10))} → {after.count(chr(10))} lines.")
    say("What left it is in the ledger, byte for byte:")
    show((COPY / "dream-vault" / "ledger.md").read_text("utf-8"), most=9)
    dream("status")

    title("Why did a line go? (dream why)")
    dream("why", "Proxmox updates only on Mondays", most=12)

    title("A second night over the same notes changes nothing")
    dream("review")

    title("And all of it can be taken back (dream undo)")
    dream("undo", "--quiet")
    same = (COPY / "MEMORY.md").read_text("utf-8") == before
    say(f"MEMORY.md is {'byte for byte what it was' if same else 'NOT what it was'}.")
    dream("runs")
    dream("undo", "2", "--quiet")
    say("")
    say("The undo was undone again, so the tidied copy is yours to look around in: .demo/lived-in")
    if not same:
        raise SystemExit(1)


def title(text: str) -> None:
    say(f"\n\033[1m── {text}\033[0m" if sys.stdout.isatty() else f"\n── {text}")


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


def show(text: str, most: int = 1000) -> None:
    lines = text.rstrip("\n").split("\n")
    for line in lines[:most]:
        say("   " + (line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"))
    if len(lines) > most:
        say(f"   … and {len(lines) - most} more lines")


def dream(*words: str, most: int = 1000) -> None:
    say(f"$ dream {' '.join(words)}")
    environment = {**os.environ, "REVERIE_NOW": MOMENT, "OPENCLAW_WORKSPACE": str(COPY), "HOME": str(COPY.parent)}
    environment.pop("DREAM_VAULT_PATH", None)
    environment.pop("XDG_CONFIG_HOME", None)
    done = subprocess.run([DREAM, *words], capture_output=True, text=True, encoding="utf-8", env=environment, check=False)
    show(done.stdout + done.stderr, most) if done.stdout or done.stderr else None
    if done.returncode:
        raise SystemExit(f"dream {words[0]} failed with {done.returncode}")


def units(text: str) -> int:
    """Characters as the host counts them: UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


if __name__ == "__main__":
    main()
