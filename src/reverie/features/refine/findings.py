"""What is wrong with a line that a dream wrote: its source does not say it, a later note or another line says otherwise.

Independent of the night: nothing is weighed here, words and values are compared. A line of a dream is made of its source's own
words, so that whatever stands in the one and not in the other was changed or invented. Words are compared as they are written,
not by their stems: Vidal is not Vidales, and 80 is not 8080.

A finding that takes or gives a line (an operation) is certain: the line stands as the dream wrote it, and its note is there and
says otherwise. Everything else is only pointed out (a notice): what somebody changed by hand may be the owner's own
correction, and a note that is gone may only have been tidied away. The owner's own lines are never doubted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reverie.core.layout import LEDGER, Kind, place_of
from reverie.evidence.claims import claims_of
from reverie.judge.compose import composed, plain_line
from reverie.judge.operation import Op, Operation
from reverie.judge.relation import says_otherwise
from reverie.judge.vetoes import unfit
from reverie.lang.messages import say
from reverie.text.marks import is_done, is_history
from reverie.text.sections import OURS
from reverie.text.terms import bag, is_negated, plain, shared, stop_words, values_in
from reverie.workspace.openclaw_format import words_of
from reverie.workspace.statements import source_text
from reverie.workspace.values import ABSENT, MARK, Notice, Origin, Snapshot, Source, Statement, stated

DEAD, DRIFTED, INVENTED, CONFLICT = "dead source", "drifted", "invented", "conflict"  # tags
Finding = Operation | Notice
_ALIKE = 0.35  # shared words from which a statement is what a line was made of
_LOOKED_AT = 0.3  # shared words a statement needs to be looked at at all
_SOURCES = frozenset({Kind.DAILY, Kind.SESSION, Kind.TOPIC, Kind.LOG, Kind.CORPUS, Kind.PROFILE})
_NOTES = frozenset({Kind.DAILY, Kind.TOPIC})  # the owner writes and corrects these; machines cut logs and conversations
_TRUSTED = frozenset({Origin.OWNER, Origin.SESSION})
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """A line of ours as it stands in MEMORY.md, and what the run that wrote it knows of it."""

    statement: Statement
    id: str
    run: str
    recorded: str  # as the run wrote it
    sources: tuple[Source, ...]

    @property
    def text(self) -> str:
        return words_in_line(self.statement.text)

    @property
    def untouched(self) -> bool:
        return plain(self.text) == plain(self.recorded)

    @property
    def day(self) -> str:
        """The latest day of the notes it comes from."""
        days = (place_of(source.path).day for source in self.sources)
        return max((day.isoformat() for day in days if day), default="")


def words_in_line(line: str) -> str:
    """A line of ours without bullet, mark and what the append shape writes behind its words."""
    return plain_line(words_of(OURS.sub("", line).rstrip()).replace(f"{MARK} ", "").lstrip("-*+ \t"))


# What its sources say


def not_said(snapshot: Snapshot, written: Sequence[WrittenLine]) -> Iterator[Finding]:
    """One finding for every line that its sources do not say, or not any more."""
    for one in written:
        missing = missing_from(one.text, _source_text(snapshot, one))
        if not missing and _lost_its_not(snapshot, one):
            missing = Missing(turned=True)
        # The owner's answer has no source, and a note may have been moved.
        if one.sources and missing and not _said_elsewhere(snapshot, one):
            yield _not_said(snapshot, one, missing)


def _not_said(snapshot: Snapshot, one: WrittenLine, missing: Missing) -> Finding:
    there = [source for source in one.sources if snapshot.hash_of(source.path) != ABSENT]
    origin = _origin_of(snapshot, one, there)
    if origin is None:
        return _without_source(one, there)
    origin_text = source_text(snapshot, origin.source)
    why = _difference(missing_from(one.text, origin_text) or missing, origin)
    if not one.untouched:
        return _notice(one, DRIFTED, say("refine.changed_since", why=why))
    line = _as_memory_line(snapshot, origin)
    tag = DRIFTED if missing_from(line or origin.text, one.text).specifics else INVENTED
    if not line or origin.origin not in _TRUSTED or not _may_leave(one.statement) or missing_from(line, origin_text):
        return _notice(one, tag, why)
    memory = snapshot.files[snapshot.memory_path]
    others = (entry for entry in memory.entries if entry != one.statement)
    if any(plain(words_in_line(entry.text)) == plain(line) for entry in others):
        return _operation(Op.END, tag, why, (origin.source,), one)
    return _operation(Op.UPDATE, tag, why, (origin.source,), one, line)


def _as_memory_line(snapshot: Snapshot, statement: Statement) -> str:
    """How a night would write a statement of a note; empty when it may not stand in memory."""
    claims = claims_of(snapshot.files[statement.path], snapshot.workspace.settings.privacy.kinds)
    line = next((composed(one) for one in claims if one.source == statement.source), "")
    return "" if not line or unfit(line, "", statement.origin.value) else line


def _difference(missing: Missing, origin: Statement) -> str:
    """What the line has that its source has not, the specifics first, and what the source says."""
    source = {"where": str(origin.source), "said": plain_line(origin.text)}
    parts = missing.specifics or (() if missing.turned else missing.words)
    if parts:
        return say("refine.not_mentioned", parts=", ".join(f"“{part}”" for part in parts[:3]), **source)
    return say("refine.opposite" if missing.turned else "refine.something_else", **source)


def _without_source(one: WrittenLine, there: Sequence[Source]) -> Finding:
    """Its source is gone. Certain only when the note is there and the owner took the statement out of it."""
    if not there:
        return _notice(
            one, DEAD, say("refine.gone", paths=", ".join(dict.fromkeys(source.path for source in one.sources)))
        )
    why = say("refine.nowhere", where=str(there[0]))
    if not one.untouched:
        return _notice(one, DEAD, say("refine.changed_since", why=why))
    notes = all(place_of(source.path).kind in _NOTES for source in one.sources) and len(there) == len(one.sources)
    if notes and _may_leave(one.statement):
        return _operation(Op.END, DEAD, why, there, one)
    return _notice(one, DEAD, why)


def _may_leave(statement: Statement) -> bool:
    """Not what the owner protects, and not what the owner hung something of his own on."""
    return not statement.protected and statement.block.tail == statement.block.end


def _operation(op: Op, tag: str, why: str, sources: Sequence[Source], one: WrittenLine, text: str = "") -> Operation:
    cites = tuple(stated(source.path, source.first, source.last, text) for source in sources)
    return Operation(op, why, cites, (one.statement,), text, tag=tag)


def _notice(one: WrittenLine, tag: str, why: str) -> Notice:
    return Notice(tag, one.statement.text, why, one.sources, one.statement)


def _source_text(snapshot: Snapshot, one: WrittenLine) -> str:
    """What its sources say; of memory and its archive, which move, all that they say besides this line."""
    parts = []
    for source in one.sources:
        if source.path in (LEDGER, snapshot.memory_path):
            memory = snapshot.files[snapshot.memory_path]
            parts += [snapshot.text_of(LEDGER), *(e.text for e in memory.entries if e != one.statement)]
        else:
            parts.append(_unescaped(source_text(snapshot, source)))
    return "\n".join(parts)


def _unescaped(text: str) -> str:
    """Logs are JSON, where other scripts may be written as numbers."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _lost_its_not(snapshot: Snapshot, one: WrittenLine) -> bool:
    """The statement it was made of says that something is not so, and the line says all of it but that."""
    if is_negated(one.text) or len(one.sources) != 1 or one.sources[0].path not in snapshot.files:
        return False
    here = [entry for entry in snapshot.files[one.sources[0].path].entries if entry.source == one.sources[0]]
    return any(is_negated(entry.text) and bag(plain_line(entry.text)) <= bag(one.text) for entry in here)


def _said_elsewhere(snapshot: Snapshot, one: WrittenLine) -> bool:
    """Whether any statement of the notes says the whole line: it stands on another line now, or in another file."""
    return any(
        entry.origin in _TRUSTED
        and shared(one.text, entry.text) >= _LOOKED_AT
        and not missing_from(one.text, source_text(snapshot, entry.source))
        and is_negated(one.text) == is_negated(entry.text)
        for file in snapshot.files.values()
        if file.place.kind in _SOURCES
        for entry in file.entries
    )


def _origin_of(snapshot: Snapshot, one: WrittenLine, there: Sequence[Source]) -> Statement | None:
    """The statement of its source files that this line was made of, as it stands now."""
    files = [snapshot.files[path] for path in dict.fromkeys(source.path for source in there) if path in snapshot.files]
    at = {(source.path, line) for source in there for line in range(source.first, source.last + 1)}
    near = [(_likeness(one, entry), (entry.path, entry.first) in at, entry) for file in files for entry in file.entries]
    best = max(near, key=lambda found: found[0] + 0.1 * found[1], default=None)
    return best[2] if best and best[0] >= (_LOOKED_AT if best[1] else _ALIKE) else None


def _likeness(one: WrittenLine, entry: Statement) -> float:
    """Shared words; of the two readings of a line that was changed, the better."""
    said = plain_line(entry.text)
    whole = bag(said)
    inside = len(whole & bag(one.text)) / len(whole) if len(whole) >= 3 else 0.0
    return max(shared(one.text, said), shared(one.recorded, said), inside - 0.3)


# What another line of memory says


def conflicting(snapshot: Snapshot, written: Sequence[WrittenLine]) -> Iterator[Notice]:
    """A notice for every line of ours beside which another line of memory gives another value for the same thing."""
    memory, ours = snapshot.files.get(snapshot.memory_path), {one.statement.block.first for one in written}
    lines = [
        entry
        for entry in (memory.entries if memory else ())
        if entry.origin is Origin.OWNER and not is_done(entry.text, checked=None) and not is_history(entry.text)
    ]
    for at, later in enumerate(lines):
        for earlier in lines[:at]:
            if {earlier.block.first, later.block.first} & ours and _contradict(earlier, later):
                why = say("refine.conflict", where=str(earlier.source), said=words_in_line(earlier.text))
                yield Notice(CONFLICT, later.text, why, (earlier.source, later.source), later)
                break


def _contradict(one: Statement, other: Statement) -> bool:
    """Under one heading, one key or one sentence with two values."""
    if one.headings != other.headings or one.block.parent != other.block.parent:
        return False
    return says_otherwise(words_in_line(one.text), words_in_line(other.text))


# What of a line a text does not have

_GLUED = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_MARKUP = re.compile(r"<!--.*?-->|\*\*|__|~~|`")
_PATH = re.compile(
    rf"(?:~|\.{{1,2}})?(?:/[^\s/,;:()'\"`{_GLUED}]+)+/?|[\w.~-]+(?:/[\w.-]+)+/?|\b[\w-]+\.[a-z]{{2,4}}\b", re.A
)
_DAY = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d)[., \u00a0\u202f](?=\d{3}(?!\d))")
_WORD = re.compile(rf"[^\W\d_{_GLUED}]+(?:['’][^\W\d_{_GLUED}]+)*")
_RUN = re.compile(f"[{_GLUED}]+")
_SOME = 0.3  # of a line's common words may be others: a note whose typing errors were mended says the same


@dataclass(frozen=True, slots=True)
class Missing:
    """What a text does not have of a line; false if it says the whole line."""

    specifics: tuple[str, ...] = ()  # numbers, days, paths, names
    words: tuple[str, ...] = ()
    most: bool = False  # so many words that it says something else
    turned: bool = False  # the one says "not", and the other never does

    def __bool__(self) -> bool:
        return bool(self.specifics) or self.most or self.turned


def missing_from(line: str, text: str) -> Missing:
    """What this line has and this text has not."""
    line, text = _plain(line), _plain(text)
    low = text.casefold()
    paths = [path for path in _PATH.findall(line) if path.casefold() not in low]
    rest = _PATH.sub(" ", line)
    days = [day for day in _DAY.findall(rest) if day not in text]
    rest = _DAY.sub(" ", rest)
    have = _numbers_in(_DAY.sub(" ", text))  # the 19 of a note's own day is no number that it tells
    numbers = [number for number in _numbers_in(rest) if number not in have]
    values = sorted(v for v in values_in(rest) - values_in(text) if not _has_digit(v) and v.casefold() not in low)
    names, words, share = _missing_words(rest, text)
    specifics = tuple(dict.fromkeys((*numbers, *values, *days, *paths, *names)))
    return Missing(specifics, words, share > _SOME, is_negated(line) and not is_negated(text))


@lru_cache(maxsize=20_000)
def _numbers_in(text: str) -> tuple[str, ...]:
    """The numbers of a text, each once, without the marks that only group their digits."""
    return tuple(dict.fromkeys(_NUMBER.findall(_THOUSANDS.sub("", text))))


def _missing_words(line: str, text: str) -> tuple[tuple[str, ...], tuple[str, ...], float]:
    """Names, other words, and the share of all of them that the text does not have."""
    have = set(_WORD.findall(text.casefold()))
    said = [word for word in _WORD.findall(line) if len(word) > 1]
    missing = [word for word in said if word.casefold() not in have and word.casefold() not in stop_words()]
    runs = [run for run in _RUN.findall(line) if len(run) > 1]
    strange = [part for run in runs for part in _strange_parts(run, text)]
    names = tuple(word for word in missing if not word[0].islower()) + tuple(strange)  # Korean has no capitals
    lost, every = len(missing) + sum(map(len, strange)) / 2, len(said) + sum(map(len, runs)) / 2
    return names, tuple(word for word in missing if word[0].islower()), lost / every if every else 0.0


def _strange_parts(run: str, text: str) -> list[str]:
    """The parts of a run without spaces whose pairs of characters the text does not have."""
    parts: list[str] = []
    begin = None
    for i in range(len(run)):
        strange = i < len(run) - 1 and run[i : i + 2] not in text
        if strange and begin is None:
            begin = i
        elif not strange and begin is not None:
            parts.append(run[begin : i + 1])
            begin = None
    return parts


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


@lru_cache(maxsize=20_000)
def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", _MARKUP.sub("", text))
