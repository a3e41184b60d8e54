"""Whether a memory is right, by labels and by a comparison of its own: nothing here comes from the gates it judges.

A line that entered must be one line of the notes, clause by clause in the same order, with no digit, name or negation more
or less. It may stand behind that line's own heading, write a relative day out, and leave out a clause that qualifies nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

HERE = Path(__file__).parent
CASES = ("english", "chinese", "german")
_MARK = re.compile(r"\s*<!-- dream:[0-9a-f]{8} -->$")
_BULLET = re.compile(r"^[-*+] ")
_CLAUSE = re.compile(r"[,;:.!?](?=\s|$)|[，；：。！？、]|\s[—–-]\s")
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+(?:[-.,:'’&][^\W\u3400-\u9fff]+)*")
_QUALIFIES = re.compile(
    r"\b(?:not?|never|nothing|except|unless|if|only|but|until|without|instead|no longer|may|might|maybe|whether|asked|thinks?"
    r"|nicht|nie|kein\w*|nur|aber|wenn|bis|ohne|statt|außer)\b|[不没非除但只未]|如果|若是|直到|也许|从不|以前|之前",
    re.I,
)
_LABELS = {("decision",), ("lesson",), ("entscheidung",), ("决", "定"), ("教", "训")}
_DAYS = {
    r"\btoday\b|\bheute\b|今天": "{day}",
    r"\bnext year\b|明年": "2027",
    r"\bJanuary\b|\bJanuar\b|一月": "2027-01",
    r"\bMarch\b|\bMärz\b|三月": "2027-03",
}
_ARTICLES = {"a", "the", "der", "die", "das", "el", "la", "的", "了"}
_HEADING = re.compile(r"^## (?:Current state|Current|Aktueller Stand|当前状态|现状)\s*$")


@dataclass(frozen=True)
class Note:
    """One line of the owner's notes with what it stands under."""

    path: str
    number: int
    text: str
    heading: str
    day: str


@dataclass(frozen=True)
class Case:
    """A labelled workspace: its memory, its notes, and what may leave because of what."""

    name: str

    @cached_property
    def folder(self) -> Path:
        return HERE / self.name

    @cached_property
    def labels(self) -> dict[str, object]:
        return tomllib.loads((self.folder / "labels.toml").read_text("utf-8"))

    @cached_property
    def memory(self) -> str:
        return (self.folder / "MEMORY.md").read_text("utf-8")

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        return tuple(note for path in sorted(self.folder.glob("memory/*.md")) for note in _notes(path))

    def leaves(self) -> tuple[tuple[str, Note], ...]:
        """The whole line of memory that may leave, and the line of the notes that says so."""
        return tuple((self._line(one["memory"]), self.note(one["because"])) for one in self.labels["leaves"])

    def note(self, words: str) -> Note:
        (found,) = (note for note in self.notes if words in note.text)
        return found

    def _line(self, words: str) -> str:
        (found,) = (line for line in self.memory.split("\n") if words in line)
        return found


def _notes(path: Path) -> Iterator[Note]:
    heading = ""
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("- "):  # what stands behind > is somebody else's
            yield Note(f"memory/{path.name}", number, line[2:], heading, path.stem)


def wrongs(case: Case, after: str) -> list[str]:
    """Everything that is wrong in this MEMORY.md, as sentences; nothing is a good sign."""
    before, now = Counter(case.memory.split("\n")), Counter(after.split("\n"))
    may = {line for line, _ in case.leaves()}
    found = [f"left: {line}" for line in (before - now).elements() if line.strip() and line not in may]
    return found + [f"entered: {line}" for line in (now - before).elements() if _is_wrong(case, line)]


def _is_wrong(case: Case, line: str) -> bool:
    if not line.strip() or _HEADING.match(line):
        return False
    if not _BULLET.match(line):
        return True
    never = [one["note"] for one in case.labels["never"]]
    text = _MARK.sub("", _BULLET.sub("", line))
    return not any(_says(note, text) for note in case.notes if not any(words in note.text for words in never))


def _says(note: Note, text: str) -> bool:
    """Whether the text says what the note says: its clauses, in order, the first and every qualifying one among them."""
    heading, said = _clauses(note.heading), _clauses(text)
    if said[: len(heading)] == heading:
        said = said[len(heading) :]
    return any(_keeps(clauses, said) for clauses in _readings(note))


def _keeps(clauses: list[tuple[str, ...]], said: list[tuple[str, ...]]) -> bool:
    must = [c for c in clauses if c not in _LABELS]
    left, kept = list(said), []
    for clause in clauses:
        if left and left[0] == clause:
            kept += [left.pop(0)]
    gone = [c for c in must if c not in kept]
    qualifies = [c for c in gone if _QUALIFIES.search(" ".join(c)) or _QUALIFIES.search("".join(c))]
    return not left and bool(must) and must[0] in kept and not qualifies


def _readings(note: Note) -> Iterator[list[tuple[str, ...]]]:
    """The note's clauses as written, and with its relative days written out, for each choice of them."""
    texts = [note.text]
    for words, day in _DAYS.items():
        for text in list(texts):
            written = day.format(day=note.day)
            for one in (written, f"on {written}", f"in {written}", f"am {written}", f"{written}年", f"{written}月"):
                changed = re.sub(words, one, text, flags=re.I)
                if changed != text:
                    texts.append(changed)
    return (_clauses(text) for text in texts)


def _clauses(text: str) -> list[tuple[str, ...]]:
    found = ([token.casefold() for token in _TOKEN.findall(part)] for part in _CLAUSE.split(text))
    parts = (tuple(token for token in part if token not in _ARTICLES) for part in found)
    return [part for part in parts if part]
