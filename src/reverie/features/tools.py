"""Single steps for scripts (`dream-tools`, seed 000): a block for the ledger, an entry that left or came back, an active day,
a whole new MEMORY.md. Each is a plan like any other: checked by the promises, written by the one writer, undoable.

Right where the original script was not: characters are not bytes, Chinese is text, an unrelated sentence re-emerges nothing,
a search sees the whole archive, and two callers never write at once.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

from reverie.apply.files import Disk
from reverie.core.errors import BadInput, RefusedFile
from reverie.core.layout import ACTIVE_DAYS, CONTENT_INDEX, LEDGER, LEDGER_INDEX, REMOVED, TOPICS, VAULT, Kind, place_of
from reverie.core.ports import Clock
from reverie.judge.compose import plain_line
from reverie.lang.messages import say
from reverie.night.transaction import transact
from reverie.plan.build import plan_of
from reverie.plan.content import is_indexed, item_of
from reverie.plan.ledger import Archived, array_text, block, indexed, read_array, read_ledger, removed_entries, summary
from reverie.plan.splices import difference
from reverie.text.lines import appended, bare, count_units, split_lines
from reverie.text.sections import own_lines
from reverie.text.terms import asked, plain, shared, terms
from reverie.workspace.reader import LARGEST, read_changes
from reverie.workspace.values import Edit, Intent, Plan, Snapshot, Workspace, short_id, to_text

TAG = "tools"
REPLACED = "replaced"  # the category of what a new MEMORY.md leaves out
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
    its_id, lines = _id(its_id), tuple(content.strip("\n").split("\n"))
    if not lines[0].strip() or "\n" in category + note or "\r" in content + category + note:
        raise BadInput(say("tools.bad_block"))

    def edits(snapshot: Snapshot) -> Iterator[Edit]:
        known = any(entry.id == its_id for entry in read_ledger(snapshot.text_of(LEDGER)))
        said = note or ("Archived again" if known else "First archived")  # as seed 000's script writes it
        return archived(snapshot, [Archived(its_id, _stamp(clock), category.strip("[] "), lines, "dream-tools", said)])

    return _write(workspace, clock, edits)


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
    """An event in the ledger, and its trace in the index and in the list of what left."""
    its_id, stamp = _id(its_id), _stamp(clock)

    def edits(snapshot: Snapshot) -> Iterator[Edit]:
        records = read_array(snapshot.text_of(LEDGER_INDEX), LEDGER_INDEX, dict)
        removed = read_array(snapshot.text_of(REMOVED), REMOVED, dict)
        if not any(str(record.get("id")) == its_id for record in (*records, *removed)):
            raise BadInput(say("tools.not_archived", id=its_id))
        for record in records:
            if str(record.get("id")) == its_id:
                events = [*record.get("events", []), {"time": stamp, "note": "re-emerged"}]
                record.update(status="re-emerged", last_updated=stamp, events=events)
        for item in removed:
            if str(item.get("id")) == its_id:
                item["reemergence_count"] = int(item.get("reemergence_count") or 0) + 1
        event = ("---", f"ID: {its_id}", f"Updated: {stamp}", "Event: re-emerged", "Note: said again", "---")
        yield _at_the_end(snapshot, event, its_id)
        yield from _listed(snapshot, LEDGER_INDEX, records)
        yield from _listed(snapshot, REMOVED, removed)

    return _write(workspace, clock, edits)


def record_removed(workspace: Workspace, clock: Clock, its_id: str, said: str, content_hash: str) -> str:
    """One more entry in the list of what left; a known id is told anew and keeps its count."""
    its_id, content_hash = _id(its_id), _id(content_hash)

    def edits(snapshot: Snapshot) -> Iterable[Edit]:
        items = read_array(snapshot.text_of(REMOVED), REMOVED, dict)
        count = next((item.get("reemergence_count", 0) for item in items if str(item.get("id")) == its_id), 0)
        entry = {
            "id": its_id, "summary": summary(said), "content_hash": content_hash, "removed_at": _stamp(clock),
            "removed_ts": int(clock.now().timestamp()), "reemergence_count": count,
        }  # fmt: skip
        return _listed(snapshot, REMOVED, [*(item for item in items if str(item.get("id")) != its_id), entry])

    return _write(workspace, clock, edits)


def check_reemergence(workspace: Workspace, content: str) -> str:
    """`matched <id> <summary>` for what left and is said again in these or other words, else `no-match`."""
    from reverie.judge.recurring import says_it_again  # numpy, for those who ask

    said, snapshot = plain_line(content), _look(workspace)
    left = [(one.id, one.text) for one in removed_entries(snapshot)]
    best = max(
        (
            (near + shared(text, said), its_id, text)
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
        raise BadInput(say("tools.no_day", day=since)) from None
    days = read_array(_look(workspace).text_of(ACTIVE_DAYS), ACTIVE_DAYS, str)
    return len({day for day in days if day >= first})


def record_active_day(workspace: Workspace, clock: Clock) -> str:
    """Today is an active day; said twice it changes nothing."""

    def edits(snapshot: Snapshot) -> Iterable[Edit]:
        days = read_array(snapshot.text_of(ACTIVE_DAYS), ACTIVE_DAYS, str)
        return _listed(snapshot, ACTIVE_DAYS, sorted({*days, f"{clock.now():%Y-%m-%d}"}))

    return _write(workspace, clock, edits)


def atomic_write(workspace: Workspace, clock: Clock, target: str, source: Path, *, disk: Disk | None = None) -> str:
    """The whole of `source` becomes the target, or nothing changes; then `source` is gone, as after a move.

    What MEMORY.md loses goes into the ledger in the same run; too large a file, a lost pin or a secret is refused.
    """
    path = layout_path(workspace, target)
    try:
        if not source.is_file() or source.stat().st_size > LARGEST:
            raise BadInput(say("tools.no_file", path=source))
        text = to_text(source.read_bytes())
    except OSError as error:
        raise BadInput(say("tools.unreadable", path=source, error=error.strerror)) from None
    if not text.strip() or "\0" in text:
        raise BadInput(say("tools.no_text", path=source))

    def edits(snapshot: Snapshot) -> Iterator[Edit]:
        why = say("tools.why")
        yield from difference(path, snapshot.text_of(path), text, id=short_id(text), tag=TAG, why=why)
        if path == snapshot.memory_path:
            gone = leaving(snapshot, path, text)
            yield from archived(snapshot, [replaced(path, *run, clock, say("tools.replaced")) for run in gone])

    said = _write(workspace, clock, edits, path, disk=disk)
    folder, name = workspace.lies(path)
    real = folder / name
    if os.path.realpath(source) != os.path.realpath(real):
        (disk or Disk()).remove(source)
    return said


def replaced(path: str, first: int, lines: tuple[str, ...], clock: Clock, why: str) -> Archived:
    """The block for lines that stood here and gave way to others."""
    return Archived(short_id("\n".join(lines)), _stamp(clock), REPLACED, lines, f"{path}:{first + 1}", why)


def leaving(snapshot: Snapshot, path: str, text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
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


def layout_path(workspace: Workspace, target: str) -> str:
    """A path somebody typed, as the layout calls it; what lies outside workspace and vault is refused."""
    given = Path(target).expanduser()
    real = Path(os.path.realpath(given.parent if given.is_absolute() else workspace.folder / given.parent)) / given.name
    home = ((workspace.home, TOPICS),) if workspace.home is not None else ()
    for base, prefix in (*home, (workspace.vault, VAULT), (workspace.root, "")):
        try:
            inner = real.relative_to(Path(os.path.realpath(base))).as_posix()
            return inner if prefix == TOPICS and place_of(inner).kind is Kind.MEMORY else prefix + inner
        except ValueError:
            continue
    raise RefusedFile(say("tools.outside", path=target))


def archived(snapshot: Snapshot, entries: Sequence[Archived]) -> Iterator[Edit]:
    """Blocks at the end of the ledger, and the index that follows it."""
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
    return Edit(its_id, LEDGER, at, old, new, TAG, say("tools.why"))


def _listed(snapshot: Snapshot, path: str, items: Sequence[object]) -> tuple[Edit, ...]:
    return difference(path, snapshot.text_of(path), array_text(items), id="index", tag=TAG, why=say("tools.why"))


def _stamp(clock: Clock) -> str:
    return f"{clock.now():%Y-%m-%d %H:%M}"


def _id(text: str) -> str:
    if not _ID.fullmatch(text.strip()):
        raise BadInput(say("tools.no_id", text=text))
    return text.strip()


def _look(workspace: Workspace, *more: str) -> Snapshot:
    """Only the few files that a step is about: a script calls often."""
    found, _, refused = read_changes(workspace, {}, only=tuple(dict.fromkeys((*_OURS, *more))))
    return Snapshot(workspace, {path: one.file for path, one in found.items()}, refused)


def _write(
    workspace: Workspace,
    clock: Clock,
    edits: Callable[[Snapshot], Iterable[Edit]],
    *paths: str,
    disk: Disk | None = None,
) -> str:
    def look(_workspace: Workspace, _known: Snapshot | None) -> Snapshot:
        return _look(workspace, *paths)

    def decide(snapshot: Snapshot) -> tuple[str, Plan]:
        return "ok", plan_of(snapshot, Intent.TOOLS, list(edits(snapshot)), clock.now())

    return transact(workspace, clock, "tools", decide, disk=disk, read=look).told
