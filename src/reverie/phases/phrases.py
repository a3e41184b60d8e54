"""The phrases of one line that could be a theme: noun-like, without numbers, names of files, code or roles.

Where words are written apart, a phrase is one to three words, and it counts as a noun only where something shows it:
an article before it, a capital in the middle of a sentence, a Korean particle after it. Where words are not written
apart, Japanese changes its script around nouns, and Chinese is cut by statistics over all lines (`chinese`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from reverie.phases.theme_words import (
    ADVERBS,
    ARTICLES,
    BREAKING,
    CONNECTORS,
    EVERYDAY,
    PARTICLES,
    PREDICATES,
    RUSSIAN_ENDINGS,
)
from reverie.terms import stem

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005"
KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc"
HANGUL = "\uac00-\ud7af"
LONGEST = 600  # characters of a line that are looked at; what is longer was pasted
BREAK = "\n"

_CODE = re.compile(r"<!--.*?-->|`[^`]*`|⟦[^⟧]*⟧|\[REDACTED[^\]]*\]|https?://\S+|\S+@[\w.-]+", re.S)
_FILE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9~.+-]*[A-Za-z0-9][./\\_=#:][./\\_=#:A-Za-z0-9~+-]*[A-Za-z0-9_]")
_ROLE = re.compile(r"^\W*(?:user|assistant|system|human|guest|tool|ai|用户|助手|系统)\s*[:：]\s*", re.I)
_NUMBERED = re.compile(r"\w*\d[\w.,:%/-]*")
_MARKUP = re.compile(r"\*\*|__|~~|^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?")
_SPLIT = re.compile(rf"[^\w\s'’\-]+|\s[-–—]+\s|[{BREAK}_]+")
_RUN = re.compile(
    rf"[{HAN}]+|[{KANA}{HAN}]+|[{HANGUL}]+|[^\W\d_{HAN}{KANA}{HANGUL}]+(?:['’\-][^\W\d_{HAN}{KANA}{HANGUL}]+)*"
)
_JAPANESE_NOUN = re.compile(rf"(?:[{HAN}]|[\u30a1-\u30fa\u30fc])+")
_AFTER_A_NOUN = re.compile(r"(?:の|は|が|を|に|で|と|も|へ|や|から|まで|より|だ|です)|\Z")
_UNSPACED = re.compile(rf"[{HAN}{KANA}{HANGUL}]")
_GENITIVE = re.compile(r"['’]s$")
_ELISION = re.compile(r"^[ldjmtsnc]['’](?=\w{3})|^qu['’](?=\w{3})", re.I)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words as they stood in a line, the key under which their inflections meet, and whether they look like a noun."""

    key: tuple[str, ...]
    shown: str
    noun: bool


@dataclass(frozen=True, slots=True)
class _Word:
    shown: str
    folded: str
    first: bool  # of its segment
    genitive: bool = False
    elided: bool = False
    particle: bool = False


def segments(text: str) -> list[str]:
    """A line without markup, roles, code, addresses, file names and numbers, cut where any of these stood."""
    text = _ROLE.sub("", _MARKUP.sub("", text[:LONGEST]))
    for machine in (_CODE, _FILE, _NUMBERED):
        text = machine.sub(BREAK, text)
    return [part.strip() for part in _SPLIT.split(text) if part and part.strip()]


def spaced_phrases(segment: str, *, german: bool = False) -> Iterator[Phrase]:
    """Phrases of a language that writes its words apart; also the Latin names inside Chinese and Japanese."""
    for words in _stretches(segment):
        for start in range(len(words)):
            for stop in range(start + 1, min(start + 4, len(words) + 1)):
                chunk = words[start:stop]
                if _may_be_phrase(chunk):
                    yield _phrase(chunk, words[start - 1] if start else None, words[stop : stop + 1], german=german)


def japanese_phrases(segment: str) -> Iterator[Phrase]:
    """Runs of kanji and katakana: a particle or the end behind them shows a noun, する a verb."""
    for run in _JAPANESE_NOUN.finditer(segment):
        if 2 <= len(run[0]) <= 10 and run[0] not in EVERYDAY:
            noun = bool(_AFTER_A_NOUN.match(segment, run.end())) or not segment[run.end()].isalpha()
            yield Phrase((run[0],), run[0], noun)


def han_runs(segment: str) -> list[str]:
    return re.findall(rf"[{HAN}]+", segment)


def _stretches(segment: str) -> Iterator[list[_Word]]:
    """Words in a row of one writing; another script between two words parts them."""
    row: list[_Word] = []
    for nth, run in enumerate(_RUN.finditer(segment)):
        if re.match(rf"[{HAN}{KANA}]", run[0]):
            if row:
                yield row
            row = []
            continue
        row.append(_word(run[0], first=nth == 0))
    if row:
        yield row


def _word(text: str, *, first: bool) -> _Word:
    if re.match(rf"[{HANGUL}]", text):
        bare = next((text.removesuffix(p) for p in PARTICLES if text.endswith(p) and len(text) - len(p) >= 2), text)
        return _Word(bare, bare, first, particle=bare != text)
    genitive, elided = bool(_GENITIVE.search(text)), bool(_ELISION.match(text))
    bare = _ELISION.sub("", _GENITIVE.sub("", text))
    return _Word(bare, bare.casefold().replace("’", "'"), first, genitive, elided)


def _may_be_phrase(chunk: list[_Word]) -> bool:
    """Content words only, a connector only between two of them, and at least one word that is not everyday."""
    content = [chunk[0], chunk[2]] if len(chunk) == 3 and chunk[1].folded in CONNECTORS else chunk
    if any(_breaks(word) for word in content) or any(word.genitive for word in chunk[:-1]):
        return False
    return any(word.folded not in EVERYDAY for word in content)


def _breaks(word: _Word) -> bool:
    folded = word.folded
    if re.match(rf"[{HANGUL}]", folded):
        return len(folded) < 2 or (not word.particle and folded.endswith(PREDICATES))
    short = len(folded) < 3 and not (word.shown.isupper() and len(folded) == 2)
    adverb = len(folded) > 6 and folded.endswith(ADVERBS) and word.shown.islower()
    return short or folded in BREAKING or adverb


def _phrase(chunk: list[_Word], before: _Word | None, after: list[_Word], *, german: bool) -> Phrase:
    key = tuple(root(word.folded) for word in chunk)
    return Phrase(key, " ".join(word.shown for word in chunk), _looks_like_noun(chunk, before, after, german=german))


def _looks_like_noun(chunk: list[_Word], before: _Word | None, after: list[_Word], *, german: bool) -> bool:
    head, last = chunk[0], chunk[-1]
    if re.match(rf"[{HANGUL}]", last.folded):
        return last.particle or len(chunk) > 1
    capital = last.shown[0].isupper()
    if german:  # every German noun is written with a capital; the first word of a sentence proves nothing
        return capital and not (last.first and len(chunk) == 1)
    if capital and not last.first:
        return True
    announced = head.elided or (before is not None and (before.folded in ARTICLES or before.genitive))
    # "the pricing page": what follows the article is the noun only if no further content word follows.
    closed = not after or after[0].folded in BREAKING
    return announced and closed


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """The form under which the inflections of a word meet."""
    if "\u0400" <= word[0] <= "\u04ff":
        ending = next((e for e in RUSSIAN_ENDINGS if word.endswith(e) and len(word) - len(e) >= 4), "")
        return word[: -len(ending)] if ending else word
    return stem(word)


def overlapping(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the shorter phrase stands inside the longer one (a Chinese phrase is one word: its characters count)."""
    short, long = sorted((one, other), key=lambda key: (len(key), len("".join(key))))
    if sorted(short) == sorted(long):
        return True
    if len(long) == 1:
        return bool(_UNSPACED.match(short[0])) and short[0] in long[0]
    return any(long[i : i + len(short)] == short for i in range(len(long) - len(short) + 1))
