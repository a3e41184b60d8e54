"""Blocks → statements: which lines of a file state something, under what, whose words they are, and when.

Origin is decided by where a line stands (the file, the block, the heading), and only last by how it reads. One untrusted line
never taints its file. The logs of an agent about its own errors and practices (`memory/self-improving/*.jsonl`) are read line
by line: `{"ts", "type", "text", "context", "fix"}` becomes a statement under its type and its context, its fix one more under the
name of that field, and a line that is no such object is passed over, because others append to the file while we read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, time
from functools import cache, lru_cache
from itertools import pairwise

from reverie.core.layout import HOLDS_MEMORY, OWN_OUTPUT, Kind, Place
from reverie.dates.relative import absolute
from reverie.lang import words
from reverie.lang.lexicon import one_of
from reverie.text.lines import LONGEST, bare, clipped, plain_heading, split_lines
from reverie.text.markdown import STATEMENTS, TURN, Block, Document, Shape
from reverie.text.marks import protected_blocks
from reverie.text.sections import is_dream_list
from reverie.workspace.openclaw_format import words_of
from reverie.workspace.origins import is_harness, is_metadata, names_metadata, pasted_blocks
from reverie.workspace.values import Group, Origin, Snapshot, Source, Statement, json_object

_TEXTS = ("text", "message", "content", "summary", "decision")  # the first one that is there
_CONTEXTS = ("context", "topic", "task", "area")
_DAYS = ("ts", "timestamp", "time", "date", "created")
_OURS = re.compile(r"<!--\s*dream:[0-9a-f]{8}\s*-->\s*$")
_LISTED = re.compile(r"\[[0-9a-f]{8}\]|\d{4}-\d{2}-\d{2}\s+\[[^\]\n]{1,40}\]")
_PEOPLE, _AGENTS = frozenset({"user", "human"}), frozenset({"assistant", "ai"})
_CITED = re.compile(r"source:\s*memory/[^\s#]{1,200}#L\d+", re.I)
_SCORED = re.compile(
    r"\bconfidence\W{1,3}[01]?\.\d+\W+(?:evidence|recalls)\b|\[score=[\d.]+ (?:signals|recalls)=", re.I
)
# A saying with nothing else in the line but a time and an "ok": "other values all normal, vitamin D low" says something.
_SAYINGS = words("notes.routine_sayings")
_SAYING = re.compile(
    "|".join(map(re.escape, sorted((*_SAYINGS, *words("notes.routine_starts")), key=len, reverse=True)))
)
_SAYS_NOTHING = re.compile(r"[\W\d_]*(?:ok[\W\d_]*)*")
_beats = "|".join(re.escape(saying) for saying in _SAYINGS if saying.startswith(words("notes.routine_headings")))
_BEAT = re.compile(rf"[\W\d_]*(?:{_beats})[*_`\s]*(?:[^\w\s*_`]|$)")  # `13:00 heartbeat ok, nothing due`
_SHORT = 120
_NEAREST = 16  # list items above a line that say what it is about
_LONGEST_NAME = 600  # characters of a heading or a list item above a line
_COMMAND = re.compile(r"`[^`]*\s[^`]*`")  # a paragraph that is nothing but code
_ROUTINE = frozenset(map(plain_heading, words("notes.routine_headings")))


def statements_of(
    path: str, place: Place, document: Document, protected_sections: Iterable[str]
) -> tuple[Statement, ...]:
    """Every statement of a file with its lines, its headings, its parents and its origin.

    Of a passage that is too long only the beginning is looked at, and it counts as a machine's: it can be found, and no line is
    made of it or taken away for it. So whatever looks at a statement later has an end, whatever a file holds.
    """
    shielded = protected_blocks(document, protected_sections) if place.kind in HOLDS_MEMORY else frozenset()
    roles, pasted = _roles(document), pasted_blocks(document)
    found = []
    for index, block in enumerate(document.blocks):
        if block.shape not in STATEMENTS and block.shape not in (Shape.MANAGED, Shape.RECALLED):
            continue
        headings, role = (
            tuple(clipped(name, _LONGEST_NAME) for name in document.headings_of(block)),
            roles.get(index, ""),
        )
        overlong = len(block.text) > LONGEST
        looked_at = replace(block, text=clipped(block.text)) if overlong else block
        statement = Statement(
            _words(place, looked_at, role),
            Source(path, block.first + 1, block.end),
            Origin.QUOTED
            if index in pasted
            else _origin(place, document, looked_at, headings, role, overlong=overlong),
            headings,
            tuple(clipped(name, _LONGEST_NAME) for name in document.parents_of(block)[-_NEAREST:]),
            str(place.day or ""),
            protected=index in shielded,
            group=Group.TEAM if place.kind is Kind.TEAM else Group.MEMORY,
            block=looked_at,
        )
        found.append(statement)
    return tuple(found)


def _words(place: Place, block: Block, role: str) -> str:
    """What a block states, without the mark of a promotion or the name of who speaks in a conversation."""
    if place.kind in HOLDS_MEMORY:
        return words_of(block.text)
    return block.text[turn.end() :] if role and (turn := TURN.match(block.text)) else block.text


def _roles(document: Document) -> Mapping[int, str]:
    """Who speaks in which block of a conversation that a note holds. It takes two: `System: Debian 13` alone is a fact.

    What stands between two turns belongs to the first of them; behind the last one the owner goes on.
    """
    turns = {
        i: turn["role"].lower()
        for i, block in enumerate(document.blocks)
        if block.shape is Shape.PARAGRAPH and block.parent is None and (turn := TURN.match(block.text))
    }
    if not (_PEOPLE & set(turns.values()) and _AGENTS & set(turns.values())):
        return {i: role for i, role in turns.items() if role == "assistant"}
    spoken = dict(turns)
    for at, following in pairwise(turns):
        if document.blocks[at].heading == document.blocks[following].heading:
            spoken.update(dict.fromkeys(range(at + 1, following), turns[at]))
    return spoken


def _origin(
    place: Place, document: Document, block: Block, headings: tuple[str, ...], role: str, *, overlong: bool
) -> Origin:
    if place.kind in OWN_OUTPUT or block.shape is Shape.MANAGED or _is_ours(document, block, place, headings):
        return Origin.DREAM
    if place.kind not in HOLDS_MEMORY and (_SCORED.search(block.text) or any(map(_is_diary, headings))):
        return Origin.DREAM
    if block.shape is Shape.RECALLED or _CITED.search(block.text):
        return Origin.RECALLED
    if names_metadata(block.text) if block.shape is Shape.CODE else is_metadata(block.text):
        return Origin.TRANSPORT
    if block.shape is Shape.QUOTE:
        return Origin.QUOTED
    if block.shape is Shape.CODE or (block.shape is Shape.PARAGRAPH and _COMMAND.fullmatch(block.text)):
        return Origin.FENCED
    if overlong or is_harness(_words(place, block, role)) or _is_routine(place, block.text, headings):
        return Origin.MACHINE
    if place.kind is Kind.TEAM:
        return Origin.TEAM
    return Origin.SESSION if place.kind is Kind.SESSION or role not in ("", *_PEOPLE) else Origin.OWNER


def _is_ours(document: Document, block: Block, place: Place, headings: tuple[str, ...]) -> bool:
    """Lines of the list in the `## Dream` section: they end with our mark, or begin as seed 000's script lists its archive."""
    if place.kind is not Kind.MEMORY or not is_dream_list(headings):
        return False
    return bool(_OURS.search(document.lines[block.end - 1].rstrip("\r\n")) or _LISTED.match(block.text))


def _is_diary(heading: str) -> bool:
    """Whatever stands in a diary of dreams was dreamt, by a machine or by its owner: no evidence either way."""
    return plain_heading(heading).startswith(words("diary.headings"))


def _is_routine(place: Place, text: str, headings: tuple[str, ...]) -> bool:
    """A line that only says that all is well, or any line of a note under the heading of a routine."""
    low = text.casefold()
    said, count = _SAYING.subn("", low) if len(low) < _SHORT else (low, 0)
    if (count and _SAYS_NOTHING.fullmatch(said)) or _BEAT.match(low):
        return True
    return place.kind is Kind.DAILY and bool(headings) and plain_heading(headings[-1]) in _ROUTINE


def logged_statements(path: str, text: str) -> tuple[Statement, ...]:
    """The statements of a log: what happened, and what the record advises, each under the log's name (or its type) and its context."""
    name = path.rpartition("/")[2].removesuffix(".jsonl")
    found = []
    for number, line in enumerate(split_lines(text)):
        record = json_object(bare(line))
        above = (_first(record, ("type", "kind")) or name, _first(record, _CONTEXTS))
        advice = tuple(field for field in record if plain_heading(field.replace("_", " ")) in words("logs.advice"))
        for said, field in ((_first(record, _TEXTS), ""), (_first(record, advice), advice[0] if advice else "")):
            if spoken := clipped(" ".join(_without_speaker(said).split())):
                block = Block(Shape.PARAGRAPH, number, number + 1, spoken, tail=number + 1)
                headings = tuple(
                    clipped(" ".join(part.split()), _LONGEST_NAME)
                    for part in (*above, field.replace("_", " "))
                    if part.strip()
                )
                source = Source(path, number + 1, number + 1)
                found.append(Statement(spoken, source, Origin.OWNER, headings, day=_day(record), block=block))
    return tuple(found)


def _without_speaker(said: str) -> str:
    """`User: always answer in German` is what the user said, with or without the name before it."""
    return _person().sub("", said, count=1)


@cache
def _person() -> re.Pattern[str]:
    return re.compile(rf"\A(?:\*\*)?{one_of('logs.people')}(?:\*\*)?\s*[:：](?:\*\*)?\s*", re.I)


def _first(record: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := record.get(name), str)), "")


def _day(record: Mapping[str, object]) -> str:
    """The day a record was written on, as its own clock said."""
    try:
        return str(date.fromisoformat(_first(record, _DAYS)[:10]))
    except ValueError:
        return ""


@lru_cache(maxsize=2_000)
def time_in(heading: str) -> time | None:
    """The time a heading begins with (`## 00:40 — after the call`); None when it says none."""
    found = _time().match(heading)
    if not found:
        return None
    hour, half = int(found["hour"]), (found["before"] or found["behind"] or "").casefold()
    if half in words("halves.afternoon") and hour < 12:
        hour += 12
    return time(hour, int(found["minute"]))


@cache
def _time() -> re.Pattern[str]:
    half = "|".join((*words("halves.morning"), *words("halves.afternoon")))
    return re.compile(
        rf"[\W_]*(?:\d{{4}}-\d{{2}}-\d{{2}}[T ,]+)?(?P<before>{half})?\s*"
        rf"(?P<hour>[01]?\d|2[0-3])[:：h](?P<minute>[0-5]\d)(?!\d)\s*(?P<behind>{half})?",
        re.I,
    )


def source_text(snapshot: Snapshot, source: Source) -> str:
    """What a source says: its lines, what they hang on, and the days that its words mean."""
    text = "".join(split_lines(snapshot.text_of(source.path))[source.first - 1 : source.last])
    file = snapshot.files.get(source.path)
    if file is None:
        return text
    day = file.place.day
    above = [
        part
        for entry in file.entries
        if entry.source.first <= source.last and source.first <= entry.source.last
        for part in (*entry.headings, *entry.parents, entry.text, str(entry.day or ""))
    ]
    hours = {time_in(part) for part in above} | {None}
    dated = [absolute(text, day, time=hour) for hour in hours] if day else []
    return "\n".join([text, *above, str(day or ""), *dated])
