"""From a verdict to what is written down: a memory's own file, its tasks, its states, and whether its lines may leave.

Only the owner's words. A reason is one that the entry gives; where it gives none, nothing is said.
"""

from __future__ import annotations

import re

from reverie.features.classify.drawers import CLAUSE, Filing, Memo, cut
from reverie.features.classify.labels import is_labelled, key_of, reason_in
from reverie.features.classify.sorting import Sort, Sorted
from reverie.features.classify.units import Unit
from reverie.judge.compose import plain_line
from reverie.lang.notes_words import LABELLED, MARKED
from reverie.plan.quoting import Quote
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.text.lines import count_units
from reverie.text.sections import OURS
from reverie.workspace.values import Statement

LONGEST_NAME = 60
LONGEST = 150  # characters of a description
_labels = "|".join(map(re.escape, (*LABELLED, *MARKED)))
_LEAD = re.compile(
    rf"^[\W_]*(?:(?:[A-Z]{{4,}}|{_labels})\s*[:：]\s*|\(?\d{{4}}-\d{{2}}(?:-\d{{2}})?\)?\s*[:：]?\s+)?[📌⚠️❗🔒🚨\s]*"
)
_BOLD = re.compile(r"\*\*(?P<name>[^*\n]{2,60})\*\*")
_LEAVES = {Sort.MEMORY: "classified", Sort.STATE: "todo", Sort.FINISHED: "completed", Sort.KNOWN: "duplicate"}


def filing_of(verdict: Sorted) -> Filing:
    """What becomes of a memory. What is protected, refused or in doubt stays in MEMORY.md in any shape."""
    unit = verdict.unit
    leaves = "" if unit.protected else _LEAVES.get(verdict.sort, "")
    if verdict.sort is Sort.KNOWN and (not verdict.certain or verdict.tasks or verdict.states):
        leaves = ""
    known = verdict.said_by if verdict.certain and verdict.said_by.startswith("memory/") else ""
    name = name_of(unit)
    hook = memo_of(verdict) if verdict.sort is Sort.MEMORY or known else None
    return Filing(
        unit.first, unit.end, unit.source, verdict.why, hook if verdict.sort is Sort.MEMORY else None,
        known, hook, _quotes(verdict.tasks, unit), _quotes(verdict.states, unit, name), leaves,
    )  # fmt: skip


def _quotes(entries: tuple[Statement, ...], unit: Unit, name: str = "") -> tuple[Quote, ...]:
    """Lines with what they hang on; a state always names its project, a task of its own says what it is about."""
    said = ((entry, OURS.sub("", " ".join(entry.text.split())).strip()) for entry in entries)
    return tuple(
        Quote(text, entry.source, subject=name or ("" if entry is unit.entry else name_of(unit)))
        for entry, text in said
        if not holds_secret(text) and not holds_mask(text)
    )


def memo_of(verdict: Sorted) -> Memo:
    """The memory without its tasks and states, which live elsewhere."""
    unit, parts = verdict.unit, verdict.kept
    why = [key_of(part.text)[1] for part in parts if is_labelled(part.text, "why")]
    how = [key_of(part.text)[1] for part in parts if is_labelled(part.text, "how")]
    if not why and (reason := reason_in(unit.plain)):
        why = [reason]
    opinion = verdict.opinion
    if opinion and not why and opinion.why:
        why = [opinion.why]
    if opinion and not how and opinion.how:
        how = [opinion.how]
    told = [part for part in parts if not is_labelled(part.text, "why", "how")]
    below = (f"  - {' '.join(part.text.split())}" for part in told)
    facts = unit.lines if unit.is_table else (f"- {' '.join(unit.text.split())}", *below)
    under = plain_line(unit.entry.headings[-1]) if unit.entry.headings else ""
    name = name_of(unit)
    return Memo(verdict.kind, name, described(unit, name), facts, tuple(why), tuple(how), under)


def name_of(unit: Unit) -> str:
    """What the owner calls it: its key, its bold beginning, else its first clause; of a table, its heading."""
    if unit.is_table:
        return plain_line(unit.entry.headings[-1]) if unit.entry.headings else "Table"
    bold = _BOLD.match(unit.text)
    named = unit.entry.block.key or (bold["name"] if bold else "")
    if named.rstrip(":： "):
        return plain_line(named).rstrip(":： ")
    text = _LEAD.sub("", unit.plain, count=1).strip()
    first = next((part for part in CLAUSE.split(text) if count_units(part) >= 4), text)
    return cut(first, LONGEST_NAME).rstrip(".。 ")


def described(unit: Unit, name: str) -> str:
    """One line by which to judge whether the file matters: the statement itself, without its name before a colon."""
    text = unit.plain
    if unit.is_table:
        text = ", ".join(filter(None, (cell.strip() for cell in unit.lines[0].split("|"))))
    elif text.casefold().startswith(name.casefold()):
        rest = text[len(name) :].lstrip(" :：-–—")
        text = rest if len(rest) > 3 and unit.entry.block.key else text
    return cut(_LEAD.sub("", text, count=1).strip() or text, LONGEST)
