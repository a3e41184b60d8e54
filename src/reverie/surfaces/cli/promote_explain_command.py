from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from reverie.openclaw import promotions
from reverie.openclaw.promotions import Profile, Weighed, Worth
from reverie.privacy.redact import shown
from reverie.surfaces.cli.candidates import candidate_as_dict, component_lines, verdict
from reverie.surfaces.cli.common import Asked, command
from reverie.workspace.recalls import fixed

_NAMES = {"signals": "recallCount", "queries": "uniqueQueries", "age": "maxAge"}  # as the peer calls what passes


@command
@click.argument("selector", nargs=-1, required=True, metavar="SELECTOR")
@click.option("--include-promoted", is_flag=True, help="Taken as given: promoted candidates are explained too.")
def promote_explain(asked: Asked, *, selector: tuple[str, ...], include_promoted: bool) -> None:
    """Explain a candidate: every component, weight, gate and margin. By its key, its place or its words."""
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    found, one, judged = promotions.explain(workspace, clock, " ".join(selector))
    asked.answer(_value(found, one, judged), _lines(found.profile, one, judged))


def _value(found: promotions.Ranking, one: Weighed, judged: Worth) -> dict[str, Any]:
    profile = found.profile
    return {
        "workspaceDir": str(found.snapshot.workspace.root),
        "profile": profile.name,
        "thresholds": {
            "minScore": profile.min_score,
            "minRecallCount": profile.min_signals,
            "minUniqueQueries": profile.min_queries,
            "maxAgeDays": profile.max_age_days,
        },
        "candidate": candidate_as_dict(one),
        "passes": {_NAMES.get(gate.name, gate.name): gate.passed for gate in one.scored.gates},
        "weights": asdict(one.scored.weights),
        "judge": {"keep": judged.keep, "kind": judged.kind, "kinds": dict(judged.kinds)},
    }


def _lines(profile: Profile, one: Weighed, judged: Worth) -> Iterator[tuple[str, str]]:
    entry, scored = one.scored.entry, one.scored
    yield "path", "Promotion Explain"
    yield "plain", entry.key
    yield "plain", entry.place
    yield "plain", shown(entry.snippet)
    yield (
        "plain",
        f"score={fixed(scored.score, 3)} signals={scored.counted.signals} recalls={entry.recalls} "
        f"uniqueQueries={scored.counted.queries} ageDays={fixed(scored.age_days, 1)} profile={profile.name}",
    )
    yield from component_lines(one)
    likely = sorted(judged.kinds.items(), key=lambda pair: -pair[1])[:3]
    kinds = ", ".join(f"{kind} {fixed(chance, 2)}" for kind, chance in likely)
    yield "plain", f"  judge         {fixed(judged.keep, 2)} to matter later; {kinds}"
    if entry.tags:
        yield "plain", f"concepts={shown(', '.join(entry.tags))}"
    yield verdict(one)
