"""The first day: the vault's files, and MEMORY.md with seed 000's four sections from five answers (`dream init`)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from reverie.core.layout import ACTIVE_DAYS, CONTENT_INDEX, DREAM_STATE, LEDGER, LEDGER_INDEX, REMOVED
from reverie.lang.messages import say
from reverie.plan.build import plan_of
from reverie.plan.enter import QUESTIONS, first_memory
from reverie.plan.splices import difference
from reverie.text.lines import BOM, ending_of, split_lines
from reverie.workspace.values import ABSENT, Edit, Intent, Plan, Snapshot, Source

# Which answer belongs into which section: (name of the flag, the question, the label in MEMORY.md, the section).


_FILES = (
    (LEDGER, "# Ledger\n\n"),
    (LEDGER_INDEX, "[]\n"),
    (REMOVED, "[]\n"),
    (ACTIVE_DAYS, "[]\n"),
    (DREAM_STATE, "active\n"),
    (CONTENT_INDEX, "# Content index\n\n"),
)


def wants_answers(snapshot: Snapshot) -> bool:
    """Whether MEMORY.md is missing or says nothing yet."""
    return not snapshot.text_of(snapshot.memory_path).removeprefix(BOM).strip()


def init_plan(snapshot: Snapshot, answers: Mapping[str, str], now: datetime) -> Plan:
    """The vault's files that are missing, and a first MEMORY.md if there is none. Doing it twice changes nothing."""
    edits: list[Edit] = []
    for path, text in _FILES:
        if snapshot.hash_of(path) == ABSENT:
            edits += difference(path, "", text, id="init", tag="init", why=say("why.vault"))
    path = snapshot.memory_path
    if wants_answers(snapshot):
        before = snapshot.text_of(path)
        ending = ending_of(split_lines(before))
        text = (BOM if before.startswith(BOM) else "") + first_memory(answers).replace("\n", ending)
        sources = tuple(Source("init", n, n) for n, (name, *_) in enumerate(QUESTIONS, 1) if answers.get(name))
        edits += difference(path, before, text, id="init", tag="init", why=say("why.your_answers"), sources=sources)
    return plan_of(snapshot, Intent.INIT, edits, now)


__all__ = ["QUESTIONS", "init_plan", "wants_answers"]
