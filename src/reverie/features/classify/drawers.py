"""A memory that gets a file of its own: what the file says, what becomes of the lines, and how names are made.

Values and words; `phases/` fills them, `plan/` writes them down.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from reverie.plan.quoting import Quote
from reverie.text.lines import count_units
from reverie.text.terms import STOP_WORDS
from reverie.workspace.values import Source

LONGEST_LINK = 149  # characters of a line of the index: seed 003 wants them under 150
# A comma between digits belongs to a number, a stop after a short word may belong to it ("no. 3", "Dr. …"), a colon between
# digits to a time.
CLAUSE = re.compile(
    r"(?<=[\w)）])\s*(?:,(?!\d)|[，;；。！？!?(（])\s*|[—–](?!\d)\s*|\s*[:：](?!\d)\s*|(?<=\w{4})[.](?:\s+|$)|\s+[-–—]\s+"
)


@dataclass(frozen=True, slots=True)
class Memo:
    """What a classified file says; each line a quotation."""

    kind: str
    name: str
    description: str
    facts: tuple[str, ...]
    why: tuple[str, ...] = ()
    how: tuple[str, ...] = ()
    under: str = ""  # the heading it stood under


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model thinks of a memory in doubt: its drawer, and which of its own clauses give the reason and the way to act."""

    kind: str
    why: str = ""
    how: str = ""


@dataclass(frozen=True, slots=True)
class Filing:
    """What becomes of one memory of MEMORY.md: its lines (from zero, end excluded) and where their words go."""

    first: int
    end: int
    source: Source
    why: str
    memo: Memo | None = None
    known: str = ""  # the classified file that says it already, in the same words
    hook: Memo | None = None  # what a link to its file says, new or known
    tasks: tuple[Quote, ...] = ()
    states: tuple[Quote, ...] = ()
    leaves: str = ""  # the word under which the archive keeps it, when MEMORY.md becomes an index; empty: it stays


def cut(text: str, limit: int) -> str:
    """At most so many characters, ended where a clause or at least a word ends."""
    text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if count_units(text) <= limit:
        return text
    ends = [found.start() for found in CLAUSE.finditer(text) if limit // 3 < found.start() < limit]
    if ends:
        return text[: ends[-1]]
    short = text[: limit - 1]
    while count_units(short) > limit - 1:
        short = short[:-1]
    at_word = short.rpartition(" ")[0]
    return (at_word if len(at_word) > limit // 2 else short).rstrip(" ,，;；、") + "…"


def is_clause(part: str, line: str) -> bool:
    """Whether a part of a line is one of its clauses or several in a row, word for word; not half of one, and not all of it."""
    whole = line.rstrip(" .。!！")
    marks = list(CLAUSE.finditer(whole))
    begins, ends = {0, *(mark.end() for mark in marks)}, {len(whole), *(mark.start() for mark in marks)}
    at = whole.find(part) if part else -1
    return at >= 0 and len(part) < len(whole) and at in begins and at + len(part) in ends


def slug_of(name: str) -> str:
    """A name for a file, in the owner's script: Latin letters without accents, words joined by hyphens."""
    folded = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(char for char in folded if not "\u0300" <= char <= "\u036f")
    words: list[str] = []
    for word in re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", letters)):
        if words and len("-".join((*words, word))) > 40:
            break
        words.append(word[:40])
    while len(words) > 1 and words[-1] in STOP_WORDS:  # a name does not end in the middle of a phrase
        words.pop()
    return "-".join(words) or "memory"


def link_line(memo: Memo, path: str, longest: int = LONGEST_LINK) -> str:
    """The line of the index: `- [Title](path) — hook`, under 150 characters whatever the names are."""
    room = longest - count_units(f"- []({path}) — ")
    name = re.sub(r"[\[\]]", "", memo.name)
    rest = memo.description
    if rest.casefold().startswith(name.rstrip("…").casefold()):
        rest = rest[len(name.rstrip("…")) :].lstrip(" :：,，;；.。-–—")
    hook = rest if len(rest) > 3 else memo.under or memo.description
    name = cut(name, max(12, min(60, room - 12)))
    return f"- [{name}]({path}) — {cut(hook, max(8, room - count_units(name)))}"
