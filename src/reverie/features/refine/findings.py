"""A second look at what the last dreams wrote: does each line still say what its source says, and does it still hold?

Independent of the night: nothing is weighed here, words and values are compared. A finding that takes or gives a line is
certain: the line stands as the dream wrote it, and its note is there and says otherwise. Everything else is only pointed out.
What somebody changed by hand may be the owner's own correction, and a note that is gone may only have been tidied away. The
owner's own lines are never doubted.

What of a line its source does not say: numbers, days, paths, names, words. A second reading, independent of the night's.

A line of a dream is made of its source's own words, so that whatever stands in the one and not in the other was changed or
invented. Words are compared as they are written, not by their stems: Vidal is not Vidales, and 80 is not 8080.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reverie.core.layout import LEDGER, Kind, place_of
from reverie.judge.compose import plain_line
from reverie.judge.operation import Op, Operation
from reverie.judge.relation import Later, says_otherwise
from reverie.text.comparing import bag, is_negated, shared, values_in
from reverie.text.marks import is_done, is_history
from reverie.text.sections import OURS
from reverie.text.terms import STOP_WORDS, plain
from reverie.workspace.openclaw_format import words_of
from reverie.workspace.statements import told_at
from reverie.workspace.values import ABSENT, MARK, Notice, Origin, Snapshot, Source, Statement, stated

DEAD, DRIFTED, INVENTED = "dead source", "drifted", "invented"
SUPERSEDED, CONFLICT = "superseded", "conflict"
Found = Operation | Notice  # what is certain, and what a person should look at
Compose = Callable[[Statement], str]  # a statement of a note as a line of memory; empty when it may not be one
ALIKE = 0.35  # shared words from which a statement is what a line was made of
MOVED = 0.3  # shared words a statement needs to be looked at at all
_MATERIAL = frozenset({Kind.DAILY, Kind.SESSION, Kind.TOPIC, Kind.LOG, Kind.CORPUS, Kind.PROFILE})
_NOTES = frozenset(
    {Kind.DAILY, Kind.TOPIC}
)  # what the owner writes and corrects; logs and conversations are cut by machines
_TRUSTED = frozenset({Origin.OWNER, Origin.SESSION})
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True)
class Written:
    """A line of ours as it stands in MEMORY.md, and what the run that wrote it knows of it."""

    entry: Statement
    id: str
    run: str
    recorded: str  # as the run wrote it
    sources: tuple[Source, ...]

    @property
    def text(self) -> str:
        return said_in(self.entry.text)

    @property
    def untouched(self) -> bool:
        return plain(self.text) == plain(self.recorded)

    @property
    def day(self) -> str:
        """The latest day of the notes it comes from."""
        days = (place_of(source.path).day for source in self.sources)
        return max((day.isoformat() for day in days if day), default="")


def said_in(line: str) -> str:
    """A line of ours without bullet, mark and what the append shape writes behind its words."""
    return plain_line(words_of(OURS.sub("", line).rstrip()).replace(f"{MARK} ", "").lstrip("-*+ \t"))


def verified(snapshot: Snapshot, written: Sequence[Written], compose: Compose) -> tuple[Found, ...]:
    """One finding for every line that its sources do not say, or not any more."""
    return tuple(finding for one in written if (finding := _verified(snapshot, one, compose)) is not None)


def _verified(snapshot: Snapshot, one: Written, compose: Compose) -> Found | None:
    missing = unsaid(one.text, _told(snapshot, one))
    if not missing and _lost_its_not(snapshot, one):
        missing = Unsaid(turned=True)
    if not one.sources or not missing or _said_elsewhere(snapshot, one):
        return None  # the owner's answer has no source, and a note may have been moved
    there = [source for source in one.sources if snapshot.hash_of(source.path) != ABSENT]
    origin = _made_of(snapshot, one, there)
    if origin is None:
        return _dead(one, there)
    closer = unsaid(one.text, told_at(snapshot, origin.source))
    tag = DRIFTED if unsaid(compose(origin) or origin.text, one.text).specifics else INVENTED
    why = f"{_where(origin.source)} says {_named(closer if closer else missing)} nowhere; it says “{plain_line(origin.text)}”"
    if not one.untouched:
        return _flag(one, DRIFTED, f"somebody changed this line since the dream wrote it, and {why}")
    line = compose(origin) if origin.origin in _TRUSTED else ""
    if not line or not _may_leave(one.entry) or unsaid(line, told_at(snapshot, origin.source)):
        return _flag(one, tag, why)
    if _stands_already(snapshot, one, line):
        return _operation(Op.END, tag, why, (origin.source,), one.entry)
    return _operation(Op.UPDATE, tag, why, (origin.source,), one.entry, line)


def overtaken(snapshot: Snapshot, written: Sequence[Written]) -> tuple[Notice, ...]:
    """A flag for every line that a note of a later day says otherwise; of several notes the newest."""
    since = min((one.day for one in written if one.day), default="")
    later = Later(_noted_after(snapshot, since) if since else ())
    found = []
    for one in written:
        newer = later.changing(one.text, one.day) if one.day and not is_history(one.text) else None
        if newer is not None:
            why = f"{newer.source} says since then: “{plain_line(newer.text)}”"
            found.append(Notice(SUPERSEDED, one.entry.text, why, (newer.source,), one.entry))
    return tuple(found)


def _noted_after(snapshot: Snapshot, since: str) -> Iterator[Statement]:
    """What the owner wrote into the notes of later days."""
    for file in snapshot.files.values():
        if file.place.kind is Kind.DAILY and file.place.day and str(file.place.day) > since:
            for entry in file.entries:
                if entry.origin is Origin.OWNER:
                    yield stated(
                        file.path,
                        entry.source.first,
                        entry.source.last,
                        entry.text,
                        day=str(entry.day or file.place.day),
                    )


def conflicting(snapshot: Snapshot, written: Sequence[Written]) -> Iterator[Notice]:
    """A flag for every line of ours beside which another line of memory gives another value for the same thing."""
    memory, ours = snapshot.files.get(snapshot.memory_path), {one.entry.block.first for one in written}
    lines = [
        entry
        for entry in (memory.entries if memory else ())
        if entry.origin is Origin.OWNER and not is_done(entry.text, checked=None) and not is_history(entry.text)
    ]
    for at, later in enumerate(lines):
        for earlier in lines[:at]:
            if {earlier.block.first, later.block.first} & ours and _contradict(earlier, later):
                why = f"{earlier.source} says “{said_in(earlier.text)}”"
                yield Notice(CONFLICT, later.text, why, (earlier.source, later.source), later)
                break


def _contradict(one: Statement, other: Statement) -> bool:
    """Under one heading, one key or one sentence with two values."""
    if one.headings != other.headings or one.block.parent != other.block.parent:
        return False
    return says_otherwise(said_in(one.text), said_in(other.text))


def _dead(one: Written, there: Sequence[Source]) -> Found:
    """Its source is gone. Certain only when the note is there and the owner took the statement out of it."""
    if not there:
        return _flag(one, DEAD, f"{', '.join(source.path for source in one.sources)} is not there any more")
    why = f"{_where(there[0])} does not say it, and neither does any other note"
    notes = all(place_of(source.path).kind in _NOTES for source in one.sources) and len(there) == len(one.sources)
    if one.untouched and notes and _may_leave(one.entry):
        return _operation(Op.END, DEAD, why, tuple(there), one.entry)
    return _flag(one, DEAD, why if one.untouched else f"somebody changed this line since, and {why}")


def _may_leave(entry: Statement) -> bool:
    """Not what the owner protects, and not what the owner hung something of his own on."""
    return not entry.protected and entry.block.tail == entry.block.end


def _operation(op: Op, tag: str, why: str, said: Sequence[Source], entry: Statement, text: str = "") -> Operation:
    cites = tuple(stated(source.path, source.first, source.last, text) for source in said)
    return Operation(op, why, cites, (entry,), text, tag=tag)


def _flag(one: Written, tag: str, why: str) -> Found:
    return Notice(tag, one.entry.text, why, one.sources, one.entry)


def _told(snapshot: Snapshot, one: Written) -> str:
    """What its sources say; of memory and its archive, which move, all that they say besides this line."""
    parts = []
    for source in one.sources:
        if source.path in (LEDGER, snapshot.memory_path):
            memory = snapshot.files.get(snapshot.memory_path)
            parts += [snapshot.text_of(LEDGER), *(e.text for e in (memory.entries if memory else ()) if e != one.entry)]
        else:
            parts.append(_unescaped(told_at(snapshot, source)))
    return "\n".join(parts)


def _lost_its_not(snapshot: Snapshot, one: Written) -> bool:
    """The statement it was made of says that something is not so, and the line says all of it but that."""
    if is_negated(one.text) or len(one.sources) != 1 or one.sources[0].path not in snapshot.files:
        return False
    here = [entry for entry in snapshot.files[one.sources[0].path].entries if entry.source == one.sources[0]]
    return any(is_negated(entry.text) and bag(plain_line(entry.text)) <= bag(one.text) for entry in here)


def _unescaped(text: str) -> str:
    """Logs are JSON, where other scripts may be written as numbers."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "\\u" in text else text


def _said_elsewhere(snapshot: Snapshot, one: Written) -> bool:
    """Whether any statement of the notes says the whole line: it stands on another line now, or in another file."""
    return any(
        shared(one.text, entry.text) >= MOVED
        and not unsaid(one.text, told_at(snapshot, entry.source))
        and is_negated(one.text) == is_negated(entry.text)
        for entry in material(snapshot)
    )


def material(snapshot: Snapshot) -> Iterator[Statement]:
    """Every statement that people made outside memory."""
    for file in snapshot.files.values():
        if file.place.kind in _MATERIAL:
            yield from (entry for entry in file.entries if entry.origin in _TRUSTED)


def _made_of(snapshot: Snapshot, one: Written, there: Sequence[Source]) -> Statement | None:
    """The statement of its source files that this line was made of, as it stands now."""
    entries = [
        e
        for path in dict.fromkeys(s.path for s in there)
        if path in snapshot.files
        for e in snapshot.files[path].entries
    ]
    at = {(source.path, line) for source in there for line in range(source.first, source.last + 1)}
    near = [(_likeness(one, entry), (entry.source.path, entry.source.first) in at, entry) for entry in entries]
    best = max(near, key=lambda found: found[0] + 0.1 * found[1], default=None)
    return best[2] if best and best[0] >= (MOVED if best[1] else ALIKE) else None


def _likeness(one: Written, entry: Statement) -> float:
    """Shared words; of the two readings of a line that was changed, the better."""
    said = plain_line(entry.text)
    whole = bag(said)
    inside = len(whole & bag(one.text)) / len(whole) if len(whole) >= 3 else 0.0
    return max(shared(one.text, said), shared(one.recorded, said), inside - 0.3)


def _stands_already(snapshot: Snapshot, one: Written, line: str) -> bool:
    memory = snapshot.files.get(snapshot.memory_path)
    return any(
        plain(said_in(entry.text)) == plain(line) for entry in (memory.entries if memory else ()) if entry != one.entry
    )


def _named(missing: Unsaid) -> str:
    """What is missing, the specifics first."""
    if missing.turned and not missing.specifics:
        return "this, but the opposite,"
    found = missing.specifics or missing.words
    return " and ".join(f"“{part}”" for part in found[:3]) if found else "this"


@lru_cache(maxsize=2_000)
def _where(source: Source) -> str:
    return str(source)


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
SOME = 0.3  # of a line's common words may be others: a note whose typing errors were mended says the same


@dataclass(frozen=True, slots=True)
class Unsaid:
    """What a source does not have of a line."""

    numbers: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    most: bool = False  # so many words that it says something else
    turned: bool = False  # the one says "not", and the other never does

    @property
    def specifics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.numbers, *self.days, *self.paths, *self.names)))

    def __bool__(self) -> bool:
        return bool(self.specifics) or self.most or self.turned


def unsaid(line: str, told: str) -> Unsaid:
    """What this line has and this text has not; false if the text says the line."""
    line, told = _plain(line), _plain(told)
    low = told.casefold()
    paths = tuple(path for path in _PATH.findall(line) if path.casefold() not in low)
    rest = _PATH.sub(" ", line)
    days = tuple(day for day in _DAY.findall(rest) if day not in told)
    rest = _DAY.sub(" ", rest)
    have = numbers_in(_DAY.sub(" ", told))  # the 19 of a note's own day is no number that it tells
    numbers = tuple(number for number in numbers_in(rest) if number not in have)
    numbers += tuple(
        sorted(v for v in values_in(rest) - values_in(told) if not _has_digit(v) and v.casefold() not in low)
    )
    names, words, share = _words(rest, told)
    return Unsaid(numbers, days, paths, names, words, share > SOME, is_negated(line) and not is_negated(told))


@lru_cache(maxsize=20_000)
def numbers_in(text: str) -> tuple[str, ...]:
    """The numbers of a text, each once, without the marks that only group their digits."""
    return tuple(dict.fromkeys(_NUMBER.findall(_THOUSANDS.sub("", text))))


def _words(line: str, told: str) -> tuple[tuple[str, ...], tuple[str, ...], float]:
    """Names, other words, and the share of all of them that the text does not have."""
    have = set(_WORD.findall(told.casefold()))
    said = [word for word in _WORD.findall(line) if len(word) > 1]
    missing = [word for word in said if word.casefold() not in have and word.casefold() not in STOP_WORDS]
    glued = [run for run in _RUN.findall(line) if len(run) > 1]
    strange = [part for run in glued for part in _strange(run, told)]
    names = tuple(word for word in missing if not word[0].islower()) + tuple(strange)  # Korean has no capitals
    lost, every = len(missing) + sum(map(len, strange)) / 2, len(said) + sum(map(len, glued)) / 2
    return names, tuple(word for word in missing if word[0].islower()), lost / every if every else 0.0


def _strange(run: str, told: str) -> list[str]:
    """The parts of a run without spaces whose pairs of characters the text does not have."""
    new = [run[i : i + 2] not in told for i in range(len(run) - 1)]
    parts, begin = [], None
    for i, strange in enumerate([*new, False]):
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
