"""How alike two snippets are, by the words they share. The peer's measures, and ours for every language.

Ours never calls two snippets alike that differ in a number or in a negation: those are two facts in nearly one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache

from reverie.openclaw.profiles import Profile
from reverie.text.comparing import denials
from reverie.text.terms import plain

_ASCII = re.compile(r"[a-z0-9_]+")
_HAN_KANA = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CJK_RUN = re.compile(f"[{_HAN_KANA}\uac00-\ud7af\u1100-\u11ff]+")
_PLAIN_RUN = re.compile(f"[{_HAN_KANA}]+|[^\\s{_HAN_KANA}]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def similarity(one: str, other: str, profile: Profile) -> float:
    """Jaccard over the words of both, from 0 to 1; texts without such words are alike only if they are equal."""
    if profile.any_language and _differ_in_substance(one, other):
        return 0.0
    words, others = _words(one, profile), _words(other, profile)
    if not words or not others:
        return 1.0 if one.strip().lower() == other.strip().lower() else 0.0
    return len(words & others) / len(words | others)


def _words(text: str, profile: Profile) -> Set[str]:
    if profile.any_language:
        return _every_word(text)
    lowered = text.lower()
    words = set(_ASCII.findall(lowered))
    return words if profile.ascii_only else words | _characters(lowered)


def _characters(text: str) -> set[str]:
    """Characters and pairs of characters of scripts that are written without spaces."""
    found: set[str] = set()
    for run in _CJK_RUN.findall(text):
        found.update(run, (run[i : i + 2] for i in range(len(run) - 1)))
    return found


@lru_cache(maxsize=2048)  # light compares each snippet with all others of its note
def _every_word(text: str) -> frozenset[str]:
    found: set[str] = set()
    for run in _PLAIN_RUN.findall(plain(text)):
        found.update(_characters(run) if _CJK_RUN.match(run) and not run.isascii() else {run})
    return frozenset(found)


def _differ_in_substance(one: str, other: str) -> bool:
    return _substance(one) != _substance(other)


@lru_cache(maxsize=2048)
def _substance(text: str) -> tuple[tuple[str, ...], int]:
    return tuple(sorted(_NUMBER.findall(text))), denials(text)
