"""What the files of Claude Code's memory folder say: front matter, topics, and the lines of the index that lead to them.

`claude_memory.py` says where the folder lies and where the format is written down. Nothing here writes; front matter is nobody's
statement, so no edit ever touches it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from urllib.parse import unquote

from reverie.core.layout import TOPICS, Kind
from reverie.text.lines import BOM, bare, split_lines
from reverie.workspace.values import File, Snapshot, Statement

_LINK = re.compile(r"\[(?:\\.|[^\]\\\n])*\]\(\s*<?([^)>\s]+\.md)>?(?:#[^)]*)?\s*\)")
_BLOCK = re.compile(r"[>|][-+\d]*(?:\s+#.*)?$")
_SINGLE = re.compile(r"'((?:[^']|'')*)'(?:\s+#.*)?$")
_DOUBLE = re.compile(r'("(?:[^"\\]|\\.)*")(?:\s+#.*)?$')


def about_topic(path: str, text: str, statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """What a topic file states, under the name of its topic."""
    name = topic_name(path, text)
    return tuple(replace(one, headings=(name, *one.headings)) for one in statements)


def topic_name(path: str, text: str) -> str:
    return front_matter(text).get("name") or PurePosixPath(path.removeprefix(TOPICS)).stem


def front_matter(text: str) -> Mapping[str, str]:
    """What the front matter says of each key, on one line; nothing where there is none.

    YAML as people and programs write it there: plain words, quoted ones, and text that goes on below its key.
    """
    lines = [bare(line) for line in split_lines(text.removeprefix(BOM))]
    if not lines or lines[0].rstrip() != "---":
        return {}
    found: dict[str, str] = {}
    at = 1
    while at < len(lines) and lines[at].rstrip() not in ("---", "..."):
        key, colon, value = lines[at].partition(":")
        told, at = ["" if value.strip().startswith("#") else value.strip()], at + 1
        while colon and told[0] and at < len(lines) and _is_deeper(lines[at], key):
            told.append(lines[at].strip())
            at += 1
        if colon and told[0]:
            found.setdefault(key.strip(), " ".join(_unquoted(" ".join(told[bool(_BLOCK.match(told[0])) :])).split()))
    return found if at < len(lines) else {}


def _is_deeper(line: str, key: str) -> bool:
    """Whether a line belongs to the text of the key above it: it is blank, or indented further."""
    return len(line) - len(line.lstrip()) > len(key) - len(key.lstrip()) or not line.strip()


def _unquoted(value: str) -> str:
    if found := _SINGLE.match(value):
        return found[1].replace("''", "'")
    if found := _DOUBLE.match(value):
        try:
            return str(json.loads(found[1], strict=False))
        except ValueError:  # an escape that only YAML knows
            return re.sub(r"\\(.)", r"\1", found[1][1:-1])
    return value


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
