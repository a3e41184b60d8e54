"""The first day: the vault's files, and MEMORY.md with seed 000's four sections from five answers (`dream init`)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from reverie.core.layout import ACTIVE_DAYS, CONTENT_INDEX, DREAM_STATE, LEDGER, LEDGER_INDEX, REMOVED
from reverie.plan.build import plan_of
from reverie.plan.splices import difference
from reverie.text.lines import BOM, ending_of, split_lines
from reverie.workspace.values import ABSENT, Edit, Intent, Plan, Snapshot, Source

# Which answer belongs into which section: (name of the flag, the question, the label in MEMORY.md, the section).
QUESTIONS = (
    ("tools", "Which tools do you prefer?", "Tools", "Stable Knowledge"),
    ("environment", "What is your work environment?", "Work environment", "Stable Knowledge"),
    ("project", "What is your most important project right now?", "Most important project", "Current State"),
    ("values", "Which judgements and values guide you?", "Core values", "Stable Knowledge"),
    ("people", "Who are the most important people for it?", "Key people", "Relationships & Context"),
)
SECTIONS = (
    ("Current State", "Active projects, unresolved decisions, recent important changes"),
    ("Stable Knowledge", "Tech stack, work environment, decision style, core preferences, validated judgements"),
    ("Relationships & Context", "Important people, ongoing collaborations, key external context"),
    ("Dream", "Kept by Reverie: the last five entries of the permanent archive. Do not edit by hand"),
)


def first_memory(answers: Mapping[str, str]) -> str:
    """MEMORY.md in seed 000's four sections, with the owner's answers where they belong."""
    parts = ["# Long-Term Memory"]
    for section, about in SECTIONS:
        lines = [f"## {section}", f"<!-- {about} -->"]
        for name, _, label, home in QUESTIONS:
            said = [" ".join(line.split()) for line in answers.get(name, "").split("\n") if line.strip()]
            if home == section and len(said) == 1:
                lines.append(f"- **{label}:** {said[0]}")
            elif home == section and said:
                lines += [f"- **{label}:**", *(f"  - {line}" for line in said)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


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
            edits += difference(path, "", text, id="init", tag="init", why="the vault needs it")
    path = snapshot.memory_path
    if wants_answers(snapshot):
        before = snapshot.text_of(path)
        ending = ending_of(split_lines(before))
        text = (BOM if before.startswith(BOM) else "") + first_memory(answers).replace("\n", ending)
        sources = tuple(Source("init", n, n) for n, (name, *_) in enumerate(QUESTIONS, 1) if answers.get(name))
        edits += difference(path, before, text, id="init", tag="init", why="your own answers", sources=sources)
    return plan_of(snapshot, Intent.INIT, edits, now)


__all__ = ["QUESTIONS", "init_plan", "wants_answers"]
