"""The rules of DREAM.md that form can keep without a model: "always keep …" and "never store …" (seed 001)."""

import re
from functools import lru_cache
from typing import NamedTuple

from reverie.text.terms import terms

_KEEP = re.compile(r"(?:always |please )?(?:keep|preserve)\b|(?:始终|总是|一律)?保留", re.I)
_NEVER = re.compile(
    r"(?:never|do not|don't) (?:store|save|keep|remember|promote|add)\b|(?:不要|绝不|切勿|禁止)(?:保存|存储|记录|记住|添加)",
    re.I,
)
_OTHERWISE = re.compile(r"[/,，、;；]|\bor\b|\band\b|或|和")
_FILLER = set(
    terms(
        "all any every anything everything about the of a an my our related relating entries entry lines facts notes things data"
    )
) | {"related"}
_FILLER_ZH = re.compile(r"相关的?|条目|内容|信息|所有|任何|有关|的")


class Wishes(NamedTuple):
    keep: tuple[frozenset[str], ...] = ()  # the beginnings of words that stand together in a line to be kept
    never: tuple[frozenset[str], ...] = ()
    unknown: tuple[str, ...] = ()  # rules that need a model


@lru_cache(maxsize=8)
def wishes_of(rules: str) -> Wishes:
    """What the owner's rules ask for, line by line."""
    keep, never, unknown = list[frozenset[str]](), list[frozenset[str]](), list[str]()
    for line in (line.strip().lstrip("-*+ \t") for line in rules.splitlines()):
        never_at, keep_at = _NEVER.match(line), _KEEP.match(line)
        if begun := never_at or keep_at:
            pieces = (_stems(_FILLER_ZH.sub(" ", piece)) for piece in _OTHERWISE.split(line[begun.end() :]))
            (never if never_at else keep).extend(piece for piece in pieces if piece)
        elif line:
            unknown.append(line)
    return Wishes(tuple(keep), tuple(never), tuple(unknown))


def is_about(text: str, subjects: tuple[frozenset[str], ...]) -> bool:
    """Whether a line speaks of one of these subjects, in any form of its words."""
    said = _stems(text) if subjects else frozenset()
    return any(subject <= said for subject in subjects)


def _stems(text: str) -> frozenset[str]:
    return frozenset(term[:4] for term in terms(text) if term not in _FILLER)
