"""Erase words from everything that we keep, then read every file again and name what still holds them (`--purge`).

The one exception to "the archive only grows": a block that held the words becomes a stub that says when they went.
Every step rewrites one file whole; a purge that a crash interrupted is simply made again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from reverie.archive.ledger import block_text, event_of, read_blocks
from reverie.store.disk import Disk, bytes_of
from reverie.store.runs import COMMITTED, FINISHED, Run, run_files
from reverie.text.lines import split_lines
from reverie.text.terms import key
from reverie.workspace.layout import BRIEF, LATE, LEDGER, LEDGER_INDEX, NOTES, REMOVED, STATE_FILE, Layout, user_folder

_HISTORIES = (".git", ".hg", ".svn", ".stversions")
_LARGEST = 64_000_000  # bytes of a file that is looked through
_ERASED = "erased"


@dataclass(frozen=True)
class Erased:
    changed: tuple[str, ...]  # our files that held the words
    still_holding: tuple[str, ...]  # files that are not ours to change
    histories: tuple[str, ...]  # version control keeps what it has seen


def erase(layout: Layout, texts: Sequence[str], run: Run | None, now: datetime, disk: Disk) -> Erased:
    """Take these texts out of the archive, the records, the logs and the caches."""
    words = [key(text) for text in texts if key(text)]
    changed: list[str] = []
    for path in _ours(layout):
        data = bytes_of(path)
        if data is None or len(data) > _LARGEST:
            continue
        after = _without(path, data, words, layout, now)
        if after != data:
            disk.replace(path, after)
            changed.append(path.name)
    for path in _dropped(layout):
        if path.is_file():
            disk.remove(path)
    if run:
        _empty_record(layout, run, disk)
    return Erased(tuple(dict.fromkeys(changed)), tuple(_still_holding(layout, words)), tuple(_histories(layout)))


def _ours(layout: Layout) -> Iterator[Path]:
    """The files whose text we wrote."""
    yield from (layout.real(path) for path in (LEDGER, LEDGER_INDEX, REMOVED))
    yield from (path for ending in (FINISHED, COMMITTED) for path in run_files(layout, ending))
    yield from sorted((layout.vault / "meta").glob("review-*.md"))
    yield from sorted((layout.root / NOTES).glob("dream-log-*.md"))


def _dropped(layout: Layout) -> Iterator[Path]:
    """What is made again from the rest, and what a run displaced."""
    yield from (layout.real(STATE_FILE), layout.real(BRIEF))
    late = layout.real(LATE)
    yield from late.iterdir() if late.is_dir() else ()
    cache = user_folder("XDG_CACHE_HOME", ".cache")
    yield from cache.glob(f"{layout.root.name}-*") if cache.is_dir() else ()


def _without(path: Path, data: bytes, words: Sequence[str], layout: Layout, now: datetime) -> bytes:
    """The bytes of a file without what holds the words; the same bytes where nothing does."""
    text = data.decode("utf-8", "surrogateescape")
    if path == layout.real(LEDGER):
        return _ledger(text, words, now).encode("utf-8", "surrogateescape")
    if path.suffix in {FINISHED, COMMITTED}:
        try:
            value = msgspec.json.decode(data)
        except msgspec.DecodeError:
            return data
        left = _pruned(value, words, is_run=path.parent.name == "runs")
        if left == value:
            return data
        return _as_json(left)
    lines = split_lines(text)
    kept = [line for line in lines if not _holds(line, words)]
    return "".join(kept).encode("utf-8", "surrogateescape") if len(kept) < len(lines) else data


def _ledger(text: str, words: Sequence[str], now: datetime) -> str:
    """The ledger with a stub in the place of every block that held the words."""
    lines = split_lines(text)
    blocks = list(read_blocks(text))
    ends = [*(block.at for block in blocks[1:]), len(lines)]
    result = lines[: blocks[0].at] if blocks else lines
    for block, end in zip(blocks, ends, strict=True):
        if _holds(f"{block.content}\n{block.note}", words):
            stub = event_of(block.id, _ERASED, "erased at its owner's word", now)
            result += split_lines(block_text([stub], "\r\n" if lines[block.at].endswith("\r\n") else "\n"))
        else:
            result += lines[block.at : end]
    return "".join(result)


def _pruned(value: Any, words: Sequence[str], *, is_run: bool) -> Any:
    """A list of records without those that hold the words; a run without the decisions that do."""
    if isinstance(value, list):
        return [item for item in value if not _holds(_all_text(item), words)]
    if not is_run or not isinstance(value, dict) or not _holds(_all_text(value), words):
        return value
    left = dict(value)
    for name in ("operations", "waiting", "refused", "splices", "declined"):
        if name in left:
            left[name] = [item for item in left[name] if not _holds(_all_text(item), words)]
    if _holds(_all_text(left.get("archive")), words):
        left.pop("archive")
    return left


def _empty_record(layout: Layout, run: Run, disk: Disk) -> None:
    """The purge's own record says that it happened, and nothing of what it took."""
    path = next((path for path in run_files(layout) if path.name.startswith(f"{run.id}-")), None)
    if path is None:
        return
    record = Run(run.id, run.at, "purge", read=run.read, tombstones=run.tombstones)
    disk.replace(path.with_name(f"{record.name}{FINISHED}"), _as_json(msgspec.to_builtins(record)))
    disk.remove(path)


def _as_json(value: Any) -> bytes:
    if isinstance(value, list):
        lines = ",\n".join("  " + msgspec.json.encode(record).decode() for record in value)
        return f"[\n{lines}\n]\n".encode() if lines else b"[]\n"
    return msgspec.json.format(msgspec.json.encode(value), indent=1)


def _all_text(value: Any) -> str:
    """Every string inside a value, a line each."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(_all_text(item) for item in value.values())
    return "\n".join(_all_text(item) for item in value) if isinstance(value, list | tuple) else ""


def _holds(text: str, words: Sequence[str]) -> bool:
    """Whether a text says one of these, whole words in their order."""
    said = f" {key(text)} "
    return any(f" {wanted} " in said for wanted in words)


def _still_holding(layout: Layout, words: Sequence[str]) -> Iterator[str]:
    """Every file below the workspace, the vault and our state that still says it."""
    for top in dict.fromkeys((layout.root, layout.vault, layout.state)):
        for here, below, names in os.walk(top):
            below[:] = [name for name in below if name not in _HISTORIES]
            for name in names:
                path = Path(here, name)
                if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST:
                    continue
                text = (bytes_of(path) or b"").decode("utf-8", "replace")
                if any(_holds(line, words) for line in split_lines(text)):
                    yield str(path.relative_to(top) if path.is_relative_to(top) else path)


def _histories(layout: Layout) -> Iterator[str]:
    for folder in (layout.root, *layout.root.parents):
        yield from (str(folder / name) for name in _HISTORIES if (folder / name).exists())
