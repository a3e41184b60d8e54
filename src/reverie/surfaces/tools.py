"""`dream-tools`: seed 000's script. One flag a call, its answer on a line; characters are counted, not bytes."""

import os
import re
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import NoReturn

from reverie.archive.ledger import Entry, entry_of, event_of, read_ledger, short_hash
from reverie.archive.records import Record, as_json, read_records, reemerged, summary
from reverie.errors import NotFound, ReverieError
from reverie.features.idle import busy
from reverie.features.index import content_of, is_indexed
from reverie.features.start import init
from reverie.operations import Op, Operation
from reverie.plan.plan import Plan
from reverie.plan.splices import difference
from reverie.privacy.secrets import holds_secret
from reverie.store.disk import Disk, bytes_of
from reverie.store.journal import commit, opened, writing
from reverie.store.views import active_days, record_active_day
from reverie.surfaces.cli import guarded, print_status
from reverie.surfaces.show import safe
from reverie.text.clock import moment
from reverie.text.lines import utf16_len
from reverie.text.terms import folded
from reverie.workspace.files import read_bytes
from reverie.workspace.layout import CONTENT, LEDGER, MEMORY, REMOVED, Layout, open_workspace
from reverie.workspace.read import read
from reverie.workspace.snapshot import Statement


def main(words: Sequence[str] | None = None) -> NoReturn:
    flag, *arguments = list(sys.argv[1:] if words is None else words) or ["--help"]
    names = TOOLS[flag][0].split() if flag in TOOLS else ["-"]
    if not len(names) - ("[NOTE]" in names) <= len(arguments) <= len(names) or flag not in TOOLS:
        sys.stderr.write("".join(f"dream-tools {name} {after}\n" for name, (after, _) in TOOLS.items()))
        raise SystemExit(2)
    raise SystemExit(guarded(lambda: _run(flag, arguments), Namespace(as_json=False)))


def _run(flag: str, arguments: list[str]) -> None:
    layout, now = open_workspace(), moment()
    if answer := TOOLS[flag][1](layout, now, *arguments) or "ok" * (flag not in _SILENT):
        print(safe(str(answer)))


def _check_size(layout: Layout, _now: datetime) -> str:
    snapshot = read(layout)
    size, limits = utf16_len("".join(snapshot.file(MEMORY).lines)), snapshot.settings.memory
    word = "critical" if size > limits.limit else "warn" if size > limits.note_limit else "ok"
    return f"{size} {limits.note_limit} {limits.limit} {word}"


def _atomic_write(layout: Layout, now: datetime, target: str, temporary: str) -> None:
    """The whole of a file becomes memory, or nothing changes; then that file is gone. What memory loses is archived."""
    path, disk = os.path.relpath(os.path.realpath(layout.root / target), layout.root), Disk()
    path, text = MEMORY if path == layout.memory_name else path, read_bytes(temporary).decode("utf-8", "replace")
    with opened(layout, "tools", disk):
        snapshot = read(layout)
        lines, limit = snapshot.file(path).lines, snapshot.settings.memory.limit
        if not text.strip() or "\ufffd" in text or "\0" in text or utf16_len(text) > limit:
            raise ReverieError(f"{temporary} is empty, no text, or over {limit:,} characters; nothing was written.")
        lost = Counter(map(str.strip, lines)) - Counter(map(str.strip, text.split("\n")))
        if any(map(holds_secret, lost)):
            raise ReverieError(f"{path} would lose a line that may hold a secret; nothing was written.")
        pages = [entry_of(line, "replaced", path, "written anew", now) for line in lost.elements() if line]
        wish = Operation(Op.ADD, "written anew by dream-tools", under=(path, short_hash(text)), judge="owner")
        splices = difference(path, lines, text, wish.id)
        commit(Plan(snapshot, tuple(splices), tuple(pages), done=(wish,) if splices else ()), now, "tools", disk)
    disk.remove(layout.root / temporary)


def _ledger_append(layout: Layout, now: datetime, entry_id: str, category: str, content: str, note: str = "") -> None:
    is_plain = re.fullmatch(r"[\w.-]{1,64}", entry_id) and "".join((category, content, note)).isprintable()
    if not is_plain or not content.strip() or holds_secret(content):
        raise ReverieError("Nothing was archived: give an id, and single lines without secrets.")
    entry = Entry(entry_id, f"{now:%Y-%m-%d %H:%M}", category.strip("[] "), content, note=note or "First archived")
    _archive(layout, now, entry)


def _ledger_search(layout: Layout, _now: datetime, keyword: str) -> str:
    entries = read_ledger((bytes_of(layout.real(LEDGER)) or b"").decode("utf-8", "replace"))
    said = {entry: folded(" ".join((entry.id, entry.category, entry.content, entry.note))) for entry in entries}
    wanted = [entry for entry, words in said.items() if all(word in words for word in folded(keyword).split())]
    return "\n".join(f"[{e.id}] {e.archived[:10]} [{e.category}] {' '.join(e.content.split())}" for e in wanted)


def _dedup_index(layout: Layout, now: datetime, what: str) -> str:
    lines, content = read(layout).file(f"{CONTENT}/_index.md").lines, content_of(what, now.date())
    is_hash = re.fullmatch("[0-9a-f]{8}", what) and f"index:{what} " in "".join(lines)
    return "exists" if is_hash or is_indexed(lines, content) else "new"


def _mark_reemergence(layout: Layout, now: datetime, entry_id: str) -> None:
    if not any(record.get("id") == entry_id for record in read_records(layout).index):
        raise NotFound(f"The archive has no record {entry_id}. `dream-tools --ledger-search WORD` finds them.")
    _archive(layout, now, event_of(entry_id, "re-emerged", "said again", now))


def _record_removed(layout: Layout, now: datetime, entry_id: str, words: str, content_hash: str) -> None:
    record: Record = {"id": entry_id, "summary": summary(words), "content_hash": content_hash}
    record |= {"removed_at": f"{now:%Y-%m-%d %H:%M}", "removed_ts": int(now.timestamp()), "reemergence_count": 0}
    with writing(layout, "tools", disk := Disk()):
        others = [other for other in read_records(layout).removed if other.get("id") != entry_id]
        disk.replace(layout.real(REMOVED), as_json([*others, record]))


def _check_reemergence(layout: Layout, _now: datetime, content: str) -> str:
    found = reemerged(read_records(layout), [Statement("", 0, 1, 1, content, content, day=date.max)])
    return f"matched {found[0][0].get('id')} {found[0][0].get('summary')}" if found else "no-match"


def _archive(layout: Layout, now: datetime, entry: Entry) -> None:
    with opened(layout, "tools", disk := Disk()):
        commit(Plan(read(layout), entries=(entry,)), now, "tools", disk)


_SILENT = ("--ledger-search", "--status")  # an empty answer is one
TOOLS: dict[str, tuple[str, Callable[..., object]]] = {
    "--check-idle": ("", lambda layout, now: "busy" if busy(layout, now) else "idle"),
    "--check-size": ("", _check_size),
    "--hash": ("CONTENT", lambda _layout, _now, content: short_hash(content)),
    "--atomic-write": ("TARGET TMPFILE", _atomic_write),
    "--ledger-append": ("ID CATEGORY CONTENT [NOTE]", _ledger_append),
    "--ledger-search": ("KEYWORD", _ledger_search),
    "--dedup-index": ("URL|TITLE|HASH", _dedup_index),
    "--ledger-mark-reemergence": ("ID", _mark_reemergence),
    "--record-removed": ("ID SUMMARY HASH", _record_removed),
    "--check-reemergence": ("CONTENT", _check_reemergence),
    "--active-days-since": ("DAY", lambda layout, _now, since: str(sum(d >= since for d in active_days(layout) or ()))),
    "--record-active-day": ("", lambda layout, now: record_active_day(layout, now.date(), Disk())),
    "--init": ("", lambda layout, now: init(layout.root, now, {}) and None),
    "--status": ("", lambda layout, now: print_status(Namespace(workspace=str(layout.root), time=now, as_json=False))),
}
