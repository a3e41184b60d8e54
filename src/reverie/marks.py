"""Reading the marks that owners leave: pins, warnings, finished items. Certain things only.

A mark is structure (a checkbox, a strike-through, a sign) or a word of `reverie.words` in a place where it can
mean nothing else. Whatever is not certain is not a mark.
"""

from __future__ import annotations

import re
from datetime import date

from reverie.words import (
    CURRENT_STATE,
    DONE,
    DONE_SIGNS,
    FOOTERS,
    GENERIC_HEADINGS,
    LABELLED,
    MARKED,
    RULE_KEYS,
    SHOUTED,
)

PIN = "📌"
_SHOUT = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, SHOUTED)) + r")(?!\w)")
_labels = "|".join(map(re.escape, LABELLED))
_LABELLED = re.compile(rf"^\W*(?:{_labels})\s*[:：!！]|[\[(（【](?:{_labels})[\])）】]")
_IMPORTANT_COMMENT = re.compile(r"<!--\s*(?:important|pin(?:ned)?|keep|permanent)\s*-->", re.I)
_RULE_KEY = re.compile(r"\W*(?:" + "|".join(map(re.escape, RULE_KEYS)) + r")\W{0,4}\s*[:：]", re.I)
_RULE_HEADING = re.compile(
    r"(?<!\w)(?:" + "|".join(map(re.escape, RULE_KEYS)) + r")(?!\w)|规则|原则|规定|守则|規則", re.I
)
_words = "|".join(sorted(map(re.escape, DONE), key=len, reverse=True))
_signs = "|".join(map(re.escape, DONE_SIGNS))
_DONE_START = re.compile(rf"(?:\*\*|__|\[)?(?:{_words})(?:\*\*|__|\])?\s*(?:\([^)]*\)\s*)?(?:[:：]|[—–-](?!\w))", re.I)
_DONE_END = re.compile(rf"[(\[（【]\s*(?:{_words})(?![\w-])[^)\]）】]*[)\]）】]\s*[.。]?$", re.I)
_DONE_STATUS = re.compile(
    rf"(?:^|[\s|(（;；,，])(?:\*\*)?(?:status|状态|stand|estado|statut|статус)(?:\*\*)?\s*[:：]\s*(?:\*\*)?\s*(?:{_words})(?!\w)",
    re.I,
)
_FOOTER = re.compile(r"[\s*_>(—–-]*(?:" + "|".join(map(re.escape, FOOTERS)) + r")[\s*_]*[:：]?[^:：]{0,40}$", re.I)
_STRUCK = re.compile(r"~~.+~~\W*$", re.S)
_ISO_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_HAN_DAY = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日")


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


def plain_heading(text: str) -> str:
    return re.sub(r"^[\W\d_]+|[\W_]+$", "", text).casefold()


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
        or bool(_DONE_START.match(text) or _DONE_END.search(text) or _DONE_STATUS.search(text))
    )


def days_in(text: str) -> tuple[date, ...]:
    """The absolute days a text names, in order. Impossible ones are skipped."""
    found = [*_ISO_DAY.findall(text), *_HAN_DAY.findall(text)]
    days = []
    for year, month, day in found:
        try:
            days.append(date(int(year), int(month), int(day)))
        except ValueError:
            continue
    return tuple(days)


_CURRENT = frozenset(map(plain_heading, CURRENT_STATE))
_GENERIC = frozenset(map(plain_heading, GENERIC_HEADINGS))
