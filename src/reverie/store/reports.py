"""What a run looks like to people: its figures, the review log, the dream log. Values only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from reverie.operations import Op, Operation
from reverie.store.runs import Run
from reverie.text.lines import clipped
from reverie.text.terms import plain

_TAGS = {Op.ADD: "promote", Op.UPDATE: "contradiction", Op.END: "stale", Op.MERGE: "duplicate", Op.ASK: "ask"}
_WORDS = {
    "en": ("Dream Log", "Changes Made", "Needs Human Review", "MEMORY.md Stats", "Skipped", "was", "Lines", "Sections", "unchanged"),
    "zh": ("梦境日志", "所做更改", "需要人工审核", "MEMORY.md 统计", "已跳过", "原为", "行数", "章节", "未变"),
}  # fmt: skip


def counts_of(operations: Iterable[Operation]) -> Counter[str]:
    """How many lines were updated, added, archived and brought back."""
    counts: Counter[str] = Counter()
    for operation in operations:
        if operation.op is Op.ADD:
            counts["re-emerged" if operation.returned else "added"] += 1
        elif operation.op is Op.UPDATE:
            counts["updated"] += 1
        else:
            counts["archived"] += len(operation.lines) - (operation.op is Op.MERGE and not operation.text)
    return counts


def review_block(run: Run) -> str:
    """A night in `meta/review-YYYY-MM.md`, as seed 000 writes it."""
    counts = counts_of(run.operations)
    used = {ref.mark for operation in run.operations for ref in operation.cites}
    return (
        f"### {run.at:%Y-%m-%d %H:%M}\nUpdated: {counts['updated']} | Added: {counts['added']} | Archived: {counts['archived']}"
        f" | Re-emerged: {counts['re-emerged']} | Ignored: {max(0, len(run.read) - len(used))}\n"
        f"MEMORY.md chars: {run.before.characters} → {run.after.characters}\n\n"
    )


def dream_log(run: Run, language: str, *, is_first: bool) -> str:
    """A night in `memory/dream-log-DAY.md`, as seed 001 writes it; a second night of a day says its time."""
    title, changes, review, stats, skipped, was, lines, sections, unchanged = _WORDS.get(language, _WORDS["en"])
    time, before, after = "" if is_first else f" ({run.at:%H:%M})", run.before, run.after
    moved = unchanged if before.sections == after.sections else f"← {before.sections}"
    parts = [f"# {title} {run.at:%Y-%m-%d}\n" if is_first else "", f"\n## {changes}{time}\n"]
    for operation in run.operations:
        old, new = "; ".join(plain(ref.words) for ref in operation.lines), operation.after
        tag = "budget" if operation.judge == "budget" else "re-emerged" if operation.returned else _TAGS[operation.op]
        parts.append(f"- [{tag}] {f'{new} ({was}: {old})' if new and old else new or old} — {operation.why}\n")
    if run.waiting:
        parts.append(f"\n## {review}{time}\n")
        parts += [
            f"- {asked.question or asked.after or plain(asked.lines[0].words)} — {asked.why}\n" for asked in run.waiting
        ]
    parts.append(
        f"\n## {stats}{time}\n- {lines}: {before.lines} → {after.lines}\n- {sections}: {after.sections} ({moved})\n"
    )
    if run.refused:
        parts.append(f"\n## {skipped}{time}\n")
        parts += [f"- {clipped(wish, 120)}: {why}\n" for wish, why in run.refused]
    return "".join(parts)
