"""Single steps for scripts (`dream-tools`, seed 000): a block for the ledger, an entry that left or came back, an active day,
a whole new MEMORY.md. Each is a plan like any other: checked by the promises, written by the one writer, undoable.

What `dream-tools` does (seed 000's script), right where the original was not: characters are not bytes, Chinese is text,
an unrelated sentence re-emerges nothing, a search sees the whole archive, and two callers never write at once.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from pathlib import Path

from reverie.apply.files import Disk
from reverie.core.errors import BadInput, RefusedFile
from reverie.core.layout import ACTIVE_DAYS, CONTENT_INDEX, LEDGER, LEDGER_INDEX, REMOVED, VAULT
from reverie.core.ports import Clock
from reverie.judge.compose import plain_line
from reverie.night.transaction import transact
from reverie.plan.build import plan_of
from reverie.plan.content import is_indexed, item_of
from reverie.plan.ledger import Archived, array_text, block, indexed, read_array, read_ledger, removed_entries, summary
from reverie.plan.splices import difference
from reverie.text.lines import appended, bare, count_units, split_lines
from reverie.text.sections import own_lines
from reverie.text.terms import asked, plain, terms
from reverie.workspace.reader import LARGEST, read_changes
from reverie.workspace.values import Edit, Intent, Plan, Snapshot, Workspace, short_id, to_text

TAG = "tools"
REPLACED = "replaced"  # the category of what a new MEMORY.md leaves out
_WHY = "asked for by a script"


def append_plan(snapshot: Snapshot, entries: Sequence[Archived], now: datetime) -> Plan:
    """Blocks at the end of the ledger, and the index that follows it."""
    return plan_of(snapshot, Intent.TOOLS, list(_archive(snapshot, entries)), now)


def reemerged_plan(snapshot: Snapshot, its_id: str, now: datetime) -> Plan:
    """An event in the ledger, and its trace in the index and in the list of what left."""
    records = read_array(snapshot.text_of(LEDGER_INDEX), LEDGER_INDEX, dict)
    removed = read_array(snapshot.text_of(REMOVED), REMOVED, dict)
    if not any(str(record.get("id")) == its_id for record in (*records, *removed)):
        raise BadInput(f"The archive has no entry {its_id!r}. `dream-tools --ledger-search WORD` finds one.")
    stamp, note = f"{now:%Y-%m-%d %H:%M}", "said again"
    for record in records:
        if str(record.get("id")) == its_id:
            events = [*record.get("events", []), {"time": stamp, "note": "re-emerged"}]
            record.update(status="re-emerged", last_updated=stamp, events=events)
    for item in removed:
        if str(item.get("id")) == its_id:
            item["reemergence_count"] = int(item.get("reemergence_count") or 0) + 1
    told = ("---", f"ID: {its_id}", f"Updated: {stamp}", "Event: re-emerged", f"Note: {note}", "---")
    edits = [
        _at_the_end(snapshot, told, its_id),
        *_listed(snapshot, LEDGER_INDEX, records),
        *_listed(snapshot, REMOVED, removed),
    ]
    return plan_of(snapshot, Intent.TOOLS, edits, now)


def removed_plan(snapshot: Snapshot, its_id: str, summary: str, content_hash: str, now: datetime) -> Plan:
    """One more entry in the list of what left; a known id is told anew and keeps its count."""
    items = read_array(snapshot.text_of(REMOVED), REMOVED, dict)
    count = next((item.get("reemergence_count", 0) for item in items if str(item.get("id")) == its_id), 0)
    entry = {
        "id": its_id, "summary": summary, "content_hash": content_hash, "removed_at": f"{now:%Y-%m-%d %H:%M}",
        "removed_ts": int(now.timestamp()), "reemergence_count": count,
    }  # fmt: skip
    kept = [item for item in items if str(item.get("id")) != its_id]
    return plan_of(snapshot, Intent.TOOLS, [*_listed(snapshot, REMOVED, [*kept, entry])], now)


def active_plan(snapshot: Snapshot, now: datetime) -> Plan:
    """Today is an active day; said twice it changes nothing."""
    days = read_array(snapshot.text_of(ACTIVE_DAYS), ACTIVE_DAYS, str)
    edits = _listed(snapshot, ACTIVE_DAYS, sorted({*days, f"{now:%Y-%m-%d}"}))
    return plan_of(snapshot, Intent.TOOLS, [*edits], now)


def replaced_plan(snapshot: Snapshot, path: str, text: str, now: datetime) -> Plan:
    """A whole new text for a file of the layout. Every line that MEMORY.md loses goes into the ledger in the same run."""
    edits = list(difference(path, snapshot.text_of(path), text, id=short_id(text), tag=TAG, why=_WHY))
    if path == snapshot.memory_path:
        stamp = f"{now:%Y-%m-%d %H:%M}"
        edits += _archive(
            snapshot,
            [
                Archived(
                    short_id("\n".join(lines)),
                    stamp,
                    REPLACED,
                    lines,
                    f"{path}:{first + 1}",
                    "a script replaced MEMORY.md",
                )
                for first, lines in _leaving(snapshot, path, text)
            ],
        )
    return plan_of(snapshot, Intent.TOOLS, edits, now)


def _leaving(snapshot: Snapshot, path: str, text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The lines that are not in the new text, in runs, each with the number of its first one."""
    file = snapshot.files.get(path)
    before = split_lines(snapshot.text_of(path))
    kept = Counter(bare(line) for line in split_lines(text))
    ours = set(own_lines(file.document)) if file else set()
    run: list[str] = []
    for number, line in enumerate((*before, "")):
        kept[bare(line)] -= 1
        gone = bool(line.strip()) and kept[bare(line)] < 0 and number not in ours
        if gone:
            run.append(bare(line))
        elif run:
            yield number - len(run), tuple(run)
            run = []


def _archive(snapshot: Snapshot, entries: Sequence[Archived]) -> Iterator[Edit]:
    if not entries:
        return
    lines = [line for entry in entries for line in block(entry)]
    yield _at_the_end(snapshot, lines, entries[0].id)
    records = read_array(snapshot.text_of(LEDGER_INDEX), LEDGER_INDEX, dict)
    for entry in (*(() if records else read_ledger(snapshot.text_of(LEDGER))), *entries):
        records = indexed(records, entry)
    yield from _listed(snapshot, LEDGER_INDEX, records)


def _at_the_end(snapshot: Snapshot, lines: Sequence[str], its_id: str) -> Edit:
    at, old, new = appended(split_lines(snapshot.text_of(LEDGER)), lines)
    return Edit(its_id, LEDGER, at, old, new, TAG, _WHY)


def _listed(snapshot: Snapshot, path: str, items: Sequence[object]) -> tuple[Edit, ...]:
    return difference(path, snapshot.text_of(path), array_text(items), id="index", tag=TAG, why=_WHY)


TRIES = 5
_ID = re.compile(r"[\w.-]{1,64}")
_OURS = ("MEMORY.md", "memory.md", LEDGER, LEDGER_INDEX, REMOVED, ACTIVE_DAYS, CONTENT_INDEX)


def check_size(workspace: Workspace) -> str:
    """`<size> <warn> <limit> ok|warn|critical`, in the characters of the host."""
    snapshot, limits = _look(workspace), workspace.settings.memory
    size = count_units(snapshot.text_of(snapshot.memory_path))
    word = "critical" if size > limits.hard_limit else "warn" if size > limits.capture_limit else "ok"
    return f"{size} {limits.capture_limit} {limits.hard_limit} {word}"


def ledger_append(workspace: Workspace, clock: Clock, its_id: str, category: str, content: str, note: str = "") -> str:
    """One more block; the same id again is an event of the same entry."""
    lines = tuple(content.strip("\n").split("\n"))
    if not lines[0].strip() or "\n" in category + note or "\r" in content + category + note:
        raise BadInput("A block needs an id, a category of one line, a content and perhaps a note of one line.")

    def plan(snapshot: Snapshot) -> Plan:
        stamp = f"{clock.now():%Y-%m-%d %H:%M}"
        known = any(entry.id == _id(its_id) for entry in read_ledger(snapshot.text_of(LEDGER)))
        said = note or ("Archived again" if known else "First archived")
        return append_plan(
            snapshot, [Archived(_id(its_id), stamp, category.strip("[] "), lines, "dream-tools", said)], clock.now()
        )

    return _write(workspace, clock, plan)


def ledger_search(workspace: Workspace, keyword: str) -> tuple[Archived, ...]:
    """Every block whose whole text holds the words, the newest last; part of a Chinese word is found too."""
    wanted, low = set(asked(keyword)), plain(keyword)
    found = []
    for entry in read_ledger(_look(workspace).text_of(LEDGER)):
        said = " ".join((entry.id, entry.category, *entry.content, entry.note))
        if (low and low in plain(said)) or (wanted and wanted <= set(terms(said))):
            found.append(entry)
    return tuple(found)


def mark_reemergence(workspace: Workspace, clock: Clock, its_id: str) -> str:
    return _write(workspace, clock, lambda snapshot: reemerged_plan(snapshot, _id(its_id), clock.now()))


def record_removed(workspace: Workspace, clock: Clock, its_id: str, said: str, content_hash: str) -> str:
    short = summary(said)
    return _write(workspace, clock, lambda seen: removed_plan(seen, _id(its_id), short, _id(content_hash), clock.now()))


def check_reemergence(workspace: Workspace, content: str) -> str:
    """`matched <id> <summary>` for what left and is said again in these or other words, else `no-match`."""
    from reverie.judge.recurring import says_it_again  # numpy, for those who ask

    said = plain_line(content)
    snapshot = _look(workspace)
    left = [(one.id, one.text) for one in removed_entries(snapshot)]
    known = {its_id for its_id, _ in left}
    listed = read_array(snapshot.text_of(REMOVED), REMOVED, dict)
    left += [
        (str(item.get("id")), str(item.get("summary", "")).rstrip("…"))
        for item in listed
        if str(item.get("id")) not in known
    ]
    best = max(
        (
            (near, its_id, text)
            for its_id, text in left
            if says_it_again(plain_line(text), said, near := _nearness(workspace, plain_line(text), said))
        ),
        default=None,
    )
    return f"matched {best[1]} {summary(best[2])}" if best else "no-match"


def _nearness(workspace: Workspace, one: str, other: str) -> float:
    if workspace.embedder is None:
        return 1.0  # the words must decide alone
    try:
        first, second = workspace.embedder.embed([one, other])
    except Exception:  # noqa: BLE001  an embedder may be anything; without it the words decide
        return 1.0
    return float(first @ second)


def dedup_index(workspace: Workspace, what: str) -> str:
    """`exists` or `new`, for a link, a title or the hash of one."""
    snapshot = _look(workspace)
    if re.fullmatch(r"[0-9a-f]{8}", what.strip()):
        return "exists" if f"<!-- index:{what.strip()} -->" in snapshot.text_of(CONTENT_INDEX) else "new"
    return "exists" if is_indexed(snapshot, item_of(what)) else "new"


def active_days_since(workspace: Workspace, since: str) -> int:
    """How many active days there were on or after this one."""
    try:
        first = date.fromisoformat(since.strip()).isoformat()
    except ValueError:
        raise BadInput(f"{since!r} is not a day such as 2026-11-15.") from None
    days = read_array(_look(workspace).text_of(ACTIVE_DAYS), ACTIVE_DAYS, str)
    return len({day for day in days if day >= first})


def record_active_day(workspace: Workspace, clock: Clock) -> str:
    return _write(workspace, clock, lambda snapshot: active_plan(snapshot, clock.now()))


def atomic_write(workspace: Workspace, clock: Clock, target: str, source: Path, *, disk: Disk | None = None) -> str:
    """The whole of `source` becomes the target, or nothing changes; then `source` is gone, as after a move.

    What MEMORY.md loses goes into the ledger in the same run; too large a file, a lost pin or a secret is refused.
    """
    path = layout_path(workspace, target)
    try:
        if not source.is_file() or source.stat().st_size > LARGEST:
            raise BadInput(f"{source} is not a file that could be written.")
        text = to_text(source.read_bytes())
    except OSError as error:
        raise BadInput(f"{source} cannot be read ({error.strerror}).") from None
    if not text.strip() or "\0" in text:
        raise BadInput(f"{source} holds no text. Nothing was changed.")
    said = _write(workspace, clock, lambda snapshot: replaced_plan(snapshot, path, text, clock.now()), path, disk=disk)
    if os.path.realpath(source) != os.path.realpath(_real(workspace, path)):
        (disk or Disk()).remove(source)
    return said


def layout_path(workspace: Workspace, target: str) -> str:
    """A path somebody typed, as the layout calls it; what lies outside workspace and vault is refused."""
    given = Path(target).expanduser()
    real = Path(os.path.realpath(given.parent if given.is_absolute() else workspace.root / given.parent)) / given.name
    for base, prefix in ((workspace.vault, VAULT), (workspace.root, "")):
        try:
            return prefix + real.relative_to(Path(os.path.realpath(base))).as_posix()
        except ValueError:
            continue
    raise RefusedFile(f"{target} lies outside the workspace and its vault. Nothing was changed.")


def _real(workspace: Workspace, path: str) -> Path:
    return workspace.vault / path.removeprefix(VAULT) if path.startswith(VAULT) else workspace.root / path


def _look(workspace: Workspace, *more: str) -> Snapshot:
    """Only the few files that a step is about: a script calls often."""
    found, _, refused = read_changes(workspace, {}, only=tuple(dict.fromkeys((*_OURS, *more))))
    return Snapshot(workspace, {path: one.file for path, one in found.items()}, refused)


def _write(
    workspace: Workspace, clock: Clock, make: Callable[[Snapshot], Plan], *paths: str, disk: Disk | None = None
) -> str:
    """Make the plan on what stands there now, check it, write it; somebody else's change means to look again."""

    def look(_workspace: Workspace, _known: Snapshot | None) -> Snapshot:
        return _look(workspace, *paths)

    transact(workspace, clock, "tools", lambda snapshot: ("ok", make(snapshot)), disk=disk, read=look, tries=TRIES)
    return "ok"


def _id(text: str) -> str:
    if not _ID.fullmatch(text.strip()):
        raise BadInput(f"{text!r} is not an id; `dream-tools --hash TEXT` makes one.")
    return text.strip()


__all__ = [
    "active_days_since",
    "atomic_write",
    "check_reemergence",
    "check_size",
    "dedup_index",
    "layout_path",
    "ledger_append",
    "ledger_search",
    "mark_reemergence",
    "record_active_day",
    "record_removed",
    "short_id",
]
