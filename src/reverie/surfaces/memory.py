"""`dream memory …` as OpenClaw spells it, and the same commands as `dream NAME`: parse, call one function, show its value."""

from dataclasses import asdict
from typing import Any

from reverie.errors import ReverieError
from reverie.features import promote as features
from reverie.surfaces.commands import Options, print_value, workspace_of
from reverie.surfaces.show import safe

_DREAMING = {
    "status": "whether nights happen by themselves, when the next one is, and what was recalled",
    "on": "let nights happen by themselves", "off": "no night happens by itself", "help": "this list",
}  # fmt: skip


def promote(options: Options) -> None:
    names = ("apply", "include_promoted", "limit", "min_score", "min_recall_count", "min_unique_queries")
    found = features.promote(workspace_of(options), options.time, **{name: getattr(options, name) for name in names})
    lines = ["Short-Term Promotion Candidates" if found["candidates"] else "No short-term recall candidates."]
    lines += [f"Recall store: {found['storePath']}", f"Store health: {_health(found['audit'])}"]
    lines += [line for candidate in found["candidates"] for line in (*_candidate_lines(candidate), "")]
    lines += [found["rests"]] * bool(found["rests"])
    if done := found.get("apply"):
        lines += [f"Skipped {refused['text']}: {refused['reason']}" for refused in done["rejectedCandidates"]]
        back = f" `dream undo {done['run']}` takes them back." * bool(done["run"])
        lines += [f"Processed {done['applied']} candidate(s).{back}"]
    print_value(options, found, map(safe, lines))


def promote_explain(options: Options) -> None:
    found = features.explain(workspace_of(options), options.time, " ".join(options.text))
    candidate, passes = found["candidate"], found["passes"]
    parts = " ".join(f"{name}={value:.2f}" for name, value in candidate["components"].items())
    gates = (f"{name} {'passes' if passes[name] else 'fails'} {limit:g}" for name, limit in found["thresholds"].items())
    lines = ["Promotion Explain", candidate["key"], *_candidate_lines(candidate), f"components: {parts} boost={candidate['phaseBoost']:.2f}"]  # fmt: skip
    print_value(options, found, map(safe, [*lines, f"gates: {', '.join(gates)}"]))


def rem_harness(options: Options) -> None:
    from reverie.features import backfill

    found = backfill.rehearse(workspace_of(options), options.time, options.path, with_grounded=options.grounded)
    lines = ["REM Harness", f"workspace={found['workspaceDir']}", "", "REM Preview", *found["rem"]["bodyLines"], ""]
    lines += [f"{note['path']}\n{note['renderedMarkdown']}\n" for note in found["grounded"]]
    lines += [
        "Deep Candidates",
        *(f"{_candidate_lines(candidate)[0]} {candidate['snippet']}" for candidate in found["deep"]["candidates"]),
    ]
    print_value(options, found, map(safe, lines))


def rem_backfill(options: Options) -> None:
    from reverie.features import backfill

    workspace, takes_back = workspace_of(options), options.rollback or options.rollback_short_term
    if not (takes_back or options.path):
        raise ReverieError("Name the old notes with --path, or take the last backfill back with --rollback.")
    if takes_back:
        found = backfill.roll_back(workspace, entries=options.rollback, short_term=options.rollback_short_term)
    else:
        found = backfill.backfill(workspace, options.time, options.path, stage=options.stage_short_term)
    print_value(options, found, map(safe, ["REM Backfill", *(f"{name}={value}" for name, value in found.items())]))


def memory_status(options: Options) -> None:
    found = features.memory_status(workspace_of(options), options.time)
    audit, shown = found["audit"], ("deep", "lastLightAt", "lastRemAt", "grounded", "signals", "promotedToday")
    lines = [f"Workspace: {found['workspaceDir']}", f"Recall store: {_health(audit)}", f"Recall path: {audit['storePath']}"]  # fmt: skip
    lines += [f"Dreaming status: {found['dreaming']}", f"Next night: {found['next']}"]
    values = found | {"deep": " ".join(f"{name}={value}" for name, value in asdict(found["deep"]).items())}
    for name in shown if options.deep else ():
        lines.append(f"{name}: {'never' if values[name] is None else values[name]}")
    print_value(options, found, map(safe, [*lines, *filter(None, (found["rests"], *found["doubts"]))]))


def dreaming(options: Options) -> None:
    """OpenClaw's `/dreaming status|on|off|help`."""
    if options.word in ("on", "off"):
        from reverie.features.schedule import switch

        switch(workspace_of(options), on=options.word == "on")
    if options.word != "help":
        options.deep = True
        return memory_status(options)
    return print_value(options, _DREAMING, [f"dreaming {name}: {what}" for name, what in _DREAMING.items()])


def _candidate_lines(candidate: dict[str, Any]) -> list[str]:
    """A candidate in OpenClaw's four lines, and what becomes of it."""
    parts, place = candidate["components"], f"{candidate['path']}:{candidate['startLine']}-{candidate['endLine']}"
    counts = f"signals={candidate['signalCount']} recalls={candidate['recallCount']} avg={candidate['avgScore']:.3f} queries={candidate['uniqueQueries']}"
    spread = (
        f"age={candidate['ageDays']:.1f}d consolidate={parts['consolidation']:.2f} conceptual={parts['conceptual']:.2f}"
    )
    fate = (
        f"Stays out: {candidate['refusedFor'].rstrip('.')}."
        if candidate["refusedFor"]
        else f"Enters: {candidate['enters']}"
    )
    concepts = f"concepts={', '.join(candidate['conceptTags'])}"
    return [f"{candidate['score']:.3f} {place}", f"{counts} {spread}", concepts, candidate["snippet"], fate]


def _health(audit: dict[str, Any]) -> str:
    names = {"entry": "entries", "promoted": "promoted", "conceptTaggedEntry": "concept-tagged", "spacedEntry": "spaced"}  # fmt: skip
    return " · ".join(f"{audit[f'{name}Count']} {word}" for name, word in names.items())
