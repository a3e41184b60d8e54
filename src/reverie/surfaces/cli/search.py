"""Asking the memory, and the indexes that answer: `search`, `recall`, `show`, `index`, `reindex`."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from reverie.core.errors import BadInput, Sealed
from reverie.features import search as feature
from reverie.features.as_of import past_of
from reverie.lang.messages import say
from reverie.night import commands, remember
from reverie.privacy.redact import holds_secret, shown
from reverie.surfaces.cli.common import Asked, Lines, command, run_lines, said_in
from reverie.surfaces.configure import host_agent
from reverie.workspace.reader import read_one
from reverie.workspace.values import File

_MARKS = re.compile(r"\s*<!-- (?:dream|index):[0-9a-f]{8} -->")
_MODES = ("message", "recent", "full")
_STYLES = ("balanced", "strict", "contextual", "recall-heavy", "precision-heavy", "preference-only")
_CHATS = ("direct", "group", "channel", "explicit")
_TURNS = '[{"role": "user", "text": "…"}]'


@command
@click.argument("words", nargs=-1, metavar="[QUERY]")
@click.option("--query")
@click.option("--max-results", type=click.IntRange(1, 1000))
@click.option("--min-score", type=click.FloatRange(0, 1), default=0.0)
@click.option("--no-record", is_flag=True)
@click.option("--as-of", metavar="DATE")
def search(
    asked: Asked,
    *,
    words: tuple[str, ...],
    query: str | None,
    max_results: int | None,
    min_score: float,
    no_record: bool,
    as_of: str | None,
) -> None:
    question = query or " ".join(words)
    if not question.strip():
        raise BadInput(say("cli.search.no_question"))
    workspace, clock = asked.open()
    answer = feature.ask(
        workspace,
        workspace.embedder,
        clock,
        question,
        limit=max_results or workspace.settings.search.max_results,
        min_score=min_score,
        record=not no_record,
        on_read=asked.progress(),
        past=past_of(workspace, clock, as_of),
    )
    asked.answer(answer_as_dict(answer), _answer_lines(answer, past=bool(as_of)))


def answer_as_dict(answer: feature.Answer) -> dict[str, Any]:
    """The peer's fields (`results` with path, startLine, endLine, score, textScore, snippet, source) and ours.

    The score is the chance that a line answers, as people are shown it.
    """
    return {
        "results": [
            {
                "path": hit.claim.path,
                "startLine": hit.claim.first,
                "endLine": hit.claim.last,
                "score": round(hit.likelihood, 4),
                "textScore": round(hit.text_score, 4),
                "vectorScore": round(hit.vector_score, 4),
                "snippet": _said(hit),
                "source": hit.claim.group,
                "heading": shown(hit.claim.heading),
                "parents": shown(hit.claim.lead),
                "day": hit.claim.day or None,
                "days": list(hit.days),
                "origin": hit.claim.origin,
                "current": hit.current,
                "supersededBy": hit.superseded_by or None,
                "expired": hit.expired or None,
                "validFrom": hit.valid_from or None,
                "why": hit.why,
            }
            for hit in answer.hits
        ],
        "notice": say("cli.search.doubtful") if answer.is_doubtful else None,
        "degraded": answer.degraded or None,
    }


def _answer_lines(answer: feature.Answer, *, past: bool = False) -> Lines:
    yield "path", say("cli.search.results", question=shown(answer.question))
    if answer.is_doubtful:
        yield "plain", say("cli.search.doubtful")
    for group in ("memory", "team", "archive", "content"):
        hits = [hit for hit in answer.hits if hit.claim.group == group]
        if hits:
            yield "path", f"── {say(f'cli.search.{group}')} ──"
        for hit in hits:
            yield from _hit_lines(hit)
    if not answer.hits:
        yield "plain", say("cli.search.nothing")
    if past:  # nothing is wrong: it is another day's memory, as it was asked for
        yield "why", shown(answer.degraded)
    elif answer.degraded:
        yield "cut", say("cli.search.degraded", why=shown(answer.degraded))


def _hit_lines(hit: feature.Hit) -> Lines:
    claim = hit.claim
    where, above = f"{claim.path}:{claim.first}", shown(" > ".join(filter(None, (claim.heading, claim.lead))))
    place, behind = where + (f" [{above}]" if above else "") + ":", ""
    if claim.group == "archive":  # seed 000: the entry's id, its day and its category
        its_id, _, category = claim.heading.partition(" ")
        place, behind = f"[{shown(its_id)}] {claim.day} [{shown(category)}]", f"  {where}"
    mark = ""
    if hit.current is not None and (hit.current or hit.superseded_by):  # what is over says so itself, below
        mark = " " + say("cli.search.current" if hit.current else "cli.search.superseded", by=hit.superseded_by)
    yield "cut" if hit.current is False else "plain", f"· {place} {_said(hit)}{mark}"
    others = [day for day in hit.days if day != claim.day]
    also = say("cli.search.also_on", days=", ".join(others[-3:])) if others else ""
    yield "why", f"    {hit.likelihood:.2f}  {shown(hit.why)}{also}{behind}"


def _said(hit: feature.Hit) -> str:
    """The words of a hit, without the marks of ours in it."""
    return shown(_MARKS.sub("", hit.claim.text).rstrip())


@command
@click.argument("words", nargs=-1, metavar="MESSAGE")
@click.option("--mode", type=click.Choice(_MODES))
@click.option("--style", type=click.Choice(_STYLES))
@click.option("--turns", metavar="FILE")
@click.option("--timeout", type=click.IntRange(250, 120_000), metavar="MS")
@click.option("--max-chars", type=click.IntRange(40, 1_000))
@click.option("--agent", default="")
@click.option("--chat-type", type=click.Choice(_CHATS), default="direct")
@click.option("--chat-id", default="")
@click.option("--sender", default="", metavar="NAME")
@click.option("--no-record", is_flag=True)
@click.option("--as-of", metavar="DATE")
def recall(
    asked: Asked,
    *,
    words: tuple[str, ...],
    mode: str | None,
    style: str | None,
    turns: str | None,
    timeout: int | None,
    max_chars: int | None,
    agent: str,
    chat_type: str,
    chat_id: str,
    sender: str,
    no_record: bool,
    as_of: str | None,
) -> None:
    from reverie.features.recall import recall  # numpy and the index, only for those who recall

    message = " ".join(words)
    if not message.strip():
        raise BadInput(say("cli.search.no_message"))
    workspace, clock = asked.open()
    active = workspace.settings.active
    if active.agents and not agent:
        agent = host_agent(workspace.folder, os.environ)
    found = recall.recall(
        workspace,
        clock,
        message,
        turns=[recall.ChatTurn(role, text) for role, text in _turns(turns)],
        settings=replace(
            active,
            query_mode=mode or active.query_mode,
            prompt_style=style or active.prompt_style,
            timeout_ms=timeout or active.timeout_ms,
            max_summary_chars=max_chars or active.max_summary_chars,
        ),
        chat=recall.Chat(agent, chat_type, chat_id, " ".join(sender.split())),
        record=not no_record,
        past=past_of(workspace, clock, as_of),
    )
    asked.answer(recalled_as_dict(found), _recalled_lines(found))


def _turns(name: str | None) -> list[tuple[str, str]]:
    """The turns of a JSON file: a list of {role, text}; `content` is understood too."""
    if name is None:
        return []
    try:
        given = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text("utf-8"))
    except OSError as error:
        raise BadInput(say("cli.cannot_read", path=name, error=error.strerror)) from None
    except (ValueError, RecursionError):
        raise BadInput(say("cli.search.no_json", path=name, example=_TURNS)) from None
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise BadInput(say("cli.search.no_turns", path=name, example=_TURNS))
    return [(str(one.get("role", "user")), str(one.get("text", one.get("content", "")))) for one in given]


def recalled_as_dict(found: Any) -> dict[str, Any]:
    return {
        "status": found.status,
        "summary": found.summary,
        "reminders": list(found.reminders),
        "context": found.text,
        "facts": [
            {"text": one.text, "place": one.place, "day": one.hit.claim.day or None, "relevance": round(one.value, 3)}
            for one in found.facts
        ],
        "elapsedMs": round(found.elapsed * 1000),
        "query": found.query,
        "queryMode": found.mode,
        "promptStyle": found.style,
        "why": found.why or None,
        "statusLine": found.line,
    }


def _recalled_lines(found: Any) -> Lines:
    if found.text:
        yield "plain", found.text
    yield "path", found.line
    for fact in found.facts:
        yield "why", f"    {fact.place}  {fact.value:.2f}"
    if found.why:
        yield "why", f"    {found.why}"


@command
@click.option("--as-of", metavar="DATE")
def show(asked: Asked, *, as_of: str | None) -> None:
    workspace, clock = asked.open()
    day, known = as_of or clock.now().date().isoformat(), ""
    try:
        past = past_of(workspace, clock, day)
        text, known = (shown(past.text), past.known) if past else ("", "")
    except Sealed:  # the runs are; MEMORY.md of today is plain
        memory = None if as_of else read_one(workspace, "MEMORY.md")
        if not isinstance(memory, File):
            raise
        text = shown(memory.text)
    told = [("why", known)] if known and as_of else []
    value = {"asOf": day, "text": text, "known": known or None}
    asked.answer(value, [*told, ("text", text.rstrip("\n") or say("time.empty", day=day))])


@command
@click.argument("content", nargs=-1, metavar="CONTENT")
@click.option("--title", default="")
@click.option("--topic", "topics", multiple=True)
def index(asked: Asked, *, content: tuple[str, ...], title: str, topics: tuple[str, ...]) -> None:
    text = said_in(content)
    if not text.strip():
        raise BadInput(say("cli.search.nothing_to_index"))
    if any(holds_secret(said) for said in (f"{title} {text}", *topics)):
        raise BadInput(say("cli.search.secret"))
    item, night = commands.index_content(*asked.open(), text, title, topics)
    run = night.run.id if night.run else None
    value = {
        "id": item.id,
        "title": item.title,
        "url": item.url or None,
        "summary": item.summary,
        "topics": list(item.topics),
        "new": bool(run),
        "run": run,
        "noted": bool(item.preference and run),
    }
    asked.answer(value, _indexed_lines(item, run))


def _indexed_lines(item: commands.Item, run: str | None) -> Lines:
    if not run:
        yield "plain", say("cli.search.indexed_before", title=shown(item.title))
        return
    topics = ", ".join(item.topics) or say("cli.none")
    yield "plain", say("cli.search.indexed", title=shown(item.title), id=item.id, topics=topics)
    if item.preference:
        yield "plain", say("cli.search.preference")
    yield from run_lines(run)


@command
@click.option("--force", is_flag=True)
def reindex(asked: Asked, *, force: bool) -> None:
    workspace, clock = asked.open()
    heard = remember.hear(workspace, clock)
    done = feature.reindex(workspace, workspace.embedder, force=force, on_read=asked.progress())
    folded = remember.sweep(workspace, clock).folded.events
    updated = done.updated
    value = {
        "heard": heard.appended,
        "left_out": dict(heard.left_out),
        "folded": folded,
        **{name: getattr(updated, name) for name in ("files", "gone", "added", "kept", "embedded", "waiting")},
        "claims": done.claims,
        "refused": [{"path": one.path, "why": one.why} for one in done.refused],
        "degraded": shown(done.updated.trouble) or None,
    }
    asked.answer(value, _reindexed_lines(heard.appended, folded, done))


def _reindexed_lines(turns: int, recalls: int, done: feature.Reindexed) -> Lines:
    updated = done.updated
    if turns:
        yield "plain", say("cli.search.turns", n=turns)
    if recalls:
        yield "plain", say("cli.search.folded", n=recalls)
    yield "plain", say("cli.search.lines", lines=done.claims, files=updated.files, gone=updated.gone)
    counts = {"new": updated.added, "kept": updated.kept, "embedded": updated.embedded}
    yield "plain", say("cli.search.line_counts", **counts)
    for refusal in done.refused:
        yield "cut", f"! {shown(refusal.path)} {shown(refusal.why)}"
    if done.updated.trouble:
        yield "cut", say("cli.search.no_vectors", waiting=updated.waiting, why=shown(done.updated.trouble))
