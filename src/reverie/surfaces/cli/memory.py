"""Putting things into memory and taking them out: `init`, `note`, `forget`, and `session` at both ends of a conversation."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from reverie.apply.folders import keep_in_mind
from reverie.core.errors import BadInput
from reverie.features import note as note_feature
from reverie.features import sessions
from reverie.features.forget import forget as forget_feature
from reverie.features.forget.forget import Forgotten, ForgottenLine
from reverie.features.note import Noted
from reverie.features.sessions import Begun, Ended
from reverie.lang.messages import said_with, say
from reverie.night import commands
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, Lines, at_a_terminal, command, confirm, run_lines, said_in
from reverie.surfaces.configure import configured, made_root, present_folder
from reverie.workspace.values import Author


@command
@click.option("--tools")
@click.option("--environment")
@click.option("--project")
@click.option("--values")
@click.option("--people")
def init(asked: Asked, **given: str | None) -> None:
    from reverie.surfaces.cli.nights import night_as_dict

    workspace = configured(made_root(asked.where, os.environ, present_folder()), os.environ)
    first = commands.needs_answers(workspace)
    answers = _answers(given) if first else {}
    night = commands.init(workspace, asked.clock(workspace.settings.timezone), answers)
    keep_in_mind(workspace.folder, os.environ, nights=True)
    asked.answer(night_as_dict(night, with_plan=False), _init_lines(night, first=first))


def _answers(given: dict[str, str | None]) -> dict[str, str]:
    answers = {name: said for name, said in given.items() if said}
    missing = [name for name in given if name not in answers]
    if not missing:
        return answers
    if sys.stdin.isatty():
        click.echo(say("cli.memory.five_questions"), err=True)
        for name in missing:
            answers[name] = str(click.prompt(say(f"init.{name}"), default="", show_default=False, err=True))
    elif not answers:
        for name, line in zip(missing, sys.stdin.read().split("\n"), strict=False):
            answers[name] = line.strip()
    return answers


def _init_lines(night: commands.Night, *, first: bool) -> Lines:
    if night.run is None:
        yield "plain", say("cli.memory.all_there", path=night.snapshot.workspace.folder)
        if night.snapshot.workspace.folder != present_folder():
            yield "plain", say("cli.memory.not_here", command="dream init --workspace .")
        return
    yield "plain", say("cli.memory.vault", path=night.snapshot.workspace.vault)
    yield "plain", say("cli.memory.sections" if first else "cli.memory.left_alone")
    yield from run_lines(night.run.id)


@command
@click.argument("text", nargs=-1, metavar="TEXT")
@click.option("--as", "as_who", type=click.Choice(["agent"]))
@click.option("--again", is_flag=True)
@click.option("--from", "first", metavar="DATE", default="")
@click.option("--until", "last", metavar="DATE", default="")
def note(asked: Asked, *, text: tuple[str, ...], as_who: str | None, again: bool, first: str, last: str) -> None:
    author = Author("owner" if as_who is None and at_a_terminal() else "agent", "cli")
    workspace, clock = asked.open()
    if again and not author.is_owner:
        raise BadInput(say("authority.again"))
    noted = note_feature.note(workspace, clock, said_in(text), by=author, again=again, first=first, last=last)
    value = {
        "note": noted.path,
        "kind": noted.kind or None,
        "memory": noted.line or None,
        "replaced": noted.replaced or None,
        "why": noted.why or None,
        "run": noted.run,
        "queued": bool(noted.queued),
    }
    asked.answer(value, _note_lines(noted))


def _note_lines(noted: Noted) -> Lines:
    if noted.queued:
        yield "plain", say("records.queued", holder=noted.queued, path=noted.path)
        return
    if noted.replaced:
        yield "cut", f"- {shown(noted.replaced)}"
    if noted.line:
        yield "add", f"+ {shown(noted.line)}"
        kind = said_with("kinds", noted.kind)
        yield "plain", say("cli.memory.noted_at_once", kind=kind, memory=noted.home, path=noted.path)
    else:
        yield "plain", say("cli.memory.noted", path=noted.path, why=shown(noted.why))
    yield from run_lines(noted.run)


@command
@click.argument("line", nargs=-1, required=True, metavar="ID|TEXT")
def pin(asked: Asked, *, line: tuple[str, ...]) -> None:
    from reverie.surfaces.cli.nights import night_as_dict

    workspace, clock = asked.open()  # first, because it says which language the owner reads
    if not at_a_terminal():
        raise BadInput(say("authority.owner_pins"))
    night = commands.pin(workspace, clock, *commands.line_meant(workspace, " ".join(line)))
    told = [("add", f"+ {shown(text.rstrip())}") for edit in night.plan.edits for text in edit.new]
    asked.answer(night_as_dict(night, with_plan=False), [*told, *run_lines(night.run.id if night.run else "")])


@command
@click.argument("description", nargs=-1, metavar="DESCRIPTION")
@click.option("--dry-run", is_flag=True)
@click.option("--forever", is_flag=True)
@click.option("--purge", is_flag=True)
@click.option("--yes", is_flag=True)
def forget(asked: Asked, *, description: tuple[str, ...], dry_run: bool, forever: bool, purge: bool, yes: bool) -> None:
    text = said_in(description).strip()
    workspace, clock = asked.open()
    final = purge and not dry_run
    if final and not asked.quiet:
        click.echo(say("cli.memory.purging"), err=True)
    if final and not yes:
        asked.show(_meant_lines(forget_feature.forget(workspace, clock, text, dry_run=True, purge=True)))
        confirm(yes=yes, question="cli.memory.erase_this")
    gone = forget_feature.forget(workspace, clock, text, dry_run=dry_run, forever=forever, purge=purge)
    value = forgotten_as_dict(gone, forever=forever, purge=purge)
    meant = [] if final and not yes else _meant_lines(gone)  # shown before the question
    asked.answer(value, [*meant, *_outcome_lines(gone, dry_run=dry_run, purge=purge)])


def forgotten_as_dict(gone: Forgotten, *, forever: bool, purge: bool) -> dict[str, Any]:
    def listed(lines: tuple[ForgottenLine, ...]) -> list[dict[str, Any]]:
        return [
            {"id": one.id, "path": one.path, "line": one.line, "text": shown(one.text), "why": one.why or None}
            for one in lines
        ]

    return {
        "removed": listed(gone.removed),
        "stays": listed(gone.stays),
        "near": listed(gone.near),
        "archive": list(gone.archive),
        "forever": forever or purge,
        "purged": purge,
        "final": gone.final,
        "run": gone.run or None,
        "erased": list(gone.erased),
        "left": list(gone.left),
        "files": list(gone.files),
    }


def _meant_lines(gone: Forgotten) -> Lines:
    for one in gone.removed:
        yield "cut", f"- {one.path}:{one.line}  {shown(one.text)}"
    for path in gone.files:
        yield "cut", say("cli.memory.whole_file", path=path)
    for one in gone.stays:
        yield "plain", say("cli.memory.stays", place=f"{one.path}:{one.line}", why=one.why, text=shown(one.text))
    if gone.near:
        yield "plain", say("cli.memory.near")
    for one in gone.near:
        yield "plain", f"  [{one.id}] {one.path}:{one.line}  {shown(one.text)}"
    if gone.near and not gone.removed:
        yield "plain", say("forget_more.yes")


def _outcome_lines(gone: Forgotten, *, dry_run: bool, purge: bool) -> Lines:
    yield "plain", " ".join(_outcome(gone, dry_run=dry_run, purge=purge))
    for where in gone.left:
        yield "plain", say("cli.memory.not_erased", where=where)
    if not gone.final:
        yield from run_lines(gone.run, "cli.run_back")


def _outcome(gone: Forgotten, *, dry_run: bool, purge: bool) -> list[str]:
    """What became of it, in one or more sentences."""
    final = [say("forget.held_a_secret")] if gone.final and not purge else []
    if dry_run:
        return [say("cli.memory.would_leave", n=len(gone.removed)), *final]
    if purge and (gone.run or gone.erased):
        return [say("cli.memory.erased"), *([] if gone.left else [say("cli.memory.nowhere")])]
    if gone.removed:
        return [say("cli.memory.removed"), *final]
    archived = [say("cli.memory.in_archive", ids=", ".join(gone.archive))] if gone.archive else []
    return [say("cli.memory.nothing_removed"), *archived, *([say("cli.memory.tombstone")] if gone.run else [])]


@command
@click.argument("action", type=click.Choice(["start", "end"]))
@click.option("--summary", metavar="TEXT")
def session(asked: Asked, *, action: str, summary: str | None) -> None:
    workspace, clock = asked.open()
    if action == "start":
        if summary is not None:
            raise click.UsageError(say("cli.memory.summary_at_end"))
        from reverie.surfaces.hooks import as_context  # the list of suggestions

        begun = sessions.begin(workspace, clock)
        context = as_context(begun, clock.now())
        asked.answer(_begun_as_dict(begun, context), [("plain", context or say("cli.memory.nothing_to_read"))])
        return
    ended = sessions.end(workspace, clock, said_in((summary,)) if summary else "")
    value = {
        "note": ended.path or None,
        "lines": list(ended.lines),
        "run": ended.run or None,
        "classified": list(ended.classified),
        "classifiedBy": ended.sorted_by or None,
        "queued": bool(ended.queued),
    }
    asked.answer(value, _ended_lines(ended))


def _begun_as_dict(begun: Begun, context: str) -> dict[str, Any]:
    from reverie.surfaces.cli.nights import changes_as_dict
    from reverie.surfaces.cli.suggestions import card_as_dict

    return {
        "read": [{"title": page.title, "path": page.path, "text": shown(page.text)} for page in begun.pages],
        "questions": [
            {"id": one.id, "first": shown(one.first), "second": shown(one.second)} for one in begun.questions
        ],
        "suggestions": [card_as_dict(card) for card in begun.suggestions],
        "todos": [shown(todo) for todo in begun.todos],
        "awake": begun.awake or None,
        "unjudged": begun.unjudged,
        "reminders": list(begun.reminders),
        "lastNight": changes_as_dict(begun.news) if begun.news else None,
        "context": context,
    }


def _ended_lines(ended: Ended) -> Lines:
    if ended.queued:
        yield "plain", say("records.queued", holder=ended.queued, path=ended.path)
        return
    if not ended.run:
        yield "plain", say("cli.memory.no_summary")
        return
    yield from (("add", f"+ {shown(line)}") for line in ended.lines)
    yield "plain", say("cli.memory.summary_noted", path=ended.path)
    yield from run_lines(ended.run)
    yield from (("add", f"+ {path}") for path in ended.classified)
    if ended.sorted_by:
        yield from run_lines(ended.sorted_by)
    if ended.unsorted:
        yield "why", say("types.unsorted", why=shown(ended.unsorted))
