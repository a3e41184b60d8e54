"""What `dream doctor` can tell: small checks, each a function of the chart, each trouble with a word of its own.

Pure. A sign is one plain sentence and, where something is wrong, what mends it. The five questions come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reverie.chart import Chart, Level, Sign, counted
from reverie.layout import PEER_RECALLS, PEER_SESSIONS, PEER_SIGNALS
from reverie.life import did_it_run, is_it_on, what_happens_next, what_it_read, why_nothing_was_kept

SCARCE = 64 * 1024 * 1024
Check = Callable[[Chart], Iterator[Sign]]


def examined(chart: Chart) -> tuple[Sign, ...]:
    """Every sign, the five questions first."""
    return tuple(sign for check in CHECKS for sign in check(chart))


def files(chart: Chart) -> Iterator[Sign]:
    for path, why in chart.refused:
        memory = path.lower() in ("memory.md", "memory")
        mend = f"put a real file in the place of {path}"
        yield Sign("files", "memory refused" if memory else "file refused", f"{path} {why}.", mend, Level.BAD)
    for path, doubt in chart.doubts:
        memory = path.lower() == "memory.md"  # people's notes are never tidy; the memory is read in every conversation
        said = f"{path} has {doubt}; what is covered by that is left alone."
        yield Sign("files", doubt, said, f"mend {path} in an editor", Level.BAD if memory else Level.NOTE)
    if chart.size > chart.limit:
        cut = (
            f", and {chart.size - chart.truncation:,} are cut in every conversation"
            if chart.size > chart.truncation
            else ""
        )
        said = f"MEMORY.md has {chart.size:,} characters; the limit is {chart.limit:,}{cut}."
        yield Sign("files", "over budget", said, "dream review", Level.BAD)


def state(chart: Chart) -> Iterator[Sign]:
    for path in chart.damaged:
        if path in (PEER_RECALLS, PEER_SIGNALS, PEER_SESSIONS):  # a host's: named, and left to the host
            said = f"{path} cannot be understood; it is the host's and was left alone."
            yield Sign("state", "host state damaged", said, "let the host mend it, or move it away", Level.NOTE)
        else:
            yield Sign("state", "state damaged", f"{path} cannot be understood.", "dream doctor --fix", Level.BAD)
    for run in chart.unfinished:
        yield Sign(
            "state", "unfinished run", f"A crash left the run {run} unfinished.", "dream doctor --fix", Level.BAD
        )
    for run in chart.broken_runs:
        said = f"The record of the run {run} is damaged; `dream runs` and `dream undo` cannot read it."
        yield Sign("state", "run damaged", said, f"move memory/.dreams/runs/{run} away", Level.BAD)
    if chart.holder:
        yield Sign("state", "busy", f"The workspace is held by {chart.holder}.", "wait until it is done", Level.NOTE)
    if chart.killed:
        said = f"{chart.killed} was killed in the middle; the lock it left is open and harms nobody."
        yield Sign("state", "killed", said, "dream doctor --fix", Level.NOTE)
    if chart.kept:
        said = f"Beside a run stands {counted(chart.kept, 'other version')} of your files."
        yield Sign("state", "kept version", said, "dream status", Level.NOTE)
    if chart.questions:
        yield Sign(
            "state",
            "questions",
            f"Waiting for you: {counted(chart.questions, 'question')}.",
            "dream questions",
            Level.NOTE,
        )


def hosts(chart: Chart) -> Iterator[Sign]:
    for why in chart.refused_hosts:
        yield Sign("hosts", "projection refused", why, "then dream project", Level.BAD)
    for path in chart.stale_hosts:
        said = f"{path} is not what MEMORY.md says now; the next night brings it up to date."
        yield Sign("hosts", "projection stale", said, "dream project", Level.NOTE)


def index(chart: Chart) -> Iterator[Sign]:
    if chart.index == "damaged":
        yield Sign(
            "index",
            "index damaged",
            "The search index is damaged; it can be built again.",
            "dream doctor --fix",
            Level.BAD,
        )
    elif chart.index == "missing" and chart.read:
        yield Sign(
            "index", "no index", "There is no search index yet; a search makes it.", "dream doctor --fix", Level.NOTE
        )
    elif chart.index == "stale":
        said = (
            f"{counted(chart.behind, 'file')} changed since the search index was made; a search brings it up to date."
        )
        yield Sign("index", "index stale", said, "dream doctor --fix", Level.NOTE)
    if chart.embedder:
        said = f"The embedder does not answer ({chart.embedder}); searches go by words alone."
        yield Sign("index", "no embedder", said, "look at [search] in your reverie.toml", Level.BAD)


def machine(chart: Chart) -> Iterator[Sign]:
    if chart.free < SCARCE:
        said = f"Only {chart.free // 1024 // 1024} MB are free on the disk."
        yield Sign("machine", "disk full", said, "make room on the disk", Level.BAD)


def model(chart: Chart) -> Iterator[Sign]:
    if chart.model and not chart.model_leads:
        yield Sign("model", "model does not lead", f"{chart.model}.", "dream model", Level.NOTE)
    elif chart.model:
        yield Sign("model", "model", f"{chart.model}.")


CHECKS: tuple[Check, ...] = (
    is_it_on, did_it_run, what_it_read, why_nothing_was_kept, what_happens_next, files, state, hosts, model, index, machine,
)  # fmt: skip


def worst(signs: tuple[Sign, ...]) -> Sign:
    """The first of the gravest: the one word for the whole."""
    return max(signs, key=lambda sign: sign.level)


__all__ = ["CHECKS", "Chart", "Level", "Sign", "examined", "worst"]
