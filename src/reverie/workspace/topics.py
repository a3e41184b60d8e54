"""Topic files: parts of memory in files of their own, told of by a line each in MEMORY.md (Claude Code, seed 003)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from reverie.text.lines import clipped, strip_eol
from reverie.text.markdown import blocks
from reverie.text.regions import Region
from reverie.workspace.layout import MEMORY, FileKind
from reverie.workspace.snapshot import File, Snapshot, Statement

_LINK = re.compile(r"\s*(?:[-*+•]|\d{1,9}[.)])\s+\[([^\[\]\n]{1,200})\]\(<?([^()<>\s]{1,200})>?\)")
_INDEX_LINE = 149  # characters: seed 003 wants fewer than 150
_NEW = re.compile(r"new(?: topic)?\s{0,3}[:：]\s{0,3}", re.I)


def is_new_topic(snapshot: Snapshot, under: Sequence[str]) -> bool:
    """Whether a line asks for a topic file of its own."""
    return bool(under) and _NEW.match(under[0]) is not None and (not snapshot.layout.topics or bool(snapshot.topics))


def topic_title(under: Sequence[str]) -> str:
    return _NEW.sub("", under[0]).strip()


def new_topic(title: str, kind: str, text: str, ending: str) -> list[str]:
    """A topic file with one line, in Claude Code's and seed 003's form."""
    front = [
        "---",
        f"name: {_scalar(title)}",
        f"description: {_scalar(clipped(text, 140))}",
        f"type: {kind}",
        "---",
        "",
    ]
    return [f"{line}{ending}" for line in [*front, f"- {text}"]]


def index_line(title: str, path: str, description: str, ending: str) -> str:
    """The line of MEMORY.md that tells of a topic file."""
    name = title.replace("[", "(").replace("]", ")")
    return clipped(f"- [{name}]({path}) — {' '.join(description.split())}", _INDEX_LINE) + ending


def linked_topic(snapshot: Snapshot, statement: Statement) -> str:
    """The topic file that a line of MEMORY.md tells of; empty for every other line."""
    link = _LINK.match(statement.raw) if statement.path == MEMORY else None
    path = link[2].removeprefix("./") if link else ""
    return path if path and snapshot.layout.kind(path) is FileKind.TOPIC else ""


def front_matter(file: File) -> dict[str, str]:
    """The simple keys of a topic's front matter."""
    found: dict[str, str] = {}
    first = next(iter(blocks(file.lines)), None)
    if first and first.region is Region.FRONT_MATTER:
        for line in file.lines[first.start + 1 : first.end - 1]:
            name, colon, value = strip_eol(line).strip().partition(":")
            if colon:
                found[name.strip()] = value.strip().strip("\"'")
    return found


def slug(title: str, taken: Sequence[str]) -> str:
    """A file name of a title, in its own script: up to five words."""
    plain = unicodedata.normalize("NFC", title).casefold()
    words = re.findall(r"[^\W_]+", plain)[:5] or ["topic"]
    name = "_".join(words)[:40]
    numbered = (f"{name}_{number}" for number in range(2, 1000))
    return name if name not in taken else next(other for other in numbered if other not in taken)


def _scalar(text: str) -> str:
    """A value of YAML that every reader takes for this text."""
    words = " ".join(text.split())
    if re.fullmatch(r"[^\W\d_][^:#\[\]{}&*!|>'\"%@`\n]*", words):
        return words
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
