"""Where a date word is not the author's own: code, quotations, titles, paths, comments, lines dated by themselves."""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise

from reverie.dates.rules import shape

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
# What follows was said or sent by another: "Karl wrote: …", "转发：…". The colon is what makes it speech.
_SPEECH = (
    r"(?i)\b(?:said|says|wrote|writes|replied|asks?|asked|quotes?|fwd|fw|forwarded|quoted|lyrics?|title|song|motto|saying|dijo|disse|a écrit|"
    r"a dit|schrieb|sagte|sagt|schreibt|zitat|сказал[аи]?|написал[аи]?|пишет|escribió|escreveu)(?: (?:from|by|by the|to) [\w .]{1,30}| me| us)?"
    r"\s?[:：][^\n]*"
    r"|(?:转发|轉發|原话|原文|引用|歌词|台词|说道|写道|回复|留言)\s?[:：][^\n]*|(?:俗话说|常言道)[^\n]*"
)
# A sentence about words is not about days.
_ABOUT_WORDS = (
    r"(?i)\b(?:regexe?s?|regular expression|keywords?|the words?|the phrases?|the strings?|literals?|synonyms?|spelled|"
    r"wort|palabra|mot|palavra|слово)\b|关键词|字样|一词|这个词|正则|代号|名叫|名为|缩写|理解[成为]|的意思是|指的是"
)
_ISO = r"\d{4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,2}日?"
_LEAD = r"[\s>*+\-•#|\[(（*_\d.)]*?(?P<day>\d{4}-\d\d-\d\d)"
_MONTHS = r"(?:jan|feb|mar|mär|apr|avr|abr|mayo?\b|mai\b|jun|juin|jul|juil|aug|août|ago|sep|set|oct|okt|out|nov|dec|dez|dic|déc)"
_DATED_AFTER = (
    r"(?i)"
    rf"\s*[(（\[]\s*(?:\d{{1,2}}[./]\d{{1,2}}\.?(?!\d|%)|\d{{1,2}}月)| \d{{1,2}}[./]\d{{1,2}}(?!\d|%| %)"  # 3/14 close by
    rf"|\s*[(（\[,，/–—-]?\s*(?:(?:on|of|the|am|den|des|el|del|le|du|em|de|d\.)\s+)?(?:{_ISO}|\d{{4}}-\d\d(?!\d)|\d{{1,2}}月\d{{1,2}}|"
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of| de)?[ -]{_MONTHS}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[ -]\d)"
)
_DATED_BEFORE = rf"(?:{_ISO}|\d{{4}}-\d\d)\s*[(（\[,，=:/-]\s*(?:the\s|d\.h\.\s|i\.e\.\s|即|也就是)?$"
_BREAK = r"[;!?。！？；…|]|[.:](?=\s|$)|："
_REACH = 400
_CLAUSE = r"[,，、(（)）–—]|\s-\s|\b(?:but|and then|aber|pero|mais|mas|но)\b"

OPENERS = " \t*_~([（【"
_STARTS = ".:!?;|-–—>]})。！？；：•·*+#✅✔☑❌⚠️📌"
_NAMES = re.compile(
    r" (?:Show|Club|Bar|Band|Briefing|News|Night|Group|Times|Sale|Now|Lunch|Market|Meetup|Project|League|Magazine)\b"
)
_CAPITAL = re.compile(r" [A-ZÄÖÜÀ-Þ][\w'’-]*(?P<then> [a-zà-ÿ])?")
CAPITALISED = re.compile(r"(?i)(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*")


def fenced(text: str) -> list[tuple[int, int]]:
    """The stretches in which no date word is the author's own."""
    return [match.span() for pattern in (_FENCES, _SPEECH) for match in shape(pattern).finditer(text)]


def around(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence a phrase stands in, as a span; it ends with its line at the latest."""
    # No sentence worth reading is longer; a line of a hundred thousand words must not cost their square.
    low, high = max(0, start - _REACH), min(len(text), end + _REACH)
    begin, stop = max(low, text.rfind("\n", low, start) + 1), text.find("\n", end, high)
    stop = high if stop < 0 else stop
    for mark in shape(_BREAK).finditer(text, begin, stop):
        if mark.end() <= start:
            begin = mark.end()
        elif mark.start() >= end:
            return begin, mark.start()
    return begin, stop


def clause(sentence: str, start: int, end: int) -> tuple[int, int]:
    """The part of a sentence between commas; where it holds the phrase alone, the part beside it."""
    marks = [(0, 0), *(m.span() for m in shape(_CLAUSE).finditer(sentence)), (len(sentence), len(sentence))]
    parts = [(a[1], b[0]) for a, b in pairwise(marks)]
    here = next((i for i, (a, b) in enumerate(parts) if a <= start < max(b, a + 1) or a >= start), len(parts) - 1)
    first, last = here, here
    while last + 1 < len(parts) and parts[last][1] < end:
        last += 1
    alone = sentence[parts[first][0] : start] + sentence[end : parts[last][1]]
    if len(alone.strip()) < 2 and last + 1 < len(parts):
        last += 1
    return parts[first][0], parts[last][1]


def about_words(sentence: str) -> bool:
    return shape(_ABOUT_WORDS).search(sentence) is not None


def already_dated(text: str, start: int, end: int) -> bool:
    """The author has written the date beside the phrase: "yesterday (2026-03-14)", "Friday 12 June"."""
    if shape(_DATED_AFTER).match(text, end) is not None:
        return True
    return shape(_DATED_BEFORE).search(text, max(0, start - 24), start) is not None


def dated_otherwise(text: str, start: int, day: date) -> bool:
    """The line begins with another day: its words count from there, not from the note."""
    lead = shape(_LEAD).match(text, text.rfind("\n", 0, start) + 1)
    return lead is not None and lead.end() <= start and lead["day"] != day.isoformat()


def opens(text: str, start: int) -> bool:
    """Does a sentence, a cell or a list item begin here?"""
    before = text[text.rfind("\n", 0, start) + 1 : start].rstrip(OPENERS)
    return not before or before[-1] in _STARTS or not before.strip("-*+0123456789.) \t")


def is_name(text: str, start: int, end: int, lang: str) -> bool:
    """A capital where the language writes none makes a title of it: "the Today Show", "Last Friday Club"."""
    words, first = text[start:end].split(), opens(text, start)
    if not words or lang in ("zh", "ja", "ko") or text[start:end].isupper():
        return False
    if (
        words[0][0].isupper()
        and not first
        and not CAPITALISED.fullmatch(words[0])
        and words[0].lower() not in ("ende", "monatsende", "jahresende")
    ):
        return True
    if lang == "en" and any(word[0].isupper() and not CAPITALISED.fullmatch(word) for word in words[1:]):
        return True
    if lang != "en" or not words[-1][0].isupper():
        return False
    if _NAMES.match(text, end):
        return True
    follows = _CAPITAL.match(text, end)
    return follows is not None and follows["then"] is None  # "last Friday Emma came" goes on in small letters
