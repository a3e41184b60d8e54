"""Memory as it may be shown, and `memory_get`: some lines of a file; what may hold a secret is left out."""

from dataclasses import dataclass

from reverie.errors import NotFound
from reverie.privacy.secrets import WITHHELD, masked
from reverie.text.lines import BYTE_ORDER_MARK
from reverie.workspace.layout import LEDGER, MEMORY, Layout
from reverie.workspace.protection import is_secret
from reverie.workspace.read import read
from reverie.workspace.snapshot import File

MOST_LINES, MOST = 120, 12_000  # characters


@dataclass(frozen=True)
class Excerpt:
    path: str
    first: int
    last: int
    text: str
    next: int  # where to go on; 0: that was all


def shown_memory(layout: Layout) -> dict[str, str]:
    """MEMORY.md and the topic files, by their paths."""
    snapshot = read(layout)
    return {file.path: "\n".join(shown_lines(file)) for file in (snapshot.file(MEMORY), *snapshot.topics)}


def shown_lines(file: File) -> list[str]:
    """The lines of a file without their ends; one that may hold a secret is replaced as a whole."""
    shown = masked("".join(file.lines).removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")).split("\n")
    for line in filter(is_secret, file.statements):  # what stands over it says so
        shown[line.start : line.end] = [WITHHELD] * (line.end - line.start)
    return shown


def excerpt(layout: Layout, path: str, first: int = 1, lines: int = MOST_LINES) -> Excerpt:
    """Lines of memory, a topic, a note, a log or the archive; no other file is shown, wherever a path may lead."""
    snapshot = read(layout)
    if path != LEDGER and path not in snapshot.files:
        raise NotFound(f"{path[:80]!r} is no file of this memory. `memory_search` names those that are.")
    if path == LEDGER:
        real = layout.real(LEDGER)
        shown = masked(real.read_text("utf-8", "replace") if real.is_file() and not real.is_symlink() else "").split(
            "\n"
        )
    else:
        shown = shown_lines(snapshot.files[path])
    kept, room = list[str](), MOST
    for text in shown[max(first, 1) - 1 :][: min(max(lines, 1), MOST_LINES)]:
        room -= len(text) + 1
        if room < 0 and kept:
            break
        kept.append(text[:MOST])
    last = max(first, 1) + len(kept) - 1
    return Excerpt(path, max(first, 1), last, "\n".join(kept), last + 1 if last < len(shown) else 0)
