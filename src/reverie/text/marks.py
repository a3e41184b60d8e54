"""Reading the marks that owners leave: pins, warnings, finished items. Certain things only.

A mark is structure (a checkbox, a strike-through, a sign) or a word of `reverie.lang.notes_words` in a place where it can
mean nothing else. Whatever is not certain is not a mark.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from reverie.lang.notes_words import (
    ALSO_ADJECTIVES,
    CURRENT_STATE,
    DONE,
    DONE_SIGNS,
    FOOTERS,
    GENERIC_HEADINGS,
    LABELLED,
    MARKED,
    OPEN_MATTERS,
    RULE_KEYS,
    SHOUTED,
)
from reverie.text.lines import plain_heading

PIN = "📌"
_SHOUT = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, SHOUTED)) + r")(?!\w)")
_labels = "|".join(map(re.escape, LABELLED))
_LABELLED = re.compile(rf"^\W*(?:{_labels})[\s*_]*[:：!！]|[\[(（【](?:{_labels})[\])）】]")
_IMPORTANT_COMMENT = re.compile(r"<!--\s*(?:important|pin(?:ned)?|keep|permanent)\s*-->", re.I)
_RULE_KEY = re.compile(r"\W*(?:" + "|".join(map(re.escape, RULE_KEYS)) + r")\W{0,4}\s*[:：]", re.I)
_RULE_HEADING = re.compile(
    r"(?<!\w)(?:" + "|".join(map(re.escape, RULE_KEYS)) + r")(?!\w)|规则|原则|规定|守则|規則", re.I
)
_words = "|".join(sorted(map(re.escape, DONE), key=len, reverse=True))
_signs = "|".join(map(re.escape, DONE_SIGNS))
_day = r"(?:\d{4}-\d{2}(?:-\d{2})?|\d{4}年\d{1,2}月\d{1,2}日|\d{1,2}[./]\d{1,2}[./]?(?:\d{4}|\d{2})?)"
_adjectives = "|".join(map(re.escape, ALSO_ADJECTIVES))
# "Done: 40 %", "Done: no" and "Closed: Mondays" say something else.
_not_yet = (
    r"(?!\s*(?:\*\*)?\s{0,3}(?:\d+\s{0,3}(?:%|/|of\b|von\b|de\b|из\b)|(?:no|not|nein|nicht|non|não|нет)\b|否|未|没))"
)
_DONE_START = re.compile(
    rf"(?:\*\*|__|[\[【])?(?P<word>{_words})(?:\*\*|__|[\]】])?\s*(?:\([^)]*\)\s*)?(?:[:：]|[—–-](?!\w))"
    rf"(?:\*\*)?{_not_yet}",
    re.I,
)
_DATED_START = re.compile(rf"(?:\*\*)?\s{{0,3}}(?:{_day}|$)")
_DONE_END = re.compile(
    rf"[(\[（【]\s*(?:{_words})(?:[\s,，:：]{{0,3}}(?:on|am|le|el|em|в)?\s{{0,2}}{_day})?\s*[)\]）】]\s*[.。]?$", re.I
)
# The last sentence is one word: "…; fix: brick replaced. Closed."
_DONE_LAST = re.compile(rf"[.;。；!！]\s*(?:{_words})\s*[.。]?$", re.I)
_DONE_STATUS = re.compile(
    rf"(?:^|[\s|(（;；,，])(?:\*\*)?(?:status|状态|stand|estado|statut|статус)(?:\*\*)?\s{{0,4}}[:：][\s*]{{0,6}}(?:{_words})(?!\w)",
    re.I,
)
_FOOTER = re.compile(
    r"[\s*_>(—–-]*(?:" + "|".join(map(re.escape, FOOTERS)) + r")(?!\w)[\s*_]{0,6}[:：]?\s{0,3}(?:(?:on|am|le)\s)?"
    r"(?:\d{1,4}[-./年 ]{1,2}\w{1,9}[-./月 ]{0,2}\d{0,4}日?(?:[ T]\d{1,2}:\d{2}\S{0,6})?|\w{3,9}\.? \d{1,2},? \d{4})?[\s*_).]{0,8}$",
    re.I,
)
_spaced = "|".join(re.escape(word) for word in OPEN_MATTERS if word[0] < "\u2e80")
_glued = "|".join(re.escape(word) for word in OPEN_MATTERS if word[0] >= "\u2e80")
_OPEN_MATTERS = re.compile(rf"(?<!\w)(?:{_spaced})(?!\w)|{_glued}")
_STRUCK = re.compile(r"~~(?:(?!~~).)+~~\W*", re.S)
_DAY = re.compile(r"(?<!\d)(\d{4})(?:-(\d{2})-(\d{2})(?!\d)|年(\d{1,2})月(\d{1,2})日)")


def is_pinned(text: str) -> bool:
    return PIN in text


def is_marked(text: str) -> bool:
    """The owner asked for this line to stay: a pin, a warning sign, a shouted word, a rule's key."""
    return (
        any(mark in text for mark in MARKED)
        or bool(_SHOUT.search(text) or _LABELLED.search(text))
        or bool(_IMPORTANT_COMMENT.search(text))
        or bool(_RULE_KEY.match(text))
    )


def is_marked_heading(text: str) -> bool:
    """A section of rules, or one whose heading is marked itself."""
    return is_marked(text) or bool(_RULE_HEADING.search(text))


def same_heading(one: str, other: str) -> bool:
    """Headings are compared as people read them: without case, numbering and decoration."""
    return plain_heading(one) == plain_heading(other)


@lru_cache(maxsize=1_024)
def is_open_matters(heading: str) -> bool:
    """What stands under this heading waits for something."""
    return bool(_OPEN_MATTERS.search(plain_heading(heading)))


def is_current_state(heading: str) -> bool:
    return plain_heading(heading) in _CURRENT


def is_generic(heading: str) -> bool:
    return plain_heading(heading) in _GENERIC


def is_footer(line: str) -> bool:
    """The “last updated” line, with a date or nothing behind it."""
    return bool(_FOOTER.match(line))


def is_done(text: str, *, checked: bool | None) -> bool:
    """The item says of itself that it is finished. A box that is not ticked overrules every word."""
    if checked is not None:
        return checked
    text = text.strip()
    return (
        text.startswith(DONE_SIGNS)
        or bool(re.search(rf"(?:{_signs})\ufe0f?\s*$", text))
        or (text.startswith("~~") and bool(_STRUCK.fullmatch(text)))
        or bool(
            _says_done_first(text) or _DONE_END.search(text) or _DONE_LAST.search(text) or _DONE_STATUS.search(text)
        )
    )


def _says_done_first(text: str) -> bool:
    found = _DONE_START.match(text)
    if not found:
        return False
    return found["word"].casefold() not in ALSO_ADJECTIVES or bool(_DATED_START.match(text, found.end()))


def days_in(text: str) -> tuple[date, ...]:
    """The absolute days a text names, in order. Impossible ones are skipped."""
    days = []
    for year, month, day, han_month, han_day in _DAY.findall(text):
        try:
            days.append(date(int(year), int(month or han_month), int(day or han_day)))
        except ValueError:
            continue
    return tuple(days)


_CURRENT = frozenset(map(plain_heading, CURRENT_STATE))
_GENERIC = frozenset(map(plain_heading, GENERIC_HEADINGS))


_HISTORY = re.compile(r"\W*\d{4}-(?:\d{2}|W\d{2})(?:-\d{2})?\b")


def is_history(text: str) -> bool:
    """A line that begins with its day, week or month tells what happened then; nothing later makes it untrue."""
    return bool(_HISTORY.match(text))
