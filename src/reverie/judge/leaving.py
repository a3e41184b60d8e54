"""Lines of MEMORY.md that leave by their own form: what names its own end and is past it, and what stands there twice.

Never by age: a line ends only when its own words say until when it holds ("trial until 2026-02-28"). What tells of the past
("lived there until 2019"), names a later day besides, begins with its day, or says more than what ends ("until May, then 39 EUR")
stays. A note that a line names and that is not there any more is only pointed out.

Duplicates are exact but for emphasis and a full stop: kept once, the other goes to the ledger. So does a line with which a more
detailed one begins, to the letter and up to a comma or a bracket. Exact is not enough: `- Status: active` under two projects is
two facts. So the same words count as one fact only under the same parents and the same subject, and never where order carries
meaning (numbered steps), where a line merely introduces what follows it, or where the owner asked for the line to stay.
"""

from __future__ import annotations

import calendar
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import pairwise

from reverie.core.layout import Kind, place_of
from reverie.judge.operation import Op, Operation, leaving_lines
from reverie.judge.relation import says_the_same, values_of
from reverie.judge.written_dates import WrittenDay
from reverie.judge.written_dates import days_in as written_days
from reverie.lang.lexicon import any_of, one_of
from reverie.lang.messages import say
from reverie.privacy.redact import holds_secret
from reverie.text.lines import bare, sentences
from reverie.text.markdown import Document, Shape
from reverie.text.marks import days_in, is_current_state, is_footer, is_generic, is_history, is_marked
from reverie.text.sections import OURS
from reverie.text.terms import bag, is_negated, plain, terms
from reverie.workspace.values import File, Notice, Origin, Snapshot, Source, Statement

GONE = "reference"
_BRACKETS = re.compile(r"[(（]([^()（）]{1,80})[)）][\s.。]*(?:<!--.*)?$")
_SIGNS = " \t,;:.!?*_~`\"'”’)]，；：。！？、）」—–-"
_NEXT_CLAUSE = re.compile(r"[,;:.!?]\s+\w|[，；：。！？、(（]\s*\w|\s[—–-]\s")
_STATEMENTS = re.compile(r"[;；]")
_COMMA = re.compile(r"[,，、](?!\d)")
_CLOSES = re.compile(r"\s*(?:[\u3040-\u9fff]{1,2}|(?:(?![\u3040-\u9fff])[\w:])+)?[\W_]*")
_PATH = re.compile(r"`([^`\s]+\.md)`")
_NAMED = frozenset({Kind.DAILY, Kind.TOPIC, Kind.KNOWLEDGE, Kind.CLASSIFIED})


def find_expired(memory: File | None, today: date) -> tuple[Operation, ...]:
    """The end of every line whose own last day is past."""
    return tuple(
        Operation(Op.END, say("why.expired", day=end.isoformat()), (), (entry,), tag="stale")
        for entry in (memory.entries if memory else ())
        if entry.origin is Origin.OWNER and is_over(entry.text, entry.headings, today) and _may_end(entry)
        if (end := end_of(entry.text))
    )


def missing_files(snapshot: Snapshot) -> tuple[Notice, ...]:
    """A notice for every line of MEMORY.md that names a note which is gone."""
    memory = snapshot.files.get(snapshot.memory_path)
    entries = [entry for entry in (memory.entries if memory else ()) if entry.origin is Origin.OWNER]
    return tuple(notice for entry in entries for notice in _dead_paths(snapshot, entry))


def end_of(text: str) -> date | None:
    """The last day on which this line holds, if it names one, no later day, and nothing that may hold after it.

    What `valid` wrote counts alone.
    """
    stated = _stated(text)
    said = stated or text
    if not (stated or any_of("expiry.until").search(text) or any_of("expiry.until_behind").search(text)):
        return None
    ends = [(written, day) for written in written_days(said) if _is_end(written, said) and (day := _last_day(written))]
    if not ends or not _is_all_of(said, ends[-1][0]):
        return None
    last = max(day for _, day in ends)
    return None if not stated and max((*days_in(text), last)) > last else last


def start_of(text: str) -> date | None:
    """The first day on which this line holds, where it says so: valid from 2026-12-01."""
    if not (any_of("expiry.from").search(text) or any_of("expiry.from_behind").search(text)):
        return None
    return max(
        (day for written in written_days(text) if _is_start(written, text) and (day := _last_day(written))),
        default=None,
    )


def is_over(text: str, headings: Sequence[str], today: date) -> bool:
    """Whether a line has ended by its own word: it does not enter, search and recall mark it, and the night archives it."""
    end = end_of(text)
    return end is not None and end < today and _is_for_a_while(text, headings)


def holds(text: str, headings: Sequence[str], today: date) -> bool:
    """Whether a line is in force on this day, as far as its own words say: neither over nor still to come."""
    start = start_of(text)
    return (start is None or start <= today) and not is_over(text, headings, today)


def valid(text: str, first: date | None, last: date | None) -> str:
    """The line with the days between which it holds, so that a person reads them and `start_of` and `end_of` do."""
    if first is None and last is None:
        return text
    name = "valid_both" if first and last else "valid_from" if first else "valid_until"
    return text.rstrip() + say(f"time.{name}", first=first, last=last)


def _may_end(entry: Statement) -> bool:
    """A line of its own that nothing holds where it is."""
    alone = entry.block.tail == entry.block.end
    return alone and not (entry.protected or is_footer(entry.text) or holds_secret(entry.text))


def _is_for_a_while(text: str, headings: Sequence[str]) -> bool:
    if _stated(text) and not is_marked(text):
        return True  # nobody writes that behind a tale
    if is_marked(text) or any_of("expiry.past").search(text) or is_history(text):
        return False
    return bool(any_of("expiry.for_a_while").search(text)) or any(map(is_current_state, headings))


def _is_end(written: WrittenDay, text: str) -> bool:
    """Whether the words around a day make it the last one: until 5 March."""
    return bool(_before().search(text[: written.start]) or _behind().match(text[written.end :]))


def _is_all_of(text: str, end: WrittenDay) -> bool:
    """Whether the end is the end of the whole line: it closes it, or opens it and one clause follows. No word is read.

    Of "free until March, then 39 EUR" the rest holds now, and of "port 8443, certificate valid until March" the beginning.
    A single word may follow, for in some languages the verb stands last.
    """
    before, rest = _before().sub("", text[: end.start]), OURS.sub("", text[end.end :])
    rest = rest[found.end() :] if (found := _behind().match(rest)) else rest
    for day in reversed(written_days(before)):
        before = before[: day.start] + before[day.end :]
    if not bag(before):
        return not _NEXT_CLAUSE.search(rest.lstrip(_SIGNS)) and len(values_of(rest)) < 2
    others = _COMMA.split(before)[:-1]
    several = _STATEMENTS.search(before) or len(sentences(before)) > 1 or any(map(values_of, others))
    return not several and _CLOSES.fullmatch(rest) is not None


def _is_start(written: WrittenDay, text: str) -> bool:
    return bool(_from().search(text[: written.start]) or _from_behind().match(text[written.end :]))


def _stated(text: str) -> str:
    """What brackets at the end of a line say of its validity; empty where they say nothing of it."""
    found = _BRACKETS.search(text)
    return found[1] if found and any_of("expiry.valid").search(found[1]) else ""


def _last_day(written: WrittenDay) -> date | None:
    """The day that is written, the later one where it can be read in two ways; of a month its last."""
    days = [_day(*reading) for reading in written.readings if reading[0] and reading[1]]
    return max((day for day in days if day), default=None)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day or calendar.monthrange(year, month)[1])
    except ValueError:  # 31 February
        return None


@cache
def _before() -> re.Pattern[str]:
    """Until; the end of a month is its last day, which is how a month is read."""
    between = rf"{one_of('specifics.day_articles')}?\s*{one_of('expiry.end_of')}?"
    return re.compile(rf"{one_of('expiry.until')}\s*{between}\s*$", re.I)


@cache
def _from() -> re.Pattern[str]:
    return re.compile(rf"{one_of('expiry.from')}\s*{one_of('specifics.day_articles')}?\s*$", re.I)


@cache
def _from_behind() -> re.Pattern[str]:
    return re.compile(rf"\s?{one_of('expiry.from_behind')}", re.I)


@cache
def _behind() -> re.Pattern[str]:
    return re.compile(rf"\s?{one_of('expiry.until_behind')}", re.I)


def _dead_paths(snapshot: Snapshot, entry: Statement) -> Iterator[Notice]:
    """Notes of this workspace that the line names and that are not there. Nobody deletes a line for that."""
    refused = {refusal.path for refusal in snapshot.refused}
    there = {path.casefold() for path in (*snapshot.files, *refused)}
    for path in _PATH.findall(entry.text):
        named = path.removeprefix("./")
        if ".." not in named and place_of(named).kind in _NAMED and "/" in named and named.casefold() not in there:
            why = say("why.missing_file", path=named)
            yield Notice(GONE, entry.text, why, (entry.source,), entry)


DUPLICATE = "duplicate"
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_SHAPES = frozenset({Shape.BULLET, Shape.PARAGRAPH, Shape.ROW})
_GOES_ON = re.compile(r"\s*[,;(，；（]|\s+[—–]\s|[.。]\s*\S")
_A_FACT = 3  # telling words


def find_duplicates(memory: File | None, so_far: Sequence[Operation] = ()) -> tuple[Operation, ...]:
    """One operation for every copy that should leave, the copy that stays named in its reason.

    Lines that already leave are not looked at: without them, two items may be the same that were not before. Round by round,
    until nothing more is found.
    """
    if memory is None:
        return ()
    gone = {line for path, line in leaving_lines(so_far) if path == memory.path}
    found: list[Operation] = []
    while fresh := list(_round(memory, gone)):
        leaving = set(leaving_lines(fresh))
        found = [one for one in found if not leaving.issuperset(leaving_lines([one]))]  # a part leaves with its whole
        found += fresh
        gone |= {line for _, line in leaving}
    return tuple(found)


def _round(memory: File, gone: Set[int]) -> Iterator[Operation]:
    taken = set(gone)
    for kept, copy, why in (*_pasted_sections(memory, gone), *_copies(memory, gone), *_told_shorter(memory, gone)):
        if copy.block.first in taken or kept.block.first in taken:
            continue
        if not holds_secret("".join(memory.document.lines[copy.block.first : copy.block.tail])):
            taken.update(range(copy.block.first, copy.block.tail))
            whole = replace(copy, source=Source(memory.path, copy.block.first + 1, copy.block.tail))
            yield Operation(Op.END, say(why, place=kept.source), (), (whole,), tag=DUPLICATE)


def _copies(memory: File, gone: Set[int]) -> Iterator[tuple[Statement, Statement, str]]:
    """(the one that stays, one that may leave, why). A protected copy stays; else the first does."""
    groups: dict[object, list[Statement]] = {}
    for place, entry in _placed(memory, gone):
        below = _said(memory.document, entry.block.end, entry.block.tail, gone)
        groups.setdefault((place, _near(entry.text), below), []).append(entry)
    for group in groups.values():
        kept = next((entry for entry in group if entry.protected), group[0])
        yield from ((kept, entry, "why.same_words") for entry in group if entry is not kept and not entry.protected)


def _told_shorter(memory: File, gone: Set[int]) -> Iterator[tuple[Statement, Statement, str]]:
    """(the one that tells more, the one with which it begins, why)."""
    groups: dict[object, list[tuple[str, Statement]]] = {}
    for place, entry in _placed(memory, gone):
        if entry.block.tail == entry.block.end and entry.block.shape is not Shape.ROW:
            groups.setdefault(place, []).append((_near(entry.text), entry))
    for group in groups.values():
        # In the order of their words a line stands right before those that begin with it.
        ranked = sorted(group, key=lambda one: (one[0], -one[1].block.first))
        for (text, entry), (more, longer) in pairwise(ranked):
            if not entry.protected and _begins_with(more, text):
                yield longer, entry, "why.tells_more"


def copy_of(entries: Sequence[Statement], words: str) -> tuple[Statement, Statement, str] | None:
    """(the one that stays, the copy with these words that may leave, why) by what stands there now; None if it stands once."""
    copies = [entry for entry in entries if plain(OURS.sub("", entry.text)) == plain(words) and not entry.protected]
    alone = [entry for entry in copies if entry.block.tail == entry.block.end]  # what hangs on a line tells more
    for leaves in (alone or copies)[-1:]:
        others = [entry for entry in entries if entry is not leaves]
        same = [entry for entry in others if bag(entry.text) == bag(words) and says_the_same(entry.text, words)]
        if same:
            return next((entry for entry in same if entry.protected), same[0]), leaves, "why.says_the_same"
        longer = (entry for entry in others if _begins_with(_near(entry.text), _near(words)))
        return next(((entry, leaves, "why.tells_more") for entry in longer), None)
    return None


def _begins_with(more: str, text: str) -> bool:
    """Whether a line goes on where another ends, and adds what takes nothing of it back. Two words are a name rather than a fact."""
    rest = more.removeprefix(text)
    if rest == more or not _GOES_ON.match(rest) or len(terms(text)) < _A_FACT:
        return False
    return is_negated(more) == is_negated(text) and not any_of("forms.ended").search(rest)


def _placed(memory: File, gone: Set[int]) -> Iterator[tuple[object, Statement]]:
    """The owner's statements, each with what it must share with another to be the same fact: subject, parent, label, box."""
    labels = _labels(memory, gone)
    for entry in memory.entries:
        block = entry.block
        if entry.origin is not Origin.OWNER or block.shape not in _SHAPES or block.first in gone:
            continue
        if not _introduces(memory.document, entry, gone):
            # Years, numbers and signs belong to a subject: `2025` is not `2026`, `C++` is not `C#`.
            subject = tuple(" ".join(name.casefold().split()) for name in entry.headings if not is_generic(name))
            # The parent itself, not its words: two calls may both be "with Mira".
            yield (labels.get(block.first), block.shape is Shape.ROW, block.parent, subject, block.checked), entry


def _near(text: str) -> str:
    """The words of a line without our mark, marks of emphasis and the stop at its end. Every other sign may tell something."""
    return " ".join(_EMPHASIS.sub("", OURS.sub("", text)).split()).rstrip(".。 ")


def _labels(memory: File, gone: Set[int]) -> dict[int, int]:
    """The line of the label each item stands under ("**Alpha**", "Violins:"), by the item's first line.

    The label itself, not its words: a list that lost its last item would make a copy of its label the next night.
    """
    found: dict[int, int] = {}
    label = -1
    introducing = {
        e.block.first
        for e in memory.entries
        if e.block.shape is Shape.PARAGRAPH and _introduces(memory.document, e, gone)
    }
    for block in memory.document.blocks:
        if block.shape in (Shape.HEADING, Shape.PARAGRAPH) and block.parent is None:
            label = block.first if block.first in introducing else -1
        elif label >= 0 and block.parent is None:
            found[block.first] = label
    return found


def _introduces(document: Document, entry: Statement, gone: Set[int]) -> bool:
    """A label or an opening sentence: taking it away would join two lists that are not one."""
    text = entry.text.rstrip("*_ ")
    if (
        not text
        or text.endswith((":", "："))
        or (entry.block.shape is Shape.PARAGRAPH and text.startswith("**") and not entry.block.key)
    ):
        return True
    if entry.block.shape is not Shape.PARAGRAPH:
        return False
    after = bisect_left(document.blocks, entry.block.end, key=lambda block: block.first)
    while after < len(document.blocks) and document.blocks[after].first in gone:
        after += 1
    opens = (Shape.BULLET, Shape.NUMBERED, Shape.HEADER, Shape.CODE)
    return after < len(document.blocks) and document.blocks[after].shape in opens


def _said(document: Document, first: int, end: int, gone: Set[int]) -> tuple[str, ...]:
    """The words of some lines, those left out that already leave."""
    lines = (document.lines[i] for i in range(first, end) if i not in gone)
    return tuple(" ".join(bare(line).split()) for line in lines if line.strip())


def _pasted_sections(memory: File, gone: Set[int]) -> Iterator[tuple[Statement, Statement, str]]:
    """Whole sections that stand twice, heading and all, under the same headings: the later one leaves."""
    document = memory.document
    shielded = sorted(entry.block.first for entry in memory.entries if entry.protected)
    odd = [b.first for b in document.blocks if b.shape in (Shape.CONFLICT, Shape.MANAGED, Shape.RECALLED, Shape.FRONT)]
    ends = _section_ends(document)
    seen: dict[object, Statement] = {}
    end_of_last = 0
    for block in document.blocks:
        if block.shape is not Shape.HEADING or block.first < end_of_last or block.first in gone:
            continue
        end = ends[block.first]
        words = _said(document, block.first, end, gone)
        section = Statement(
            block.text,
            Source(memory.path, block.first + 1, end),
            headings=document.headings_of(block),
            block=replace(block, tail=end),
        )
        key = (document.headings_of(block), words)
        if len(words) < 3 or key not in seen:
            seen.setdefault(key, section)
        elif (
            not _any_in(shielded, block.first, end)
            and not _any_in(odd, block.first, end)
            and not holds_secret("".join(document.lines[block.first : end]))
        ):
            end_of_last = end
            yield seen[key], section, "why.same_section"


def _any_in(places: list[int], first: int, end: int) -> bool:
    at = bisect_left(places, first)
    return at < len(places) and places[at] < end


def _section_ends(document: Document) -> dict[int, int]:
    """One past the last line of every section that says something: neither blank, a rule, nor the file's footer."""
    ends: dict[int, int] = {}
    following: list[tuple[int, int]] = []  # level and line of the headings below that may end a section
    for block in reversed(document.blocks):
        if block.shape is not Shape.HEADING:
            continue
        while following and following[-1][0] > block.level:
            following.pop()
        end = following[-1][1] if following else len(document.lines)
        following.append((block.level, block.first))
        while end > block.first + 1 and (
            not document.lines[end - 1].strip("-*_ \t\r\n") or is_footer(bare(document.lines[end - 1]))
        ):
            end -= 1
        ends[block.first] = end
    return ends
