"""The diary in a model's words: the question, one second try on the session's own model (seed 002), and the check in code.

Nothing here decides what may stand in the diary; `phases/narrative.py` does. Whatever fails ends in the empty string, and the
built-in entry is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from reverie.counsel import Ask, Status
from reverie.drawers import cut
from reverie.llm.asker import Asker
from reverie.llm.prompts import asked
from reverie.phases.diary import VOICES, NightFacts
from reverie.phases.narrative import trouble_with
from reverie.phases.requests import is_request
from reverie.specifics import sentences

LONGEST = 240  # characters of a fact that are shown
SHOWN = 6  # facts of a kind
OPENINGS = 5  # earlier entries whose first sentence is shown, so that the new one begins otherwise


def narrated(
    facts: NightFacts, language: str, earlier: Sequence[str], asker: Asker, retry: Asker | None = None
) -> tuple[str, Status, str]:
    """(the entry, what came of it, why there is none). Asked twice at most: `retry` is asked once if the first one fails."""
    shown = _shown(facts, language)
    if not any(shown[kind] for kind in ("themes", "new", "changed", "ended", "questions")):
        return "", Status.ANSWERED, "nothing happened that may be told"
    ask = diary_question(facts, language, earlier)
    text, status, why = _told(asker, ask, facts, language, earlier)
    if not text and retry is not None:
        text, status, why = _told(retry, ask, facts, language, earlier)
    return text, status, why


def diary_question(facts: NightFacts, language: str, earlier: Sequence[str]) -> Ask:
    """What a model would be asked; for those who want to know what it would cost."""
    openings = [cut(sentences(one)[0], 120) for one in earlier[-OPENINGS:] if sentences(one)]
    return asked("diary", {**_shown(facts, language), "openings": openings}, language)


def _told(asker: Asker, ask: Ask, facts: NightFacts, language: str, earlier: Sequence[str]) -> tuple[str, Status, str]:
    answered = asker.ask(ask)
    if answered.value is None:
        return "", answered.status, answered.why
    text = (
        " ".join(str(answered.value["text"]).split())
        if "\n\n" not in answered.value["text"].strip()
        else answered.value["text"]
    )
    status, why = trouble_with(text, facts, language, earlier)
    return (text, answered.status, "") if status is Status.ANSWERED else ("", status, why)


def _shown(facts: NightFacts, language: str) -> dict[str, Any]:
    """The night as data. What reads like an order is not shown: nothing can be obeyed that nobody saw."""
    return {
        "weekday": VOICES[language].weekdays[facts.day.weekday()], "themes": _plain(facts.themes),
        "new": _plain(facts.added), "changed": _plain(facts.updated), "ended": _plain(facts.retired), "questions": _plain(facts.questions),
    }  # fmt: skip


def _plain(texts: Iterable[str]) -> list[str]:
    return [cut(text, LONGEST) for text in texts if not is_request(text)][:SHOWN]
