"""What two lines tell in common: the words that say what each is about, weighed, in any script.

Stop words, light verbs and the words in which every mistake is told ("forgot", 忘了) say nothing about the subject. An
identifier, an abbreviation or a run of Chinese characters says much. Inflected words count as one by their beginning.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from reverie.change_words import REPEATED, says_any
from reverie.stopwords import STOP_WORDS
from reverie.terms import stem

# How mistakes, habits and repetition are told, whatever they are about.
_EMPTY_WORDS = """
    forgot forget forgotten forgetting missed miss missing lack lacking without wrong wrongly error errors fail fails failed failing failure mistake
    broken again always never must should need needs needed have has had did does done got get gets make made makes run ran runs went goes going go
    put set sets take took use used uses using send sent work worked works working success successful successfully because cause caused after
    before first then when while still yet just instead also only not no don't didn't wasn't isn't time times day days week once twice more less
    correct corrected corrects says said told asked please new old now today yesterday remember ensure sure next last one two all any every each
    out up down off over timed retry retried retries minute minutes hour hours
    vergessen vergaß fehler falsch fehlt fehlte fehlend ohne wieder erneut immer nie muss müssen soll sollte vorher nachher vor nach erst weil
    gemacht gelaufen geht ging war wurde werden bitte korrigiert nicht kein keine schon noch
    olvidé olvidó olvidado error errores falta faltaba sin otra vez siempre nunca debe hay antes después porque corrigió primero
    oublié erreur manque manquait sans encore toujours jamais doit faut avant après parce corrigé abord
    esqueci esqueceu erro falta faltou sem novamente sempre nunca deve antes depois porque corrigiu primeiro
    забыл забыла забыли ошибка ошибки без снова опять всегда никогда нужно надо перед после потому что не был была было сначала поправил
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_EMPTY_RUNS = re.compile(
    "忘记|忘了|没有|没加|没带|没先|又一次|再一次|再次|还是|因为|所以|成功|失败|出错|错误|错了|的时候|之前|之后|以前|以后|必须|一定|应该|不要|需要|每次|总是|"
    "纠正|更正|提醒|记得|结果|导致|没|又|要|了|的|是|把|被|就|都|给|"
    "忘れ|また|ミス|失敗|必ず|前に|後に|間違|する|した|して|ない|ました|ので|から|こと"
)
_HAN = "\u3400-\u9fff"
_PART = re.compile(
    rf"(?P<han>[{_HAN}]+)|(?P<kana>[\u30a0-\u30ff]{{2,}})|(?P<word>[^\W_{_HAN}\u3040-\u30ff]+(?:[._/-][^\W_{_HAN}\u3040-\u30ff]+)*)"
)
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[:：]\d{2}\b")
_VOWEL = re.compile("[aeiouyäöüáéíóúàèìòùâêîôûãõаеёиоуыэюя가-힣]", re.I)


def told_again(text: str) -> bool:
    """The line says of itself that it is not the first time."""
    return says_any(text, REPEATED)


@dataclass(frozen=True, slots=True)
class Telling:
    """The subject words of a line with their weights, and its runs of Chinese characters."""

    words: Mapping[str, float]
    runs: tuple[str, ...]

    @property
    def weight(self) -> float:
        return sum(self.words.values()) + sum(len(run) / 2 for run in self.runs)


@lru_cache(maxsize=20_000)
def telling(text: str) -> Telling:
    """The words of a line that say what it is about."""
    text = unicodedata.normalize("NFKC", _DAY.sub(" ", text))
    words: dict[str, float] = {}
    runs: list[str] = []
    for part in _PART.finditer(text):
        if part["han"]:
            runs += [run for run in _EMPTY_RUNS.split(part["han"]) if len(run) > 1]
        elif part["kana"]:
            words[part["kana"]] = 1.0
        else:
            low = part["word"].casefold()
            if len(low) > 1 and low not in _EMPTY and low not in STOP_WORDS and not low.isdecimal():
                words[low] = 1.5 if _is_name(part["word"]) else 1.0
    return Telling(words, tuple(runs))


def _is_name(word: str) -> bool:
    """An identifier, an abbreviation, a version: orders_raw, UTC, dt, v2."""
    inner = any(char.isdigit() or char in "._/-" for char in word) or any(char.isupper() for char in word[1:])
    return inner or not _VOWEL.search(word)


@lru_cache(maxsize=20_000)
def in_common(one: str, other: str) -> tuple[float, float]:
    """(weight of what both lines tell, its share of the one that tells less)."""
    first, second = telling(one), telling(other)
    weight = sum(max(first.words[a], second.words[b]) for a, b in _matched(first.words, second.words))
    weight += sum(len(run) / 2 for run in _common_runs(first.runs, second.runs))
    least = min(first.weight, second.weight)
    return weight, weight / least if least else 0.0


@lru_cache(maxsize=20_000)
def _keys(text: str) -> frozenset[str]:
    """Beginnings of words and pairs of characters: two lines that share none tell nothing in common."""
    said = telling(text)
    pairs = (run[i : i + 2] for run in said.runs for i in range(len(run) - 1))
    return frozenset((*(word[:2] if "가" <= word[0] <= "힣" else word[:4] for word in said.words), *pairs))


def related(one: str, other: str) -> bool:
    """Whether it is worth comparing two lines at all. Cheap: every new line is asked about many others."""
    return not _keys(one).isdisjoint(_keys(other))


def _matched(first: Mapping[str, float], second: Mapping[str, float]) -> list[tuple[str, str]]:
    left = dict.fromkeys(second)
    found = []
    for word in first:
        other = word if word in left else next((one for one in left if _inflected(word, one)), None)
        if other is not None:
            del left[other]
            found.append((word, other))
    return found


def _inflected(one: str, other: str) -> bool:
    """бэкап, бэкапа; partition, partitioned; 배포, 배포해서. A name is itself or another."""
    if one[:2] != other[:2] or not (one.isalpha() and other.isalpha()):
        return False
    if "가" <= one[0] <= "힣":  # Korean writes its particles at the end of the word
        return one[:2] == other[:2] and (one.startswith(other) or other.startswith(one) or one[:-1] == other[:-1])
    if min(len(one), len(other)) < 4:
        return False
    if stem(one) == stem(other):
        return True
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return same >= max(4, 0.65 * max(len(one), len(other)))


def _common_runs(first: tuple[str, ...], second: tuple[str, ...]) -> list[str]:
    """The longest runs of two characters or more that stand in both, none counted twice."""
    found: list[str] = []
    mine, other = "\n".join(first), "\r".join(second)
    while (run := _longest(mine, other)) and len(run) > 1:
        found.append(run)
        mine, other = mine.replace(run, "\n", 1), other.replace(run, "\r", 1)
    return found


def _longest(one: str, other: str) -> str:
    best = ""
    for start in range(len(one)):
        while (end := start + len(best) + 1) <= len(one) and one[start:end] in other:
            best = one[start:end]
    return best
