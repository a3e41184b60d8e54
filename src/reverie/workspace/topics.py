"""Topic files: parts of memory in files of their own, told of by a line each in MEMORY.md (Claude Code, seed 003)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import msgspec

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
    front = f"---\nname: {_scalar(title)}\ndescription: {_scalar(clipped(text, 140))}\ntype: {kind}\n---\n\n- {text}"
    return [f"{line}{ending}" for line in front.split("\n")]


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
    first = next(iter(blocks(file.lines)), None)
    if not first or first.region is not Region.FRONT_MATTER:
        return {}
    pairs = (strip_eol(line).partition(":") for line in file.lines[first.start + 1 : first.end - 1])
    return {name.strip(): value.strip().strip("\"'") for name, colon, value in pairs if colon}


def slug(title: str, taken: Sequence[str]) -> str:
    """A file name of a title, in its own script: up to five words."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", title).casefold())[:5] or ["topic"]
    name = "_".join(words)[:40]
    return next(other for other in (name, *(f"{name}_{number}" for number in range(2, 1000))) if other not in taken)


def _scalar(text: str) -> str:
    """A value of YAML that every reader takes for this text."""
    words = " ".join(text.split())
    is_plain = re.fullmatch(r"[^\W\d_][^:#\[\]{}&*!|>'\"%@`\n]*", words)
    return words if is_plain else msgspec.json.encode(words).decode()
