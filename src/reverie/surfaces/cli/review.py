"""`dream review`: a night by hand, by the schedule, over all workspaces, or only what it would cost."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

import click

from reverie.core.errors import BadInput
from reverie.lang.messages import say
from reverie.surfaces.cli.common import Asked, Lines, command

if TYPE_CHECKING:
    from reverie.core.ports import Clock
    from reverie.night.expected_cost import Expected
    from reverie.workspace.values import Workspace

Answer = tuple[Any, list[tuple[str, str]]]  # the value for programs, the lines for people


@command
@click.option("--dry-run", is_flag=True)
@click.option("--force", is_flag=True)
@click.option("--scheduled", is_flag=True)
@click.option("--all", "everywhere", is_flag=True)
@click.option("--estimate", is_flag=True)
@click.option("--verbose", is_flag=True)
def review(
    asked: Asked, *, dry_run: bool, force: bool, scheduled: bool, everywhere: bool, estimate: bool, verbose: bool
) -> None:
    if estimate and not dry_run:
        raise BadInput(say("cli.review.estimate_alone"))
    if scheduled and (dry_run or force):
        raise BadInput(say("cli.review.scheduled_alone"))
    codes: list[int] = []

    def one(workspace: Workspace) -> Answer:
        clock = asked.clock(workspace.settings.timezone)
        if estimate:
            return estimated(workspace, clock)
        if not scheduled:
            return _by_hand(asked, workspace, clock, dry_run=dry_run, force=force, verbose=verbose)
        value, code = _by_schedule(workspace, clock)
        codes.append(code)
        return value, []

    if everywhere:
        from reverie.surfaces.cli.workspaces import each  # one workspace needs none of it

        each(dataclasses.replace(asked, quiet=asked.quiet or scheduled), one)
    else:
        asked.answer(*one(asked.workspace()))
    if any(codes):
        raise SystemExit(max(codes))


def _by_schedule(workspace: Workspace, clock: Clock) -> tuple[dict[str, Any], int]:
    from reverie.features.schedule.when import idle_of, scheduled_night

    found = scheduled_night(workspace, clock, idle_of(workspace.settings, clock, os.environ))
    decision = found.decision
    value = {
        "workspace": str(workspace.folder),
        "do": str(decision.do),
        "why": decision.why,
        "until": decision.until.isoformat(timespec="seconds") if decision.until else None,
        "night": decision.night.isoformat(timespec="seconds") if decision.night else None,
        "forced": decision.forced,
        "run": found.run.id if found.run else None,
        "proposed": found.proposed or None,
    }
    return value, found.exit_code


def _by_hand(asked: Asked, workspace: Workspace, clock: Clock, *, dry_run: bool, force: bool, verbose: bool) -> Answer:
    # a scheduled call that has nothing to do is over before these would be loaded
    from reverie.features.schedule import recorded
    from reverie.features.status import is_on
    from reverie.surfaces.cli.nights import night_as_dict, night_lines

    notice = _unanswered(workspace, clock)
    night = recorded.review(workspace, clock, dry_run=dry_run, force=force, on_read=asked.progress())
    came = None if dry_run else recorded.outcome_of(workspace)
    value = night_as_dict(night, with_plan=dry_run)
    value |= {"outcome": str(came.outcome) if came else None, "notice": notice or None}
    dry = say("cli.review.dry_derived") if night.derived else say("cli.dry")
    headline = recorded.headline(came) if came else dry
    lines = [*([("path", headline)] if headline else []), *night_lines(night, verbose=verbose)]
    if dry_run and night.plan.counts and not verbose:
        lines.append(("plain", say("cli.night.plan_shows")))
    if not is_on(workspace.root, workspace.settings):
        lines.append(("why", say("cli.review.off")))
    return value, [*lines, *([("why", notice)] if notice else [])]


def _unanswered(workspace: Workspace, clock: Clock) -> str:
    """That the host agent should have judged this night and did not; most nights have no agent, and load nothing for it."""
    if workspace.settings.model.kind != "agent":
        return ""
    from reverie.night.agent import awaited

    return awaited(workspace, clock)


def estimated(workspace: Workspace, clock: Clock) -> Answer:
    """What a night would cost at most; nobody is asked."""
    from reverie.core.model_calls import use_as_dict
    from reverie.night.expected_cost import expected_cost  # the prompts, only for those who ask what they cost

    found = expected_cost(workspace, clock)
    value = {
        "workspace": str(workspace.folder),
        "estimate": use_as_dict(found.use) if found.use else None,
        "answered": found.use.cached if found.use else 0,
        "cap": found.cap or None,
        "left_to_rules": found.capped,
        "calls_if_slow": found.slow or None,
        "exam_calls": found.exam,
    }
    prices = bool(workspace.settings.model.price_in or workspace.settings.model.price_out)
    return value, list(_cost_lines(found, prices=prices))


def _cost_lines(found: Expected, *, prices: bool) -> Lines:
    from reverie.plan.dream_log import AGENT

    use = found.use
    if use is None:
        yield "plain", say("cli.cost.no_model")
        return
    if use.model == AGENT:
        yield "plain", say("cli.cost.agent")
        yield "plain", say("cli.cost.brief")
        return
    yield "path", say("cli.cost.model", model=use.model)
    yield "plain", say("cli.cost.calls", calls=use.calls, cached=use.cached)
    yield "plain", say("cli.cost.tokens", sent=use.tokens_in, received=use.tokens_out)
    money = say("cli.cost.at_most", cost=use.cost) if prices else say("cli.cost.no_price")
    yield "plain", say("cli.cost.money", money=money, seconds=use.seconds)
    if found.exam:
        yield "plain", say("cli.cost.exam", calls=found.exam)
    if found.cap:
        yield "cut", say("cli.cost.cap", cap=found.cap, left=found.capped)
    if found.slow:
        yield "why", say("cli.cost.slow", calls=found.slow)
