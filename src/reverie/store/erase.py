"""Erase words from everything that we keep, then read every file again and name what still holds them (`--purge`).
A block of the archive that held the words becomes a stub that says when they went. A purge that a crash interrupted is
simply made again."""

import os
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from reverie.archive.ledger import block_text, event_of, read_blocks
from reverie.archive.records import as_json
from reverie.store.disk import Disk, bytes_of
from reverie.store.logs import diary_path
from reverie.store.runs import COMMITTED, FINISHED, Run, run_files
from reverie.text.lines import line_ending, split_lines
from reverie.text.terms import plain
from reverie.workspace import layout as known
from reverie.workspace.files import decoded
from reverie.workspace.layout import LEDGER, LEDGER_INDEX, NOTES, REMOVED, RUNS, STATE_FILE, Layout

_HISTORIES = (".git", ".hg", ".svn", ".stversions")
_LARGEST = 64_000_000  # bytes of a foreign file that is looked through
_VIEW = b"<!-- Written by `dream palace`"
_CLIPPED = 110  # characters of a wish that every log shows
_WIDE = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"  # scripts without spaces: each sign counts as a word
_WORD = re.compile(rf"[{_WIDE}]|[^\W_{_WIDE}]+")


@dataclass(frozen=True)
class Erased:
    changed: tuple[str, ...]  # our files that held the words
    still_holding: tuple[str, ...]  # files that are not ours to change
    histories: tuple[str, ...]  # version control keeps what it has seen


def erase(layout: Layout, texts: Collection[str], run: Run | None, now: datetime, disk: Disk) -> Erased:
    """Take these texts out of the archive, the records, the logs and the caches."""
    words, ids, changed = _wanted(texts), archived_ids(layout, texts), list[str]()
    begun = words | _wanted(text[:_CLIPPED].rpartition(" ")[0] for text in texts if len(text) > _CLIPPED)
    for path in _ours(layout):
        data = bytes_of(path) or b""
        lines = split_lines(data.decode("utf-8", "surrogateescape"))
        if path == layout.real(LEDGER):
            after = _with_stubs(lines, ids, words, now)
        elif path.suffix in {FINISHED, COMMITTED}:
            after = _record(data, words, ids)
        else:
            after = "".join(line for line in lines if not _holds(line, begun)).encode("utf-8", "surrogateescape")
        if after != data:
            disk.replace(path, after)
            changed.append(path.name)
    caches = (layout.cache, *layout.answers.glob("*"))
    for path in (layout.real(STATE_FILE), layout.real(known.BRIEF), *layout.real(known.LATE).glob("*"), *caches):
        if path.is_file():  # made again from the rest, or displaced by a run
            disk.remove(path)
    if run and (path := layout.real(f"{RUNS}/{run.name}{FINISHED}")).exists():
        record = Run(run.id, run.at, "purge", read=run.read, tombstones=run.tombstones)
        disk.replace(path.with_name(f"{record.name}{FINISHED}"), msgspec.json.encode(record))
        disk.remove(path)  # the new one says that it happened, and nothing of what it took
    histories = (str(top / name) for top in (layout.root, *layout.root.parents) for name in _HISTORIES)
    remembering = tuple(filter(os.path.exists, histories))
    return Erased(tuple(dict.fromkeys(changed)), tuple(_still_holding(layout, words)), remembering)


def _ours(layout: Layout) -> list[Path]:
    """The files of ours that hold words: records, logs, diaries, what conversations said, views, archive."""
    ours = [path for ending in (FINISHED, COMMITTED) for path in run_files(layout, ending)]
    ours += [*(layout.vault / "meta").glob("review-*.md"), *(layout.root / NOTES).glob("dream-log-*.md")]
    ours += [diary_path(layout), *(layout.root / NOTES / "dreaming").glob("diary-*.md")]
    views = filter(_is_plain, (layout.root / NOTES / "palace").glob("*.md"))
    ours += [*layout.real(known.CORPUS).glob("*.txt"), *(path for path in views if _VIEW in path.read_bytes())]
    # The ledger last: by its blocks a purge that was interrupted finds the shortened words in the lists again.
    return [*filter(_is_plain, (*ours, *map(layout.real, (LEDGER_INDEX, REMOVED, LEDGER))))]


def _is_plain(path: Path) -> bool:
    """Whether a file is there and no link: what a link leads to is not ours."""
    return path.is_file() and not path.is_symlink()


def _with_stubs(lines: list[str], ids: Collection[str], words: Collection[str], now: datetime) -> bytes:
    """The ledger with a stub in the place of every block that held the words."""
    blocks = list(read_blocks("".join(lines)))
    ends = [*(block.at for block in blocks[1:]), len(lines)]
    for block, end in reversed(list(zip(blocks, ends, strict=False))):
        if block.id in ids or _holds(f"{block.content}\n{block.note}", words):
            stub = event_of(block.id, "erased", "erased at its owner's word", now)
            lines[block.at : end] = [block_text([stub], line_ending(lines))]
    return "".join(lines).encode("utf-8", "surrogateescape")


def archived_ids(layout: Layout, texts: Collection[str]) -> set[str]:
    """The entries of the archive that say one of these: the lists hold only the beginnings of their words."""
    text, words = (bytes_of(layout.real(LEDGER)) or b"").decode("utf-8", "surrogateescape"), _wanted(texts)
    return {block.id for block in read_blocks(text) if _holds(f"{block.content}\n{block.note}", words)} - {""}


def _record(data: bytes, words: Collection[str], ids: Collection[str]) -> bytes:
    """A list without the entries that hold the words; a run without the decisions that do."""
    try:
        value: Any = decoded(data, object)
    except msgspec.DecodeError:
        return data
    if isinstance(value, list):
        kept = [item for item in value if item.get("id") not in ids and not _holds(_all_text(item), words)]
        return as_json(kept) if kept != value else data
    whole = {name for name in ("archive", "diary") if _holds(_all_text(value.get(name)), words)}
    left = {name: item for name, item in value.items() if name not in whole}
    for name, items in left.items():
        if isinstance(items, list) and name != "changes":
            left[name] = [item for item in items if not _holds(_all_text(item), words)]
    return msgspec.json.encode(left) if left != value else data


def _all_text(value: Any) -> str:
    if isinstance(value, dict | list):
        return "\n".join(map(_all_text, value.values() if isinstance(value, dict) else value))
    return value if isinstance(value, str) else ""


def _wanted(texts: Iterable[str]) -> set[str]:
    """What is looked for: the words as they were written, and as logs show them."""
    return {_said(form) for text in texts for form in (text, plain(text))} - {"  "}


def _said(text: str) -> str:
    """The words of a text in their order, whatever stands between them."""
    return f" {' '.join(_WORD.findall(unicodedata.normalize('NFKC', text).casefold()))} "


def _holds(text: str, words: Collection[str]) -> bool:
    """Whether a text, or one line of it, says one of these."""
    said = [_said(form) for piece in {text, *text.split("\n")} for form in {piece, plain(piece)}]
    return any(word in form for form in said for word in words)


def _still_holding(layout: Layout, words: Collection[str]) -> Iterator[str]:
    """Every file below the workspace, the vault and our state that still says it."""
    for top in dict.fromkeys((layout.root, layout.vault, layout.state)):
        for here, below, names in os.walk(top):
            below[:] = [name for name in below if name not in _HISTORIES]
            for path in (Path(here, name) for name in names):
                if not path.is_symlink() and path.is_file() and path.stat().st_size <= _LARGEST:
                    text = (bytes_of(path) or b"").decode("utf-8", "replace")
                    if any(_holds(line, words) for line in split_lines(text)):
                        yield str(path.relative_to(top))
