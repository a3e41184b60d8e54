"""One memory shown in other hosts' files: a block within each host's budget, brought up to date after every run.

What stands outside the block is its owner's to the byte; a block that somebody touched is left alone and told.
"""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec

from reverie.errors import NotFound, ReverieError, Unreadable
from reverie.plan.quotations import block_in, with_block, without_block
from reverie.privacy.secrets import holds_mask, holds_secret, private_number
from reverie.store.disk import DISK, Disk, bytes_of
from reverie.text.lines import utf16_len
from reverie.workspace.files import decoded
from reverie.workspace.layout import PROJECTIONS, Layout
from reverie.workspace.origins import Origin
from reverie.workspace.protection import is_protected, is_secret, section_key
from reverie.workspace.read import read
from reverie.workspace.sections import linked_topic
from reverie.workspace.snapshot import Snapshot, Statement

# Characters of the block in each file; the last is Hermes'.
_BUDGETS = {"AGENTS.md": 8_000, "CLAUDE.md": 8_000, "GEMINI.md": 8_000, ".mdc": 4_000, "MEMORY.md": 2_200}
_USUAL = 4_000  # characters of any other file
_NAME = "memory"  # of our block
_CURSOR = "---\ndescription: What the agent should remember\nalwaysApply: true\n---\n\n"
# What corrects comes before what it corrects: a host that cuts keeps it.
_FIRST = {"corrections", "feedback", "rules", "lessons", "lessons learned", "纠正", "反馈", "规则", "经验教训"}


class Projection(msgspec.Struct, frozen=True):
    budget: int  # characters of the block
    sum: str = ""  # SHA-256 of the block as we wrote it


def projections(layout: Layout) -> dict[str, Projection]:
    try:
        return decoded(bytes_of(layout.real(PROJECTIONS)) or b"{}", dict[str, Projection])
    except msgspec.DecodeError as error:
        raise Unreadable(f"{PROJECTIONS} cannot be read ({error}). Mend it or move it away.") from None


def project(layout: Layout, target: str, *, budget: int = 0, disk: Disk = DISK) -> dict[str, str]:
    """Show memory in one more file, from now on after every run; what became of each file, in a word."""
    path = Path(target).expanduser().absolute()
    if path == layout.real("MEMORY.md") or not path.parent.is_dir():
        raise ReverieError(f"{path} cannot hold this memory; name a file of another host in a folder that is there.")
    usual = next((size for name, size in _BUDGETS.items() if path.name.endswith(name)), _USUAL)
    bytes_of(path)  # a link is not followed, and that is said before anything is kept
    known = projections(layout)
    earlier = known.get(str(path), Projection(0))
    _keep(layout, known | {str(path): Projection(budget or usual, earlier.sum)}, disk)
    return refresh(layout, disk)


def unproject(layout: Layout, target: str, disk: Disk = DISK) -> None:
    """Take our block out of a file, and forget the file."""
    known, path = projections(layout), str(Path(target).expanduser().absolute())
    if path not in known:
        raise NotFound(f"Memory is not shown in {path}. `dream project` lists the files that show it.")
    before = (bytes_of(Path(path)) or b"").decode("utf-8", "surrogateescape")
    if block := block_in(before, _NAME):
        if known[path].sum and _sum(block) != known[path].sum:
            raise ReverieError(
                f"Somebody changed our block in {path}. Put it back or take it out by hand, then try again."
            )
        if (left := without_block(before, _NAME)) in ("", _CURSOR):  # it held nothing else
            disk.remove(Path(path))
        else:
            disk.replace(Path(path), left.encode("utf-8", "surrogateescape"))
    _keep(layout, {name: kept for name, kept in known.items() if name != path}, disk)


def refresh(layout: Layout, disk: Disk = DISK) -> dict[str, str]:
    """Bring every file up to date."""
    known, fates = projections(layout), dict[str, str]()
    snapshot = read(layout) if known else None
    for name, kept in known.items() if snapshot else ():
        assert snapshot
        path, fates[name] = Path(name), "unchanged"
        try:
            before = (bytes_of(path) or b"").decode("utf-8", "surrogateescape")
        except Unreadable as error:
            fates[name] = str(error)
            continue
        block = block_in(before, _NAME)
        if block and kept.sum and _sum(block) != kept.sum:
            fates[name] = "somebody changed our block there; put it back or take it out, and it goes on"
            continue
        text = before or _CURSOR * name.endswith(".mdc")
        after = with_block(text, _NAME, list(_lines(snapshot, kept.budget)))
        if after != before:
            disk.replace(path, after.encode("utf-8", "surrogateescape"))
            fates[name] = "written"
        known[name] = Projection(kept.budget, _sum(block_in(after, _NAME)))
    if known:
        _keep(layout, known, disk)
    return fates


def _lines(snapshot: Snapshot, budget: int) -> Iterator[str]:
    """The lines of memory under their headings, as many as fit: what is protected and what corrects before the others."""
    stated = [line for line in snapshot.memory if line.origin is Origin.OWNER and not linked_topic(snapshot, line)]
    shown = [
        line
        for line in stated
        if not (
            is_secret(line)
            or private_number(line.text)
            or holds_mask(line.text)
            or any(map(holds_secret, line.headings))
        )
    ]
    room, kept = budget - 80, set[tuple[str, int]]()
    for line in sorted(shown, key=lambda line: _order(line, snapshot)):
        room -= utf16_len(line.raw) + 4 + sum(map(len, line.headings[-1:]))
        if room < 0:
            break
        kept.add((line.path, line.start))
    above: tuple[str, ...] = ()
    first = [line for line in shown if (line.path, line.start) in kept]
    for line in sorted(first, key=lambda line: not _FIRST.intersection(map(section_key, line.headings))):
        if line.headings[-1:] != above:
            yield f"## {line.headings[-1]}" if line.headings else "## Memory"
        above = line.headings[-1:]
        yield line.raw if line.raw.lstrip().startswith(("-", "*", "|", "+")) else f"- {line.text}"


def _order(line: Statement, snapshot: Snapshot) -> tuple[bool, bool]:
    corrects = bool(_FIRST.intersection(map(section_key, line.headings)))
    return not is_protected(line, snapshot.settings), not corrects


def _keep(layout: Layout, known: dict[str, Projection], disk: Disk) -> None:
    data = msgspec.json.encode(known)
    if bytes_of(layout.real(PROJECTIONS)) != data:
        disk.replace(layout.real(PROJECTIONS), data)


def _sum(block: str) -> str:
    return sha256(os.fsencode(block)).hexdigest()
