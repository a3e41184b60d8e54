"""What is derived from the ledger and the night: the index, the `## Dream` section, logs and cursors.

Derived things may be deleted at any time; the next night writes them again. Cursors move only when there was
something new to read, so that a second dream over the same material changes nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Any

from reverie.core.layout import (
    ACTIVE_DAYS,
    CONTENT_INDEX,
    DREAM_STATE,
    JUDGED,
    LAST_DREAM,
    LAST_REVIEW,
    LEDGER,
    LEDGER_INDEX,
    OWN_OUTPUT,
    REMOVED,
    REVIEWED,
    TOMBSTONES,
    Kind,
    holds_memory,
    place_of,
    review_log,
)
from reverie.judge.forgotten import from_records
from reverie.lang.messages import say
from reverie.plan.ledger import Archived, array_text, indexed, read_array, read_ledger, summary
from reverie.plan.splices import VIEW, difference, spliced
from reverie.text.lines import appended, count_units, ending_of, split_lines
from reverie.text.markdown import Document, Shape
from reverie.text.sections import DREAM_LINES, dream_section, own_lines
from reverie.workspace.named_paths import STANDING, standing
from reverie.workspace.news import judged_text
from reverie.workspace.values import Edit, Plan, Snapshot, Source, hash_text, to_bytes


def night_edits(
    snapshot: Snapshot,
    archived: Sequence[Archived],
    edits: Sequence[Edit],
    now: datetime,
    ignored: int = 0,
    told: Sequence[Edit] = (),
) -> list[Edit]:
    """Everything a night writes besides its decisions; nothing when there is nothing new."""
    before = snapshot.text_of(snapshot.memory_path)
    section = _dream_edits(snapshot, archived) if archived else []
    after = spliced(before, [edit for edit in (*edits, *section, *told) if edit.path == snapshot.memory_path])
    records = _records(snapshot, archived)
    seen = _reviewed(snapshot, after, len(records), now, (*edits, *told))
    known = _material(snapshot.text_of(REVIEWED)) == seen["material"]
    if not archived and not edits and not told and known:
        return []
    reviewed = json.dumps(seen, indent=2, sort_keys=True, ensure_ascii=True) + "\n"
    counts = Counter(_done(edit) for edit in edits if edit.tag != "init")
    counts["Ignored"] = ignored
    return [
        *section,
        *_index_edits(snapshot, archived, records, now),
        *_log_edits(snapshot, count_units(before), count_units(after), counts, now),
        *_cursor(
            snapshot,
            ACTIVE_DAYS,
            array_text(sorted({*read_array(snapshot.text_of(ACTIVE_DAYS), ACTIVE_DAYS, str), f"{now:%Y-%m-%d}"})),
        ),
        *night_moments(snapshot, now),
        *_cursor(snapshot, DREAM_STATE, snapshot.text_of(DREAM_STATE) or "active\n"),
        *_cursor(snapshot, REVIEWED, reviewed),
        *_cursor(snapshot, JUDGED, judged_text(snapshot)),
    ]


def dated(snapshot: Snapshot, plan: Plan, now: datetime) -> Plan:
    """A plan that waited for its owner, with the moment of their yes as the moment of the night."""
    at, told = (LAST_REVIEW, LAST_DREAM), {edit.path: edit for edit in night_moments(snapshot, now)}
    edits = (told.get(edit.path) if edit.path in at else edit for edit in plan.edits)
    return replace(plan, edits=tuple(edit for edit in edits if edit is not None))


def night_moments(snapshot: Snapshot, now: datetime) -> tuple[Edit, ...]:
    """When the last night was, for people and for programs."""
    return (
        *_cursor(snapshot, LAST_REVIEW, f"{now:%Y-%m-%d %H:%M}\n"),
        *_cursor(snapshot, LAST_DREAM, now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") + "\n"),
    )


def archive_edits(snapshot: Snapshot, archived: Sequence[Archived], now: datetime) -> list[Edit]:
    """What follows from new blocks of the ledger: the index, the list of what left, the `## Dream` section."""
    if not archived:
        return []
    records = _records(snapshot, archived)
    return [*_dream_edits(snapshot, archived), *_index_edits(snapshot, archived, records, now)]


def _records(snapshot: Snapshot, archived: Sequence[Archived]) -> list[Any]:
    """The index of the ledger with these blocks in; an index that was lost is made again."""
    records = read_array(snapshot.text_of(LEDGER_INDEX), LEDGER_INDEX, dict)
    before_now = () if records else read_ledger(snapshot.text_of(LEDGER))
    for entry in (*before_now, *archived):
        records = indexed(records, entry)
    return records


def _cursor(snapshot: Snapshot, path: str, text: str) -> tuple[Edit, ...]:
    return difference(path, snapshot.text_of(path), text, id="cursor", tag=VIEW, why=say("log.cursor"))


def _index_edits(
    snapshot: Snapshot, archived: Sequence[Archived], records: Sequence[Any], now: datetime
) -> list[Edit]:  # fmt: skip
    if not archived:
        return []
    removed = {str(item.get("id")): item for item in read_array(snapshot.text_of(REMOVED), REMOVED, dict)}
    for entry in archived:
        if entry.category == "duplicate":
            continue  # its twin is still in MEMORY.md: it cannot re-emerge
        text = "\n".join(entry.content)
        removed[entry.id] = {
            "id": entry.id, "summary": summary(entry.content[0]), "content_hash": sha256(to_bytes(text)).hexdigest(),
            "removed_at": entry.archived, "removed_ts": int(now.timestamp()),
            "reemergence_count": removed.get(entry.id, {}).get("reemergence_count", 0), "section": entry.section,
        }  # fmt: skip
    why = say("why.index")
    return [
        *difference(LEDGER_INDEX, snapshot.text_of(LEDGER_INDEX), array_text(records), id="index", tag=VIEW, why=why),
        *difference(
            REMOVED,
            snapshot.text_of(REMOVED),
            array_text(list(removed.values())),
            id="index",
            tag=VIEW,
            why=why,
        ),
    ]


def _log_edits(snapshot: Snapshot, before: int, after: int, counts: Mapping[str, int], now: datetime) -> list[Edit]:
    """Seed 000's review log, one paragraph a night."""
    path = review_log(now.date())
    lines = split_lines(snapshot.text_of(path))
    said = (
        f"### {now:%Y-%m-%d %H:%M}",
        " | ".join(
            f"{what}: {counts.get(what, 0)}" for what in ("Updated", "Added", "Archived", "Re-emerged", "Ignored")
        ),
        f"MEMORY.md chars: {before} → {after}",
        "",
    )
    at, old, new = appended(lines, said)
    return [Edit("log", path, at, old, new, VIEW, say("why.review_log"))]


def _done(edit: Edit) -> str:
    """What the log calls an edit of MEMORY.md."""
    if edit.tag == "re-emerged":
        return "Re-emerged"
    return "Archived" if not edit.new else "Updated" if edit.old and len(edit.new) <= len(edit.old) else "Added"


def _dream_edits(snapshot: Snapshot, archived: Sequence[Archived]) -> list[Edit]:
    """Rewrite our lines in the owner's `## Dream` section; where there is none, none is made."""
    path = snapshot.memory_path
    memory = snapshot.files.get(path)
    section = dream_section(memory.document) if memory else None
    if memory is None or section is None:
        return []
    lines, ours = memory.document.lines, own_lines(memory.document)
    stones = from_records(read_array(snapshot.text_of(TOMBSTONES), TOMBSTONES, dict))
    told = (
        e
        for e in (*read_ledger(snapshot.text_of(LEDGER)), *archived)
        if not any(s.covers(e.content[0]) for s in stones)
    )
    last = list(told)[-DREAM_LINES:]  # what the owner forgot is not told again, though the archive keeps it
    ending = ending_of(lines)
    new = tuple(dream_line(entry) + ending for entry in reversed(last))
    at = ours[0] if ours else _first_free(memory.document, section)
    if at == len(lines) and lines and not lines[-1].endswith(("\n", "\r")):
        at, old, new = appended(lines, (line.rstrip("\r\n") for line in new))
        return [Edit("dream", path, at, old, new, VIEW, say("why.dream_section"), (Source(LEDGER, 1, 1),))]
    run = tuple(i for k, i in enumerate(ours) if i == at + k)  # our lines that stand together
    edits = [
        Edit(
            "dream",
            path,
            at,
            tuple(lines[i] for i in run),
            new,
            VIEW,
            say("why.dream_section"),
            (Source(LEDGER, 1, 1),),
        )
    ]
    edits += [Edit("dream", path, i, (lines[i],), (), VIEW, say("why.dream_section")) for i in ours if i not in run]
    return [edit for edit in edits if edit.old != edit.new]


def dream_line(entry: Archived) -> str:
    return f"- {entry.archived[:10]} [{entry.category}] {summary(entry.content[0])} <!-- dream:{entry.id} -->"


def _first_free(document: Document, section: tuple[int, int]) -> int:
    """Below the heading and the comments that explain it."""
    start, end = section
    for block in document.blocks:
        if block.first >= start and block.end <= end and block.shape is Shape.COMMENT and block.first == start:
            start = block.end
    return start


def _reviewed(
    snapshot: Snapshot, memory_after: str, archive: int, now: datetime, told: Sequence[Edit]
) -> dict[str, Any]:
    """The small state file that `dream status` reads instead of everything else."""
    material = sha256()
    for path in sorted(snapshot.files):
        file = snapshot.files[path]
        its = [edit for edit in told if edit.path == path] if holds_memory(path) else []
        words = hash_text(spliced(file.text, its)) if its else file.written_hash
        if file.place.kind not in OWN_OUTPUT and path != snapshot.memory_path and words:
            material.update(to_bytes(f"{path}\0{words}\n"))
    material.update(hash_text(memory_after).encode())
    recent = now.date() - timedelta(days=2)
    return {
        "version": 1,
        "at": now.isoformat(timespec="seconds"),
        "material": material.hexdigest(),
        "memory": {
            "characters": count_units(memory_after), "bytes": len(to_bytes(memory_after)), "lines": len(split_lines(memory_after)),
        },
        "archive": archive,
        STANDING: standing(snapshot, [entry.text for file in snapshot.memories for entry in file.entries]),
        "index": sum(1 for line in split_lines(snapshot.text_of(CONTENT_INDEX)) if line.startswith("- ")),
        "read": {
            path: len(to_bytes(spliced(snapshot.text_of(path), [edit for edit in told if edit.path == path])))
            for path in sorted({*snapshot.files, *(edit.path for edit in told)})
            if _is_recent(snapshot, path, recent)
        },
    }  # fmt: skip


def _is_recent(snapshot: Snapshot, path: str, since: date) -> bool:
    place = snapshot.files[path].place if path in snapshot.files else place_of(path)
    return place.kind in (Kind.DAILY, Kind.SESSION) and place.day is not None and place.day >= since


def _material(text: str) -> str:
    try:
        return str(json.loads(text).get("material", "")) if text else ""
    except (ValueError, AttributeError, RecursionError):
        return ""  # a damaged cursor only means that we look again
