"""What the files of Claude Code's memory folder say: front matter, topics, and the lines of the index that lead to them.

`claude_memory.py` says where the folder lies and where the format is written down. Nothing here writes; front matter is nobody's
statement, so no edit ever touches it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from urllib.parse import unquote

from reverie.core.layout import TOPICS, Kind
from reverie.text.lines import BOM, bare, split_lines
from reverie.workspace.values import File, Snapshot, Statement

_LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)>\s]+\.md)>?(?:#[^)]*)?\s*\)")


def about_topic(path: str, text: str, statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """What a topic file states, under the name of its topic."""
    name = topic_name(path, text)
    return tuple(replace(one, headings=(name, *one.headings)) for one in statements)


def topic_name(path: str, text: str) -> str:
    return front_matter(text).get("name") or PurePosixPath(path.removeprefix(TOPICS)).stem


def front_matter(text: str) -> Mapping[str, str]:
    """What the front matter says of each key, one line each, as it is written there; nothing where there is none."""
    lines = [bare(line) for line in split_lines(text.removeprefix(BOM))]
    if not lines or lines[0].rstrip() != "---":
        return {}
    found: dict[str, str] = {}
    for line in lines[1:]:
        if line.rstrip() in ("---", "..."):
            return found
        key, colon, value = line.partition(":")
        if colon and value.strip():
            found.setdefault(key.strip(), " ".join(value.strip().strip("\"'").split()))
    return {}


def leads_to(entry: Statement) -> tuple[str, ...]:
    """The topic files that a line of the index leads to; none for a line that says something itself."""
    inner = (unquote(found).removeprefix("./") for found in _LINK.findall(entry.text) if "://" not in found)
    return tuple(TOPICS + name for name in inner if not name.startswith(("/", "..")))


def pointers(snapshot: Snapshot) -> Iterator[tuple[Statement, str]]:
    """Every line of the index that leads to topic files, with each of them."""
    index = snapshot.files.get(snapshot.memory_path)
    for entry in index.entries if index and snapshot.workspace.home is not None else ():
        yield from ((entry, path) for path in leads_to(entry))


def topic_files(snapshot: Snapshot) -> tuple[File, ...]:
    return tuple(file for file in snapshot.memories if file.place.kind is Kind.MEMORY_TOPIC)
