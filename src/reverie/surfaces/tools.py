"""`dream-tools`: seed 000's script. One flag a call, its answer on a line; characters are counted, not bytes."""

import os
import re
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from typing import NoReturn

from reverie.archive.ledger import Entry, entry_of, event_of, read_ledger, short_hash
from reverie.archive.records import as_json, read_records, reemerged, summary
from reverie.errors import NotFound, ReverieError
from reverie.features.idle import busy
from reverie.features.index import content_of, is_indexed
from reverie.features.start import init
from reverie.operations import Op, Operation
from reverie.plan.plan import Plan
from reverie.plan.splices import difference
from reverie.privacy.secrets import holds_secret
from reverie.store.disk import Disk, bytes_of
from reverie.store.journal import commit, writing
from reverie.store.views import active_days, record_active_day, settle
from reverie.surfaces.cli import guarded, moment, print_status
from reverie.surfaces.show import safe
from reverie.text.lines import utf16_len
from reverie.text.terms import folded
from reverie.workspace.files import read_bytes
from reverie.workspace.layout import CONTENT, LEDGER, MEMORY, REMOVED, Layout, open_workspace
from reverie.workspace.read import read
from reverie.workspace.snapshot import Statement

TOOLS = {
    "--check-idle": "", "--check-size": "", "--hash": "CONTENT", "--atomic-write": "TARGET TMPFILE",
    "--ledger-append": "ID CATEGORY CONTENT [NOTE]", "--ledger-search": "KEYWORD", "--dedup-index": "URL|TITLE|HASH",
    "--ledger-mark-reemergence": "ID", "--record-removed": "ID SUMMARY HASH", "--check-reemergence": "CONTENT",
    "--active-days-since": "DAY", "--record-active-day": "", "--init": "", "--status": "",
}  # fmt: skip


def main(words: Sequence[str] | None = None) -> NoReturn:
    flag, *arguments = list(sys.argv[1:] if words is None else words) or ["--help"]
    names = TOOLS.get(flag, "-").split()
    if not len(names) - ("[NOTE]" in names) <= len(arguments) <= len(names) or flag not in TOOLS:
        sys.stderr.write("".join(f"dream-tools {name} {after}\n" for name, after in TOOLS.items()))
        raise SystemExit(2)
    raise SystemExit(guarded(lambda: _run(flag, arguments), Namespace(as_json=False)))


def _run(flag: str, arguments: list[str]) -> None:
    now, layout = moment(os.environ.get("REVERIE_NOW", "")), open_workspace()
    if flag == "--status":
        print_status(Namespace(workspace=str(layout.root), time=now, as_json=False))
    elif flag == "--init":
        init(layout.root, now, {})
        print("ok")
    elif answer := globals()[flag[1:].replace("-", "_")](layout, now, *arguments):
        print(safe(answer))


def _check_idle(layout: Layout, now: datetime) -> str:
    return "busy" if busy(layout, now) else "idle"


def _check_size(layout: Layout, _now: datetime) -> str:
    snapshot = read(layout)
    size, limits = utf16_len("".join(snapshot.file(MEMORY).lines)), snapshot.settings.memory
    word = "critical" if size > limits.limit else "warn" if size > limits.note_limit else "ok"
    return f"{size} {limits.note_limit} {limits.limit} {word}"


def _hash(_layout: Layout, _now: datetime, content: str) -> str:
    return short_hash(content)


def _atomic_write(layout: Layout, now: datetime, target: str, temporary: str) -> str:
    """The whole of a file becomes memory, or nothing changes; then that file is gone. What memory loses is archived."""
    path, disk = os.path.relpath(os.path.realpath(layout.root / target), layout.root), Disk()
    path, text = MEMORY if path == layout.memory_name else path, read_bytes(temporary).decode("utf-8", "replace")
    with writing(layout, "tools", disk):
        settle(layout, disk)
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
        settle(layout, disk)
    disk.remove(layout.root / temporary)
    return "ok"


def _ledger_append(layout: Layout, now: datetime, entry_id: str, category: str, content: str, note: str = "") -> str:
    is_bad = not re.fullmatch(r"[\w.-]{1,64}", entry_id) or not content.strip() or holds_secret(content)
    if is_bad or not "".join((category, content, note)).isprintable():
        raise ReverieError(
            "Nothing was archived: give an id, and in single lines a category and words without secrets."
        )
    is_known = any(record.get("id") == entry_id for record in read_records(layout).index)
    note = note or ("Archived again" if is_known else "First archived")
    return _archive(layout, now, Entry(entry_id, f"{now:%Y-%m-%d %H:%M}", category.strip("[] "), content, note=note))


def _ledger_search(layout: Layout, _now: datetime, keyword: str) -> str:
    entries = read_ledger((bytes_of(layout.real(LEDGER)) or b"").decode("utf-8", "replace"))
    said = {entry: folded(" ".join((entry.id, entry.category, entry.content, entry.note))) for entry in entries}
    wanted = [entry for entry, words in said.items() if all(word in words for word in folded(keyword).split())]
    return "\n".join(f"[{e.id}] {e.archived[:10]} [{e.category}] {' '.join(e.content.split())}" for e in wanted)


def _dedup_index(layout: Layout, now: datetime, what: str) -> str:
    lines, is_hash = read(layout).file(f"{CONTENT}/_index.md").lines, re.fullmatch("[0-9a-f]{8}", what)
    there = (
        any(f"index:{what} " in line for line in lines) if is_hash else is_indexed(lines, content_of(what, now.date()))
    )
    return "exists" if there else "new"


def _ledger_mark_reemergence(layout: Layout, now: datetime, entry_id: str) -> str:
    if not any(record.get("id") == entry_id for record in read_records(layout).index):
        raise NotFound(f"The archive has no record {entry_id}. `dream-tools --ledger-search WORD` finds them.")
    return _archive(layout, now, event_of(entry_id, "re-emerged", "said again", now))


def _record_removed(layout: Layout, now: datetime, entry_id: str, words: str, content_hash: str) -> str:
    record = {
        "id": entry_id,
        "summary": summary(words),
        "content_hash": content_hash,
        "removed_at": f"{now:%Y-%m-%d %H:%M}",
    }
    with writing(layout, "tools", disk := Disk()):
        others = [other for other in read_records(layout).removed if other.get("id") != entry_id]
        record_all = [*others, record | {"removed_ts": int(now.timestamp()), "reemergence_count": 0}]
        disk.replace(layout.real(REMOVED), as_json(record_all))
    return "ok"


def _check_reemergence(layout: Layout, _now: datetime, content: str) -> str:
    found = reemerged(read_records(layout), [Statement("", 0, 1, 1, content, content, day=date.max)])
    return f"matched {found[0][0].get('id')} {found[0][0].get('summary')}" if found else "no-match"


def _active_days_since(layout: Layout, _now: datetime, since: str) -> str:
    return str(sum(day >= since for day in active_days(layout) or ()))


def _record_active_day(layout: Layout, now: datetime) -> str:
    with writing(layout, "tools", disk := Disk()):
        record_active_day(layout, now.date(), disk)
    return "ok"


def _archive(layout: Layout, now: datetime, entry: Entry) -> str:
    with writing(layout, "tools", disk := Disk()):
        settle(layout, disk)
        commit(Plan(read(layout), pages=(entry,)), now, "tools", disk)
        settle(layout, disk)
    return "ok"
