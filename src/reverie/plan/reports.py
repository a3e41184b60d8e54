"""What follows from a run and is written for people: the review log, the dream log, the `## Dream` list. Values only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from reverie.operations import Op, Operation
from reverie.plan.splices import Splice
from reverie.text.lines import clipped, line_ending
from reverie.text.terms import plain
from reverie.workspace.sections import DREAM_LINES, LONGEST_DREAM_LINE, dream_section
from reverie.workspace.snapshot import File

_TAGS = {Op.ADD: "promote", Op.UPDATE: "contradiction", Op.END: "stale", Op.MERGE: "duplicate", Op.ASK: "ask"}
_WORDS = {
    "en": ("Dream Log", "Changes Made", "Needs Human Review", "MEMORY.md Stats", "Skipped", "was", "Lines", "Sections", "unchanged"),
    "zh": ("梦境日志", "所做更改", "需要人工审核", "MEMORY.md 统计", "已跳过", "原为", "行数", "章节", "未变"),
}  # fmt: skip


def dream_splices(file: File, latest: Sequence[tuple[str, str, str, str]]) -> list[Splice]:
    """The list of what left last, in the owner's `## Dream` section; only lines with our mark are replaced."""
    section = dream_section(file)
    if section is None:
        return []
    start, end = section
    ending = line_ending(file.lines)
    old = [number for number in range(start, end) if "<!-- dream:" in file.lines[number]]
    new = [dream_line(*entry) + ending for entry in latest[:DREAM_LINES]]
    if [file.lines[number] for number in old] == new:
        return []
    at = old[0] if old else _below_comment(file, start, end)
    splices = [Splice(file.path, number, (file.lines[number],)) for number in old]
    return [Splice(file.path, at, (), tuple(new)), *splices] if new else splices


def dream_line(entry_id: str, day: str, category: str, summary: str) -> str:
    """`- 2026-11-15 [ended] likes tea <!-- dream:77b568c4 -->`"""
    words = clipped(summary.replace("<!--", "").replace("-->", ""), LONGEST_DREAM_LINE - 45)
    return f"- {day} [{category}] {words} <!-- dream:{entry_id[:8]} -->"


def review_block(at: datetime, counts: Counter[str], ignored: int, before: int, after: int) -> str:
    """A night in `meta/review-YYYY-MM.md`, as seed 000 writes it."""
    return (
        f"### {at:%Y-%m-%d %H:%M}\nUpdated: {counts['updated']} | Added: {counts['added']} | Archived: {counts['archived']}"
        f" | Re-emerged: {counts['re-emerged']} | Ignored: {ignored}\nMEMORY.md chars: {before} → {after}\n\n"
    )


def counts_of(operations: Iterable[Operation]) -> Counter[str]:
    """How many lines were updated, added, archived and brought back."""
    counts: Counter[str] = Counter()
    for operation in operations:
        if operation.op is Op.ADD:
            counts["re-emerged" if operation.returned else "added"] += 1
        elif operation.op is Op.UPDATE:
            counts["updated"] += 1
        elif operation.op is Op.MERGE:
            counts["archived"] += len(operation.lines) - (not operation.text)
        elif operation.op is Op.END:
            counts["archived"] += len(operation.lines)
    return counts


def dream_log(
    at: datetime,
    operations: Sequence[Operation],
    waiting: Sequence[Operation],
    refused: Sequence[tuple[str, str]],
    sizes: tuple[int, int, int, int],
    language: str,
    *,
    is_first: bool,
) -> str:
    """A night in `memory/dream-log-DAY.md`, as seed 001 writes it; a second night of a day says its time."""
    title, changes, review, stats, skipped, was, lines, sections, unchanged = _WORDS.get(language, _WORDS["en"])
    time = "" if is_first else f" ({at:%H:%M})"
    parts = [f"# {title} {at:%Y-%m-%d}\n\n" if is_first else "\n", f"## {changes}{time}\n"]
    parts += [_changed(operation, was) for operation in operations]
    if waiting:
        parts.append(f"\n## {review}{time}\n")
        parts += [f"- {card_text(operation)} — {operation.why}\n" for operation in waiting]
    before, after, sections_before, sections_after = sizes
    moved = (
        f"{sections_after} ({unchanged})"
        if sections_before == sections_after
        else f"{sections_before} → {sections_after}"
    )
    parts.append(f"\n## {stats}{time}\n- {lines}: {before} → {after}\n- {sections}: {moved}\n")
    if refused:
        parts.append(f"\n## {skipped}{time}\n")
        parts += [f"- {clipped(wish, 120)}: {why}\n" for wish, why in refused]
    return "".join(parts)


def card_text(operation: Operation) -> str:
    """What a card asks, in one line."""
    old = "; ".join(plain(ref.words) for ref in operation.lines)
    new = operation.text or ", ".join(f"{swap.old} → {swap.new}" for swap in operation.swap)
    return operation.question or " → ".join(filter(None, (old, new)))


def _changed(operation: Operation, was: str) -> str:
    old = "; ".join(plain(ref.words) for ref in operation.lines)
    new = operation.text or ", ".join(f"{swap.old} → {swap.new}" for swap in operation.swap)
    tag = "budget" if operation.judge == "budget" else "re-emerged" if operation.returned else _TAGS[operation.op]
    words = f"{new} ({was}: {old})" if new and old else new or old
    return f"- [{tag}] {words} — {operation.why}\n"


def _below_comment(file: File, start: int, end: int) -> int:
    """Below the comments that explain the section."""
    at = start
    while at < end and file.lines[at].lstrip().startswith("<!--") and "-->" in file.lines[at]:
        at += 1
    return at
