"""What a text may not invent: its numbers, names, days, times, paths, addresses and quotations, each with the way to look for it.

A name is known by its capital inside a sentence, by a hump or a digit in it, by its script among another one, or, where there are
no capitals, by the title behind it. A Chinese name without any of these cannot be told from other words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import lru_cache

from reverie.language import line_language
from reverie.prose_words import (
    DETERMINERS,
    GERMAN_NOUNS,
    GERMAN_THINGS,
    OPENERS,
    OPENING_ENDINGS,
    OPENING_VERBS,
    VERB_LIKE_NAMES,
)
from reverie.sense import values_in
from reverie.spelt_numbers import numbers_of
from reverie.stopwords import STOP_WORDS

_HAN_KANA = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_GLUED = re.compile(f"[{_HAN_KANA}]")
_ADDRESS = re.compile(
    rf"[a-z][a-z0-9+.-]*://[^\s{_HAN_KANA}]+|www\.[^\s{_HAN_KANA}]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.I | re.A
)
_PATH = re.compile(
    rf"(?:~|\.{{1,2}})?(?:/[^\s/,;:()'\"`{_HAN_KANA}]+)+/?|[\w.~-]+(?:[/\\][\w.-]+)+/?|\b[\w-]+\.[a-z]{{2,5}}\b", re.A
)
_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}[年./]\d{1,2}[月./]\d{1,2}日?")
_RUSSIAN_DAY = re.compile(r"\b(?:понедельник|вторник|сред(?=[уаы]\b)|четверг|пятниц|суббот|воскресень)", re.I)
_SIGN = re.compile(r"[€$£¥%‰°]")
QUOTED = re.compile(
    r"“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』|《([^》]+)》|\"([^\"\n]+)\"|(?<!\w)‘([^’]+)’(?!\w)"
)
_LETTER = rf"(?:(?![{_HAN_KANA}가-힣])[^\W_])"  # a letter or a digit of a script with spaces
_CODED = re.compile(rf"{_LETTER}*(?:[a-zß-ÿ][A-Z]|[A-Z]{{2}}|(?!\d){_LETTER}\d|\d(?!\d){_LETTER}){_LETTER}*")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|er|e|º|ª|h)", re.I)
_SPACED = rf"(?:(?:(?![{_HAN_KANA}가-힣])[^\W\d_]|[\u0300-\u036f])+)"  # a word of a script with spaces
_WORD = re.compile(rf"{_SPACED}(?:['’]{_SPACED})*")
_TOKEN = re.compile(rf"(?:(?![{_HAN_KANA}가-힣])[^\W_]|[\u0300-\u036f])+")
_TITLED = re.compile(
    r"(?![位的我你他她是和个名新老大小])[\u4e00-\u9fff](?:先生|女士|小姐|老师|师傅|经理|医生|律师|教授|主任|阿姨|叔叔)|[小老阿][\u4e00-\u9fff](?=说|问|告|来|去|和|跟|今|昨|要|在)"
    r"|(?:[\u4e00-\u9fff]{1,2}|[\u30a1-\u30faー]{2,})(?:さん|様|先生|くん|ちゃん|氏)|[가-힣]{2,4}(?= ?(?:씨|님|과장|부장|선생|대리))|[\u30a1-\u30faー]{4,}"
)
_TITLES_ALONE = frozenset(("皆さん", "客様", "客さん", "奥さん", "神様", "皆様", "선생", "고객", "여러분"))
_ELIDED = re.compile(r"(?:[ldjmtscn]|qu|jusqu|lorsqu|puisqu)['’](?=\w{2})", re.I)
_ALSO_WORDS = frozenset(("may", "march", "mar", "jan", "dec", "set"))  # months that are words of prose in small letters
_END = re.compile(r"(?<=[.!?…])[\"”»’)]*\s+|(?<=[。！？])[」』”）]*|\n+")
_ABBREVIATED = re.compile(r"(?:\b\w|\b(?:dr|mr|mrs|ms|st|no|nr|bzw|ca|vs|etc|e\.g|i\.e|z\.b|sr|sra|mme))\.$", re.I)
_CASES = re.compile(r"(?:ами|ями|ого|его|ому|ему|ой|ей|ою|ею|ом|ем|ым|им|ах|ях|ов|ев|ам|ям|[аяуюеиыоьй])$")


def sentences(text: str) -> list[str]:
    """The sentences of a text in any script. A quotation that ends one keeps it together with its words."""
    found: list[str] = []
    for part in _END.split(text):
        if found and _ABBREVIATED.search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        elif part.strip():
            found.append(part.strip())
    return found


class Look:
    """Whether a specific stands in a text that was folded."""

    def __init__(self, kind: str, value: str) -> None:
        self.kind, self.value = kind, value

    def __call__(self, told: str) -> bool:
        if self.kind == "number":
            return self.value in numbers_of(told)
        if self.kind == "word":
            return any(form in _words(told) for form in _forms(self.value))
        if self.kind == "calendar":
            return self.value in {one.casefold() for one in values_in(told)}
        return (
            re.search(rf"(?<!\w){re.escape(self.value)}(?!\w)", told) is not None
            if self.kind == "whole"
            else self.value in told
        )


def specifics_of(text: str, common: Collection[str]) -> Iterator[tuple[str, Look]]:
    """What a text may not invent, each with the way to look for it."""
    text = unicodedata.normalize("NFKC", text)
    for quote in (next(filter(None, found)) for found in QUOTED.findall(text)):
        for part in re.split(r"…|\.\.\.", quote):
            if bare := folded(part).strip(" .,;:!?。，；：！？、"):
                yield quote, Look("part", bare)
    rest = text
    for pattern in (_ADDRESS, _PATH):
        for found in pattern.findall(rest):
            yield found.rstrip(".,;:)"), Look("whole", folded(found).rstrip(".,;:)"))
        rest = pattern.sub(" ", rest)
    for found in _DAY.findall(rest):
        yield found, Look("part", _iso(found) or found)
    rest = _DAY.sub(" ", rest)
    for number in sorted(numbers_of(rest)):
        yield number, Look("number", number)
    for sign in dict.fromkeys(_SIGN.findall(rest)):
        yield sign, Look("part", sign)
    for value in sorted(values_in(rest)):
        if _names_a_day(value):
            yield value, Look("calendar", value.casefold())
    for found in _RUSSIAN_DAY.findall(rest):
        yield found, Look("part", found.casefold())
    for name in _names(rest, frozenset(common)):
        yield name, Look("part" if _GLUED.search(name) or re.search("[가-힣]", name) else "word", folded(name))


def _names_a_day(value: str) -> bool:
    """A month or a weekday, not one of the numbers and single letters that count as values too."""
    return (
        len(value) > 1
        and value not in _ALSO_WORDS
        and not re.search(r"\d|^[零一二三四五六七八九十百千万两甲乙丙丁]+$", value)
    )


def _names(text: str, common: frozenset[str]) -> Iterator[str]:
    yield from (found for found in _TITLED.findall(text) if found not in _TITLES_ALONE)
    coded = [found for found in _CODED.findall(text) if not _ORDINAL.fullmatch(found) and len(found) > 1]
    yield from coded
    for sentence in sentences(text):
        eastern, language = bool(_GLUED.search(sentence)), line_language(sentence)
        before, seen = "", False
        for found in _WORD.finditer(sentence):
            elided = _ELIDED.match(found[0])
            word = found[0][elided.end() :] if elided else found[0]
            first = not seen or sentence[: found.start()].rstrip()[-1:] in (":", "：", "“", "„", "«", '"', "—", "–")
            seen = True
            low = word.casefold()
            known = low in common or low in STOP_WORDS or (len(re.split("['’]", low)[0]) == 1 and not eastern)
            is_name = word[0].isupper() or (eastern and word.isascii())
            if (
                is_name
                and not known
                and not (first and not eastern and _opens(word))
                and not (language == "de" and _is_thing(word, before))
            ):
                yield word
            # "der alte Garten": an adjective between keeps the determiner in mind.
            before = (
                before
                if before in DETERMINERS
                and word[0].islower()
                and low not in DETERMINERS
                and low.endswith(("e", "en", "er", "es", "em"))
                else low
            )


def _opens(word: str) -> bool:
    """Whether a sentence may begin with this word although it is nobody's name."""
    low = word.casefold().split("'")[0].split("’")[0]
    if re.search(r"['’]s$", word) and low not in ("it", "that", "there", "what", "here", "let", "who", "where"):
        return False
    verb = OPENING_VERBS.fullmatch(low) is not None and low not in VERB_LIKE_NAMES
    return low in OPENERS or low.endswith(OPENING_ENDINGS) or verb


def _is_thing(word: str, before: str) -> bool:
    low = word.casefold()
    return before in DETERMINERS or low in GERMAN_NOUNS or low.endswith(GERMAN_THINGS)


def _forms(word: str) -> tuple[str, ...]:
    """A name as its sources may write it: without the ending of a genitive or, in Russian, of a case."""
    bare = re.sub(r"['’]s?$", "", word)
    forms = (word, bare, bare.removesuffix("s") if len(bare) > 3 else bare)
    return (*forms, "~" + _CASES.sub("", word)) if re.search("[а-яё]", word) else forms


@lru_cache(maxsize=2_000)
def _words(told: str) -> frozenset[str]:
    words = {found[0] for found in _WORD.finditer(told)}
    words |= {part for word in words for part in re.split("['’]", word)} | set(_TOKEN.findall(told))
    return frozenset(words) | {"~" + _CASES.sub("", word) for word in words if re.search("[а-яё]", word)}


@lru_cache(maxsize=2_000)
def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _iso(day: str) -> str:
    """A day in ISO form, where its order cannot be mistaken."""
    parts = [int(part) for part in re.findall(r"\d+", day)]
    if parts[0] > 31:
        return f"{parts[0]:04}-{parts[1]:02}-{parts[2]:02}"
    return f"{parts[2]:04}-{parts[1]:02}-{parts[0]:02}" if "." in day and parts[2] > 99 else ""
