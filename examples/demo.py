"""A whole night on a copy of the example workspace: before, after and why. `make demo` runs this.

It only uses the command `dream`, as a person would, and leaves the copy in `.demo/` to look around in.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from difflib import unified_diff
from pathlib import Path

HERE = Path(__file__).resolve().parent
COPY = HERE.parent / ".demo" / "lived-in"
DREAM = Path(sys.executable).with_name("dream")
MOMENT = "2026-11-09T03:00:00+01:00"
ANSWER, BRIEF = HERE / "answer.json", HERE / "brief.txt"
LINE = re.compile(r"^ *\[([mna]\d+)[^\]]*\] (.*)$", re.M)
RECORDED = "given once by a language model that saw the brief and nothing else, on 2026-11-16"
LONGEST = 112


def main() -> None:
    before = fresh()
    title("Before: three weeks of a violin maker's notes, and a memory that no longer fits")
    say(f"{len(list(COPY.rglob('*.md')))} Markdown files. MEMORY.md has {units(before):,} characters;")
    say("past 18,000 the agent is about to lose the end of it, without a word.")
    dream("status")

    title("A night without a model: small and certain (dream plan --prose; nothing is written)")
    dream("plan", "--prose", most=14)
    dream("review", "--quiet")
    told(before)
    say("What left it is in the ledger, byte for byte:")
    show((COPY / "dream-vault" / "ledger.md").read_text("utf-8"), most=9)

    title("What is only likely waits for a yes (dream suggestions)")
    dream("suggestions", most=16)

    title("Why did a line go? (dream why)")
    dream("why", "Proxmox updates only on Mondays", most=8)

    title("A second night over the same notes changes nothing, and all of it can be taken back (dream undo)")
    dream("review", most=6)
    dream("undo", "--quiet")
    same = (COPY / "MEMORY.md").read_text("utf-8") == before
    say(f"MEMORY.md is {'byte for byte what it was' if same else 'NOT what it was'}.")

    title("The same night, led by a model")
    before = fresh()
    say(
        "The host agent reads one brief (dream brief) and hands in one answer (dream answer). The answer below was recorded:"
    )
    say(f"{ANSWER.relative_to(HERE.parent)}, {RECORDED}. Every operation goes through the same checks.")
    answer = COPY.parent / "answer.json"
    answer.write_text(renamed(ANSWER.read_text("utf-8"), BRIEF.read_text("utf-8"), asked("brief")), "utf-8")
    dream("answer", str(answer), most=10)
    dream("review", "--quiet")
    told(before)
    show(difference(before), most=40)
    dream("runs")
    say("")
    say("The copy is yours to look around in: .demo/lived-in")
    if not same:
        raise SystemExit(1)


def fresh() -> str:
    """A new copy of the example; its MEMORY.md."""
    shutil.rmtree(COPY.parent, ignore_errors=True)
    shutil.copytree(HERE / "lived-in", COPY)
    return (COPY / "MEMORY.md").read_text("utf-8")


def told(before: str) -> None:
    after = (COPY / "MEMORY.md").read_text("utf-8")
    say(
        f"MEMORY.md: {units(before):,} → {units(after):,} characters, {before.count(chr(10))} → {after.count(chr(10))} lines."
    )


def difference(before: str) -> str:
    """What changed, line by line."""
    after = (COPY / "MEMORY.md").read_text("utf-8")
    lines = unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0)
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))


def renamed(answer: str, then: str, now: str) -> str:
    """The recorded answer with the ids that its lines have in the brief now: a line more or less moves those behind it."""
    places: dict[str, list[str]] = {}
    for name, said in LINE.findall(now):
        places.setdefault(f"{name[0]}{said}", []).append(name)
    ids = {name: found.pop(0) for name, said in LINE.findall(then) if (found := places.get(f"{name[0]}{said}"))}
    return re.sub(r'"([mna]\d+)"', lambda one: f'"{ids.get(one[1], "gone")}"', answer)


def title(text: str) -> None:
    say(f"\n\033[1m── {text}\033[0m" if sys.stdout.isatty() else f"\n── {text}")


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


def show(text: str, most: int = 1000) -> None:
    lines = text.rstrip("\n").split("\n") if text else []
    for line in lines[:most]:
        say("   " + (line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"))
    if len(lines) > most:
        say(f"   … and {len(lines) - most} more lines")


def dream(*words: str, most: int = 1000) -> None:
    say(f"$ dream {' '.join(word.replace(str(COPY.parent), '.demo') for word in words)}")
    show(asked(*words), most)


def asked(*words: str) -> str:
    """What the command prints."""
    environment = {
        **os.environ, "REVERIE_NOW": MOMENT, "OPENCLAW_WORKSPACE": str(COPY), "HOME": str(COPY.parent), "DREAM_MODEL": "agent",
    }  # fmt: skip
    for name in ("DREAM_VAULT_PATH", "XDG_CONFIG_HOME"):
        environment.pop(name, None)
    done = subprocess.run([DREAM, *words], capture_output=True, text=True, encoding="utf-8", env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"dream {words[0]} failed with {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


def units(text: str) -> int:
    """Characters as the host counts them: UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


if __name__ == "__main__":
    main()
