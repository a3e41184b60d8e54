"""Whether a wording says what its source says, and nothing else. The gate for every sentence that a model words anew.

A wording may leave out whole clauses that turn nothing, put the subject in front and add words that say nothing (the, is, 的).
Every other word must be the source's own, in the source's order: a word exchanged, left out or turned round is another fact,
and nobody can tell by looking at it. That is stricter than numbers and names; both are among the words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from reverie.change_words import TENTATIVE, says_any
from reverie.sense import is_negated

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\W_]+|[%€$£¥°<>≤≥≠=→←±~]|(?<!\w)[-−](?=\d)")
_CLAUSE = re.compile(r"[,，;；。！？!?、()（）「」『』\[\]]|[.:：](?=\s|$)|\s[–—-]\s|\n")
_WHEN = re.compile(r"\s*[(（\[]\s*(?:\d{4}-\d{2}-\d{2})\s*[)）\]]\s*[.。]?\s*$")
# Words that a clause may turn on: whoever leaves such a clause out says something else.
_TURNS = re.compile(
    r"\b(?:if|unless|except|only|until|till|but|however|although|though|while|provided|otherwise|instead|before|after|without|so far|for now|temporar\w*"
    r"|wenn|falls|außer|nur|bis|aber|obwohl|sofern|sonst|statt|bevor|nachdem|ohne|vorerst|solange|sondern"
    r"|si|salvo|excepto|s[oó]lo|solamente|hasta|pero|aunque|sino|antes|después|mientras|sin"
    r"|sauf|seulement|jusqu\w*|mais|bien que|sinon|avant|après|tant que|sans"
    r"|se|exceto|somente|até|mas|embora|senão|depois|enquanto|sem|apenas"
    r"|если|кроме|только|лишь|пока|но|хотя|иначе|вместо|до|после|без)\b"
    r"|如果|要是|除非|除了|只|仅|直到|为止|但|不过|虽然|否则|以前|以后|之前|之后|暂时|先|而是|もし|ない限り|以外|だけ|まで|しかし|ただし|けど|が、|前に|後に|만약|경우|제외|까지|하지만|그러나|만 |전에|후에|동안",
    re.I,
)
_ADDED = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "has",
        "have",
        "of",
        "in",
        "on",
        "at",
        "der",
        "die",
        "das",
        "ist",
        "sind",
        "hat",
        "ein",
        "eine",
        "el",
        "la",
        "los",
        "las",
        "es",
        "son",
        "está",
        "un",
        "una",
        "le",
        "les",
        "est",
        "sont",
        "l",
        "o",
        "os",
        "as",
        "é",
        "são",
        "um",
        "uma",
        "的",
        "是",
        "在",
        "は",
        "が",
        "の",
        "は",
        "です",
    ]
)
_LEFT_OUT = frozenset(
    [
        "a",
        "an",
        "the",
        "also",
        "so",
        "well",
        "just",
        "fyi",
        "btw",
        "der",
        "die",
        "das",
        "ein",
        "eine",
        "auch",
        "el",
        "la",
        "los",
        "las",
        "un",
        "una",
        "también",
        "le",
        "les",
        "l",
        "aussi",
        "o",
        "os",
        "as",
        "um",
        "uma",
        "também",
        "также",
        "的",
        "了",
        "啊",
        "呢",
        "嘛",
        "也",
        "ね",
        "よ",
    ]
)
_FEWEST = 2  # words of the source that must be left for a wording to be one of it


def overreach(text: str, said: Sequence[str], about: Sequence[str] = ()) -> str:
    """Why this wording is not its source's; empty when it is. `about` are texts that may lend it a subject, in front."""
    words = _tokens(_WHEN.sub("", text))
    if not words:
        return "it says nothing"
    reasons = [_unlike(words, source, about) for source in dict.fromkeys(said) if source.strip()]
    return "" if not reasons or "" in reasons else reasons[0]


def _unlike(words: Sequence[str], source: str, about: Sequence[str]) -> str:
    clauses = [part for part in _CLAUSE.split(source) if _tokens(part)]
    told = [(token, nth) for nth, part in enumerate(clauses) for token in _tokens(part)]
    pairs = _in_common(words, [token for token, _ in told])
    if len(pairs) < min(_FEWEST, len(told)):
        return "it is not about its source"
    mine, its = {at for at, _ in pairs}, {to for _, to in pairs}
    first = min(mine)
    if stray := _stray(words, mine, first, about):
        return f"“{stray}” is not in its source"
    kept = {told[at][1] for at in its if told[at][0] not in _LEFT_OUT}
    for nth, part in enumerate(clauses):
        missing = [token for at, (token, where) in enumerate(told) if where == nth and at not in its]
        if nth in kept and any(token not in _LEFT_OUT for token in missing):
            return "it leaves out a word"
        if nth not in kept and (_TURNS.search(part) or is_negated(part) or says_any(part, TENTATIVE)):
            return "it leaves out a condition"
    return ""


def _stray(words: Sequence[str], mine: set[int], first: int, about: Sequence[str]) -> str:
    """The first word that is neither the source's nor harmless: a subject may stand in front, from one text and in its order."""
    lead = [word for word in words[:first] if word not in _ADDED]
    if lead and not any(_begins(lead, [t for t in _tokens(text) if t not in _ADDED]) for text in about):
        return lead[0]
    return next((w for at, w in enumerate(words) if at > first and at not in mine and w not in _ADDED), "")


def _begins(lead: Sequence[str], subject: Sequence[str]) -> bool:
    """The words stand together in the text that lends them, and no number is among them: a number is a value, not a subject."""
    size = len(lead)
    if any(char.isdigit() for word in lead for char in word):
        return False
    return any(list(subject[at : at + size]) == list(lead) for at in range(len(subject) - size + 1))


@lru_cache(maxsize=4_096)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(token.casefold() for token in _TOKEN.findall(text))


def _in_common(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """The longest row of words that both have in the same order, as places in each."""
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(other) - 1, -1, -1):
            rows[i][j] = rows[i + 1][j + 1] + 1 if one[i] == other[j] else max(rows[i + 1][j], rows[i][j + 1])
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        if one[i] == other[j] and rows[i][j] == rows[i + 1][j + 1] + 1:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif rows[i + 1][j] >= rows[i][j + 1]:
            i += 1
        else:
            j += 1
    return found
