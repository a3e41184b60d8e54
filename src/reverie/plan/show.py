"""A plan for people, as a diff with the reason beside each change or as prose, and the story of one line. Secrets are hidden.

Pure text: each line comes with a role (`add`, `cut`, `why`, `path`, `plain`), and the surface decides on colour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, zip_longest

from reverie.core.layout import HOLDS_MEMORY, LEDGER, Kind, holds_memory, may_compose, place_of
from reverie.judge.forgotten import Forgotten, forgotten_in
from reverie.judge.operation import BUILT_IN, Op
from reverie.lang.messages import said_with, say
from reverie.plan.authors import Authors, author_of, authors_in
from reverie.plan.ledger import Archived, read_ledger
from reverie.plan.splices import VIEW, in_order, texts_after
from reverie.privacy.redact import shown
from reverie.text.lines import SEPARATOR, bare, count_units, split_lines
from reverie.text.sections import OURS
from reverie.workspace.values import Edit, Intent, Plan, Run, Snapshot

Role = tuple[str, str]
CONTEXT = 1
INIT = "init"  # the tag of what a first memory is built of: title, sections, what belongs there
_ALL, _FEW = 3, 2  # changes that are all told after a night with their reasons, and how many of more: about ten lines
_SHORT = 100  # characters of a line that tells one of them


def as_diff(snapshot: Snapshot, plan: Plan, *, everything: bool = False) -> Iterator[Role]:
    """The changes, file by file. Derived files are only counted unless `everything` is asked for."""
    gone = forgotten_in(snapshot)
    decided = [hidden_in(edit, gone) for edit in plan.edits if everything or holds_memory(edit.path)]
    if not any(holds_memory(edit.path) for edit in decided):
        yield "plain", say("show.nothing")
    for path in dict.fromkeys(edit.path for edit in decided):
        yield "path", path
        lines = _hide(split_lines(snapshot.text_of(path)), gone)
        covered = 0  # a line that an earlier hunk takes out is no context for the next
        for edit in in_order(edit for edit in decided if edit.path == path):
            yield from _hunk(edit, lines, max(covered, edit.at - CONTEXT))
            covered = edit.at + len(edit.old)
    others = sorted({edit.path for edit in plan.edits} - {edit.path for edit in decided})
    if others:
        yield "plain", say("show.derived", n=len(others), paths=", ".join(others))
    yield from _removed(plan)
    yield from _flags(plan)


def hidden_in(edit: Edit, gone: Forgotten) -> Edit:
    """An edit as it may be shown: what was forgotten for ever since is told as such, without its words."""
    return replace(edit, old=_hide(edit.old, gone), new=_hide(edit.new, gone)) if gone.for_good else edit


def _hide(lines: tuple[str, ...], gone: Forgotten) -> tuple[str, ...]:
    return tuple(say("show.forgotten") if gone.is_gone(bare(line)) else line for line in lines)


def _hunk(edit: Edit, lines: tuple[str, ...], start: int) -> Iterator[Role]:
    named = f"  ({edit.id})" if edit.tag != VIEW else ""  # by this id an item is applied or declined
    word, tag = f"{said_with('operations', edit.op)} " if edit.op else "", said_with("tags", edit.tag)
    yield "why", f"@@ {say('show.line', line=edit.at + 1)}  {word}[{tag}] {shown(edit.why)}{_judged(edit)}{named}"
    for line in lines[start : edit.at]:
        yield "plain", "  " + shown(bare(line))
    for line in edit.old:
        yield "cut", "- " + shown(bare(line))
    for line in edit.new:
        yield "add", "+ " + shown(bare(line))


def as_prose(snapshot: Snapshot, plan: Plan) -> Iterator[Role]:
    """The plan told in sentences: what happens, why, and what it comes to."""
    yield from as_decisions(snapshot, plan)
    yield from _came_to(snapshot, plan)
    yield from _flags(plan)


def as_decisions(snapshot: Snapshot, plan: Plan) -> Iterator[Role]:
    """Every decision about MEMORY.md with its reason; of a run that is long over as well."""
    decisions = _decisions(snapshot, plan)
    if not plan.removes and not (decisions if plan.intent is Intent.DREAM else plan.edits):
        yield "plain", say("show.nothing")
    for edit in decisions:
        yield "plain", _sentence(plan.intent, edit)
        judged = _judged(edit) if plan.intent in _DECIDED else ""
        yield "why", say("show.because", why=shown(edit.why), judged=judged, id=edit.id)


def as_brief(snapshot: Snapshot, plan: Plan, *, done: bool = True) -> Iterator[Role]:
    """The plan in a few lines: what moved, some of it by name, what it comes to. The rest is counted. `done`: it was carried out."""
    sentence, by_night = moved_sentence(plan), plan.intent is Intent.DREAM
    decisions = _decisions(snapshot, plan)
    if not plan.edits and not plan.removes:
        yield "plain", say("show.nothing")
    elif sentence and not by_night:
        yield "plain", say("show.moved" if decisions else "show.moved_alone", moved=sentence)
    few = _ALL if len(decisions) <= _ALL else _FEW
    for edit in _of_each_kind(decisions)[:few]:
        text = _sentence(plan.intent, edit)
        told = text if len(text) <= _SHORT or len(decisions) <= few else f"{text[: _SHORT - 1]}…"
        yield "add" if not edit.old else "cut" if not edit.new else "plain", f"  {told} [{edit.id}]"
        judged = _judged(edit) if plan.intent in _DECIDED else ""
        yield "why", "    " + say("cli.because", why=shown(edit.why)) + judged
    if len(decisions) > few:
        yield "plain", "  " + say("show.more_changes", n=len(decisions) - few)
    yield from _came_to(snapshot, plan)
    if sentence and by_night:
        yield from _summary(snapshot, plan, done=done)
    if len(plan.flags) > 2 * _FEW:
        yield "why", say("show.notices", n=len(plan.flags))
    else:
        yield from _flags(plan)


def _summary(snapshot: Snapshot, plan: Plan, *, done: bool) -> Iterator[Role]:
    """What a night comes to, as seed 000 tells it to whoever started it by hand."""
    came = moved(plan)
    run, archive = ("this_run", "archive") if done else ("would_run", "would_archive")
    yield "plain", say(f"summary.{run}", updated=came.changed, added=came.entered, archived=came.archived)
    yield "plain", say(f"summary.{archive}", n=archive_after(snapshot, plan))


def archive_after(snapshot: Snapshot, plan: Plan) -> int:
    """How many entries the permanent archive has once a plan is carried out."""
    ledger = texts_after(snapshot, plan).get(LEDGER, snapshot.text_of(LEDGER))
    return len({block.id for block in read_ledger(ledger)})


def _decisions(snapshot: Snapshot, plan: Plan) -> list[Edit]:
    gone = forgotten_in(snapshot)
    found = [hidden_in(e, gone) for e in plan.edits if holds_memory(e.path) and e.tag != VIEW]
    return [
        e for e in found if e.tag != INIT
    ] or found  # the frame of a first memory says nothing beside what stands in it


def _of_each_kind(edits: Sequence[Edit]) -> list[Edit]:
    """Taken in turn from what changed, what came and what left, so that a few tell of all three."""
    changed = [one for one in edits if one.old and one.new]
    came, left = [one for one in edits if not one.old], [one for one in edits if not one.new]
    return [one for one in chain.from_iterable(zip_longest(changed, came, left)) if one is not None]


def _came_to(snapshot: Snapshot, plan: Plan) -> Iterator[Role]:
    yield from _sizes(snapshot, plan)
    if plan.probes and any(plan.probes):  # a memory that nobody has asked anything yet has none to tell of
        before, after = plan.probes
        yield "plain", say("show.probes", before=before, after=after)
    yield from _removed(plan)


_NAMED = 10  # files that are named one by one


def _removed(plan: Plan) -> Iterator[Role]:
    if plan.removes:
        more = ", …" if len(plan.removes) > _NAMED else ""
        paths = ", ".join(plan.removes[:_NAMED]) + more
        yield "cut", say("show.removes", n=len(plan.removes), paths=paths)


@dataclass(frozen=True, slots=True)
class Moved:
    """How many lines of MEMORY.md a plan moves, of the notes, how many pages it writes, and lines of a team's folder."""

    entered: int = 0
    changed: int = 0
    archived: int = 0
    noted: int = 0
    unnoted: int = 0
    pages: int = 0
    shared: int = 0


def moved(plan: Plan) -> Moved:
    """What a plan moves, counted in lines. A line that is swapped for another has changed; frames and views do not count."""
    entered = changed = archived = noted = unnoted = 0
    for edit in plan.edits:
        kind = place_of(edit.path).kind
        if edit.tag == VIEW or (kind not in HOLDS_MEMORY and kind is not Kind.DAILY):
            continue
        came, gone = _only_in(edit.new, edit.old), _only_in(edit.old, edit.new)
        swapped = min(came, gone) if kind in HOLDS_MEMORY else 0
        if kind is Kind.DAILY:
            noted, unnoted = noted + came, unnoted + gone
        else:
            entered, changed, archived = entered + came - swapped, changed + swapped, archived + gone - swapped
    pages = {edit.path for edit in plan.edits if may_compose(edit.path)} - {*plan.removes}
    shared = sum(_only_in(edit.new, edit.old) for edit in plan.edits if place_of(edit.path).kind is Kind.TEAM)
    return Moved(entered, changed, archived, noted, unnoted, len(pages), shared)


def moved_sentence(plan: Plan) -> str:
    """The same in words, the noun said once: "3 lines entered, 1 changed, 2 archived". Empty where nothing moved."""
    said: list[str] = []
    for name, n in asdict(moved(plan)).items():
        if n:
            what = say("count.page" if name == "pages" else "count.line", n=n)
            verb = _OTHERWISE.get((plan.intent, name), name)
            said.append(say(f"moved.{verb}", what=what if name == "pages" or not said else f"{n:,}"))
    return say("count.between").join(said)


_OTHERWISE = {
    (Intent.UNDO, "entered"): "brought_back", (Intent.UNDO, "archived"): "taken_out", (Intent.UNDO, "noted"): "noted_again",
    (Intent.FORGET, "archived"): "taken_out",
}  # fmt: skip


def _only_in(lines: Sequence[str], others: Sequence[str]) -> int:
    there = set(map(bare, others))
    frame = ("", SEPARATOR)
    said = (line for line in lines if line.strip() not in frame and not line.lstrip().startswith(("#", "<!--")))
    return sum(bare(line) not in there for line in said)


_VERBS = {
    (Intent.DREAM, True): "archive", (Intent.DREAM, False): "add", (Intent.INIT, False): "write", (Intent.ANSWER, False): "add",
    (Intent.UNDO, True): "take_out", (Intent.UNDO, False): "bring_back",
}  # fmt: skip
_DECIDED = (Intent.DREAM, Intent.SUGGESTION)


def _judged(edit: Edit) -> str:
    """Who judged, where it was not the built-in judge."""
    return (
        say("show.judged_by", who=said_with("judges", shown(edit.by)))
        if edit.op and edit.by not in ("", BUILT_IN)
        else ""
    )


def _sentence(intent: Intent, edit: Edit) -> str:
    """What one edit of MEMORY.md does; the frame around a new line (blank lines, a heading, §) is not what it is about."""
    edit = replace(edit, old=_without_signs(edit.old), new=_without_signs(edit.new))
    if edit.op and intent in _DECIDED:
        return _operation(edit)
    if edit.old and edit.new and intent is not Intent.INIT:
        old, new = _telling(edit.old), _telling(edit.new)
        return say("show.back_instead" if intent is Intent.UNDO else "show.write_instead", new=new, old=old)
    lines = edit.old or edit.new
    framed = (not edit.old and intent is Intent.DREAM) or not lines[0].strip()
    more = len([line for line in lines if line.strip()]) - 1 if not framed else 0
    rest = say("show.more", n=more) if more > 0 else ""
    first = _telling(lines) if framed else _quoted(lines[0])
    return say(f"show.{_VERBS.get((intent, bool(edit.old)), 'change')}", text=first) + rest


def _operation(edit: Edit) -> str:
    """What an operation does, by its own word."""
    if edit.op == Op.ADD:
        return say("show.add", text=_telling(edit.new))
    if edit.new:
        return say(f"show.{edit.op}_to", old=_telling(edit.old), new=_telling(edit.new))
    more = len([line for line in edit.old if line.strip()]) - 1
    rest = say("show.more", n=more) if more > 0 else ""
    return say(f"show.{edit.op}", text=_quoted(edit.old[0])) + rest


def _without_signs(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(line for line in lines if line.strip() != SEPARATOR)


def _telling(lines: tuple[str, ...]) -> str:
    """The line that says something, as it is quoted."""
    said = [line for line in lines if line.strip() and not line.lstrip().startswith("#")] or list(lines)
    return _quoted(said[-1])


def _quoted(line: str) -> str:
    """A line inside a sentence of ours: without our mark, and without the stars of bold words, which nobody reads."""
    return shown(OURS.sub("", bare(line)).strip()).replace("**", "")


def sizes(snapshot: Snapshot, plan: Plan) -> tuple[int, int]:
    """Characters of MEMORY.md before and after, as the host counts them."""
    path = snapshot.memory_path
    before = snapshot.text_of(path)
    return count_units(before), count_units(texts_after(snapshot, plan).get(path, before))


def _sizes(snapshot: Snapshot, plan: Plan) -> Iterator[Role]:
    before, after = sizes(snapshot, plan)
    if before != after:
        limit = snapshot.workspace.settings.memory.hard_limit
        yield "plain", say("show.size", path=snapshot.memory_path, before=before, after=after, limit=limit)


def _flags(plan: Plan) -> Iterator[Role]:
    for flag in plan.flags:
        yield "why", f"! {shown(flag.text)} ({shown(flag.why)})"


@dataclass(frozen=True, slots=True)
class StoryChapter:
    """One thing that a run did with the line."""

    run: str
    at: str
    id: str
    tag: str
    did: str
    text: str
    why: str
    sources: tuple[str, ...]
    undone_by: str
    op: str = ""  # add, update, end, merge; empty for what no judge decided
    by: str = ""  # who judged
    noted_by: tuple[str, ...] = ()  # who wrote the notes it rests on, where a command did
    detail: str = ""  # the numbers behind the reason
    was: str = ""  # what stood in its place before


@dataclass(frozen=True, slots=True)
class Story:
    asked: str
    chapters: tuple[StoryChapter, ...]
    stands: tuple[str, ...]  # where it is in MEMORY.md now
    archived: tuple[Archived, ...]

    @property
    def empty(self) -> bool:
        return not (self.chapters or self.stands or self.archived)


def story_of(snapshot: Snapshot, runs: Sequence[Run], asked: str) -> Story:
    """Everything known about an id (eight hex digits) or a text."""
    wanted = " ".join(asked.split()).casefold()
    if not wanted:
        return Story(asked, (), (), ())
    by_id = re.fullmatch(r"[0-9a-f]{8}", wanted) is not None
    gone, authors = forgotten_in(snapshot), authors_in(runs)
    chapters = tuple(
        _chapter(run, hidden_in(edit, gone), _noted_by(snapshot, edit, authors))
        for run in runs
        for edit in run.plan.edits
        if holds_memory(edit.path) and edit.tag != VIEW and _concerns(edit, wanted, by_id=by_id)
    )
    archived = tuple(
        block
        for block in read_ledger(snapshot.text_of(LEDGER))
        if (block.id == wanted if by_id else wanted in _plain(block.content)) and not _is_gone(block, gone)
    )
    texts = {_plain(block.content) for block in archived} if by_id else {wanted}
    stands = tuple(
        str(entry.source)
        for memory in snapshot.memories
        for entry in memory.entries
        if any(text and text in _plain(memory.document.lines[entry.block.first : entry.block.tail]) for text in texts)
        and not entry.parents
    )
    return Story(asked, chapters, stands, archived)


def _is_gone(block: Archived, gone: Forgotten) -> bool:
    return any(gone.is_gone(line) for line in block.content)


def _noted_by(snapshot: Snapshot, edit: Edit, authors: Authors) -> tuple[str, ...]:
    names = (author_of(snapshot, source, authors) for source in edit.sources)
    return tuple(dict.fromkeys(name for name in names if name))


def _chapter(run: Run, edit: Edit, noted_by: tuple[str, ...]) -> StoryChapter:
    did = "brought back" if run.plan.undoes else "archived" if not edit.new else "wrote"
    lines = edit.new or edit.old
    op, by = ("", "") if run.plan.undoes else (edit.op, edit.by)
    return StoryChapter(
        run.id, run.at, edit.id, edit.tag, did, "\n".join(bare(line) for line in lines if line.strip()), edit.why,
        tuple(map(str, edit.sources)), run.undone_by, op, by, noted_by, "" if run.plan.undoes else edit.detail,
        "\n".join(bare(line) for line in edit.old if edit.new and line not in edit.new and line.strip()),
    )  # fmt: skip


def _concerns(edit: Edit, wanted: str, *, by_id: bool) -> bool:
    return edit.id == wanted if by_id else bool(wanted) and wanted in _plain((*edit.old, *edit.new))


def _plain(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split()).casefold()
