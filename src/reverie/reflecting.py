"""Reflections in a model's words: it is asked what the lines of the last days show together, and code checks what it says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from reverie.claim import Evidence
from reverie.counsel import Ask, Status
from reverie.llm.asker import Asker
from reverie.llm.prompts import asked
from reverie.model import Snapshot
from reverie.night.pages import night_themes
from reverie.phases.reflection import kept, shown
from reverie.phases.reporting import are_news
from reverie.phases.themes import Seen

Words = tuple[tuple[str, ...], Status, str]


def reflections(snapshot: Snapshot, evidence: Evidence, now: datetime, language: str, asker: Asker) -> tuple[str, ...]:
    """The sentences for tonight's REM report; none where they would not be read, or where nothing is new."""
    return reflected(snapshot, evidence, now, language, asker)[0]


def reflected(snapshot: Snapshot, evidence: Evidence, now: datetime, language: str, asker: Asker) -> Words:
    """(the sentences, what came of the question, why there is none)."""
    ask, lines = _question(snapshot, evidence, now, language)
    if ask is None:
        return (), Status.ANSWERED, "there is nothing to reflect on"
    answered = asker.ask(ask)
    if answered.value is None:
        return (), answered.status, answered.why
    words, status, why = kept(answered.value["reflections"], lines, language)
    return words, answered.status if status is Status.ANSWERED else status, why


def themes_question(snapshot: Snapshot, evidence: Evidence, now: datetime, language: str) -> Ask | None:
    """What a model would be asked; None when it would not be. For those who want to know what it would cost."""
    return _question(snapshot, evidence, now, language)[0]


def _question(
    snapshot: Snapshot, evidence: Evidence, now: datetime, language: str
) -> tuple[Ask | None, Mapping[str, Seen]]:
    storage = snapshot.workspace.settings.storage
    if not evidence.fresh or not (storage.inline or storage.in_files):
        return None, {}
    themes, lines = night_themes(snapshot, now)
    if not are_news(snapshot, themes, language, now):
        return None, {}
    data, by_id = shown(themes, lines)
    return (asked("themes", data, language) if data["themes"] else None), by_id
