"""Which lines a description means. Words decide; meaning only chooses among lines that have them. Nothing is certain
that is merely near: what looks alike but lacks a word of the description is named and left.

A description is a *topic* ("black tea", "the Acme project"): every line that says all of it is meant. Or it is a
*statement* or a question ("that I live in Bern", "what I pay for rent"): the lines that say this, and not others about it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from reverie.text.comparing import is_negated, values_in
from reverie.text.terms import asked, plain, stem, terms

ALIKE = 0.6  # cosine from which a line may be the statement that was meant
LEAD = 0.05  # as far below the best line another may be and still be meant
ANSWERS = 0.45  # cosine from which a line may answer a description that asks
ALONE = 0.1  # as far above every other line the one that answers must be
LOOKED_AT = 500  # lines, those with most of the words, among which the nearest are looked for
NEAREST = 5  # lines that are named and left
_REQUEST = re.compile(
    r"\b(?:please|forget|remove|delete|erase|everything|anything|all|about|regarding|concerning|vergiss|bitte|lösche?|alles|über|olvida\w*"
    r"|borra|todo|toda|sobre|acerca|oublie\w*|efface|tout|toute|esque[çc]a?|apaga|tudo|забудь|удали|вс[её]|про|об)\b"
    r"|请|忘掉|忘记|忘了|删除|删掉|关于|有关|相关|的?一切|的?所有|全部|内容|忘れて?|消して|について|に関する|すべて|全部|のこと|잊어|지워|에 대한|에 대해|관한|모두|전부",
    re.I,
)
# Words that name no thing of their own: they need not stand in the line that is meant.
_NAMES_NOTHING = """
    project thing things stuff note notes entry entries fact facts info information line memory topic matter story
    projekt sache sachen notiz notizen eintrag tatsache proyecto cosa cosas nota notas projet chose choses projeto coisa
    coisas проект дело заметка запись 项目 事情 信息 记录 笔记 プロジェクト メモ 情報 프로젝트 메모 정보
"""
_SOFT = frozenset(map(stem, _NAMES_NOTHING.split()))
_STATES = re.compile(
    r"\b(?:that|is|are|was|were|am|i|we|he|she|they|what|where|when|who|whose|how|which|why|dass|ist|sind|war|ich|wir|er|was|wo|wann|wer|wie"
    r"|que|qué|es|son|yo|dónde|cuándo|quién|cómo|qui|est|sont|je|j'ai|où|quand|quoi|comment|é|são|eu|onde|quem|что|где|когда|кто|как|я|мы)\b"
    r"|我|我们|什么|哪里|哪儿|谁|何时|怎么|多少|私|僕|どこ|何|誰|いつ|나는|내가|어디|무엇|누구|언제",
    re.I,
)
_ASKS = re.compile(
    r"^(?:what|where|when|who|whose|how|which|was|wo|wann|wer|wie|qué|dónde|cuándo|quién|cómo|où|quand|quoi|ce que|comment|onde|quem|o que|что|где|когда|кто)\b"
    r"|什么|哪里|哪儿|谁|何时|多少|どこ|何|誰|いつ|어디|무엇|누구|언제",
    re.I,
)
_HANGUL = re.compile("[\uac00-\ud7af]{3,}")
_CYRILLIC = re.compile("[а-яё]{5,}")

Embed = Callable[[Sequence[str]], Any]


@dataclass(frozen=True)  # no slots: what was read out of it is kept
class Description:
    """What somebody wants forgotten, in their words."""

    text: str

    @cached_property
    def said(self) -> str:
        return " ".join(_REQUEST.sub(" ", self.text).split())

    @cached_property
    def all_words(self) -> frozenset[str]:
        known = set(terms(self.said))
        # A Korean word carries its particle; its pairs of syllables say enough.
        return frozenset(term for term in asked(self.said) if term in known and not _HANGUL.fullmatch(term))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words a line must have: all but those that name nothing."""
        return self.all_words - _SOFT or self.all_words

    @cached_property
    def states(self) -> bool:
        return bool(_STATES.search(self.said))

    def has_all(self, text: str) -> bool:
        """Whether a text says every word of it, with its numbers and without turning it round."""
        low = folded(text)
        if not self.words or not all(root(word) in low for word in self.words):
            return False  # nearly every line ends here, so this must be cheap
        have = set(terms(text))
        if not all(stands(word, have) for word in self.words):
            return False
        if not values_in(self.said) <= values_in(text) | have:
            return False
        # "I like tea" does not mean "I do not like tea"; as a topic, "tea" means both.
        turned = is_negated(text) != is_negated(self.said)
        return not turned or not (self.states or is_negated(self.said))

    def may_be_in(self, text: str, many: Callable[[Iterable[object]], bool] = all) -> bool:
        """A quick look at a whole file: whether it has all the words, or with `any` one of them."""
        low = folded(text)
        return many(root(word) in low for word in self.words)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that might be meant: where it stands, its words, and what it hangs on."""

    place: Any
    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Meant:
    """The lines that are clearly meant, and those that are near and left alone, best first."""

    clear: tuple[Candidate, ...] = ()
    near: tuple[Candidate, ...] = field(default=())


def meant(description: Description, candidates: Sequence[Candidate], embed: Embed | None = None) -> Meant:
    """What a description means among these lines."""
    having = [one for one in candidates if description.has_all(f"{one.context} {one.text}")]
    clear = having
    if description.states and len(description.words) == 1:  # one word is too little: the line must say the same
        closeness = _closeness(description.said, having, embed)
        best = max([ALIKE, *closeness])
        clear = [
            one
            for one, close in zip(having, closeness, strict=True)
            if plain(one.text) == plain(description.said) or close >= best - LEAD
        ]
    taken = set(map(id, clear))
    rest = [one for one in candidates if id(one) not in taken and _touches(description, one)]
    rest = sorted(rest, key=lambda one: -len(description.words & set(terms(one.text))))[:LOOKED_AT]
    ranked = sorted(
        zip(_closeness(description.said, rest, embed), range(len(rest)), rest, strict=True),
        key=lambda item: (-item[0], item[1]),
    )
    if embed is not None and not clear and ranked and _ASKS.search(description.said):
        (best, _, first), others = ranked[0], [close for close, _, one in ranked if one.text != ranked[0][2].text]
        if best >= ANSWERS and best >= max(others, default=0.0) + ALONE:
            same = [one for _, _, one in ranked if one.text == first.text]
            return Meant(tuple(same))
    return Meant(tuple(clear), tuple(one for close, _, one in ranked[:NEAREST] if close >= ANSWERS))


def folded(text: str) -> str:
    """Without case and accents, as index terms are made."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", "".join(char for char in apart if not unicodedata.combining(char)))


def stands(word: str, have: set[str]) -> bool:
    """Whether a word is among these; a Russian one also with another ending."""
    if word in have or not _CYRILLIC.fullmatch(word):
        return word in have
    return any(other.startswith(root(word)) and abs(len(other) - len(word)) <= 2 for other in have)


def root(word: str) -> str:
    return word[: max(4, len(word) - 2)] if _CYRILLIC.fullmatch(word) else word


def _touches(description: Description, one: Candidate) -> bool:
    low = folded(one.text)
    return any(root(word) in low for word in description.words) and bool(description.words & set(terms(one.text)))


def _closeness(said: str, candidates: Sequence[Candidate], embed: Embed | None) -> list[float]:
    """How near each line is: by vectors, or by the share of common words where there are none."""
    if not candidates:
        return []
    if embed is None:
        mine = set(asked(said))
        return [_share(mine, set(asked(one.text))) for one in candidates]
    import numpy as np  # only for those who have vectors

    rows = np.asarray(embed([said, *(one.text for one in candidates)]), dtype=np.float32)
    return [float(close) for close in rows[1:] @ rows[0]]


def _share(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0
