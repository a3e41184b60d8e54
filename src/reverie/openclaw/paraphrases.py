"""Which questions ask the same in other words: paraphrases count once. Words decide, and meaning where there are vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from reverie.core.ports import Embedder
from reverie.openclaw.counts import NO_GROUPS, questions
from reverie.text.terms import asked
from reverie.workspace.recalls import PeerRecall

MOST_QUESTIONS = 400  # the newest are compared with each other
SAME_QUESTION = 0.6  # of their words, from which two questions are one
SAME_MEANING = 0.85  # by the embedder


def groups_for(entries: Iterable[PeerRecall], texts: Mapping[str, str], embedder: Embedder | None) -> Mapping[str, str]:
    """The groups of the questions behind these entries; an entry with one question has nothing to group."""
    wanted = {one for entry in entries if entry.recalls and len(its := questions(entry)) > 1 for one in its}
    return (
        question_groups({key: text for key, text in texts.items() if key in wanted}, embedder) if wanted else NO_GROUPS
    )


def question_groups(texts: Mapping[str, str], embedder: Embedder | None) -> Mapping[str, str]:
    """By the hash of a question, the hash of the first that asked the same. `texts` are in the order of asking."""
    newest = dict(islice(texts.items(), max(0, len(texts) - MOST_QUESTIONS), None))
    if len(newest) < 2:
        return {}
    rows = embedder.embed(list(newest.values())) if embedder else None
    firsts: list[tuple[int, str, frozenset[str]]] = []
    groups: dict[str, str] = {}
    for number, (key, text) in enumerate(newest.items()):
        words = frozenset(asked(text))
        same = next(
            (
                first
                for at, first, known in firsts
                if _alike(words, known) or (rows is not None and float((rows[number] * rows[at]).sum()) >= SAME_MEANING)
            ),
            None,
        )
        if same is None:
            firsts.append((number, key, words))
        groups[key] = same or key
    return groups


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one | other) and len(one & other) >= SAME_QUESTION * len(one | other)
