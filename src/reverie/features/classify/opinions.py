"""A model's opinion about memories in doubt and about titles of pages: asked, checked, and handed on as a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from reverie.core.layout import STYLE_GUIDE
from reverie.core.model_calls import Use, counted
from reverie.core.ports import Clock
from reverie.evidence.kept_answers import KeptAnswers
from reverie.features.classify.drawers import Opinion
from reverie.features.classify.opinion import chapters_shown, memories_shown, opinions_in, retitled, titles_in
from reverie.features.classify.sorting import Sorted, is_askable
from reverie.judge.asker import Asker
from reverie.judge.prompts import asked
from reverie.lang.detect import language_of
from reverie.plan.quoting import Page
from reverie.workspace.values import Workspace

BATCH = 20  # memories of one question
IMPLAUSIBLE = "a drawer that the judge does not believe, or a memory that is known"


def opinions_on(
    workspace: Workspace, clock: Clock, verdicts: Sequence[Sorted], *, keep: bool
) -> tuple[Mapping[str, Opinion], Use | None]:
    """What a model thinks of the memories whose kind nobody can tell, by their ids; and what it cost. None: nobody was asked."""
    unsure = [one for one in verdicts if is_askable(one)]
    asker = _asker(workspace, clock, keep=keep) if unsure and workspace.settings.model.leads else None
    if asker is None:
        return {}, None
    found: dict[str, Opinion] = {}
    dropped: list[str] = []
    for batch in _batches(unsure):
        told, units = memories_shown(batch, workspace.settings.privacy.kinds)
        answer = asker.ask(asked("classify", {"memories": told})) if told else None
        if answer is not None and answer.value is not None:
            opinions, refused = opinions_in(answer.value["memories"], units)
            found.update(opinions)
            dropped += refused
    return found, replace(asker.use, dropped=counted(dropped))


def taken(use: Use, opinions: Mapping[str, Opinion], verdicts: Sequence[Sorted]) -> Use:
    """The receipt with what became of the opinions: which drawers were taken, and how many the judge did not believe."""
    heard = [one.kind for one in verdicts if one.opinion]
    refused = {IMPLAUSIBLE: len(opinions) - len(heard)} if len(opinions) > len(heard) else {}
    return replace(use, accepted=counted(heard), dropped=MappingProxyType({**use.dropped, **refused}))


def with_titles(
    workspace: Workspace, clock: Clock, pages: Iterable[Page], *, keep: bool
) -> tuple[tuple[Page, ...], Use | None]:
    """The pages with better titles for the chapters of the work-style guide, whose own are only a word; and what it cost."""
    pages = tuple(pages)
    guide = next((page for page in pages if page.path == STYLE_GUIDE), None)
    asker = _asker(workspace, clock, keep=keep) if guide and workspace.settings.model.write else None
    told, chapters = chapters_shown(guide, workspace.settings.privacy.kinds) if guide else ([], {})
    if asker is None or guide is None or not told:
        return pages, None
    language = language_of(quote.text for quote in guide.quotes)
    answer = asker.ask(asked("sublimate", {"chapters": told}, language))
    titles, dropped = titles_in(answer.value["titles"], chapters) if answer.value is not None else ({}, [])
    better = tuple(retitled(page, titles) if page is guide else page for page in pages)
    return better, replace(asker.use, accepted=counted("title" for _ in titles), dropped=counted(dropped))


def _asker(workspace: Workspace, clock: Clock, *, keep: bool) -> Asker | None:
    if workspace.model is None:
        return None
    kept = KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock, write=keep)
    return Asker(workspace.model, workspace.settings.model, kept)


def _batches(verdicts: Sequence[Sorted]) -> Iterator[Sequence[Sorted]]:
    return (verdicts[at : at + BATCH] for at in range(0, len(verdicts), BATCH))
