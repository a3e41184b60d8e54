"""One statement, as it is said: whether it goes into MEMORY.md at once or waits for the night (seed 000, real-time capture).

At once: the owner corrects something, tells a decision, or starts a project, and says so in so many words (`lang/`, table
`announced`). Everything else is for the night to judge. Doubt, questions and moods always wait.
"""

from __future__ import annotations

import re
from functools import cache

from reverie.judge.worth import Worth
from reverie.lang import words
from reverie.lang.lexicon import either, pattern, phrases
from reverie.sense import is_negated

CORRECTION, DECISION, PROJECT = "correction", "decision", "project"
_QUESTION = re.compile(r"[?？][\s\"'”」)）]*$")
_WAIT = ("question", "quote", "mood")
SURE = 0.6  # chance of one of these kinds, by the judge, from which a statement waits


def kind_at_once(text: str, judged: Worth) -> str:
    """`correction`, `decision` or `project` if it must not wait; else empty."""
    if _QUESTION.search(text) or _any_of("perhaps").search(text):
        return ""
    if any(judged.kinds.get(kind, 0.0) >= SURE for kind in _WAIT):
        return ""
    if _corrected().match(text):
        return CORRECTION
    if (said := _any_of("decided").search(text)) and not pattern("negations").search(said[0]):
        return DECISION
    return PROJECT if _any_of("projects").search(text) and not is_negated(text) else ""


@cache
def _any_of(group: str) -> re.Pattern[str]:
    return re.compile(phrases(words(f"announced.{group}")), re.I)


@cache
def _corrected() -> re.Pattern[str]:
    """`No, actually …`, `Actually, …`, `Correction: …` at the beginning."""
    no, really, label = (either(words(f"announced.{group}")) for group in ("no", "really", "corrected"))
    return re.compile(rf"(?:{no})[\s,，.。!！、—–-]+(?:{really})|(?:{really}|{label})\s?[,，:：]", re.I)
