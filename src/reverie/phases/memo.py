"""A memory as it stands in its own file: name, description, what it says, why, and how to apply it.

Only the owner's words. A reason is one that the entry gives; where it gives none, nothing is said.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from reverie.lines import count_units
from reverie.model import Entry, Source
from reverie.phases.classify import Sorted
from reverie.phases.compose import plain_line
from reverie.phases.sorting_words import BECAUSE, HOW_KEYS, WHY_KEYS, key_of
from reverie.phases.units import Unit

LONGEST_NAME = 60
LONGEST = 150  # characters of a description, and of a line of the index
# A stop after a short word may belong to it ("no. 3", "Dr. …"), and a colon between digits is a time.
_CLAUSE = re.compile(
    r"(?<=[\w)）])\s*[,，;；。！？!?(（]\s*|[—–](?!\d)\s*|\s*[:：](?!\d)\s*|(?<=\w{4})[.](?:\s+|$)|\s+[-–—]\s+"
)
_LEAD = re.compile(
    r"^[\W_]*(?:(?:[A-Z]{4,}|铁律|重要|注意)\s*[:：]\s*|\(?\d{4}-\d{2}(?:-\d{2})?\)?\s*[:：]?\s+)?[📌⚠️❗🔒🚨\s]*"
)
_BOLD = re.compile(r"\*\*(?P<name>[^*\n]{2,60})\*\*")


@dataclass(frozen=True, slots=True)
class Memo:
    """What a classified file says; each line a quotation."""

    kind: str
    name: str
    description: str
    facts: tuple[str, ...]
    why: tuple[str, ...] = ()
    how: tuple[str, ...] = ()
    source: Source = Source("", 1, 1)


def memo_of(sorted_: Sorted) -> Memo:
    """The memory without its tasks and states, which live elsewhere."""
    unit = sorted_.unit
    parts = sorted_.kept
    why = [key_of(part.text)[1] for part in parts if key_of(part.text)[0] in WHY_KEYS]
    how = [key_of(part.text)[1] for part in parts if key_of(part.text)[0] in HOW_KEYS]
    if (found := BECAUSE.search(unit.plain)) and not why:
        why = [unit.plain[found.start() :].lstrip(" ,，;；(（").rstrip(")） ")]
    told = [part for part in parts if key_of(part.text)[0] not in (*WHY_KEYS, *HOW_KEYS)]
    facts = list(unit.lines) if unit.is_table else [f"- {unit.text}", *(f"  - {_said(part)}" for part in told)]
    name = name_of(unit)
    return Memo(sorted_.kind, name, described(unit, name), tuple(facts), tuple(why), tuple(how), unit.source)


def _said(part: Entry) -> str:
    return " ".join(part.text.split())


def name_of(unit: Unit) -> str:
    """What the owner calls it: its key, its bold beginning, else its first clause; of a table, its heading."""
    if unit.is_table:
        return plain_line(unit.entry.headings[-1]) if unit.entry.headings else "Table"
    bold = _BOLD.match(unit.text)
    named = unit.entry.block.key or (bold["name"] if bold else "")
    if named.rstrip(":： "):
        return plain_line(named).rstrip(":： ")
    text = _LEAD.sub("", unit.plain, count=1).strip()
    first = next((part for part in _CLAUSE.split(text) if count_units(part) >= 4), text)
    return cut(first, LONGEST_NAME).rstrip(".。 ")


def described(unit: Unit, name: str) -> str:
    """One line by which to judge whether the file matters: the statement itself, without its name before a colon."""
    text = (
        unit.plain
        if not unit.is_table
        else ", ".join(filter(None, (cell.strip() for cell in unit.lines[0].split("|"))))
    )
    if text.casefold().startswith(name.casefold()):
        rest = text[len(name) :].lstrip(" :：-–—")
        text = rest if len(rest) > 3 and unit.entry.block.key else text
    return cut(_LEAD.sub("", text, count=1).strip() or text, LONGEST)


def cut(text: str, limit: int) -> str:
    """At most so many characters, ended where a clause or at least a word ends."""
    text = " ".join(text.split())
    if count_units(text) <= limit:
        return text
    ends = [found.start() for found in _CLAUSE.finditer(text) if limit // 3 < found.start() < limit]
    if ends:
        return text[: ends[-1]]
    short = text[: limit - 1]
    while count_units(short) > limit - 1:
        short = short[:-1]
    at_word = short.rpartition(" ")[0]
    return (at_word if len(at_word) > limit // 2 else short).rstrip(" ,，;；、") + "…"


def slug_of(name: str) -> str:
    """A name for a file, in the owner's script: Latin letters without accents, words joined by hyphens."""
    folded = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(char for char in folded if not "\u0300" <= char <= "\u036f")
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", letters))
    slug = ""
    for word in words:
        if slug and len(f"{slug}-{word}") > 40:
            break
        slug = f"{slug}-{word}" if slug else word[:40]
    return slug or "memory"
