"""The dream log of a night, in seed 001's form and the owner's language: what changed and why, what a person should settle,
what a model was asked and what it cost.

Append-only: a second night of the same day adds its own part below the first. A night that changed nothing writes none. The
log is for people; nothing reads it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from reverie.core.layout import LAST_DISTILL, Kind, dream_log, holds_memory
from reverie.core.model_calls import Status, Use
from reverie.judge.operation import Level, Op, Operation, words_after
from reverie.lang.messages import said_with, say
from reverie.plan.reports import one_line
from reverie.plan.splices import VIEW, difference, spliced
from reverie.privacy.redact import holds_secret
from reverie.text.lines import appended, ending_of, split_lines
from reverie.text.markdown import Shape, parse
from reverie.text.marks import days_in
from reverie.workspace.news import unjudged
from reverie.workspace.values import MARK, Edit, Notice, Plan, Snapshot

AGENT = "agent"  # the host agent answers by hand: nobody is called, and nothing is paid
OF_MODEL = "model: "  # how the reasons of a plan begin for which a model's words were dropped
WHOLE = "dropped whole: "  # how a status begins that stands for an answer which would have broken a promise
_HEARD = (Status.ANSWERED, Status.CACHED)
_EXAM = {
    Status.PASSED: "exam_passed",
    Status.NOT_PASSED: "exam_failed",
    Status.NOT_EXAMINED: "exam_none",
}


def receipt_lines(use: Use | None) -> Iterator[str]:
    """The receipt, a sentence each. Nothing without a model, and nothing where a model had nothing to say."""
    if use is None or not (use.statuses or use.accepted or use.dropped):
        return
    if use.model == AGENT:
        yield say("receipt.agent", n=use.statuses.get(Status.CACHED, 0))
    else:
        yield say(
            "receipt.model", model=use.model, calls=say("receipt.calls", n=use.calls), seconds=use.seconds,
            before=say("receipt.before", n=use.cached) if use.cached else "", sent=use.tokens_in, received=use.tokens_out,
            paid=say("receipt.paid", cost=use.cost) if use.cost else "",
        )  # fmt: skip
    if use.accepted or use.dropped:
        yield say("receipt.became", accepted=_counted(use.accepted), dropped=_counted(use.dropped))
    for status, count in use.statuses.items():
        if status not in _HEARD:
            yield _alone(status, count)


def _counted(counts: Mapping[str, int]) -> str:
    """How often each: a reason, or a text and what was wrong with it ("diary: too slow")."""
    colon = say("receipt.colon")
    named = ((colon.join(said_with("codes", part) for part in name.split(": ")), n) for name, n in counts.items())
    listed = [say("receipt.counted", n=n, what=what) for what, n in named]
    return say("receipt.between").join(listed) or say("receipt.nothing")


def _alone(status: str, count: int) -> str:
    """What went wrong, and that the built-in judge decided alone; or what the exam said."""
    if status in _EXAM:
        return say(f"receipt.{_EXAM[Status(status)]}")
    if status.startswith(WHOLE):
        return say("receipt.promise", promise=status.removeprefix(WHOLE))
    known = next((one.name.lower() for one in Status if one == status), "other")
    what = say(f"receipt.{known}", questions=say("receipt.question", n=count), status=status)
    return say("receipt.decided_alone", what=what)


_TAGS = {
    "superseded": "contradiction", "contradiction": "contradiction", "duplicate": "duplicate", "merged": "duplicate", "stale": "stale", "completed": "stale",
    "over budget": "budget", "lesson": "distill", "re-emerged": "re-emerged",
}  # fmt: skip


def log_edits(
    snapshot: Snapshot,
    operations: Sequence[Operation],
    notices: Sequence[Notice],
    edits: Sequence[Edit],
    refused: Mapping[str, int],
    now: datetime,
) -> list[Edit]:
    """The night's part of the log; nothing when MEMORY.md stays as it is and nothing is asked."""
    path = dream_log(now.date())
    ours = [edit for edit in edits if holds_memory(edit.path)]
    asked = [one for one in operations if _is_asked(one)]
    moved = any(edit.tag not in (VIEW, "init") for edit in ours)
    if not (moved or asked) or not snapshot.workspace.settings.storage.dream_log:
        return []
    if path in {refusal.path for refusal in snapshot.refused}:
        return []  # a link in a place of ours costs the log, not the night
    there = split_lines(snapshot.text_of(path))
    stamp = f" ({now:%H:%M})" if there else ""
    head = ("",) if there else (f"# {say('log.title', day=f'{now:%Y-%m-%d}')}", "")
    told = notices if moved else ()  # what a night noticed and could not do is not what it did
    parts = [*head, *_changes(snapshot, operations, told, stamp), *_stats(snapshot, ours, stamp)]
    parts += _skipped(refused, stamp)
    parts = [line if not holds_secret(line) else "- …" for line in parts]  # told apart nothing in it was a secret
    at, old, new = appended(there, parts[:-1] if parts[-1] == "" else parts)
    return [Edit("log", path, at, old, new, VIEW, say("log.why"))]


def with_receipt(snapshot: Snapshot, plan: Plan) -> Plan:
    """The plan with the model's receipt at the end of its part of the log; the same plan without either of them."""
    kinds = snapshot.workspace.settings.privacy.kinds
    told = [f"- {one_line(line, kinds)}" for line in receipt_lines(plan.use)]
    made = datetime.fromisoformat(plan.made)
    log = next((edit for edit in plan.edits if edit.id == "log" and edit.path == dream_log(made.date())), None)
    if log is None or not told:
        return plan
    there = split_lines(snapshot.text_of(log.path))
    stamp = f" ({made:%H:%M})" if there else ""
    ending = ending_of(there)
    part = tuple(line + ending for line in ("", f"## {say('log.model')}{stamp}", *told))
    longer = replace(log, new=(*log.new, *part))
    return replace(plan, edits=tuple(longer if edit is log else edit for edit in plan.edits))


def distill_edits(snapshot: Snapshot, now: datetime) -> list[Edit]:
    """`.last_distill` moves on when a log of the agent about itself was read (seed 001)."""
    if not any(file.place.kind is Kind.LOG for file in unjudged(snapshot)):
        return []
    if not any(path.startswith("memory/self-improving/") for path in snapshot.files):
        return []  # lessons may also come from `.learnings/`; no folder is made for a time stamp
    text = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") + "\n"
    why = say("log.cursor")
    return list(difference(LAST_DISTILL, snapshot.text_of(LAST_DISTILL), text, id="cursor", tag=VIEW, why=why))


def _changes(
    snapshot: Snapshot, operations: Sequence[Operation], notices: Sequence[Notice], stamp: str
) -> Iterator[str]:
    yield f"## {say('log.changes')}{stamp}"
    if fixed := sum(_written_out(snapshot, one) for one in operations):
        yield f"- [{said_with('codes', 'date-fix')}] {say('log.days_written', n=fixed)}"
    kinds = snapshot.workspace.settings.privacy.kinds
    for one in operations:
        if not _is_asked(one):
            text = one_line(words_after(one).removeprefix(MARK).strip(), kinds)
            old = one_line(one.target.text, kinds) if one.op is Op.UPDATE and one.target else ""
            was = f" ({say('log.was', old=old)})" if old else ""
            yield f"- [{said_with('codes', _TAGS.get(one.tag, 'promote'))}] {text}{was} — {one_line(one.why, kinds)}"
    yield ""
    asked = [one for one in operations if _is_asked(one)]
    if asked or notices:
        yield f"## {say('log.review')}{stamp}"
        for said, why, sources in (
            *((_question(one), one.why, one.sources) for one in asked),
            *((flag.text, flag.why, flag.sources) for flag in notices),
        ):
            where = ", ".join(map(str, sources))
            yield f"- {one_line(said, kinds)} — {one_line(why, kinds)}" + (f" ({where})" if where else "")
        yield ""


def _is_asked(operation: Operation) -> bool:
    """Nothing of it happens until somebody says yes."""
    return operation.op is Op.ASK or operation.level is Level.LIKELY


def _question(operation: Operation) -> str:
    if operation.op is Op.ASK or operation.target is None:
        return operation.text
    return f"{operation.target.text}: {operation.old or operation.target.text} → {operation.new or operation.text}?"


def _written_out(snapshot: Snapshot, operation: Operation) -> int:
    """How many days of a new line stood in its source as "tomorrow"."""
    if operation.op not in (Op.ADD, Op.UPDATE):
        return 0
    told = "".join(
        line
        for source in operation.sources
        for line in split_lines(snapshot.text_of(source.path))[source.first - 1 : source.last]
    )
    return len(set(days_in(operation.new or operation.text)) - set(days_in(told)))


def _stats(snapshot: Snapshot, ours: Sequence[Edit], stamp: str) -> Iterator[str]:
    before = snapshot.text_of(snapshot.memory_path)
    after = spliced(before, [edit for edit in ours if edit.path == snapshot.memory_path])
    lines, sections = [len(split_lines(text)) for text in (before, after)], [_sections(before), _sections(after)]
    yield f"## {say('log.stats')}{stamp}"
    yield f"- {say('log.lines', before=lines[0], after=lines[1])}"
    same = sections[0] == sections[1]
    told = (
        say("log.sections_same", n=sections[0]) if same else say("log.sections", before=sections[0], after=sections[1])
    )
    yield f"- {told}"
    yield ""


def _sections(text: str) -> int:
    return sum(1 for block in parse(text).blocks if block.shape is Shape.HEADING and block.level > 1)


def _skipped(refused: Mapping[str, int], stamp: str) -> Iterator[str]:
    lines = {reason: count for reason, count in refused.items() if not reason.startswith(OF_MODEL)}
    if not lines:
        return  # what a model wanted and did not get stands in its receipt
    yield f"## {say('log.skipped')}{stamp}"
    for reason, count in sorted(lines.items(), key=lambda item: (-item[1], item[0])):
        yield f"- {say('log.skipped_lines', n=count, reason=said_with('codes', reason))}"
