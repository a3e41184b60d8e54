"""What a night tells: the review log and the dream log, which only grow, and the diary in DREAMS.md. None is ever evidence."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from reverie.errors import Unreadable
from reverie.operations import Op, Operation
from reverie.plan import diary
from reverie.store.disk import Disk, bytes_of
from reverie.store.runs import Run
from reverie.text.lines import clipped, is_wide
from reverie.text.terms import plain
from reverie.workspace.layout import DIARY, NOTES, VAULT, Layout, is_log
from reverie.workspace.snapshot import Snapshot

NEARLY = 0.9  # of its lines, from where on a memory is nearly full (seed 001)
_MOST_ENTRIES = 90  # of a diary; older ones go to the diary of their year
_TAGS = {Op.ADD: "promote", Op.UPDATE: "contradiction", Op.END: "stale", Op.MERGE: "duplicate", Op.ASK: "ask"}
_TAGS_ZH = {
    "date-fix": "日期修复", "contradiction": "矛盾", "duplicate": "重复", "stale": "过时", "promote": "提升", "distill": "提炼",
    "ask": "询问", "budget": "容量", "re-emerged": "重现",
}  # fmt: skip
_WORDS = {
    "en": ("Dream Log", "Changes Made", "Needs Human Review", "MEMORY.md Stats", "Skipped", "was", "Lines", "Sections", "unchanged", "{} new lines stay in their notes"),
    "zh": ("梦境日志", "所做更改", "需要人工审核", "MEMORY.md 统计", "已跳过", "原为", "行数", "章节", "未变", "{} 行新内容留在笔记中"),
}  # fmt: skip


def log_night(layout: Layout, run: Run, snapshot: Snapshot, disk: Disk, *, again: bool = False) -> None:
    """One line a night for seed 000, the changes in words for seed 001, an entry of the diary for seed 002.
    `again`: a crash may have left some of it."""
    if run.command == "review":
        counts = counts_of(run.operations)
        text = (
            f"### {run.at:%Y-%m-%d %H:%M}\nUpdated: {counts['updated']} | Added: {counts['added']}"
            f" | Archived: {counts['archived']} | Re-emerged: {counts['re-emerged']}"
            f" | Ignored: {ignored_by(run)}\n"
            f"MEMORY.md chars: {run.before.characters} → {run.after.characters}\n"
            f"{f'Judged by {run.judged_by}' + chr(10) if run.judged_by else ''}\n"
        )
        _append(layout.real(f"{VAULT}/meta/review-{run.at:%Y-%m}.md"), text, disk)
    if layout.is_hosted or not (run.operations or run.waiting):
        return
    text = "".join(statement.text for statement in snapshot.memory[:40])
    language = snapshot.settings.language or ("zh" if sum(map(is_wide, text)) > len(text) / 4 else "en")
    if snapshot.settings.dream.log:
        path, lines = layout.real(f"{NOTES}/dream-log-{run.at:%Y-%m-%d}.md"), snapshot.settings.memory.lines
        first, later = (dream_log(run, language, lines, is_first=is_first) for is_first in (True, False))
        before = bytes_of(path)
        if not (again and before and before.endswith(first.encode())):
            _append(path, later if before else first, disk)
    if snapshot.settings.dream.diary:
        entry = run.diary or diary.plain_entry(run.operations, len(run.waiting), language)
        write_diary(layout, lambda text: diary.with_entry(text, diary.long_moment(run.at), entry), disk)


def diary_path(layout: Layout) -> Path:
    """DREAMS.md, or the dreams.md that is there."""
    small = layout.root / DIARY.lower()
    return small if small.exists() and not (layout.root / DIARY).exists() else layout.root / DIARY


def write_diary(layout: Layout, change: Callable[[str], str], disk: Disk) -> None:
    """Change DREAMS.md; what became too old moves to `memory/dreaming/diary-YEAR.md`. A diary that is a link stays as it is."""
    with suppress(Unreadable):
        before = (bytes_of(diary_path(layout)) or b"").decode("utf-8", "surrogateescape")
        after, leaving = diary.rotated(change(before), _MOST_ENTRIES)
        for year, entries in leaving.items():
            old = layout.root / NOTES / "dreaming" / f"diary-{year}.md"
            kept = (bytes_of(old) or b"").decode("utf-8", "surrogateescape")
            disk.replace(old, diary.with_old_entries(kept, entries).encode("utf-8", "surrogateescape"))
        if after != before:
            disk.replace(diary_path(layout), after.encode("utf-8", "surrogateescape"))


def _append(path: Path, text: str, disk: Disk) -> None:
    before = bytes_of(path) or b""
    if text.strip().encode() not in before:  # a crash between the log and the state
        disk.append_once(path, len(before), text.encode())


def ignored_by(run: Run) -> int:
    """How many of the new lines that a night read changed nothing."""
    return max(0, len(run.read) - len({ref.mark for operation in run.operations for ref in operation.cites}))


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


def dream_log(run: Run, language: str, most: int, *, is_first: bool) -> str:
    """A night in `memory/dream-log-DAY.md`, as seed 001 writes it; a second night of a day says its time."""
    title, changes, review, stats, skipped, was, lines, sections, unchanged, stays = _WORDS.get(language, _WORDS["en"])
    time, before, after = "" if is_first else f" ({run.at:%H:%M})", run.before, run.after
    moved = unchanged if before.sections == after.sections else f"← {before.sections}"
    parts = [f"# {title} {run.at:%Y-%m-%d}\n" if is_first else "", f"\n## {changes}{time}\n"]
    for operation in run.operations:
        old, new = "; ".join(plain(ref.words) for ref in operation.lines), operation.after
        parts.append(
            f"- [{_tag(operation, language)}] {f'{new} ({was}: {old})' if new and old else new or old} — {operation.why}\n"
        )
    parts += [f"\n## {review}{time}\n"] * bool(run.waiting)
    for asked in run.waiting:
        parts.append(f"- {asked.question or asked.after or plain(asked.lines[0].words)} — {asked.why}\n")
    warning = f" ⚠ {after.lines}/{most}" * (after.lines >= NEARLY * most)
    parts += [f"\n## {stats}{time}\n- {lines}: {before.lines} → {after.lines}{warning}\n"]
    ignored = ignored_by(run)
    parts += [f"- {sections}: {after.sections} ({moved})\n", f"\n## {skipped}{time}\n" * bool(run.refused or ignored)]
    parts += [f"- {stays.format(ignored)}\n"] * bool(ignored)
    parts += [f"- {clipped(wish, 120)}: {why}\n" for wish, why in run.refused]
    return "".join(parts)


def _tag(operation: Operation, language: str) -> str:
    """What seed 001 calls such a change."""
    return _TAGS_ZH[_kind(operation)] if language == "zh" else _kind(operation)


def _kind(operation: Operation) -> str:
    if operation.judge == "budget" or operation.returned:
        return "budget" if operation.judge == "budget" else "re-emerged"
    if operation.op is Op.ADD and any(is_log(ref.path) for ref in operation.cites):
        return "distill"
    return "date-fix" if operation.op is Op.ADD and "day written out" in operation.why else _TAGS[operation.op]
