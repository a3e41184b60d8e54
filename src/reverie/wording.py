"""Whether a wording says what its source says, and nothing else. The gate for every sentence that a model words anew.

A wording may leave out whole clauses that turn nothing, put the subject in front and add words that say nothing (the, is, 的).
Every other word must be the source's own, in the source's order: a word exchanged, left out or turned round is another fact,
and nobody can tell by looking at it. That is stricter than numbers and names; both are among the words. The first clause
stays, for it says what the line is about, and so do the source's marks (`wording_marks.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from reverie.change_words import TENTATIVE, says_any
from reverie.cues import says
from reverie.sense import is_negated
from reverie.wording_marks import Word, other_marks, words_of

_WHEN = re.compile(r"\s*[(（\[]\s*(?P<day>\d{4}-\d{2}-\d{2})\s*[)）\]]\s*[.。]?\s*$")
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
# A clause that begins with such a word hangs on what stands before it: “…, in odd weeks”, “…, plus 60 for heating”.
_HANGS = re.compile(
    r"\s*(?:(?:in|on|at|for|from|to|with|by|of|above|below|over|under|during|within|plus|minus|and|or|later|then|every|each|as|than|which|who|whose|where|when"
    r"|im|am|an|auf|für|von|vom|zum|zur|mit|ab|bei|über|unter|während|oder|und|später|dann|jede\w*|als|der|die|das|wo"
    r"|en|para|por|con|de|del|desde|sobre|bajo|y|o|cada|luego|que|pour|dans|avec|sur|sous|et|ou|chaque|puis|dès|qui"
    r"|em|com|até|e|ou|в|на|для|с|от|до|при|и|или|по|над|под|каждый|каждую|потом)\b|[每在从到或和与给对按向由])",
    re.I,
)
_ARTICLES = frozenset({
    "a", "an", "the", "der", "die", "das", "ein", "eine", "el", "la", "los", "las", "un", "una", "le", "les", "l", "o", "os", "um", "uma", "的",
})  # fmt: skip
# “Rita paid” and “Rita is paid” are two things, so these may only join a subject to what stood behind its colon.
_JOINTS = frozenset({
    "is", "are", "has", "have", "of", "in", "on", "at", "ist", "sind", "hat", "es", "son", "está", "est", "sont", "é", "são", "是", "在", "は", "が", "の", "です",
})  # fmt: skip
_ENDINGS = frozenset("了啊呢嘛ねよ")
_LEFT_OUT = (
    _ARTICLES
    | _ENDINGS
    | {"also", "so", "well", "just", "fyi", "btw", "auch", "también", "aussi", "também", "также", "也"}
)
_FEWEST = 2  # words of the source that must be left for a wording to be one of it
_LABEL = 4  # words or characters of a label such as “Decision:”
_LABELS = ("decision", "lesson", "correction")
_UNSURE = ("hedge", "said", "condition", "negation")


def overreach(text: str, said: Sequence[str], about: Sequence[str] = ()) -> str:
    """Why this wording is not its source's; empty when it is. `about` are texts that may lend it a subject, in front.

    A day in brackets at its end is fine where `said` or `about` has it.
    """
    if (when := _WHEN.search(text)) and any(when["day"] in one for one in (*said, *about)):
        text = text[: when.start()]
    if not words_of(text):
        return "it says nothing"
    reasons = [_unlike(text, source, about) for source in dict.fromkeys(said) if source.strip()]
    return "" if not reasons or "" in reasons else reasons[0]


def _unlike(text: str, source: str, about: Sequence[str]) -> str:
    mine, its = words_of(text), words_of(source)
    pairs = _in_common([word.plain for word in mine], [word.plain for word in its])
    if len(pairs) < min(_FEWEST, len(its)) or not pairs:
        return "it is not about its source"
    lead, stray = _lead(mine, source, pairs, about)
    if stray:
        return f"“{stray}” is not in its source"
    if lost := _lost(source, its, {to for _, to in pairs}, about):
        return lost
    if any(_limits(one) and not _holds(mine, one) for one in about):
        return "it leaves out a condition"  # “Rejected, for now:” stands over the line, and not in it
    return "it sets other marks" if other_marks(text, source, pairs, lead) else ""


def _lost(source: str, its: Sequence[Word], kept: set[int], about: Sequence[str]) -> str:
    """What the wording may not leave out and does; empty if there is nothing."""
    clauses: dict[int, list[int]] = {}
    for at, word in enumerate(its):
        clauses.setdefault(word.clause, []).append(at)
    first = True
    for places in clauses.values():
        left = [at for at in places if at not in kept and not _is_idle(its, places, at)]
        part = source[its[places[0]].first : its[places[-1]].end]
        label = first and _is_label(source, its, places, about)
        if left and len(left) < sum(not _is_idle(its, places, at) for at in places):
            return "it leaves out a word"
        if left and not label and (first or _turns(part) or _HANGS.match(part)):
            return "it leaves out what the line is about" if first else "it leaves out a condition"
        first = first and (label or all(_is_idle(its, places, at) for at in places))
    return ""


def _is_idle(its: Sequence[Word], places: Sequence[int], at: int) -> bool:
    """A word that may go: an article stands before something (at the end of a clause “an” is a German verb's), an ending does not."""
    word = its[at].plain
    return word in _LEFT_OUT and (word not in _ARTICLES or at != places[-1] or len(places) == 1)


def _is_label(source: str, its: Sequence[Word], places: Sequence[int], about: Sequence[str]) -> bool:
    """“Decision:”, or the heading put in front: what kind of line follows, not what it says."""
    part = source[its[places[0]].first : its[places[-1]].end]
    if not source[its[places[-1]].end :].lstrip().startswith((":", "：")):
        return False
    same = any([word.plain for word in words_of(one)] == [its[at].plain for at in places] for one in about)
    spaced = any(len(its[at].written) > 1 for at in places)
    short = len(places) == 1 if spaced else len(places) <= _LABEL
    return (same and not _turns(part)) or (short and any(says(kind, part) for kind in _LABELS))


def _turns(part: str) -> bool:
    """Whether a clause turns or weakens what another one says: a condition, a "not", a doubt, who said so."""
    return _limits(part) or any(says(cue, part) for cue in _UNSURE)


def _limits(part: str) -> bool:
    return bool(_TURNS.search(part)) or is_negated(part) or says_any(part, TENTATIVE)


def _holds(mine: Sequence[Word], one: str) -> bool:
    needed = [word.plain for word in words_of(one)]
    return len(_in_common([word.plain for word in mine], needed)) == len(needed)


def _lead(mine: Sequence[Word], source: str, pairs: Sequence[tuple[int, int]], about: Sequence[str]) -> tuple[str, str]:
    """The text that lends a subject in front, and the first word that is neither that, nor the source's, nor harmless."""
    words, (first, _) = [word.plain for word in mine], pairs[0]
    lead = [word for word in words[:first] if word not in _ARTICLES | _JOINTS]
    lender = next((one for one in about if lead and _begins(lead, one)), "")
    if lead and not lender:
        return "", lead[0]
    if not lead and (joints := [word for word in words[:first] if word in _JOINTS]):
        return "", joints[0]
    its = words_of(source)
    for (at, to), (next_at, next_to) in pairwise(pairs):
        colon = ":" in source[its[to].end : its[next_to].first].replace("：", ":")
        if strays := [
            word for word in words[at + 1 : next_at] if word not in (_ARTICLES | _JOINTS if colon else _ARTICLES)
        ]:
            return lender, strays[0]
    return lender, next(iter(words[pairs[-1][0] + 1 :]), "")


def _begins(lead: Sequence[str], one: str) -> bool:
    """The words are a whole clause of the text that lends them, and no number is among them: a number is a value, not a subject."""
    if any(char.isdigit() for word in lead for char in word):
        return False
    clauses: dict[int, list[str]] = {}
    for word in words_of(one):
        if word.plain not in _ARTICLES | _JOINTS:
            clauses.setdefault(word.clause, []).append(word.plain)
    parts = list(clauses.values())
    return list(lead) in [*parts, [word for part in parts for word in part]]


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
