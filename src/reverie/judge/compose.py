"""A statement as a line of MEMORY.md: the owner's words, one line, self-contained, relative days written out; and its section.

Nothing is invented and nothing is cut inside a sentence. The subject comes from the headings and parents the line hangs on,
days from the note's own day. A line goes to the owner's section that speaks of the same things, else to that of its area.
"""

from __future__ import annotations

import re
from datetime import date
from functools import cache, lru_cache
from typing import Any

from reverie.core.ports import Embedder
from reverie.dates.relative import absolute
from reverie.judge.brief import Brief
from reverie.lang import words
from reverie.lang.lexicon import GLUED, one_of
from reverie.privacy.personal import KINDS
from reverie.privacy.redact import findings, holds_mask
from reverie.text.lines import count_units, plain_heading, sentences
from reverie.text.marks import PIN, days_in, is_current_state, is_generic, is_task_list
from reverie.text.sections import CURRENT, LESSONS, PEOPLE, STABLE, area_of
from reverie.text.terms import bag, terms, without_calendar
from reverie.workspace.statements import time_in
from reverie.workspace.values import Statement

LONGEST = 300
_COMMENT = re.compile(rf"<!--.*?-->|~~[^~]*~~|{PIN}")
_MARKUP = re.compile(r"(\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w))")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_STAMP = re.compile(
    r"^(?:[\[(（]?\d{1,2}[:：h]\d{2}(?:[:：]\d{2})?(?:\s*(?:am|pm))?[\])）]?(?:\s*[-–—]\s*\d{1,2}[:：]\d{2})?)\s*[-–—:：|,]?\s+(?=\S)",
    re.I,
)
_BOX = re.compile(r"^\[[ xX]\]\s+")
# What ends a key: `Key: value`. Where no blank divides words the narrow colon needs none behind it either.
COLON = rf"(?:[:：](?=\s)|：|(?<=[{GLUED}]):(?!/))"
_KEYED = re.compile(rf"(?:\*\*|__)?[^\W\d_][^:：.。!?]{{1,40}}(?:{COLON}|[:：](?:\*\*|__)\s)")
_HAPPENED = re.compile(r"^\W*(?:\d{4}-\d{2}-\d{2}|\d{1,2}[:：]\d{2})")
_FRAMES = frozenset(map(plain_heading, words("notes.day_frames")))


def composed(claim: Statement, common: frozenset[str] = frozenset()) -> str:
    """The claim as one line of MEMORY.md; empty when it cannot stand alone. `common` are headings without a subject.

    The owner's words to the character, whole sentences, behind their subject where they lack one; only a relative day is
    written out. A line that holds a secret or personal data, or is too long and cannot be parted between sentences, is none.
    """
    day = date.fromisoformat(claim.day) if claim.day else None
    hours = [time_in(part) for part in (claim.text, *reversed(claim.heading.split(" > ")))]
    text = whole_sentences(owner_words(claim.text))
    if not text or holds_mask(text) or findings(text, KINDS - {"ip"}):
        return ""
    if day is not None:
        text = absolute(text, day, time=next((hour for hour in hours if hour), None), weekdays=False)
    subject = subject_of(claim, text, common) if not _KEYED.match(text) else ""  # it names its subject itself
    if subject and count_units(f"{subject}: {text}") <= LONGEST:
        text = f"{subject}: {text}"
    return text


def owner_words(text: str) -> str:
    """Without box, time stamp, pin, struck-out words and comments: what is left stands as the owner wrote it.

    A pin is set in MEMORY.md, by its owner: one that comes with a note would look like it there.
    """
    text = " ".join(_COMMENT.sub(" ", text).split()) if _COMMENT.search(text) else text.strip()
    for rule in (_BOX, _STAMP):
        text = rule.sub("", text, count=1)
    return text.strip()


def whole_sentences(text: str) -> str:
    """The text, or as many of its first sentences as a line of memory may hold; empty when not even one fits."""
    if count_units(text) <= LONGEST:
        return text
    out = ""
    for part in sentences(text):
        if count_units(out + part.rstrip()) > LONGEST:
            break
        out += part
    return out.rstrip()


@lru_cache(maxsize=20_000)
def plain_line(text: str) -> str:
    """Without markup, box, time stamp and the words that only announce a note."""
    text = _LINK.sub(r"\1", _COMMENT.sub(" ", text))
    text = " ".join(_MARKUP.sub("", text).split())
    for rule in (_BOX, _STAMP, _announced()):
        text = rule.sub("", text, count=1)
    return text.strip(" -–—|")


def subject_of(claim: Statement, text: str, common: frozenset[str] = frozenset()) -> str:
    """What the line is about, where it does not say so itself: its parent, or the nearest heading that names something."""
    have = bag(text)
    parent = plain_line(claim.lead.rpartition(" > ")[2]).rstrip(":： ")
    if parent and count_units(parent) <= 60 and not bag(parent) <= have and "|" not in parent:
        return parent
    if weight(text) > 14 and not _starts_in_the_middle(text):
        return ""
    for heading in reversed(claim.heading.split(" > ")):
        named = plain_line(_HAPPENED.sub("", heading)).strip(" -–—:：#")
        if named and _names_something(named, common) and not bag(named) & have and weight(named) <= 3:
            return named
    return ""


def weight(text: str) -> float:
    """How many words a text has; in scripts without spaces two characters count as one."""
    glued = sum(1 for char in text if "\u3040" <= char <= "\u9fff")
    return glued / 2 + len([word for word in text.split() if not all("\u3040" <= char <= "\u9fff" for char in word)])


def _names_something(heading: str, common: frozenset[str]) -> bool:
    plain = plain_heading(heading)
    return not (
        days_in(heading)
        or plain in common
        or is_generic(heading)
        or is_current_state(heading)
        or plain in _FRAMES
        or not terms(without_calendar(heading))
    )


def _starts_in_the_middle(text: str) -> bool:
    return bool(_pronoun().match(text))


@cache
def _announced() -> re.Pattern[str]:
    """Words that only say that a note follows: "Note to self:"."""
    return re.compile(rf"^{one_of('compose.announces')}\s*[:：]\s*", re.I)


@cache
def _pronoun() -> re.Pattern[str]:
    return re.compile(rf"^{one_of('compose.pronouns')}\b", re.I)


_AREAS = {
    "person": PEOPLE, "project": CURRENT, "update": CURRENT, "schedule": STABLE, "decision": CURRENT, "lesson": LESSONS,
}  # fmt: skip
CLOSE = 0.5  # mean cosine of the three nearest lines from which a section speaks of the same things


def _is_kept_for(section: str, kind: str) -> bool:
    """Whether a section is there for lessons, or is called after decisions: a last letter changes with the number."""
    if kind == "lesson":
        return area_of(section) == LESSONS
    names = (one[:-1] if len(one) > 4 else one for one in words("forms.decisions"))
    return kind == "decision" and any(one in plain_heading(section) for one in names)


def at_home(line: str, section: str, claim: Statement) -> str:
    """The line without the subject that `composed` put before it, where it stands under a heading of that name."""
    subject, _, rest = line.partition(": ")
    ours = rest and not owner_words(claim.text).startswith(subject)
    return rest if ours and plain_heading(subject) == plain_heading(section) else line


class Homes:
    """The sections of a memory that are open to new lines, looked at once. One that the owner protects is the owner's."""

    def __init__(self, brief: Brief) -> None:
        facts = {m.section for m in brief.memory if m.entry.block.checked is None}
        tasks = {m.section for m in brief.memory if m.section not in facts}  # what is known is no task
        self._sections = tuple(one for one in brief.sections if one not in tasks and not is_task_list(one))
        self._has_topics = bool(brief.topics)
        self._embedder = brief.embedder
        self._said = [(m.section, plain_line(m.text)) for m in brief.memory if m.section in set(self._sections)]
        self._rows: Any = None
        if self._embedder is not None and self._said:
            self._rows = _vectors(self._embedder, [text for _, text in self._said])

    def home_of(self, line: str, kind: str, under: str = "") -> str:
        """A heading of the owner's, or one of `sections.AREAS`. `under` are the headings that the line stands under in its note.

        A lesson goes to the lessons and a decision to the decisions, if they have a section, however near another one is.
        """
        area = _AREAS.get(kind, STABLE)
        own = next((one for one in self._sections if _is_kept_for(one, kind)), "")
        return self._named(under) or own or self._nearest(line, CLOSE) or self.of_area(line, area)

    def is_open(self, section: str) -> bool:
        """Whether there is such a section, and it takes new lines."""
        return section in self._sections

    def of_area(self, line: str, area: str) -> str:
        """The owner's section for an area. No section is invented where the owner has one: then the nearest must do.

        A host's topic file is about one thing: what is not close to any stands in the index itself.
        """
        if self._has_topics:
            return self._nearest(line, CLOSE) or area
        for wanted in (area, STABLE) if area == LESSONS else (area,):
            if found := next((section for section in self._sections if area_of(section) == wanted), ""):
                return found
        return self._nearest(line, -1.0) or (self._sections[-1] if self._sections else area)

    def _named(self, under: str) -> str:
        """The section of the same name, where there is just one: whoever writes both means the same by it."""
        for heading in reversed(under.split(" > ")):
            name = plain_heading(heading)
            same = [section for section in self._sections if name and plain_heading(section) == name]
            if len(same) == 1 and any(section == same[0] for section, _ in self._said):
                return same[0]
        return ""

    def _nearest(self, line: str, least: float) -> str:
        if self._embedder is None or self._rows is None:
            return ""
        near = self._rows @ _vectors(self._embedder, [line])[0]
        best, chosen = least, ""
        for section in self._sections:
            mine = sorted((float(near[i]) for i, (other, _) in enumerate(self._said) if other == section), reverse=True)
            score = sum(mine[:3]) / len(mine[:3]) if mine else -1.0
            if score > best:
                best, chosen = score, section
        return chosen


def _vectors(embedder: Embedder, texts: list[str]) -> Any:
    import numpy as np  # only where there is an embedder; who wants `plain_line` does not pay for it

    return np.asarray(embedder.embed(texts))
