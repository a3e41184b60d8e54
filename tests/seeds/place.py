"""A workspace in the few words that the tests of the seeds speak."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from test_commands import Said, dream, made

NIGHT = datetime(2026, 3, 31, 3, 30)
VAULT, LOG = "dream-vault", "memory/dream-log-2026-03-31.md"


class Place:
    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, memory: str, note: str = "- x\n", files: dict[str, str] | None = None) -> Place:
        made(self.root, {"MEMORY.md": memory, "memory/2026-03-30.md": note, **(files or {})})
        return self

    def note(self, day: str, text: str) -> Place:
        made(self.root, {f"memory/2026-{day}.md": text})
        return self

    def run(self, *words: str, days: float = 0, typed: str | None = None) -> Said:
        return dream(self.root, *words, typed=typed, now=NIGHT + timedelta(days=days))

    def night(self, days: float = 0) -> str:
        return self.run("review", days=days).out

    def value(self, words: str, days: float = 0) -> Any:
        return json.loads(self.run(f"{words} --json", days=days).out)

    def read(self, path: str) -> str:
        return (self.root / path).read_text("utf-8") if (self.root / path).exists() else ""

    def listed(self, path: str) -> Any:
        return json.loads(self.read(f"{VAULT}/{path}"))

    @property
    def memory(self) -> str:
        return self.read("MEMORY.md")

    @property
    def log(self) -> str:
        return self.read(LOG)

    @property
    def ledger(self) -> str:
        return self.read(f"{VAULT}/ledger.md")


@pytest.fixture
def here(tmp_path: Path) -> Place:
    return Place(tmp_path / "w")


def items(*lines: str, box: str = "") -> str:
    return "".join(f"- {box}{line}\n" for line in lines)
