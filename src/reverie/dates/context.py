"""What stands around a date word: whether it is the author's own, and whether its clause tells of the past or of what is to come.

Code, quotations, titles, paths, comments and lines that are dated already are nobody's "yesterday". A bare "on Friday" is only
as clear as its verb: where both signs of time stand in a clause, or none, nobody can say, and nothing is said.
"""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from itertools import pairwise

from reverie.lang import LANGUAGES, table, words, words_in
from reverie.lang.detect import is_glued
from reverie.lang.lexicon import DATE_SIGNS

# A quotation may run over the end of a line, but not into another item, heading or paragraph.
_ON = r"\n(?=[^\s\-*+#>|\d])"
_FENCES = (
    r"(?ms)^[ \t]*(?P<fence>```+|~~~+).*?(?:^[ \t]*(?P=fence)|\Z)"  # an open fence reaches to the end
    r"|(?P<tick>`+)[^\n]*?(?P=tick)"
    r"|<!--.*?(?:-->|\Z)|<[A-Za-z/][^<>\n]*>"
    r"|(?<!\w)\w{1,20}://\S+|www\.\S+|\]\([^)\n]*\)|\[\[[^\]\n]*\]\]"
    r"|(?<![A-Za-z0-9_.~-])[A-Za-z0-9_.~-]*/[A-Za-z0-9_.~-][A-Za-z0-9_./~-]*"
    r"|^[ \t]*>[^\n]*"
    rf"|“(?:[^”\n]|{_ON})*”|„(?:[^“”\n]|{_ON})*[“”]|«(?:[^»\n]|{_ON})*»|»[^«\n]*«|‹[^›\n]*›|‘[^’\n]*’"
    rf"|「(?:[^」\n]|{_ON})*」|『(?:[^』\n]|{_ON})*』|《[^》\n]*》|〈[^〉\n]*〉"
    rf'|"(?:[^"\n]|{_ON})*"'
    r'|["“„«「『《][^\n]*$'  # one that nobody closed reaches to the end of its line
    r"|(?<!\w)'[^'\n]+'(?!\w)"
)
_YEAR, _MONTH, _DAY = DATE_SIGNS
_ISO = rf"\d{{4}}[-/.{_YEAR}]\s?\d{{1,2}}[-/.{_MONTH}]\s?\d{{1,2}}{_DAY}?"
_LEAD = r"[\s>*+\-•#|\[(（*_\d.)]*?(?P<day>\d{4}-\d\d-\d\d)"
_BREAK = r"[;!?。！？；…|]|[.:](?=\s|$)|："
_REACH = 400

_OPENERS = " \t*_~([（【"
_STARTS = ".:!?;|-–—>]})。！？；：•·*+#✅✔☑❌⚠️📌"
_CAPITAL = re.compile(r" [A-Z\u00c0-\u00de][\w'’-]*(?P<then> [a-z\u00e0-\u00ff])?")
_LAST_WORD = re.compile(r"([^\W\d_]+(?:['’][^\W\d_]+)?)[ \t*_]+$")


@cache
def _shape(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled when it is first needed: importing this costs nothing."""
    return re.compile(pattern)


@cache
def _said(name: str) -> re.Pattern[str]:
    """What the files of all languages say under this name, as one pattern."""
    found = (table(language, "dates").get(name) for language in LANGUAGES)
    return re.compile("|".join(filter(None, found)), re.I)


def _spaced(name: str) -> str:
    return "|".join(word for language in LANGUAGES if not is_glued(language) for word in words_in(name, language))


def _glued(name: str) -> str:
    return "|".join(word for language in LANGUAGES if is_glued(language) for word in words_in(name, language))


# ---- whose words they are


@cache
def _speech() -> re.Pattern[str]:
    """What follows was said or sent by another: "Karl wrote: …". The colon is what makes it speech."""
    by = r"(?: (?:from|by|by the|to) [\w .]{1,30}| me| us)?"
    return re.compile(
        rf"(?i)\b(?:{_spaced('dates.speech')}){by}\s?[:：][^\n]*|(?:{_glued('dates.speech')})\s?[:：][^\n]*|(?:{_glued('dates.sayings')})[^\n]*"
    )


def fenced(text: str) -> list[tuple[int, int]]:
    """The stretches in which no date word is the author's own."""
    return [match.span() for pattern in (_shape(_FENCES), _speech()) for match in pattern.finditer(text)]


@cache
def _about_words() -> re.Pattern[str]:
    return re.compile(rf"(?i)\b(?:{_spaced('dates.about_words')})\b|{_glued('dates.about_words')}")


def about_words(sentence: str) -> bool:
    """A sentence about words is not about days."""
    return _about_words().search(sentence) is not None


@cache
def _dated_after() -> re.Pattern[str]:
    lead = "|".join(map(re.escape, words("dates.before_day")))
    months = "|".join(words("dates.month_starts"))
    return re.compile(
        rf"(?i)\s*[(（\[]\s*(?:\d{{1,2}}[./]\d{{1,2}}\.?(?!\d|%)|\d{{1,2}}{_MONTH})| \d{{1,2}}[./]\d{{1,2}}(?!\d|%| %)"  # 3/14 close by
        rf"|\s*[(（\[,，/–—-]?\s*(?:(?:{lead})\s+)?(?:{_ISO}|\d{{4}}-\d\d(?!\d)|\d{{1,2}}{_MONTH}\d{{1,2}}|"
        rf"\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of| de)?[ -](?:{months})|(?:{'|'.join(words_in('dates.month_starts', 'en'))})[a-z]*\.?[ -]\d)"
    )


@cache
def _dated_before() -> re.Pattern[str]:
    namely = "|".join(map(re.escape, words("dates.namely")))
    return re.compile(rf"(?:{_ISO}|\d{{4}}-\d\d)\s*[(（\[,，=:/-]\s*(?:(?:{namely})\s?)?$")


def already_dated(text: str, start: int, end: int) -> bool:
    """The author has written the date beside the phrase: "yesterday (2026-03-14)", "Friday 12 June"."""
    if _dated_after().match(text, end) is not None:
        return True
    return _dated_before().search(text, max(0, start - 24), start) is not None


def dated_otherwise(text: str, start: int, day: date) -> bool:
    """The line begins with another day: its words count from there, not from the note."""
    lead = _shape(_LEAD).match(text, text.rfind("\n", 0, start) + 1)
    return lead is not None and lead.end() <= start and lead["day"] != day.isoformat()


def opens(text: str, start: int) -> bool:
    """Does a sentence, a cell or a list item begin here?"""
    before = text[text.rfind("\n", 0, start) + 1 : start].rstrip(_OPENERS)
    return not before or before[-1] in _STARTS or not before.strip("-*+0123456789.) \t")


@cache
def capitalised() -> re.Pattern[str]:
    """The words for days that English writes with a capital: weekdays and months."""
    starts = [*words_in("dates.month_starts", "en"), *(day[:3] for day in words_in("dates.weekdays", "en"))]
    return re.compile(rf"(?i)(?:{'|'.join(starts)})[a-z]*")


def is_name(text: str, start: int, end: int, lang: str) -> bool:
    """A capital where the language writes none makes a title of it: "the Today Show", "Last Friday Club"."""
    said, first = text[start:end].split(), opens(text, start)
    if not said or is_glued(lang) or text[start:end].isupper():
        return False
    capital = said[0][0].isupper() and not capitalised().fullmatch(said[0])
    if capital and not first and said[0].lower() not in words_in("dates.nouns", lang):
        return True
    titles = words_in("dates.titles", lang)  # only of a language in which a capital alone makes a name
    if titles and any(word[0].isupper() and not capitalised().fullmatch(word) for word in said[1:]):
        return True
    if not titles or not said[-1][0].isupper():
        return False
    if _shape(rf" (?:{'|'.join(titles)})\b").match(text, end):
        return True
    follows = _CAPITAL.match(text, end)
    return follows is not None and follows["then"] is None  # "last Friday Emma came" goes on in small letters


# ---- the sentence, the clause and their time


def around(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence a phrase stands in, as a span; it ends with its line at the latest."""
    # No sentence worth reading is longer; a line of a hundred thousand words must not cost their square.
    low, high = max(0, start - _REACH), min(len(text), end + _REACH)
    begin, stop = max(low, text.rfind("\n", low, start) + 1), text.find("\n", end, high)
    stop = high if stop < 0 else stop
    for mark in _shape(_BREAK).finditer(text, begin, stop):
        if mark.end() <= start:
            begin = mark.end()
        elif mark.start() >= end:
            return begin, mark.start()
    return begin, stop


@cache
def _clause_break() -> re.Pattern[str]:
    return re.compile(rf"[,，、(（)）–—]|\s-\s|\b(?:{_spaced('dates.but')})\b")


def clause(sentence: str, start: int, end: int) -> tuple[int, int]:
    """The part of a sentence between commas; where it holds the phrase alone, the part beside it."""
    marks = [(0, 0), *(m.span() for m in _clause_break().finditer(sentence)), (len(sentence), len(sentence))]
    parts = [(a[1], b[0]) for a, b in pairwise(marks)]
    here = next((i for i, (a, b) in enumerate(parts) if a <= start < max(b, a + 1) or a >= start), len(parts) - 1)
    first, last = here, here
    while last + 1 < len(parts) and parts[last][1] < end:
        last += 1
    alone = sentence[parts[first][0] : start] + sentence[end : parts[last][1]]
    if len(alone.strip()) < 2 and last + 1 < len(parts):
        last += 1
    return parts[first][0], parts[last][1]


@cache
def _sign(name: str, lang: str) -> re.Pattern[str]:
    return re.compile(table(lang, "dates")[name], re.IGNORECASE)


def tense(clause: str, lang: str) -> int:
    """-1 for the past, 1 for what is to come, 0 where the clause does not say or says both."""
    rest = clause
    for shape in words_in(
        "dates.not_past", lang
    ):  # "is paid on Monday" is not of the past, whatever the participle looks like
        rest = re.sub(shape, " ", rest, flags=re.I)
    past = _sign("past", lang).search(rest) is not None
    return (_sign("future", lang).search(clause) is not None) - past


def habit(sentence: str, lang: str) -> bool:
    """Whether a sentence speaks of a rule or of what always happens."""
    return _sign("habit", lang).search(sentence) is not None


def last_word(before: str) -> str:
    """The word a text ends with, folded; empty where it ends with anything else."""
    word = _LAST_WORD.search(before[-40:])
    return word[1].casefold() if word else ""


def says_always(text: str, start: int, end: int) -> bool:
    return _said("always").search(text, start, end) is not None


def recurs(before: str) -> bool:
    """A day each time ("every morning read yesterday's log"), unless it says since when: "every week from next week"."""
    since = (*words("dates.from_day"), *words("dates.since"))
    return _said("each").search(before) is not None and last_word(before) not in since


@cache
def _onwards() -> re.Pattern[str]:
    return re.compile("|".join(words("dates.onwards")).replace("{}", "\0"))


def begins_with(before: str, after: str) -> bool:
    """Whether something goes on from these days: "from next week on" is from its first day on."""
    return last_word(before) in words("dates.from_day") or _onwards().search(before[-2:] + "\0" + after[:8]) is not None
