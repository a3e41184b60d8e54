from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from reverie.core.errors import BadInput
from reverie.features import search as feature
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command

_GROUPS = (("memory", "Memory"), ("archive", "Permanent Archive"), ("content", "Content Index"))


@command
@click.argument("words", nargs=-1, metavar="[QUERY]")
@click.option("--query", help="The question, instead of the argument.")
@click.option("--max-results", type=click.IntRange(1, 1000), help="How many results at most (default 6).")
@click.option("--min-score", type=click.FloatRange(0, 1), default=0.0, help="Leave out results below this score.")
@click.option("--no-record", is_flag=True, help="Leave no trace in the recall journal.")
def search(
    asked: Asked,
    *,
    words: tuple[str, ...],
    query: str | None,
    max_results: int | None,
    min_score: float,
    no_record: bool,
) -> None:
    """Ask the memory: words and meaning, in any language. Results say where they come from and why they matched."""
    question = query or " ".join(words)
    if not question.strip():
        raise BadInput("There is no question. Say `dream search WORDS`.")
    workspace = asked.workspace()
    settings = workspace.settings.search
    answer = feature.ask(
        workspace,
        workspace.embedder,
        asked.clock(workspace.settings.timezone),
        question,
        limit=max_results or settings.max_results,
        min_score=min_score,
        record=not no_record,
        on_read=asked.progress(),
    )
    asked.answer(answer_as_dict(answer), _lines(answer))


def answer_as_dict(answer: feature.Answer) -> dict[str, Any]:
    """The peer's fields (`results` with path, startLine, endLine, score, textScore, snippet, source) and ours."""
    return {
        "results": [
            {
                "path": hit.claim.path,
                "startLine": hit.claim.first,
                "endLine": hit.claim.last,
                "score": round(hit.score, 4),
                "textScore": round(hit.text_score, 4),
                "vectorScore": round(hit.vector_score, 4),
                "snippet": shown(hit.claim.text),
                "source": hit.claim.group,
                "heading": shown(hit.claim.heading),
                "parents": shown(hit.claim.parents),
                "day": hit.claim.day or None,
                "days": list(hit.days),
                "origin": hit.claim.origin,
                "current": hit.current,
                "supersededBy": hit.superseded_by or None,
                "why": hit.why,
            }
            for hit in answer.hits
        ],
        "degraded": answer.degraded or None,
    }


def _lines(answer: feature.Answer) -> Iterator[tuple[str, str]]:
    yield "path", f"🔍 Results for “{shown(answer.question)}”:"
    for group, title in _GROUPS:
        hits = [hit for hit in answer.hits if hit.claim.group == group]
        if hits:
            yield "path", f"── {title} ──"
        for hit in hits:
            yield from _hit(hit)
    if not answer.hits:
        yield "plain", "Nothing found."
    if answer.degraded:
        yield "cut", f"! degraded: {shown(answer.degraded)}"


def _hit(hit: feature.Hit) -> Iterator[tuple[str, str]]:
    claim = hit.claim
    above = shown(" > ".join(filter(None, (claim.heading, claim.parents))))
    mark = {True: " (current)", False: f" (superseded by {hit.superseded_by})", None: ""}[hit.current]
    place = f"{claim.path}:{claim.first}" + (f" [{above}]" if above else "")
    yield "cut" if hit.current is False else "plain", f"· {place}: {shown(claim.text)}{mark}"
    others = [day for day in hit.days if day != claim.day]
    again = f"; also on {', '.join(others[-3:])}" if others else ""
    yield "why", f"    {hit.score:.2f}  {shown(hit.why)}{again}"
