"""Reading the marks that owners leave: pins, warnings, finished items, and which lines no dream may move. Certain things only.

A mark is structure (a checkbox, a strike-through, a sign) or a word of the table `notes` of a language file in a place where it
can mean nothing else. Whatever is not certain is not a mark. Which blocks are protected is asked twice on purpose: the reader
asks in order not to propose such an edit, the promises ask again before every write, whoever proposed it.

A mark is the owner's only where the owner set it: in MEMORY.md itself, or by the command that pins. A line that a program wrote
there (a dream, or OpenClaw's) was a line of a note before, where an agent or a stranger may have written "📌" or "NEVER": in it
they are words and protect nothing, until somebody changes the line by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from functools import cache

from reverie.lang import words
from reverie.lang.lexicon import DATE_SIGNS
from reverie.text.lines import BOM, LONGEST, bare, clipped, plain_heading, short_id
from reverie.text.managed import is_promotion_mark
from reverie.text.markdown import Document, Shape
from reverie.text.sections import OURS

PIN = "📌"
MARK_SIGNS = (PIN, "⚠", "🔒", "🚨", "❗")  # by which an owner says "do not touch this", without a word
DONE_SIGNS = ("✅", "✔", "☑")
_DONE_SIGN_LAST = re.compile(rf"(?:{'|'.join(DONE_SIGNS)})\ufe0f?\s*$")
_OF_A_DAY = re.compile(r"\s*\(\d{4}-\d\d-\d\d\)\s*$")
_IMPORTANT_COMMENT = re.compile(r"<!--\s*(?:important|pin(?:ned)?|keep|permanent)\s*-->", re.I)
_STRUCK = re.compile(r"~~(?:(?!~~).)+~~\W*", re.S)
_YEAR, _MONTH, _DAY = DATE_SIGNS
_DATE = rf"(?:\d{{4}}-\d{{2}}(?:-\d{{2}})?|\d{{4}}{_YEAR}\d{{1,2}}{_MONTH}\d{{1,2}}{_DAY}|\d{{1,2}}[./]\d{{1,2}}[./]?(?:\d{{4}}|\d{{2}})?)"
_WHOLE_DATE = re.compile(rf"(?<!\d)(\d{{4}})(?:-(\d{{2}})-(\d{{2}})(?!\d)|{_YEAR}(\d{{1,2}}){_MONTH}(\d{{1,2}}){_DAY})")
_DATED_START = re.compile(rf"(?:\*\*)?\s{{0,3}}(?:{_DATE}|$)")
_LEAD = re.compile(r"\A[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_NUMBERS = re.compile(r"\[score=[\d.]+ [^\]\n]{1,600}\]")  # OpenClaw's, behind a line that it promoted
_FIGURES = re.compile(
    rf"(?P<year>\d{{4}})(?P<first>[-./{_YEAR}])(?P<month>\d{{1,2}})(?P<second>[-./{_MONTH}])(?P<day>\d{{1,2}})"
)
_WRITTEN = re.compile(r"\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}\.? [^\W\d_]{3,9}\.? \d{4}|[^\W\d_]{3,9}\.? \d{1,2},? \d{4}")
_CLOCK = re.compile(r"^([ T])\d{1,2}:\d{2}(?::\d{2})?")
_HISTORY = re.compile(r"\W*\d{4}-(?:\d{2}|W\d{2})(?:-\d{2})?\b")


def _any(group: str) -> str:
    """Any word of a list of the table `notes`, longest first."""
    return "|".join(sorted(map(re.escape, words(f"notes.{group}")), key=len, reverse=True))


@cache
def _marked() -> re.Pattern[str]:
    """A sign, a word in capitals ("NEVER" is a rule, "never" is speech), a label, the key of a rule."""
    # Some words are ordinary unless they stand as a label: before a colon, or alone in brackets.
    labels = _any("labelled")
    return re.compile(
        rf"{'|'.join(MARK_SIGNS)}|{_any('marked')}|(?<!\w)(?:{_any('shouted')})(?!\w)"
        rf"|^\W*(?:{labels})[\s*_]*[:：!！]|[\[(（【](?:{labels})[\])）】]|^\W*(?i:{_any('rule_keys')})\W{{0,4}}\s*[:：]"
    )


def _apart(group: str) -> str:
    """Any word of a list: those of scripts that divide words stand apart, the others anywhere."""
    glued = "|".join(re.escape(word) for word in words(f"notes.{group}") if word[0] >= "\u2e80")
    spaced = "|".join(re.escape(word) for word in words(f"notes.{group}") if word[0] < "\u2e80")
    return rf"(?<!\w)(?:{spaced})(?!\w)|{glued}"


@cache
def _rule_heading() -> re.Pattern[str]:
    return re.compile(_apart("rule_keys"), re.I)


@cache
def _done() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A word that says an item is finished, at its start; and at its end, or as its status."""
    done = _any("done")
    # "Done: 40 %", "Done: no" and "Closed: Mondays" say something else.
    parts_of = "|".join(rf"{word}\b" for word in words("notes.parts_of"))
    not_yet = rf"(?!\s*(?:\*\*)?\s{{0,3}}(?:\d+\s{{0,3}}(?:%|/|{parts_of})|{_apart('not_done')}))"
    start = rf"(?:\*\*|__|[\[【])?(?P<word>{done})(?:\*\*|__|[\]】])?\s*(?:\([^)]*\)\s*)?(?:[:：]|[—–-](?!\w))(?:\*\*)?{not_yet}"
    in_brackets = (
        rf"[(\[（【]\s*(?:{done})(?:[\s,，:：]{{0,3}}(?:{_any('on_day')})?\s{{0,2}}{_DATE})?\s*[)\]）】]\s*[.。]?$"
    )
    last_sentence = rf"[.;。；!！]\s*(?:{done})\s*[.。]?$"  # "…; fix: brick replaced. Closed."
    status = (
        rf"(?:^|[\s|(（;；,，])(?:\*\*)?(?:{_any('status_keys')})(?:\*\*)?\s{{0,4}}[:：][\s*]{{0,6}}(?:{done})(?!\w)"
    )
    return re.compile(start, re.I), re.compile(f"{in_brackets}|{last_sentence}|{status}", re.I)


@cache
def _footer() -> re.Pattern[str]:
    return re.compile(
        rf"[\s*_>(—–-]*(?:{_any('footers')})(?!\w)[\s*_]{{0,6}}[:：]?\s{{0,3}}(?:(?:on|am|le)\s)?"
        rf"(?:\d{{1,4}}[-./{_YEAR} ]{{1,2}}\w{{1,9}}[-./{_MONTH} ]{{0,2}}\d{{0,4}}{_DAY}?(?:[ T]\d{{1,2}}:\d{{2}}\S{{0,6}})?|\w{{3,9}}\.? \d{{1,2}},? \d{{4}})?[\s*_).]{{0,8}}$",
        re.I,
    )


@cache
def _headings(group: str) -> frozenset[str]:
    return frozenset(map(plain_heading, words(f"notes.{group}")))


def is_pinned(text: str) -> bool:
    return PIN in text


def is_marked(text: str) -> bool:
    """The owner asked for this line to stay: a pin, a warning sign, a shouted word, a rule's key."""
    return bool(_marked().search(text) or _IMPORTANT_COMMENT.search(text))


def is_marked_heading(text: str) -> bool:
    """A section of rules, or one whose heading is marked itself."""
    return is_marked(text) or bool(_rule_heading().search(text))


def same_heading(one: str, other: str) -> bool:
    """Headings are compared as people read them: without case, numbering and decoration."""
    return plain_heading(one) == plain_heading(other)


def is_current_state(heading: str) -> bool:
    return plain_heading(heading) in _headings("current_state")


def is_task_list(heading: str) -> bool:
    return plain_heading(heading) in _headings("task_headings")


def is_generic(heading: str) -> bool:
    """A heading that tells nothing of what stands under it, such as that of a night in which OpenClaw promoted it."""
    night = plain_heading(_OF_A_DAY.sub("", heading)) in _headings("night_headings")
    return night or plain_heading(heading) in _headings("generic_headings")


def is_footer(line: str) -> bool:
    """The “last updated” line, with a date or nothing behind it."""
    return bool(_footer().match(line))


def dated_footer(line: str, now: datetime) -> str:
    """The “last updated” line with this day, in the owner's order of figures; any other way to write a day becomes 2026-10-01."""
    if found := _FIGURES.search(line):
        month, day = (f"{part:0{len(found[name])}}" for part, name in ((now.month, "month"), (now.day, "day")))
        told = f"{now:%Y}{found['first']}{month}{found['second']}{day}"
    elif found := _WRITTEN.search(line):
        told = f"{now:%d.%m.%Y}" if "." in found[0] and not re.search(r"[^\d.]", found[0]) else f"{now:%Y-%m-%d}"
    else:
        return line
    return line[: found.start()] + told + _CLOCK.sub(rf"\g<1>{now:%H:%M}", line[found.end() :], count=1)


def is_done(text: str, *, checked: bool | None) -> bool:
    """The item says of itself that it is finished. A box that is not ticked overrules every word."""
    if checked is not None:
        return checked
    text = text.strip()
    start, end = _done()
    if text.startswith(DONE_SIGNS) or _DONE_SIGN_LAST.search(text) or end.search(text):
        return True
    if text.startswith("~~") and _STRUCK.fullmatch(text):
        return True
    found = start.match(text)
    if found is None:
        return False
    # Some of these words also describe a thing ("Closed: Mondays"): they count only alone or with a day.
    adjective = found["word"].casefold() in words("notes.also_adjectives")
    return not adjective or bool(_DATED_START.match(text, found.end()))


def days_in(text: str) -> tuple[date, ...]:
    """The absolute days a text names, in order. Impossible ones are skipped."""
    days = []
    for year, month, day, han_month, han_day in _WHOLE_DATE.findall(text):
        try:
            days.append(date(int(year), int(month or han_month), int(day or han_day)))
        except ValueError:
            continue
    return tuple(days)


def is_history(text: str) -> bool:
    """A line that begins with its day, week or month tells what happened then; nothing later makes it untrue."""
    return bool(_HISTORY.match(text))


def protected_blocks(document: Document, guarded: Iterable[str] = ()) -> frozenset[int]:
    """Blocks that are marked themselves, stand under a marked or guarded heading, or hang on a marked item.

    A parent of a marked sub-item is protected too: moving it would move the child. A “last updated” line belongs to no section.
    """
    names = tuple(guarded)
    found: set[int] = set()
    heirs: set[int] = set()  # protected blocks that protect what stands below them
    for index, block in enumerate(document.blocks):
        named = block.shape is Shape.HEADING and any(same_heading(block.text, name) for name in names)
        inherited = (block.parent in heirs or block.heading in heirs) and not is_footer(clipped(block.text))
        if named or inherited or _is_marked(document, index):
            found.add(index)
            # `# Memory (IMPORTANT)` is a title: it would freeze the whole file.
            if named or inherited or not (block.shape is Shape.HEADING and block.level == 1):
                heirs.add(index)
    for index in sorted(found, reverse=True):
        parent = document.blocks[index].parent
        while parent is not None and parent not in found:
            found.add(parent)
            parent = document.blocks[parent].parent
    return frozenset(found)


def protected_lines(document: Document, guarded: Iterable[str] = ()) -> tuple[str, ...]:
    """The lines themselves, in order, with their endings; blank ones left out."""
    return tuple(document.lines[i] for i in protected_numbers(document, guarded) if document.lines[i].strip())


def protected_numbers(document: Document, guarded: Iterable[str] = ()) -> list[int]:
    """The numbers of these lines, from zero."""
    found = protected_blocks(document, guarded)
    return sorted({i for index in found for i in range(document.blocks[index].first, document.blocks[index].end)})


def _is_marked(document: Document, index: int) -> bool:
    block = document.blocks[index]
    if block.shape is Shape.HEADING:
        return is_marked_heading(clipped(block.text))
    if len(block.text) > LONGEST:
        return True  # it is not read to its end, where a pin may stand
    raw = "".join(
        line.lstrip(" \t") for line in document.lines[block.first : block.end]
    )  # how deep it stands marks nothing
    if is_promotion_mark(raw):
        return True
    if not (is_marked(raw) or is_marked(block.text)):
        return False
    theirs = _beside_a_programs_words(document.lines[block.first : block.end])
    return theirs is None or is_marked(theirs)


def _beside_a_programs_words(lines: Sequence[str]) -> str | None:
    """What the owner added to a line that a program wrote; None for a line that is the owner's whole.

    Our mark names the words that a dream wrote: as long as they stand to the letter, nobody added anything. Of a line that
    OpenClaw promoted only the numbers are known, so a pin counts in front of its words and any mark behind them.
    """
    if len(lines) != 1:
        return None
    line = _LEAD.sub("", bare(lines[0].removeprefix(BOM)), count=1)
    ours, numbers = OURS.search(line), _NUMBERS.search(line)
    words = line[: numbers.start() if numbers else ours.start() if ours else len(line)].strip()
    if ours and short_id(words) == ours[1]:
        return ""
    return (PIN if words.startswith(PIN) else "") + line[numbers.end() :] if numbers else None
