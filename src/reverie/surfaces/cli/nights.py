"""What a night would do, did and can take back: `plan`, `apply`, `undo`, `runs` and `changes`, and how a night is told."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from reverie.apply.recover import Damaged, damaged_runs
from reverie.apply.runs import passed_over, plan_as_dict, plan_from_text
from reverie.core.errors import BadPlanFile
from reverie.core.layout import STATE_DIR
from reverie.core.model_calls import use_as_dict
from reverie.features.changes import Changes, in_three_lines
from reverie.features.changes import changes as changes_since
from reverie.features.schedule import recorded
from reverie.features.status import KeptVersion, kept_versions
from reverie.lang.messages import said_with, say
from reverie.night import commands
from reverie.night.commands import take_back
from reverie.plan.dream_log import receipt_lines
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, Lines, command
from reverie.workspace.values import Plan, Run


@command
@click.option("--prose", is_flag=True)
@click.option("--all", "everything", is_flag=True)
def plan(asked: Asked, *, prose: bool, everything: bool) -> None:
    workspace, clock = asked.open()
    night = commands.plan_dream(workspace, clock, on_read=asked.progress())
    lines = (
        commands.prose_of(night) if prose or not night.plan.edits else commands.diff_of(night, everything=everything)
    )
    asked.answer(plan_as_dict(night.plan), [*lines, *_waiting_lines(night)])


@command
@click.argument("file", metavar="[PLAN.json]", default="")
@click.option("--only", multiple=True, metavar="ID")
@click.option("--without", multiple=True, metavar="ID")
@click.option("--none", is_flag=True)
@click.option("--force", is_flag=True)
@click.option("--verbose", is_flag=True)
def apply(
    asked: Asked,
    *,
    file: str,
    only: tuple[str, ...],
    without: tuple[str, ...],
    none: bool,
    force: bool,
    verbose: bool,
) -> None:
    saved = _saved(file) if file else None
    workspace, clock = asked.open()
    night = recorded.approve(workspace, clock, saved, only=only, without=without, none=none, force=force)
    asked.answer(night_as_dict(night, with_plan=False), night_lines(night, verbose=verbose))


def _saved(file: str) -> Plan:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else say("cli.night.not_utf8")
        raise BadPlanFile(say("cli.night.bad_plan_file", path=file, why=why)) from None
    return plan_from_text(text, file)


@command
@click.argument("run", default="", metavar="[RUN]")
@click.option("--only", default="", metavar="ID")
@click.option("--dry-run", is_flag=True)
@click.option("--verbose", is_flag=True)
def undo(asked: Asked, *, run: str, only: str, dry_run: bool, verbose: bool) -> None:
    workspace, clock = asked.open()
    if only:
        night = take_back(workspace, clock, run, only, dry_run=dry_run)
    else:
        night = commands.undo(workspace, clock, run, dry_run=dry_run)
    passed = () if run or only else passed_over(workspace, night.plan.undoes)
    lines = night_lines(night, verbose=verbose or dry_run, passed=passed)
    asked.answer(night_as_dict(night, with_plan=dry_run), lines)


@command
@click.argument("run", default="", metavar="[RUN]")
def runs(asked: Asked, *, run: str) -> None:
    workspace = asked.workspace()
    kept = kept_versions(workspace.root)
    if run:
        found, story = commands.run_story(workspace, run)
        value = run_as_dict(found, kept) | {"plan": plan_as_dict(found.plan)}
        asked.answer(value, [*_run_lines(found, kept), *story])
        return
    every = commands.list_runs(workspace)
    asked.answer([run_as_dict(one, kept) for one in every], _run_list(every, kept, damaged_runs(workspace)))


@command
@click.option("--since", default="", metavar="DATE")
def changes(asked: Asked, *, since: str) -> None:
    found = changes_since(*asked.open(), since)
    asked.answer(changes_as_dict(found), _changes_lines(found))


def changes_as_dict(found: Changes) -> dict[str, Any]:
    value = asdict(found)
    waiting = {name: value.pop(name) for name in ("suggestions", "questions", "proposal")}
    return value | {"changed": [{"old": old, "new": new} for old, new in found.changed], "waiting": waiting}


def _changes_lines(found: Changes) -> Lines:
    yield "path", say("time.changes", day=found.since) if found.since else say("time.no_night")
    yield from (("add", f"+ {line}") for line in found.added)
    yield from (("plain", f"~ {say('time.became', old=old, new=new)}") for old, new in found.changed)
    yield from (("cut", f"× {line}") for line in found.removed)
    yield from (("plain", f"× {say('time.copy', line=line)}") for line in found.copies)
    if found.runs and not (found.added or found.changed or found.removed or found.copies):
        yield "plain", say("time.nothing")
    yield "why", in_three_lines(found)[-1]


def run_as_dict(run: Run, kept: Sequence[KeptVersion]) -> dict[str, Any]:
    return {
        "id": run.id,
        "at": run.at,
        "intent": str(run.plan.intent),
        "moved": asdict(commands.moved(run.plan)),
        "counts": dict(run.plan.counts),
        "probes": _probes(run.plan),
        "model": use_as_dict(run.plan.use) if run.plan.use else None,
        "files": list(run.plan.paths),
        "undoes": run.plan.undoes,
        "undone_by": run.undone_by,
        "left_to_owner": _left(run),
        "kept": [{"path": one.path, "of": one.of} for one in kept if one.run == run.id],
    }


def _run_list(found: Sequence[Run], kept: Sequence[KeptVersion], damaged: Sequence[Damaged]) -> Lines:
    for record in damaged:
        yield "why", say("doctor.run_damaged", run=record.name)
    if not found:
        yield "plain", say("cli.night.no_run")
    for run in found:
        yield from _run_lines(run, kept)
    if found:
        yield "why", say("cli.night.one_run", run=found[-1].id)


def _run_lines(run: Run, kept: Sequence[KeptVersion]) -> Lines:
    did = [commands.moved_sentence(run.plan) or say("cli.night.nothing_moved")]
    if run.plan.undoes:
        did = [say("cli.night.undid", run=run.plan.undoes)]
    if run.undone_by:
        did.append(say("cli.night.undone_by", run=run.undone_by))
    head = f"{run.id}  {run.at[:16].replace('T', ' ')}  {said_with('intents', str(run.plan.intent))}"
    yield "cut" if run.undone_by else "plain", f"{head}: {', '.join(did)}"
    for line in receipt_lines(run.plan.use):
        yield "why", f"  {line}"
    for one in kept:
        if one.run == run.id:
            yield "cut", f"  ⚠ {one}"


def night_as_dict(night: commands.Night, *, with_plan: bool = True) -> dict[str, Any]:
    """A night for programs; the same for the command line, MCP and the page."""
    before, after = commands.sizes_of(night)
    value: dict[str, Any] = {
        "workspace": str(night.snapshot.workspace.folder),
        "run": night.run.id if night.run else None,
        "changed": bool(night.run),
        "counts": dict(night.plan.counts),
        "characters": {"before": before, "after": after},
        "probes": _probes(night.plan),
        "model": use_as_dict(night.plan.use) if night.plan.use else None,
        "proposed": night.proposed or None,
        "left_to_owner": _left(night.run) if night.run else [],
        "recovered": list(night.recovered),
        "derived": list(night.derived),
        "projected": [
            {"path": one.path, "host": one.host, "outcome": one.outcome, "why": one.why or None}
            for one in night.projected
        ],
        "suggestions": commands.waiting_suggestions(night),
        "questions": commands.waiting_questions(night),
        "flags": [{"tag": flag.tag, "text": shown(flag.text), "why": shown(flag.why)} for flag in night.plan.flags],
    }
    if with_plan:
        value["plan"] = plan_as_dict(night.plan)
    return value


def _probes(plan: Plan) -> dict[str, int] | None:
    return {"before": plan.probes[0], "after": plan.probes[1]} if plan.probes else None


def _left(run: Run) -> list[str]:
    """The files that the owner changed meanwhile, and where the edits were left out."""
    return sorted({path for path, _ in run.left})


def night_lines(night: commands.Night, *, verbose: bool = False, passed: Sequence[str] = ()) -> Lines:
    """What happened, for people, in about ten lines, ending with where to read more and how to take it back.

    `passed` are the runs that an undo went past.
    """
    for word in night.recovered:
        yield "why", say("cli.night.recovered", what=word)
    yield from commands.prose_of(night) if verbose else commands.brief_story_of(night)
    for line in receipt_lines(night.plan.use):
        yield "why", line
    if declined := commands.declined_items(night):
        yield "plain", say("cli.night.declined", n=declined)
    yield from _waiting_lines(night)
    if night.proposed:
        yield "path", say("cli.night.proposed", path=night.proposed)
        yield "plain", say("cli.night.accept")
    for one in night.projected:
        if one.outcome == "refused":
            yield "cut", say("cli.night.not_projected", why=one.why)
        elif one.outcome == "written":
            back = f" {say('hosts.withheld', n=one.withheld)}" if one.withheld else ""
            yield "plain", say("cli.night.projected", path=one.path) + back
    if not night.run and night.derived:
        names = (path.removeprefix(f"{STATE_DIR}/") for path in night.derived)
        short = dict.fromkeys("index*" if name.startswith("index") else name for name in names)
        yield "plain", say("cli.night.derived", folder=STATE_DIR, files=", ".join(short))
    if night.run:
        for path in _left(night.run):
            yield "cut", say("cli.night.left", path=path)
        if undone := night.plan.undoes:
            stay = say("cli.night.passed", runs=", ".join(passed)) if passed else ""
            yield "plain", say("cli.night.took_back", run=night.run.id, undone=undone, passed=stay)
            suggestions, notes = commands.given_back(night)
            yield from (("plain", say("cli.night.suggestions_gone", n=suggestions)),) if suggestions else ()
            yield from (("plain", say("cli.night.new_again", n=notes)),) if notes else ()
        else:
            yield "plain", say("cli.run_story", run=night.run.id, undo="dream undo")
        if not verbose and night.plan.counts:
            yield "plain", say("cli.night.read_more", run=night.run.id)


def _waiting_lines(night: commands.Night) -> Lines:
    if asked := commands.waiting_questions(night, planned=True):
        would = not night.run and asked > commands.waiting_questions(night)
        yield "why", say("cli.night.would_ask" if would else "cli.night.questions", n=asked)
    if count := commands.waiting_suggestions(night):
        yield "why", say("cli.night.suggestions", n=count)
    if not night.run and (then := commands.waiting_suggestions(night, planned=True)) > count:
        yield "why", say("cli.night.would_suggest", n=then - count)
