"""Two lines side by side: an old one and a new one, and all that is known about how near they are.

Also the small readings that several judgements share: the key of `Key: value`, and the words that a line is about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from reverie.phases.compose import plain_line, weight
from reverie.sense import bag, in_order, values_in, weekdays_in
from reverie.terms import plain

ALIKE = 0.5  # of the words in order, from which two lines have one frame
LONGEST_KEY = 4  # words; more is a sentence with a colon in it
KEY = re.compile(r"^\W*(?P<key>[^:：]{2,40}?)(?:\s?(?:(?<!\d)[:：]|[:：](?!\d))|\s[—–](?=\s))\s*(?P<value>\S.*)$", re.S)
_KANA = re.compile("[\u3041-\u309f]")  # endings and particles: what two Japanese lines share in them says nothing
_BOLD = re.compile(r"^[\W\d]*(?:\*\*|__)[^*_]+[:：]")


# What kind of line follows, not what it is about: two decisions are two decisions.
_KINDS = frozenset(
    plain(word)
    for word in re.split(
        r"[,;]\s*",
        "decision, decisions, decided, correction, corrected, lesson, lessons, rule, rules, note, notes, update, updates, fact, facts, reminder, todo, to do, important, warning, idea, question, "
        "preference, agreed, learned, til, fyi, nb, info, result, summary, status update, next, done, open, news, insight, observation, policy, plan, goal, problem, issue, fix, cause, reason, example, also; "
        "entscheidung, beschluss, korrektur, lehre, regel, notiz, merke, wichtig, hinweis, idee, frage, erkenntnis, ergebnis, erledigt, offen, ziel, problem, ursache, grund, beispiel; "
        "decisión, corrección, lección, regla, nota, apunte, importante, aviso, idea, pregunta, recordar, recordatorio, resultado, hecho, pendiente; décision, correction, leçon, règle, remarque, "
        "important, attention, idée, question, rappel, résultat, fait, à retenir; decisão, correção, lição, regra, nota, importante, aviso, ideia, pergunta, lembrete, feito, pendente; "
        "решение, решили, исправление, урок, правило, заметка, важно, внимание, идея, вопрос, напоминание, итог, вывод, готово; 决定, 更正, 纠正, 教训, 规则, 规定, 备注, 注意, 重要, 想法, 问题, 提醒, 结论, 结果, 更新, 踩坑, 铁律, 偏好, 事实; "
        "決定, 訂正, 教訓, ルール, 規則, メモ, 注意, 重要, アイデア, 質問, 結果, 決まり; 결정, 정정, 교훈, 규칙, 메모, 주의, 중요, 아이디어, 질문, 결과",
    )
)


@dataclass(frozen=True, slots=True)
class Near:
    """Two lines, old and new, with all that is known about how near they are."""

    old: str
    new: str
    chance: Mapping[str, float]
    cosine: float
    anchors: int  # telling words that both have and few other lines
    met: float = 0.0
    rare: float = 0.0
    open: bool = False  # the old line stands among matters that are not settled yet


@lru_cache(maxsize=20_000)
def key_of(text: str) -> str:
    """`**Key:** value` → its key, in plain words."""
    found = KEY.match(plain_line(text))
    key = plain(found["key"]) if found and weight(found["key"]) <= LONGEST_KEY else ""
    return "" if key in _KINDS or key.partition(" ")[0] in _KINDS else key


def same_key(one: str, other: str) -> bool:
    return bool(key_of(one)) and key_of(one) == key_of(other)


def is_keyed(text: str) -> bool:
    """The line is written as `**Key:** value`, or with a key of a word or two: not a sentence with a colon in it."""
    return bool(_BOLD.match(text)) or 0 < weight(key_of(text)) <= 2


def anchors_of(texts: Sequence[str]) -> Mapping[str, int]:
    """In how many lines each word stands: a word of one or two lines is what such a line is about."""
    return Counter(term for text in texts for term in bag(text))


def anchored(old: str, new: str, spread: Mapping[str, int], most: int = 2) -> int:
    common = (bag(old) & bag(new)) - weekdays_in(old)  # a weekday that both name is what neither is about
    return sum(1 for term in common if spread.get(term, 0) <= most and len(term) > 1 and not _KANA.search(term))


@lru_cache(maxsize=20_000)
def other_subject(old: str, new: str) -> bool:
    """The two lines are worded alike, and one telling word is exchanged before what they have in common: two things."""
    was, now = in_order(old, bag(old)), in_order(new, bag(new))
    match = SequenceMatcher(None, was, now, autojunk=False)
    if match.ratio() < ALIKE:
        return False
    steps = match.get_opcodes()
    return any(
        step[0] == "replace" and step[2] - step[1] == step[4] - step[3] == 1 and after[0] == "equal"
        for step, after in pairwise(steps)
        if not {was[step[1]], now[step[3]]} & (values_in(old) | values_in(new))
    )
