"""Active Memory in a model's words: it chooses among the facts that were found and words each; code checks every sentence.

Each sentence rests on one fact and names nothing that the fact does not name (`judge/specifics.py`), nor turns it round. One
sentence that fails spoils the answer: the facts are then told as they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reverie.core.model_calls import Ask, Status
from reverie.core.ports import Clock, Model
from reverie.evidence.model_records import KeptAnswers
from reverie.features.diary.entry import gives_orders
from reverie.judge.asker import Asker
from reverie.judge.prompts import asked
from reverie.judge.rewording import changed_negation
from reverie.judge.specifics import unsupported
from reverie.lang.detect import line_language
from reverie.lang.messages import say
from reverie.privacy.redact import holds_mask, redacted
from reverie.workspace.values import Workspace

LONGEST = 480  # characters of the message
Worded = tuple[tuple[tuple[int, str], ...], Status, str]


def worded(
    workspace: Workspace, clock: Clock, model: Model, message: str, facts: Sequence[str], most: int, seconds: float
) -> Worded:
    """(which facts, each in its new words; what came of the question; why there are none). One call, within so many seconds."""
    settings = workspace.settings
    mind = replace(settings.model, timeout=min(seconds, settings.model.timeout), max_seconds=seconds, max_calls=1)
    asker = Asker(model, mind, KeptAnswers(workspace.root, settings.privacy.kinds, clock))
    answered = asker.ask(recall_question(message, facts, most, settings.privacy.kinds))
    if answered.value is None:
        return (), answered.status, answered.why
    found, status, why = checked(answered.value["sentences"], facts, settings.privacy.kinds)
    return found, answered.status if status is Status.ANSWERED else status, why


def recall_question(message: str, facts: Sequence[str], most: int, kinds: frozenset[str]) -> Ask:
    told = [{"id": f"f{nth}", "text": redacted(fact, kinds)} for nth, fact in enumerate(facts, 1)]
    return asked("recall", {"message": redacted(message, kinds)[:LONGEST], "facts": told, "most_characters": most})


def checked(items: Sequence[Mapping[str, Any]], facts: Sequence[str], kinds: frozenset[str]) -> Worded:
    """The sentences by the place of their fact, if every one of them says what its fact says."""
    places = {f"f{nth}": nth - 1 for nth in range(1, len(facts) + 1)}
    found: dict[int, str] = {}
    for item in items:
        text = " ".join(str(item["text"]).split())
        place = places.get(str(item["fact"]), -1)
        if place < 0 or place in found:
            return (), Status.UNGROUNDED, say("recall.bad_cite")
        if trouble := _trouble(text, facts[place], kinds):
            return (), *trouble
        found[place] = text
    return tuple(found.items()), Status.ANSWERED, "" if found else say("recall.nothing_helpful")


def _trouble(text: str, fact: str, kinds: frozenset[str]) -> tuple[Status, str] | None:
    if not text or holds_mask(text) or redacted(text, kinds) != text:
        return Status.INVALID, say("recall.empty_or_secret")
    if gives_orders(text) and not gives_orders(fact):
        return Status.OBEYED, say("recall.orders")
    spoken, known = line_language(text), line_language(fact)
    if spoken and known and spoken != known:
        return Status.WRONG_LANGUAGE, say("recall.other_language")
    strange = unsupported(text, [fact])
    why = say("recall.unsupported", names=", ".join(strange[:3])) if strange else changed_negation(text, [fact])
    return (Status.UNGROUNDED, why) if why else None
