"""Questions: two lines give the same thing two values, and nothing says which one holds. A person decides.

Certain signs only. Either a line says itself that nobody knows, or each of the two names who says so. A line that tells of
a change ("moved to", 改为) is an update and asks nothing; two values of two things are both true. Both lines stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import islice

from reverie.change_words import MOVED, says_any
from reverie.claim import Claim, Evidence
from reverie.cues import says
from reverie.layout import Kind, place_of
from reverie.marks import is_done, is_history
from reverie.model import Does, Finding, Origin, Snapshot
from reverie.phases.compose import plain_line
from reverie.phases.telling import in_common, related, telling
from reverie.phases.worthy import reason_against
from reverie.question import BETWEEN, TAG, question_id
from reverie.sense import is_negated, values_in

WHY = "needs human review"
NEAR = 8  # lines apart in one note: people write the other number down beside the first
_APART = 14  # days between two who say the opposite
_LEFT_OUT = frozenset({Kind.LOG, Kind.CORPUS, Kind.SESSION})
# How people say that a thing is not settled between two words about it.
_UNSETTLED = re.compile(
    r"\b(?:nobody|no one|noone|none of us|i don'?t|we don'?t|has not|have not|hasn'?t|not)\b[^.;]{0,25}\b(?:know\w*|sure|clear\w*|settled|confirmed|checked|verified|reconciled|agreed|resolved)\b"
    r"|\b(?:unclear|unsettled|contradict\w*|conflict(?:s|ing)?|mismatch\w*|disagree\w*|inconsistent)\b|\bwhich (?:one (?:is|holds|counts)|of them|of the two|holds|is (?:right|correct|true|valid|it))\b|\bboth (?:stand|claim)\b"
    r"|\b(?:keiner|niemand)\b[^.;]{0,20}\b(?:weiß|geklärt|bestätigt|geprüft)\b|\b(?:unklar|ungeklärt|widerspr\w*|strittig)\b|\bwas (?:davon )?(?:gilt|stimmt)\b|\bnicht (?:geklärt|bestätigt)\b|\b(?:muss|will|soll)\b[^.;]{0,12}\b(?:klären|prüfen)\b"
    r"|\b(?:nadie sabe|no está claro|sin aclarar|sin confirmar|se contradice\w*|no coincide\w*|cuál de)\b|\b(?:personne ne sait|pas clair|à clarifier|se contredi\w*|lequel)\b"
    r"|\b(?:ninguém sabe|não está claro|sem confirmar|contradi\w*|não bate\w*)\b|\b(?:никто не знает|непонятно|неясно|расход[ия]тся|противореч\w*|не уточн\w*|не подтвержд\w*)\b"
    r"|(?:没有?人?|未|尚未|还没有?人?)[^，。；]{0,4}(?:确认|核实|定论|结论|统一|查清|弄清|说清|搞清)|不一致|对不上|不清楚|说法不同|互相矛盾|哪个(?:才)?(?:对|算|准)|以谁为准"
    r"|どちらが|食い違|未確認|不明|矛盾|어느 쪽|불분명|확인되지|모순|안 맞",
    re.I,
)
# A source by name: a page, a list, a device that shows something. People are found by "says".
_SHOWN = re.compile(
    r"\b(?:shows?|lists?|states?|reads?|according to|per the|on paper|zeigt|steht|laut|según|pone|muestra|selon|indique|affiche|mostra|consta|"
    r"показывает|указано|написано)\b|显示|写的是|写着|标的是|报的是|上说|按照|によると|と書い|には|에 따르면|적혀",
    re.I,
)
_UNIT = re.compile(
    r"(?:\b([^\W\d_]{2,12})\s)?(?:\d+(?:[.,:]\d+)*|[一二三四五六七八九十百千万两]+)\s*([%°€$£¥]|[\u3040-\u9fff\uac00-\ud7af]|[^\W\d_]{1,12})?"
)
_MONTH = re.compile(
    r"\b(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zäé]{0,6}\b|\d{1,2}\s*月", re.I
)


_VERB = r"(?:says?|said|thinks?|believes?|glaubt|denkt|piensa|cree|pense|croit|acha|думает|считает|shows?|lists?|states?|reads?|zeigt|sagt|meint|steht|pone|dice|muestra|indique|affiche|dit|mostra|diz|показывает|говорит)"
_SPEAKER = re.compile(
    rf"([^\W\d_]+)\s+{_VERB}\b|\b(?:according to|laut|selon|según|segundo|says|sagt|dice|dit)\s+(?:the |his |her |der |die |das |le |la |el |o |a )?([^\W\d_]+)"
    r"|([\u4e00-\u9fff]{2,4})(?:说|显示|写|报|表示|觉得|认为)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two statements of one thing that cannot both hold, and the sign by which it was seen."""

    first: Claim
    second: Claim
    sign: str

    @property
    def id(self) -> str:
        return question_id(plain_line(self.first.text), plain_line(self.second.text))


def find_questions(snapshot: Snapshot, evidence: Evidence, known: frozenset[str] = frozenset()) -> tuple[Finding, ...]:
    """A flag for every conflict among what is new, and between it and MEMORY.md; `known` are ids asked before."""
    said = [one.claim for one in evidence.fresh if may_ask(one.claim)]
    asked = {one.id: one for one in conflicts((*said, *_memory(snapshot)))}
    fresh = {claim.source for claim in said}
    return tuple(
        Finding(
            Does.FLAG, TAG, f"{plain_line(one.first.text)}{BETWEEN}{plain_line(one.second.text)}", f"{WHY}: {one.sign} [{its_id}]",
            (one.first.source, one.second.source),
        )
        for its_id, one in asked.items()
        if its_id not in known and {one.first.source, one.second.source} & fresh
    )  # fmt: skip


def conflicts(claims: Sequence[Claim]) -> tuple[Conflict, ...]:
    """The pairs of these claims that contradict each other without a word on which one holds; each claim in one pair."""
    ordered = sorted(claims, key=lambda one: (one.day, one.path, one.first))
    found = sorted(_candidates(ordered), key=lambda item: -item[0])
    taken: set[tuple[str, int]] = set()
    out: list[Conflict] = []
    for _, conflict in found:
        sides = {(one.path, one.first) for one in (conflict.first, conflict.second)}
        if not sides & taken:
            taken |= sides
            out.append(conflict)
    return tuple(sorted(out, key=lambda one: (one.first.day, one.first.path, one.first.first)))


def _candidates(ordered: Sequence[Claim]) -> Iterator[tuple[float, Conflict]]:
    """Every two that may contradict, with how strongly. Only lines that doubt or quote are compared: there are few."""
    texts = [plain_line(one.text) for one in ordered]
    doubting = [bool(_UNSETTLED.search(text)) for text in texts]
    quoting = [bool(_SHOWN.search(text)) or says("said", text.replace("问题", "")) for text in texts]
    active = [i for i in range(len(ordered)) if doubting[i] or quoting[i]]
    standing = [i for i, one in enumerate(ordered) if not one.day]
    for place, i in enumerate(active):
        later = list(_while_near(i, islice(active, place + 1, None), ordered))
        for j in _partners(i, later, standing, ordered, doubting):
            first, second = (i, j) if i < j else (j, i)
            old, new = texts[first], texts[second]
            close = ordered[i].path == ordered[j].path and abs(ordered[i].first - ordered[j].first) <= NEAR
            if not (close or related(old, new)) or _tells_of_change(new):
                continue
            close = close or (
                not ordered[j].day and in_common(old, new)[0] >= 2
            )  # what stands in memory is beside everything
            if (doubting[i] or doubting[j]) and close and (strength := _other_value(old, new)):
                yield strength + 1, Conflict(ordered[first], ordered[second], "nobody knows which one holds")
                continue
            both = quoting[i] and quoting[j] and _near_in_time(ordered[i], ordered[j])
            if both and (strength := _other_word(old, new, close=close)):
                yield strength, Conflict(ordered[first], ordered[second], "two sources say different things")


@lru_cache(maxsize=4096)
def _tells_of_change(text: str) -> bool:
    return says_any(text, MOVED) or says("no_longer", text)


def _while_near(i: int, later: Iterable[int], ordered: Sequence[Claim]) -> Iterator[int]:
    for j in later:
        if not _near_in_time(ordered[i], ordered[j]):
            return
        yield j


def _partners(
    i: int, later: Sequence[int], standing: Sequence[int], ordered: Sequence[Claim], doubting: Sequence[bool]
) -> Iterator[int]:  # fmt: skip
    """The lines to compare with: the others that doubt or quote, and for a doubt any line beside it or in memory."""
    yield from later
    if doubting[i] and ordered[i].day:
        near = range(max(0, i - NEAR), min(len(ordered), i + NEAR + 1))
        yield from (j for j in near if j != i and j not in later and ordered[j].path == ordered[i].path)
        yield from standing


def _other_value(old: str, new: str) -> float:
    """How much two lines tell in common while one gives another value of the same kind, or denies it; 0 if they do not."""
    weight, share = in_common(old, new)
    same_kind = bool(_units(old) & _units(new)) or (bool(_MONTH.search(old)) and bool(_MONTH.search(new)))
    other = bool(values_in(old) - values_in(new)) and bool(values_in(new) - values_in(old))
    if other and same_kind and (weight >= 1 or share >= 0.25 or _units(old) & _units(new)):
        return 1 + weight
    opposite = is_negated(old) != is_negated(new) and weight >= 1.5
    return weight if opposite and not values_in(old) else 0.0


def _other_word(old: str, new: str, *, close: bool) -> float:
    """The same for two who are quoted: nothing says that they disagree, so more must be in common."""
    if _speakers(old) & _speakers(new) or (values_in(old) == values_in(new) and is_negated(old) == is_negated(new)):
        return 0.0
    weight, share = in_common(old, new)
    strength = _other_value(old, new)
    if not strength or weight < (1 if close and _units(old) & _units(new) else 1.5) or share < (0.2 if close else 0.5):
        return 0.0
    # Each has its own source. The scales that say something else next week are an update.
    own = min(telling(old).weight, telling(new).weight) - weight
    return strength if own >= 1 and (close or own <= 2) else 0.0


@lru_cache(maxsize=4096)
def _speakers(text: str) -> frozenset[str]:
    """Who says it, as far as a word beside "says" tells. One who gives two numbers speaks of two things."""
    return frozenset(name.casefold() for found in _SPEAKER.findall(text) for name in found if name)


@lru_cache(maxsize=4096)
def _units(text: str) -> frozenset[str]:
    """What is counted, behind the number (96 W) or before it (net 30)."""
    return frozenset(part.casefold() for found in _UNIT.findall(text) for part in found if part)


def _near_in_time(one: Claim, other: Claim) -> bool:
    if not one.day or not other.day:
        return False
    return abs((date.fromisoformat(one.day) - date.fromisoformat(other.day)).days) <= _APART


def may_ask(claim: Claim) -> bool:
    """A line of a note that the owner stands behind; what is not worth a line is not worth a question."""
    if place_of(claim.path).kind in _LEFT_OUT or claim.origin != Origin.OWNER.value:
        return False
    return not reason_against(plain_line(claim.text), claim.context, claim.origin)


def _memory(snapshot: Snapshot) -> list[Claim]:
    """The lines of MEMORY.md as claims, without a day: what stands there has no date of its own."""
    memory = snapshot.files.get(snapshot.memory_path)
    return [
        Claim(entry.source.path, entry.source.first, entry.source.last, entry.text, " > ".join(entry.headings[-2:]))
        for entry in (memory.entries if memory else ())
        if entry.origin is Origin.OWNER
        and not is_done(entry.text, checked=entry.block.checked)  # what is over asks nothing
        and not is_history(entry.text)
    ]
