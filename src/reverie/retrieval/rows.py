"""What the lines of a file say, for the index: without those that may hold a secret."""

from collections.abc import Iterator
from functools import partial

from reverie.archive.ledger import read_ledger
from reverie.errors import Unreadable
from reverie.privacy.secrets import WITHHELD, masked, shows_secret
from reverie.text.markdown import without_bullet
from reverie.workspace.files import LARGEST, read_bytes
from reverie.workspace.layout import FileKind, parse_day
from reverie.workspace.snapshot import File
from reverie.workspace.statements import parse

Row = tuple[int, str, str, str, str]  # line, text, heading, day, origin


def read_file(path: str, kind: FileKind, real: str) -> tuple[tuple[int, int, str], list[Row]]:
    """What a file is known by, and its lines."""
    largest = 16 * LARGEST if kind is FileKind.ARCHIVE else LARGEST  # it grows for years
    file = File(path, kind, real, partial(read_bytes, largest=largest), parse)
    known = _known(file)
    return known, list(_rows(file)) if known[2] else []


def _known(file: File) -> tuple[int, int, str]:
    """Size, time and hash of what was read; a time of 0 may hide a change, and without a hash nothing could be read."""
    try:
        return (*file.stamp, file.sha)
    except (Unreadable, OSError):
        return (-1, 0, "")


def _rows(file: File) -> Iterator[Row]:
    """Line, text, heading, day and origin of what a file says; nothing that holds a secret."""
    text = file.data.decode("utf-8", "replace")
    if file.kind is FileKind.ARCHIVE:
        for entry in read_ledger(text):
            if not any(map(shows_secret, entry.content.split("\n"))):
                said = " ".join(without_bullet(entry.content).split())
                by_note = " by a note" * (entry.category == "ended" and ", " in entry.source)
                yield entry.at + 1, said, f"{entry.id} {entry.category}{by_note}", entry.archived[:10], "owner"
        return
    shown = masked(text).split("\n") if "PRIVATE KEY" in text else []
    for line in file.statements:
        # By its form alone: to measure every line would double what an index costs; `search` measures what it shows.
        if not (shows_secret(line.text, line.context) or WITHHELD in shown[line.start : line.end]):
            day = line.day or (parse_day(line.text) if file.kind is FileKind.CONTENT else None)
            yield line.start + 1, line.text, line.context, str(day or ""), str(line.origin)
