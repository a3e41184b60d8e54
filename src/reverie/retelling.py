"""Whether prose tells a fact as the fact was told. Words alone do not say who does what to whom, so a fact is told in its own words.

A sentence may quote a fact whole, from its first word on, with nothing between its words (clauses at its end that turn nothing may be
left out), with or without quotation marks. What stands around the quotation says nothing about the fact: no other of its words, no
name or number, no "not", "if" or "only". A sentence that mentions a fact in any other way is refused, however honest it may be.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from reverie.cues import says
from reverie.grounded_text import in_one_script, is_turned
from reverie.language import line_language
from reverie.retelling_words import BENDS, DENIES, FROM_NOW_ON, LEADS_ON, LEADS_TO
from reverie.sense import bag
from reverie.specifics import folded, sentences, specifics_of
from reverie.terms import plain
from reverie.wording import overreach
from reverie.wording_marks import words_of

_SLOT = re.compile("[\ue000-\uf8ff]")  # private characters stand for what was quoted
_IN_MARKS = re.compile('[“„«「『《"‘]\\s?([\ue000-\uf8ff])\\s?([.。?？!！]?)\\s?[”“»」』》"’]')
_OWN_MARKS = re.compile(r"<!--.*?-->|\*\*|__|`", re.S)
_LABEL = re.compile(r"([^:：.!?。！？,，;；]{1,40})(?::\s|：)\s*(?=\S)")
_KINDS = ("decision", "lesson", "correction")
_EASTERN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_SPACED = "[^\\W\u3040-\u30ff\u3400-\u9fff]"  # what glues itself to a word of a script with spaces
_ENDS = " .;,:。；，：、"
_MENTIONS, _PAIRS_MENTION = (
    2,
    3,
)  # words that a sentence has in common with a fact; of Chinese pairs more meet by chance
_FEW_LETTERS, _SAME_LETTERS = 4, 0.7  # Chinese characters: how many, and how many of them a fact has
_FEWEST_IN_FRONT = 4  # words before a colon; fewer are a heading
_SHORT = 3  # words of a sentence that hangs on another one
_FOREIGN = 3  # words: of fewer the language cannot be told


@dataclass(frozen=True, slots=True)
class Wording:
    """A fact as it may be quoted, and the heading that it then needs in front of it."""

    text: str
    key: str = ""


@lru_cache(maxsize=1_000)
def wordings(fact: str) -> tuple[Wording, ...]:
    """Every way to quote a fact, the longest first."""
    bare = " ".join(_OWN_MARKS.sub("", fact).split())
    found = [Wording(short, key) for key, body in _bodies(bare) for short in _shorter(body) if len(words_of(short)) > 1]
    return tuple(sorted(dict.fromkeys(found), key=lambda one: -len(one.text)))


def _bodies(bare: str) -> Iterator[tuple[str, str]]:
    """The fact with and without its headings. One that only says what kind of line follows is needed by nobody."""
    key, body = "", bare
    while True:
        yield key, body
        if opening := FROM_NOW_ON.match(body):
            yield key, body[opening.end() :]
        label = _LABEL.match(body)
        if not label:
            return
        key = key if _is_kind(label[1]) else f"{key} {label[1]}".strip()
        body = body[label.end() :]


def _is_kind(label: str) -> bool:
    few = len(words_of(label)) <= (4 if _EASTERN.search(label) else 1)
    return few and any(says(kind, label) for kind in _KINDS)


def _shorter(body: str) -> Iterator[str]:
    """The body, and what is left of it without clauses at its end that turn nothing."""
    words = words_of(body)
    ends = [word.end for word, after in pairwise(words) if word.clause != after.clause]
    whole = body if body.rstrip().endswith(("?", "？")) else body.rstrip(_ENDS)
    yield from (one for one in (whole, *(body[:end] for end in reversed(ends))) if one and not overreach(one, [body]))


def quoted_out(text: str, facts: Sequence[str]) -> tuple[str, dict[str, Wording]]:
    """(the text with a slot for every fact that it quotes, the wording that each slot stands for)."""
    slots: dict[str, Wording] = {}
    every = [(one, nth) for nth, fact in enumerate(facts) for one in wordings(fact)]
    for one, nth in sorted(every, key=lambda pair: -len(pair[0].text)):
        slot = chr(0xE000 + nth)
        # The mark of a question stays, for it ends the sentence around it too.
        text, found = _pattern(one.text).subn(slot + one.text[-1] * one.text.endswith(("?", "？")), text)
        if found:
            slots[slot] = slots.get(slot, one)
    return text, slots


@lru_cache(maxsize=1_000)
def _pattern(wording: str) -> re.Pattern[str]:
    first, *rest = re.split(r"\s+", wording)
    begin = rf"(?i:{re.escape(first[0])}){re.escape(first[1:])}"
    before = rf"(?<!{_SPACED})(?<!\d[.,:-])" if not _EASTERN.match(first) else ""
    behind = rf"(?!{_SPACED})(?![.,:-]\d)" if not _EASTERN.match(wording[-1]) else ""
    return re.compile(before + r"\s+".join([begin, *map(re.escape, rest)]) + behind)


def misquoted(
    text: str,
    facts: Sequence[str],
    common: Collection[str] = (),
    *,
    frame: str = "",
    open_to: Sequence[str] = (),
    language: str = "",
    speaker: str = "",
) -> tuple[str, ...]:
    """Why each sentence that tells a fact otherwise than the fact does may not stand; nothing is a good sign.

    What the `frame` says may stand anywhere; `open_to` are facts that may be denied: what is over, and what nobody knows.
    """
    every = tuple(dict.fromkeys((*facts, *open_to)))
    rest, slots = quoted_out(_SLOT.sub(" ", text), every)
    night = _Night(every, frozenset(open_to), frozenset(common), frame, language, speaker, slots)
    found = [why for one in sentences(_IN_MARKS.sub(r"“\1”\2", rest)) if (why := night.against(one))]
    again = [
        slot for nth, fact in enumerate(every) if rest.count(slot := chr(0xE000 + nth)) > (*facts, *open_to).count(fact)
    ]
    return (*found, *(["it tells a fact twice"] if again else []))


@dataclass(frozen=True, slots=True)
class _Night:
    facts: tuple[str, ...]
    open_to: frozenset[str]
    common: frozenset[str]
    frame: str
    language: str
    speaker: str
    slots: dict[str, Wording]

    def against(self, sentence: str) -> str:
        """Why a sentence may not stand there. Slots stand for what it quotes."""
        quoted = _SLOT.findall(sentence)
        bare = _SLOT.sub(" ", re.sub("“([\ue000-\uf8ff])”", r"\1", sentence))
        if not quoted and not words_of(bare):
            return "it has marks without words"
        if strays := [one for one, said in specifics_of(bare, self.common) if not said(folded(self._around(quoted)))]:
            return f"{strays[0]} stands outside of what it quotes"
        if self._shouts(bare) or not in_one_script(bare, self.language, self.frame):
            return "it has capitals or letters that nobody uses here"
        spoken = line_language(bare)
        if self.language and spoken not in ("", self.language) and len(words_of(bare)) >= _FOREIGN:
            return "a sentence is in another language"
        if any(self._mentions(bare, fact, quoted) for fact in self.facts):
            return "it tells a fact in other words"
        return self._bent(sentence, bare, quoted)

    def _around(self, quoted: Sequence[str]) -> str:
        return "\n".join((self.frame, *(self.slots[slot].key for slot in quoted if slot in self.slots)))

    def _shouts(self, bare: str) -> bool:
        return any(
            len(word.written) > 1 and word.written.isupper() and word.written not in self.frame
            for word in words_of(bare)
        )

    def _mentions(self, bare: str, fact: str, quoted: Sequence[str]) -> bool:
        """Whether a sentence speaks of a fact outside of its quotation: by some of its words, or with a "not" by one."""
        if _is_part(bare, fact):
            return True
        told, said = _telling(fact), _telling(bare)
        shared = (told & said) - _telling(" ".join(sorted(self.common))) - _telling(self._around(quoted))
        pairs = bool(shared) and all(_EASTERN.search(word) for word in shared)
        fewest = max(2, min(_PAIRS_MENTION, len(told) // 3)) if pairs else max(1, min(_MENTIONS, len(told) // 2))
        denied = is_turned(bare) and fact not in self.open_to
        impersonal = bool(self.speaker) and not re.search(self.speaker, bare, re.I)
        return _how_many(shared, bare) >= (fewest - 1 if (denied or impersonal) and fewest > 1 else fewest)

    def _is_heading(self, head: str) -> bool:
        """“House rules:” over a fact says something of it, “I have kept this:” does not."""
        personal = bool(self.speaker) and re.search(self.speaker, head, re.I)
        return head.rstrip().endswith((":", "：")) and not personal and len(words_of(head)) < _FEWEST_IN_FRONT

    def _bent(self, sentence: str, bare: str, quoted: Sequence[str]) -> str:
        """Whether what stands around a quotation makes something else of it."""
        if DENIES.search(bare):
            return "it denies what it tells"
        if not quoted and len(words_of(bare)) <= _SHORT and (is_turned(bare) or BENDS.search(bare)):
            return "it bends what stands before it"  # “Hardly.”
        for slot in quoted:
            head, _, tail = sentence.partition(slot)
            fact = self.facts[ord(slot) - 0xE000]
            if not _telling(self.slots[slot].key) <= _telling(head):
                return "it leaves out what a fact is about"
            in_marks = head.endswith("“") and tail.startswith("”")
            if fact not in self.open_to and (is_turned(bare) or BENDS.search(bare)):
                return "it bends what it quotes"
            if sentence.rstrip("”").endswith(("?", "？")) and not fact.rstrip().endswith(("?", "？")):
                return "it makes a question of what it quotes"
            if not in_marks and self._is_heading(head):
                return "it puts a heading over what it quotes"
            if not in_marks and not (LEADS_TO.search(_SLOT.sub("", head)) and LEADS_ON.match(_SLOT.sub("", tail))):
                return "it adds words to what it quotes"
        return ""


def _is_part(bare: str, fact: str) -> bool:
    """Whether a sentence is nothing but a piece of a fact, or its very characters in another order."""
    mine, its = plain(bare), plain(fact)
    letters, known = set(_EASTERN.findall(bare)), set(_EASTERN.findall(fact))
    shuffled = len(letters) >= _FEW_LETTERS and len(letters & known) >= _SAME_LETTERS * len(letters)
    return shuffled or (bool(mine) and f" {mine} " in f" {its} ")


def _how_many(shared: Collection[str], sentence: str) -> int:
    """How many words of the sentence these terms are. Korean terms are pieces of words, and three may be one word."""
    pieces = {term for term in shared if re.search("[가-힣]", term)}
    words = {word for word in plain(sentence).split() if any(piece in word for piece in pieces)}
    return len(shared) - len(pieces) + len(words)


@lru_cache(maxsize=4_096)
def _telling(text: str) -> frozenset[str]:
    """The words that say what a text is about; single characters of Chinese say too little."""
    return frozenset(word for word in bag(text) if len(word) > 1)
