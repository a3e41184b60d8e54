"""What of MEMORY.md is one memory: an item with all that hangs on it, a paragraph, a whole table; its name and its labels.

The frame of the file (its title and the words under it, a last-updated line, the `## Dream` section, links of an index) is no
memory. The labels by which owners say what a line is (headings, keys such as `Status:`) stand in `lang/`, table `sorting`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, cached_property

from reverie.judge.compose import plain_line
from reverie.lang import words
from reverie.lang.lexicon import either
from reverie.privacy.names import path_spans
from reverie.text.lines import bare, count_units
from reverie.text.markdown import Block, Shape
from reverie.text.marks import MARK_SIGNS, is_footer
from reverie.text.sections import OURS, is_dream_list
from reverie.text.terms import is_negated, stop_words, terms
from reverie.workspace.values import File, Origin, Source, Statement

USER, FEEDBACK, PROJECT, REFERENCE = "user", "feedback", "project", "reference"
KINDS = (USER, FEEDBACK, PROJECT, REFERENCE)
LINK = re.compile(r"\s*\[[^\]]+\]\((?P<path>memory/(?:user|feedback|project|reference)/[^)]+\.md)\)")
# A comma between digits belongs to a number, a stop after a short word may belong to it ("no. 3", "Dr. …"), a colon between
# digits to a time and one before slashes to an address.
CLAUSE = re.compile(
    r"(?<=[\w)）])\s*(?:,(?!\d)|[，;；。！？!?(（])\s*|[—–](?!\d)\s*|\s*[:：](?!\d|//)\s*|(?<=\w{4})[.](?:\s+|$)|\s+[-–—]\s+"
)
_ALONE = frozenset({Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH, Shape.CODE, Shape.QUOTE})
_FIRST_KIND = (FEEDBACK, USER, PROJECT, REFERENCE)  # "lessons of a project" are lessons
_KEY = re.compile(r"[*_\s]*(?P<key>[^:：*_\n]{1,30}?)[*_]*\s*[:：][*_]*\s*(?P<rest>.+)", re.S)
_PER_CENT = re.compile(r"\d\s?%")
_BOLD = re.compile(r"\*\*(?P<name>[^*\n]{2,60})\*\*")
_ADDRESS = re.compile(r"\w{2,8}://\S+")
_LONGEST_NAME = 60
_LABELS = ("decided", "why", "states", "status")  # keys that say what a line is
_NAME_WORDS, _NAME_WIDE = 4, 8  # of a project's name at most: words, or characters where words are not set apart
_LONGEST_SLUG = 40
_WORD = re.compile(r"(?<!['\u2019])[^\W_]+")  # what follows an apostrophe hangs on the word before it


@dataclass(frozen=True)  # no slots: what is read of it is kept
class MemoryItem:
    """One memory as it stands: its first statement, what hangs on it, and its lines (from zero, end excluded)."""

    statement: Statement
    parts: tuple[Statement, ...]
    first: int
    end: int
    lines: tuple[str, ...]

    @property
    def source(self) -> Source:
        return Source(self.statement.path, self.first + 1, self.end)

    @property
    def is_table(self) -> bool:
        return self.statement.block.shape is Shape.ROW

    @property
    def protected(self) -> bool:
        return any(one.protected for one in (self.statement, *self.parts))

    @cached_property
    def text(self) -> str:
        """The first statement without our mark."""
        return OURS.sub("", self.statement.text).strip()

    @cached_property
    def plain(self) -> str:
        return plain_line(self.text)

    @cached_property
    def whole(self) -> str:
        """Everything it says, on one line."""
        return " ".join([self.plain, *(plain_line(part.text) for part in self.parts)])

    @property
    def under(self) -> str:
        """The heading it stands under."""
        return plain_line(self.statement.headings[-1]) if self.statement.headings else ""


def items_of(file: File | None) -> tuple[MemoryItem, ...]:
    """The memories of MEMORY.md in order."""
    if file is None:
        return ()
    by_line = {one.block.first: one for one in file.entries}
    made = (_item(file, index, block, by_line) for index, block in enumerate(file.document.blocks))
    return tuple(item for item in made if item and not _is_frame(item))


def _item(file: File, index: int, block: Block, by_line: dict[int, Statement]) -> MemoryItem | None:
    if block.shape is Shape.HEADER:
        rows = tuple(one for one in file.entries if one.block.parent == index and one.block.shape is Shape.ROW)
        return _made(file, rows[0], rows[1:], block.first, rows[-1].block.end) if rows else None
    statement = by_line.get(block.first)
    if statement is None or block.shape not in _ALONE or block.parent is not None:
        return None
    parts = tuple(one for one in file.entries if block.first < one.block.first < block.tail)
    return _made(file, statement, parts, block.first, block.tail)


def _made(file: File, statement: Statement, parts: tuple[Statement, ...], first: int, end: int) -> MemoryItem:
    return MemoryItem(statement, parts, first, end, tuple(map(bare, file.document.lines[first:end])))


def _is_frame(item: MemoryItem) -> bool:
    one = item.statement
    titled = one.block.shape is Shape.PARAGRAPH and len(one.headings) < 2
    ours = is_dream_list(one.headings)
    hidden = one.origin in (Origin.DREAM, Origin.RECALLED, Origin.TRANSPORT)
    return (
        not any(map(str.isalpha, item.text))
        or titled
        or ours
        or hidden
        or is_footer(one.text)
        or bool(LINK.match(one.text))
    )


# Labels


def headed(heading: str) -> str:
    """The kind of memory a heading collects, by its words; empty when it names a subject of its own."""
    return next((kind for kind in _FIRST_KIND if _has_word(heading, kind)), "")


def about_the_owner(headings: tuple[str, ...]) -> bool:
    """Whether the innermost heading is about whom the title of the file names: `# Memory of Ada`, `## About Ada`."""
    found = _about().fullmatch(headings[-1].strip()) if len(headings) > 1 else None
    whom = (found["whom"] or found["those"]).strip() if found else ""
    return bool(whom) and whom.casefold() in headings[0].casefold()


def speaks_of_answers(text: str) -> bool:
    """Whether a line is about how answers look."""
    return _has_word(text, "answers")


def key_of(text: str) -> tuple[str, str]:
    """(key, rest) of a line such as `**Status:** active`; an empty key when it has none."""
    found = _KEY.match(text)
    return (found["key"].strip().casefold(), found["rest"].strip()) if found else ("", text)


def is_labelled(text: str, *groups: str) -> bool:
    """Whether the key of a line is a word of one of these groups: `states`, `why`, `open_thoughts`, …"""
    key = key_of(text)[0]
    return bool(key) and any(key in words(f"sorting.{group}") for group in groups)


def is_task(statement: Statement) -> bool:
    """A box that is not ticked, or words that say that it is under way."""
    return statement.block.checked is False or is_labelled(statement.text, "in_progress")


def is_state(statement: Statement) -> bool:
    """A line such as `Status: active` below the thing it speaks of."""
    return statement.block.checked is None and is_labelled(statement.text, "status", "states")


def tells_progress(text: str) -> bool:
    """Whether a line says how far something has come."""
    return bool(_PER_CENT.search(text) or _any_of("waits").search(text))


def reason_in(text: str) -> str:
    """The reason that a sentence gives itself, from its `because` on; empty when it gives none."""
    found = _any_of("because").search(text)
    return text[found.start() :].rstrip(")） ") if found and found.start() else ""


@cache
def _any_of(group: str) -> re.Pattern[str]:
    return re.compile(either(words(f"sorting.{group}")), re.I)


@cache
def _about() -> re.Pattern[str]:
    before, behind = either(words("sorting.about")), either(words("sorting.about_behind"))
    return re.compile(rf"(?:{before})\s*(?P<whom>.+)|(?P<those>.+?)\s?(?:{behind})", re.I)


def _has_word(text: str, group: str) -> bool:
    """Whether a word of the group is a word of the text; in scripts without spaces it is looked for anywhere."""
    spaced = " " + re.sub(r"[^\w']+", " ", text.casefold()).strip() + " "
    return any(
        f" {word} " in spaced or (len(word) > 1 and word in spaced and any("\u3040" <= c <= "\uffff" for c in word))
        for word in words(f"sorting.{group}")
    )


# Names


def name_of(item: MemoryItem) -> str:
    """What the owner calls it: its key, its bold beginning, else the first clause that tells something; of a table, its heading.

    A label such as `Decision:` says what a line is, and not what it is about.
    """
    if item.is_table:
        return item.under or cut(columns_of(item), _LONGEST_NAME)
    bold, label = _BOLD.match(item.text), is_labelled(item.text, "decided", "why")
    named = plain_line(item.statement.block.key or (bold["name"] if bold else "")).rstrip(":： ")
    if named and not label:
        return named
    text = without_lead(key_of(item.plain)[1] if label else item.plain)
    parts = [part for part in CLAUSE.split(text) if count_units(part) >= 4] or [text]
    first = next((part for part in parts if len(terms(part)) > 1), parts[0])  # "yes, exactly" is what nothing is called
    if _ADDRESS.search(first):
        first = spoken_of(first) or _ADDRESS.sub("", first).strip() or first
    return cut(first, _LONGEST_NAME).rstrip(".。 ")


def project_name(item: MemoryItem) -> str:
    """The project that a memory is about: what its owner calls it, else what its sentence speaks of; empty if neither is told."""
    if item.is_table or is_labelled(item.text, *_LABELS):
        return ""
    if not is_named(item):
        return spoken_of(without_lead(item.plain))
    name = name_of(item)
    # Before a colon may stand half a sentence: "the booking app is blocked: …". What is set in bold is a name.
    return name if item.text.startswith("**") else spoken_of(name) or name


def is_named(item: MemoryItem) -> bool:
    """Whether the owner gives it a name: in bold, or the few words before a colon."""
    key = key_of(item.text)[0]
    few = bool(key) and len(key.split()) <= _NAME_WORDS and not is_labelled(item.text, *_LABELS)
    return bool(item.statement.block.key) or item.text.startswith("**") or few


def spoken_of(text: str) -> str:
    """The few words before what a sentence says of them ("the booking app needs …"); all of a text that is no sentence."""
    said = re.sub(rf"\A(?:{_articles()}\s+)", "", text.strip(), flags=re.I)
    verb = _said_of().search(said)
    name = said[: verb.start()].strip(" ,，;；—–-") if verb else said
    name = re.sub(rf"(?<=\w)\s*(?:{either(words('sorting.project'))})\Z", "", name, flags=re.I)
    return name if terms(name) and len(name.split()) <= _NAME_WORDS and _wide(name) <= _NAME_WIDE else ""


def _wide(text: str) -> int:
    return sum("\u3040" <= char <= "\uffff" for char in text)


@cache
def _articles() -> str:
    return either(words("sorting.articles"))


@cache
def _said_of() -> re.Pattern[str]:
    groups = ("sorting.said_of", "sorting.waits", "text.stop_words")
    spaced = [
        word for group in groups for word in words(group) if word.isascii() or len(word) > 1 or group == groups[0]
    ]
    return re.compile(rf"{either(spaced)}|{CLAUSE.pattern}", re.I)


def columns_of(table: MemoryItem) -> str:
    return ", ".join(filter(None, (cell.strip() for cell in table.lines[0].split("|"))))


def without_lead(text: str) -> str:
    """A line without the signs, the shouted label (`IMPORTANT:`) or the day before its words."""
    return _lead().sub("", text, count=1).strip()


@cache
def _lead() -> re.Pattern[str]:
    labels = "|".join(map(re.escape, (*words("notes.labelled"), *MARK_SIGNS, *words("notes.marked"))))
    return re.compile(
        rf"^[\W_]*(?:(?:[A-Z]{{4,}}|{labels})\s*[:：]\s*|\(?\d{{4}}-\d{{2}}(?:-\d{{2}})?\)?\s*[:：]?\s+)?[📌⚠️❗🔒🚨\s]*"
    )


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


def slug_of(name: str, content: str = "", most: int = 5) -> str:
    """A name for a file out of its own words, in the owner's script: those that tell something, joined by hyphens.

    Function words are left out, except those that deny; a name of one word says too little, so `content` goes on. The same
    words give the same name, whatever stands beside them.
    """
    own = list(dict.fromkeys(_telling(name)))[:most]
    if len(own) == 1 and (own[0].isascii() or len(own[0]) < 4):  # elsewhere words stand together, and one is a clause
        own = list(dict.fromkeys([*own, *_telling(content)]))[:3]
    parts: list[str] = []
    for word in own:
        if parts and len("-".join((*parts, word))) > _LONGEST_SLUG:
            break
        parts.append(word[:_LONGEST_SLUG])
    if path_spans("-".join(parts)):  # a file with such a name would be left unread
        parts = [part for part in parts if part.isalpha()]
    return "-".join(parts) or "memory"


def _telling(text: str) -> list[str]:
    """The words of a text that tell something, as they are written in the name of a file: Latin letters without accents."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(char for char in folded if not "\u0300" <= char <= "\u036f")
    every = _WORD.findall(unicodedata.normalize("NFKC", letters))
    return [word for word in every if word not in stop_words() or is_negated(word)] or every
