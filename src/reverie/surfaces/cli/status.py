"""`dream status`: a glance from small state files; with --deep also the recall store, the index and how good the memory is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.core.layout import SWITCH
from reverie.features.status import Glance, as_lines, glance, said_in, warning
from reverie.lang.messages import said_with, say
from reverie.surfaces.cli.common import Asked, Lines, command
from reverie.surfaces.configure import (
    configured,
    find_root,
    host_dreaming,
    host_of,
    host_switches,
    present_folder,
    said_where,
    settings_for,
    state_root,
)

if TYPE_CHECKING:
    from datetime import date

    from reverie.features.figures import Hits, Quality, Stage
    from reverie.openclaw.recall_lane import DeepStatus, PhaseState
    from reverie.workspace.openclaw_switches import HostSays


_FEW = 4  # settings of a host that status tells one by one; `dream doctor` tells them all


@command
@click.option("--deep", is_flag=True)
@click.option("--all", "everywhere", is_flag=True)
def status(asked: Asked, *, deep: bool, everywhere: bool) -> None:
    if everywhere:
        from reverie.surfaces.cli.workspaces import each  # a glance at one workspace needs none of it

        each(asked, lambda workspace: _status(asked, workspace.folder, deep=deep))
    else:
        asked.answer(*_status(asked, find_root(asked.where, os.environ, present_folder()), deep=deep))


def _status(asked: Asked, root: Path, *, deep: bool) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    settings, vault = settings_for(root, os.environ)
    clock = asked.clock(settings.timezone)
    now = clock.now()
    seen = glance(state_root(root, os.environ), vault, settings, now, home=root)
    if seen.overdue:
        from reverie.surfaces.starters import blocked  # looks for timers and old nights, only where one is missing

        if why := blocked(configured(root, os.environ), seen, clock):
            seen = replace(seen, state="blocked", blocked=why)
    value, lines = status_as_dict(seen), list(_glance_lines(seen))
    if not seen.on and not said_in(state_root(root, os.environ) / SWITCH):  # by a setting, not by `dream off`
        value["off_by"] = said_where(state_root(root, os.environ), os.environ).get("dreaming.enabled")
        lines.append(("why", say("claws.off_by", where=value["off_by"])))
    if said := host_of(root, os.environ):
        value["host"], told = _host(root, said, on=seen.on)
        lines += told
    if not deep and settings.model.kind == "off" and not os.environ.get("DREAM_MODEL"):
        return value, lines
    workspace = configured(root, os.environ)
    if workspace.settings.model.kind != "off":
        from reverie.night.exam import standing_of, told_of  # one small file, only for those who have a model

        value["model"] = str(standing_of(workspace, glance=True)[0])
        lines.append(("plain", told_of(workspace, glance=True)))
    if not deep:
        return value, lines
    from reverie.features.figures import hits, quality, stages
    from reverie.openclaw.recall_lane import deep_status  # loads the rooms, which a glance does without

    store, come, recalls = deep_status(workspace), stages(workspace, clock), hits(workspace, clock)
    figures = quality(workspace, clock)
    value |= {"deep": _store_as_dict(store) | _stages_as_dict(come, recalls), "quality": _quality_as_dict(figures)}
    lines += [*_store_lines(store), *_stage_lines(come, recalls), *_quality_lines(figures, now.date())]
    return value, lines


def _host(folder: Path, said: Sequence[HostSays], *, on: bool) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """What OpenClaw's file decides here, each with its place, and whether it dreams too."""
    switches, own = host_switches(folder, os.environ), host_dreaming(said)
    lines = []
    if any(one.switches or one.fault for one in said):
        from reverie.privacy.redact import shown  # only for those whose host sets anything
        from reverie.surfaces.starters import host_sets

        lines = [
            ("why", shown(say("doctor.host_settings", settings=one))) for one in host_sets(folder, on=on, most=_FEW)
        ]
    if own is not None and own.on and on:
        lines.append(("cut", "⚠ " + say("doctor.both_dream", where=own.where)))
    value = {
        "dreaming": own.on if own else None,
        "where": own.where if own else None,
        "settings": [{"key": one.key, "value": one.value, "where": one.where} for one in switches],
    }
    return value, lines


def status_as_dict(seen: Glance) -> dict[str, Any]:
    return {
        "now": seen.now.isoformat(timespec="seconds"),
        "on": seen.on,
        "memory": {
            "characters": seen.characters,
            "exact": seen.exact,
            "limit": seen.limit,
            "percent": seen.share,
            "lines": seen.lines or None,
            "maxLines": seen.max_lines,
        },
        "archive": seen.archive,
        "last_review": seen.last_review or None,
        "state": seen.state,
        "blocked": seen.blocked or None,
        "waiting_minutes": seen.waiting if seen.state == "pending" else None,
        "dreaming_elsewhere": seen.peer is not None,
        "index": seen.index,
        "pending": seen.pending,
        "sealed": bool(seen.sealed),
        "warning": warning(seen) or None,
        "kept": [{"path": one.path, "of": one.of} for one in seen.kept],
    }


def _glance_lines(seen: Glance) -> Lines:
    for line in as_lines(seen):
        yield "plain", line
    if warning(seen):
        yield "cut", f"⚠ {warning(seen)}"
    for one in seen.kept:
        yield "cut", f"⚠ {one}"


def _store_as_dict(found: DeepStatus) -> dict[str, Any]:
    from reverie.surfaces.cli.openclaw import audit_as_dict

    profile = found.profile
    return {
        "recall": audit_as_dict(found.audit),
        "dreaming": {
            "profile": profile.name,
            "light": {"lookbackDays": found.light[0], "limit": found.light[1]},
            "rem": {"lookbackDays": found.rem},
            "deep": {
                "limit": profile.limit,
                "minScore": profile.min_score,
                "minRecallCount": profile.min_signals,
                "minUniqueQueries": profile.min_queries,
                "recencyHalfLifeDays": profile.half_life_days,
                "maxAgeDays": profile.max_age_days,
            },
        },
        "phases": [
            {
                "name": one.name,
                "last": one.last.isoformat() if one.last else None,
                "count": one.count,
                "still": one.still or None,
            }
            for one in found.phases
        ],
        "artifacts": {"diary": found.diary, "corpusFiles": found.corpus, "ingestion": found.ingestion},
        "search": {"lines": found.indexed, "files": found.files},
    }


def _store_lines(found: DeepStatus) -> Lines:
    """The settings of the phases as the peer writes them, then the state of what they keep."""
    from reverie.privacy.redact import shown
    from reverie.surfaces.cli.openclaw import health

    profile, audit = found.profile, found.audit
    age = "none" if profile.max_age_days is None else f"{profile.max_age_days:g}"
    yield (
        "plain",
        f"Dreaming: {profile.name} · light: lookbackDays={found.light[0]} · limit={found.light[1]} · rem: lookbackDays={found.rem} · "
        f"deep: limit={profile.limit} · minScore={profile.min_score:g} · minRecallCount={profile.min_signals} · "
        f"minUniqueQueries={profile.min_queries} · recencyHalfLifeDays={profile.half_life_days:g} · maxAgeDays={age}",
    )
    yield "plain", " · ".join(map(phase_line, found.phases))
    yield "plain", say("cli.status.store", health=health(audit))
    led = " " + say("cli.status.led", n=audit.grounded_promoted) if audit.grounded_promoted else ""
    yield "plain", say("cli.status.signals", light=audit.light, rem=audit.rem, grounded=audit.grounded) + led
    yield "plain", say("cli.status.store_path", path=audit.path)
    there = {flag: say("cli.status.present" if flag else "cli.status.absent") for flag in (True, False)}
    artifacts = {"diary": there[bool(found.diary)], "files": found.corpus, "state": there[bool(found.ingestion)]}
    yield "plain", say("cli.status.artifacts", **artifacts)
    if found.indexed is None:
        yield "plain", say("cli.status.no_index")
    else:
        yield "plain", say("cli.status.index", lines=found.indexed, files=found.files)
    for doubt in audit.doubts:
        yield "cut", f"⚠ {shown(doubt)}"


def phase_line(one: PhaseState) -> str:
    """What a phase is called, when it last ran and what it did, or why it stands still."""
    name = say(f"claws.{one.name}")
    if one.still:
        return say("claws.phase_still", name=name, why=say(f"claws.still_{one.still}"))
    when = f"{one.last:%Y-%m-%d %H:%M}" if one.last else say("status.never")
    return say("claws.phase", name=name, when=when, did=say(f"claws.did_{one.name}", n=one.count))


def _stages_as_dict(found: Sequence[Stage], hits: Hits) -> dict[str, Any]:
    from reverie.features.figures import SEASON

    rate = None if hits.rate is None else round(hits.rate, 4)
    return {
        "stages": [{"name": one.name, "count": one.count, "what": one.what} for one in found],
        "recalls": {"days": SEASON, "asked": hits.asked, "answered": hits.answered, "rate": rate},
    }


def _stage_lines(found: Sequence[Stage], hits: Hits) -> Lines:
    from reverie.features.figures import SEASON

    stages = " · ".join(f"{said_with('stages', one.name)} {one.count} ({one.what})" for one in found)
    yield "plain", say("cli.status.stages", stages=stages)
    if hits.rate is None:
        yield "plain", say("cli.status.no_recalls", days=SEASON)
    else:
        rate = {"answered": hits.answered, "asked": hits.asked, "rate": hits.rate}
        yield "plain", say("cli.status.recalls", days=SEASON, **rate)


def _quality_as_dict(found: Quality) -> dict[str, Any]:
    return {
        "score": found.score,
        "entries": found.entries,
        "parts": [
            {"name": part.name, "count": part.count, "points": part.points, "of": part.of, "why": part.why}
            for part in found.parts
        ],
        "characters": found.characters,
        "limit": found.limit,
        "lines": found.lines,
        "maxLines": found.max_lines,
        "growth": [{"day": day.isoformat(), "characters": size} for day, size in found.growth],
    }


def _quality_lines(found: Quality, today: date) -> Lines:
    from reverie.features.figures import chart

    if found.score is None:
        yield "plain", say("cli.status.no_quality")
        return
    yield "path", say("cli.status.quality", score=found.score)
    for part in found.parts:
        of = say("cli.status.points", points=f"{part.points:>3}", of=f"{part.of:<3}")
        yield "plain", f"  {said_with('quality', part.name):<15}{of} {part.why}"
    if found.lines > found.max_lines:
        yield "cut", "  ⚠ " + say("cli.status.too_many_lines", lines=found.lines, limit=found.max_lines)
    if found.growth:
        first, last = found.growth[0][1], found.growth[-1][1]
        yield "plain", say("cli.status.growth", chart=chart(found.growth, today), first=first, last=last)
