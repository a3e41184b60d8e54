"""The twelve promises, as code over (snapshot, plan). Run before every write, whoever made the plan.

Each function is a promise: its name is what a refusal shows, its docstring is what it promises. A plan that
breaks one is refused whole. docs/internals/promises.md tells the same list to people; a test compares the two.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from reverie.core.errors import OverBudget, RefusedPlan, StalePlan
from reverie.core.layout import (
    GROWS,
    HOLDS_MEMORY,
    LEDGER,
    OWN_OUTPUT,
    SHARED,
    TOPICS,
    Kind,
    day_note,
    holds_memory,
    imports_of,
    may_compose,
    may_write,
    place_of,
)
from reverie.judge.specifics import unsupported
from reverie.lang import LANGUAGES
from reverie.lang.messages import say
from reverie.plan.enter import first_memory
from reverie.plan.quoting import may_write_composed, unsaid
from reverie.plan.splices import VIEW, spliced, turned_round
from reverie.privacy.masking import told_apart
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.text.lines import BOM, LONGEST, SEPARATOR, bare, count_units, split_lines
from reverie.text.managed import is_promotion_mark, without_managed
from reverie.text.markdown import parse
from reverie.text.marks import PIN, is_footer, protected_lines
from reverie.text.sections import OURS, own_lines, section_names
from reverie.text.terms import terms
from reverie.workspace.openclaw_format import (
    TITLE,
    closed,
    is_heading,
    is_key,
    key_in,
    places_in,
    triggers_in,
    words_of,
)
from reverie.workspace.statements import source_text
from reverie.workspace.values import ABSENT, MARK, Edit, Intent, Origin, Plan, Snapshot, Source, to_bytes, to_text

Again = Callable[[Snapshot, Plan], Plan]
_TRUSTED = frozenset({Origin.OWNER, Origin.SESSION})
_OWNERS_WORD = frozenset(
    {Intent.PIN, Intent.EDIT, Intent.INIT, Intent.RESTORE}
)  # only in these does the owner say what shall never change
_ADDED = ("index", "note", "import", "share")  # the tags of edits that only add to a note
FORGET, PURGE = "forget", "purge"  # the tags of edits that only take words out
# Where the owner's words stand that `forget` may take out; a purge also cleans logs and what dreams wrote about them.
FORGETTABLE = HOLDS_MEMORY | frozenset({Kind.DAILY, Kind.SESSION, Kind.TOPIC, Kind.CLASSIFIED, Kind.CORPUS})
PURGEABLE = FORGETTABLE | {
    Kind.LOG,
    Kind.DIARY,
    Kind.REPORT,
    Kind.PALACE,
    Kind.KNOWLEDGE,
    Kind.REVIEW_LOG,
    Kind.INDEX,
    Kind.PROPOSED,
}


def check_promises(snapshot: Snapshot, plan: Plan, again: Again | None = None) -> None:
    """Raise RefusedPlan with the promise's name if the plan breaks one.

    `again` plans a second dream over what this plan would leave; without it the ninth promise is not asked.
    """
    for promise in PROMISES:
        promise(snapshot, plan)
    if again is not None and plan.intent is Intent.DREAM and plan.edits:
        _refuse_if(
            again(snapshot, plan).edits,
            "the_second_dream_changes_nothing",
            say("promise.second_night"),
        )


def protected_lines_stay(snapshot: Snapshot, plan: Plan) -> None:
    """1. No pinned, protected or owner-marked line changes or leaves, and only the owner makes one or takes a pin off."""
    if plan.intent is not Intent.UNDO:
        for path in filter(holds_memory, plan.paths):
            _protected_lines_stay(snapshot, plan, path)


def _protected_lines_stay(snapshot: Snapshot, plan: Plan, path: str) -> None:
    guarded = snapshot.workspace.settings.protected_sections
    file, after = snapshot.files.get(path), _after(snapshot, plan, path)
    before = [bare(line) for line in protected_lines(file.document, guarded)] if file else []
    same = _unpinned if plan.intent is Intent.PIN else str  # the owner may take their own pin off again
    kept = Counter(same(bare(line)) for line in split_lines(after))
    for line in before:
        kept[same(line)] -= 1
        if kept[same(line)] < 0:
            raise RefusedPlan("protected_lines_stay", say("promise.protected", path=path, line=_short(line)))
    if plan.intent in _OWNERS_WORD:
        return
    there = Counter(bare(line) for line in split_lines(snapshot.text_of(path)))  # what stood there is nobody's new mark
    now = Counter(bare(line) for line in protected_lines(parse(after), guarded) if not is_promotion_mark(line))
    for line in now - there:
        if len(line) <= LONGEST:  # a longer one is too long, not marked
            raise RefusedPlan("protected_lines_stay", say("authority.marks", path=path, line=_short(line)))


def what_leaves_is_archived(snapshot: Snapshot, plan: Plan) -> None:
    """2. What leaves memory is in the ledger, byte for byte, in the same transaction."""
    if plan.intent in (Intent.UNDO, Intent.FORGET):
        return  # what the owner wants forgotten is not copied into the permanent archive
    fresh = [bare(line) for edit in plan.edits if edit.path == LEDGER for line in edit.new]
    contents = Counter(fresh)  # and the first line of a block stands behind its label
    contents.update(line.removeprefix("Content: ") for line in fresh if line.startswith("Content: "))
    lost = Counter[str]()
    for path in filter(holds_memory, plan.paths):
        lost += _gone(snapshot, plan, path)
    if plan.intent is Intent.PIN:  # a line that only gained or lost its pin has not left
        lost = Counter(map(_unpinned, lost.elements())) - Counter(
            _unpinned(one) for _, one in _new_lines(snapshot, plan)
        )
    for line, times in lost.items():
        if contents[line] < times and line.strip() != SEPARATOR:  # which goes with the entry that it stood above
            raise RefusedPlan("what_leaves_is_archived", say("promise.not_archived", line=_short(line)))


def the_archive_only_grows(snapshot: Snapshot, plan: Plan) -> None:
    """3. The ledger and the logs only grow; only undoing a run takes back what that run appended, only a purge erases, only a scrub masks, and what is forgotten for ever leaves the logs."""
    for path in plan.paths:
        edits = [edit for edit in plan.edits if edit.path == path]
        leaves = path != LEDGER and all(edit.tag in (FORGET, PURGE) and _only_shortens(edit) for edit in edits)
        erased = plan.intent is Intent.FORGET and (leaves or all(edit.tag == PURGE for edit in edits))
        if place_of(path).kind in GROWS and plan.intent is not Intent.UNDO and not erased:
            grown = _after(snapshot, plan, path).startswith(snapshot.text_of(path))
            _refuse_if(not grown, "the_archive_only_grows", say("promise.loses_text", path=path))


def sources_stay_as_they_are(snapshot: Snapshot, plan: Plan) -> None:
    """4. A dream changes no daily note, source file or config; only `note` adds a line and `import` notes of its own, `forget` takes lines out, and inline storage keeps its own block."""
    forbidden = (Kind.TEAM, Kind.DAILY, Kind.SESSION, Kind.TOPIC, Kind.LOG, Kind.CONFIG, Kind.PROFILE, Kind.CORPUS)
    for path in plan.paths:
        kind = snapshot.files[path].place.kind if path in snapshot.files else place_of(path).kind
        grows = _after(snapshot, plan, path).startswith(snapshot.text_of(path))
        if (_may_append(plan, path) and (grows or plan.intent is Intent.UNDO)) or _only_our_block(snapshot, plan, path):
            continue
        if _may_shorten(snapshot, plan, path) or may_write_composed(snapshot, plan, path):
            continue
        _refuse_if(kind in forbidden, "sources_stay_as_they_are", say("promise.not_ours", path=path))


def every_new_line_has_a_source(snapshot: Snapshot, plan: Plan) -> None:
    """5. Every new line has a source that exists and says it."""
    for line in unsaid(snapshot, plan, source_text):
        _refuse_if(True, "every_new_line_has_a_source", say("promise.unsaid", line=_short(line)))
    if plan.intent not in (Intent.DREAM, Intent.REFINE, Intent.SUGGESTION):
        return  # an undo brings back the owner's own bytes; an init writes what the owner just said
    for edit, line in _new_lines(snapshot, plan):
        if (
            line.removeprefix(BOM) in _template()
            or (edit.tag == "init" and not line.strip(BOM))
            or _is_own_heading(line)
        ):
            continue  # the frame of a memory states nothing
        if edit.tag == VIEW and is_footer(line):
            continue  # neither does the day of the night in it
        if is_key(key_in(line), {source.path for source in edit.sources}):
            continue  # neither does the marker above a promoted line
        _refuse_if(key_in(line), "every_new_line_has_a_source", say("promise.other_source", line=_short(line)))
        if OURS.search(line) and edit.sources and all(source.path == LEDGER for source in edit.sources):
            words = OURS.sub("", line)
            said = "".join("".join(e.new) for e in plan.edits if e.path == LEDGER) + snapshot.text_of(LEDGER)
        else:
            words = words_of(OURS.sub("", line).rstrip()).replace(f"{MARK} ", "")
            words += " " + " ".join(triggers_in(line))
            said = "\n".join(f"{_topic(source)}{source_text(snapshot, source)}" for source in edit.sources)
        _refuse_if(not said.strip(), "every_new_line_has_a_source", say("promise.no_source", line=_short(line)))
        _refuse_if(
            set(places_in(line)) - {closed(f"{one.path}:{one.first}-{one.last}") for one in edit.sources},
            "every_new_line_has_a_source",
            say("promise.other_source", line=_short(line)),
        )
        _refuse_if(
            not _says(said, snapshot.text_of(edit.path), words, _days_of(snapshot, edit)),
            "every_new_line_has_a_source",
            say("promise.source_silent", line=_short(line)),
        )


def _topic(source: Source) -> str:
    """The name of a topic file, which a line of the index says with its words."""
    return f"{source.path.removeprefix(TOPICS)}\n" if source.path.startswith(TOPICS) else ""


def nothing_secret_enters(snapshot: Snapshot, plan: Plan) -> None:
    """6. No secret, no mask of a secret, no instruction from untrusted text enters any output."""
    if plan.intent is Intent.UNDO:
        return
    for edit in plan.edits:
        if plan.intent is Intent.FORGET and _only_shortens(edit):
            continue  # what stays of a line was there before
        fresh = Counter(map(_item, edit.new)) - Counter(map(_item, edit.old))
        for line in fresh:
            secret = any(map(holds_secret, _told_apart(edit.path, bare(line))))
            _refuse_if(secret, "nothing_secret_enters", say("promise.secret", path=edit.path))
    if plan.intent is Intent.FORGET:
        return
    for edit, line in _new_lines(snapshot, plan):
        _refuse_if(holds_mask(line), "nothing_secret_enters", say("promise.mask", line=_short(line)))
        for source in edit.sources:
            origin = _origin_of(snapshot, source)
            trusted = origin is None or origin in _TRUSTED or plan.intent is Intent.INIT
            _refuse_if(
                not trusted,
                "nothing_secret_enters",
                say("promise.untrusted", line=_short(line), origin=origin, source=source),
            )


def memory_is_within_its_limits(snapshot: Snapshot, plan: Plan) -> None:
    """7. MEMORY.md never grows beyond its limits; one that was found above them never grows at all."""
    path, limits = snapshot.memory_path, snapshot.workspace.settings.memory
    if plan.intent in (Intent.UNDO, Intent.FORGET) or (plan.intent is not Intent.DREAM and path not in plan.paths):
        return  # what only loses lines comes nearer to its limit
    before, after = snapshot.text_of(path), _after(snapshot, plan, path)
    if (size := count_units(after)) > max(limits.hard_limit, count_units(before)):
        fixed = count_units("".join(protected_lines(parse(after), snapshot.workspace.settings.protected_sections)))
        because = say("promise.over_budget", path=path, size=size, hard_limit=limits.hard_limit, fixed=fixed)
        raise OverBudget("memory_is_within_its_limits", because)
    lines = len(split_lines(after))
    if lines > limits.max_lines and lines > len(split_lines(before)):
        because = say("promise.too_many_lines", path=path, lines=lines, max_lines=limits.max_lines)
        raise OverBudget("memory_is_within_its_limits", because)


def the_owners_bytes_win(snapshot: Snapshot, plan: Plan) -> None:
    """8. A file the owner changed after we read it is never overwritten."""
    for path in plan.paths:
        read = plan.base.get(path)
        _refuse_if(
            read is None,
            "the_owners_bytes_win",
            say("promise.no_base", path=path),
        )
        _refuse_if(read != snapshot.hash_of(path), "the_owners_bytes_win", say("promise.changed", path=path))


def the_second_dream_changes_nothing(snapshot: Snapshot, plan: Plan, again: Again) -> None:
    """9. The second dream over the same material changes nothing."""
    if plan.intent is Intent.DREAM and plan.edits:
        more = again(snapshot, plan).paths
        because = say("promise.second_night_changes", more=", ".join(more))
        _refuse_if(more, "the_second_dream_changes_nothing", because)


def every_run_can_be_undone(snapshot: Snapshot, plan: Plan) -> None:
    """10. Every run can be undone, byte for byte, cursors included."""
    for path in plan.paths:
        edits = [edit for edit in plan.edits if edit.path == path]
        whole = all(_is_line(line) for edit in edits for line in (*edit.old, *edit.new))
        _refuse_if(not whole, "every_run_can_be_undone", say("promise.no_lines", path=path))
        after = _after(snapshot, plan, path)
        kept = path in plan.removes and after != ""
        _refuse_if(kept, "every_run_can_be_undone", say("promise.unnamed_text", path=path))
        try:
            back = spliced(after, turned_round(edits))
        except StalePlan:  # the lines it leaves cannot be told apart again
            back = None
        _refuse_if(back != snapshot.text_of(path), "every_run_can_be_undone", say("promise.no_way_back", path=path))


def own_output_is_never_evidence(snapshot: Snapshot, plan: Plan) -> None:
    """11. Own output (diary, reports, recalled text, masks) is never evidence."""
    if plan.intent is Intent.UNDO:
        return
    for edit, line in _new_lines(snapshot, plan):
        for source in edit.sources:
            ours = place_of(source.path).kind in OWN_OUTPUT and not (source.path == LEDGER and OURS.search(line))
            _refuse_if(
                ours,
                "own_output_is_never_evidence",
                say("promise.own_output", line=_short(line), path=source.path),
            )


def only_paths_of_the_layout(snapshot: Snapshot, plan: Plan) -> None:
    """12. Paths outside the layout are never written; links and special files are refused."""
    removes = plan.removes if plan.intent is not Intent.UNDO else ()
    taken = [path for path in removes if not _may_shorten(snapshot, plan, path)]
    _refuse_if(taken, "only_paths_of_the_layout", say("promise.takes_away", taken=", ".join(taken)))
    refused = {refusal.path for refusal in snapshot.refused}
    for path in plan.paths:
        _refuse_if(
            not (
                may_write(path)
                or _may_append(plan, path)
                or _only_our_block(snapshot, plan, path)
                or _may_shorten(snapshot, plan, path)
                or may_write_composed(snapshot, plan, path)
            ),
            "only_paths_of_the_layout",
            say("promise.outside", path=path),
        )
        _refuse_if(path in refused, "only_paths_of_the_layout", say("promise.link", path=path))
        twin = place_of(path).kind is Kind.MEMORY and path != snapshot.memory_path
        _refuse_if(
            twin, "only_paths_of_the_layout", say("promise.second_memory", path=path, memory_path=snapshot.memory_path)
        )


PROMISES: tuple[Callable[[Snapshot, Plan], None], ...] = (
    sources_stay_as_they_are,
    only_paths_of_the_layout,
    the_owners_bytes_win,
    protected_lines_stay,
    what_leaves_is_archived,
    the_archive_only_grows,
    every_new_line_has_a_source,
    nothing_secret_enters,
    own_output_is_never_evidence,
    every_run_can_be_undone,
    memory_is_within_its_limits,
)


def _refuse_if(broken: object, promise: str, because: str) -> None:
    if broken:
        raise RefusedPlan(promise, because)


def _item(line: str) -> str:
    """A line without the comma that an item of a list gets when another follows: it says nothing new by that."""
    return line.rstrip("\r\n").removesuffix(",")


def _told_apart(path: str, line: str) -> list[str]:
    """What a line says, piece by piece: a record of ours holds several texts, and a paragraph of the diary several facts.

    Read as one, the key of one of them and the number of another would look like a secret.
    """
    if place_of(path).kind is not Kind.INDEX or not path.endswith(".json"):
        return told_apart(path, line)
    try:
        return list(_texts(json.loads(line.strip().rstrip(","))))
    except (ValueError, RecursionError):
        return [line]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield str(name)
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _unpinned(line: str) -> str:
    return line.replace(f"{PIN} ", "", 1)


def _is_line(line: str) -> bool:
    """One line, and bytes that come back as they went: what is written must be what is read again."""
    try:
        return split_lines(line) == (line,) and to_text(to_bytes(line)) == line
    except UnicodeEncodeError:
        return False


def _may_append(plan: Plan, path: str) -> bool:
    """`dream index` and `dream note` may add a line to the note of their own day, `dream import` to notes of its own, `dream share`
    to the team's file; and an undo may take it back, and another one bring it again."""
    if plan.intent is Intent.UNDO:
        ours = all(edit.tag in _ADDED and _only_at_the_end(edit) for edit in plan.edits if edit.path == path)
        return ours and (place_of(path).kind is Kind.DAILY or path == SHARED)
    if plan.intent is Intent.IMPORT:
        return bool(imports_of(path))
    if plan.intent is Intent.SHARE:
        return path == SHARED
    return plan.intent in (Intent.INDEX, Intent.NOTE) and path == f"memory/{plan.made[:10]}.md"


def _only_at_the_end(edit: Edit) -> bool:
    """Whether an edit takes away what was appended, or brings it back, and nothing else."""
    old, new = "".join(edit.old), "".join(edit.new)
    return old.startswith(new) or new.startswith(old)


def _may_shorten(snapshot: Snapshot, plan: Plan, path: str) -> bool:
    """`dream forget` may take words out of what was read and put none in; an undo may bring them back."""
    file = snapshot.files.get(path)
    edits = [edit for edit in plan.edits if edit.path == path]
    kind = file.place.kind if file else place_of(path).kind
    may_go = kind is Kind.CLASSIFIED and may_compose(path)  # whole: `classify` made it of the one statement that leaves
    if (file is None or path in plan.removes) and not may_go:
        return False
    if not all(edit.tag in (FORGET, PURGE) for edit in edits):
        return False
    if plan.intent is Intent.UNDO:
        ways = (turned_round(edits), edits)  # back, and at another undo forth again
        return kind in FORGETTABLE and any(all(map(_only_shortens, way)) for way in ways)
    kinds = PURGEABLE if all(edit.tag == PURGE for edit in edits) else FORGETTABLE
    return plan.intent is Intent.FORGET and kind in kinds and all(map(_only_shortens, edits))


def _only_shortens(edit: Edit) -> bool:
    """Whether the new text is the old one with something left out."""
    old = iter("".join(edit.old))
    return all(char in old for char in "".join(edit.new))


def _only_our_block(snapshot: Snapshot, plan: Plan, path: str) -> bool:
    """Whether a note changes in nothing but a dream's own block, where the owner wants that; an undo may take it out."""
    place = snapshot.files[path].place if path in snapshot.files else place_of(path)
    if place.kind is not Kind.DAILY or place.day is None or path != day_note(place.day):
        return False
    if plan.intent is Intent.DREAM:
        tonight = path == f"memory/{plan.made[:10]}.md" and snapshot.workspace.settings.storage.inline
    else:
        tonight = plan.intent is Intent.UNDO
    told = sorted((without_managed(snapshot.text_of(path)), without_managed(_after(snapshot, plan, path))), key=len)
    return tonight and told[1].startswith(told[0]) and not told[1][len(told[0]) :].strip("\r\n")


def _after(snapshot: Snapshot, plan: Plan, path: str) -> str:
    return spliced(snapshot.text_of(path), [edit for edit in plan.edits if edit.path == path])


def _gone(snapshot: Snapshot, plan: Plan, path: str) -> Counter[str]:
    """Lines that leave a file for good; our lines in the Dream section, a footer with another day and blank ones do not count."""
    before = Counter(bare(line) for line in split_lines(snapshot.text_of(path)))
    after = Counter(bare(line) for line in split_lines(_after(snapshot, plan, path)))
    kept = split_lines(snapshot.text_of(path))
    file = snapshot.files.get(path)
    section = {bare(kept[i]) for i in own_lines(file.document)} if file else set()  # these we write anew each night
    lost = before - after
    if sum(map(is_footer, after.elements())) >= sum(map(is_footer, before.elements())):
        section |= {line for line in lost if is_footer(line)}
    return Counter({line: n for line, n in lost.items() if line.strip().strip(BOM) and line not in section})


def _new_lines(snapshot: Snapshot, plan: Plan) -> Iterable[tuple[Edit, str]]:
    """The lines that memory gains, with the edit that brings each."""
    for edit in plan.edits:
        if holds_memory(edit.path):
            for line in Counter(map(bare, edit.new)) - Counter(map(bare, edit.old)):
                if line.strip():
                    yield edit, line


@cache
def _template() -> frozenset[str]:
    """The lines of a first memory that state nothing, in every language."""
    frames = (line for language in LANGUAGES for line in first_memory({}, language).split("\n") if line.strip())
    return frozenset((*frames, TITLE, SEPARATOR))


def _is_own_heading(line: str) -> bool:
    """A section that we make where the owner has none for it, or the one of a night."""
    return line.startswith("## ") and (
        is_heading(line[3:]) or any(line[3:] in names for names in section_names().values())
    )


def _says(said: str, memory: str, line: str, days: Iterable[str]) -> bool:
    """Every specific of the line stands in its source, in memory already, or follows from the source's day; and it shares a word."""
    if set(terms(line)).isdisjoint(terms(said)):
        return False
    told = said.split("\n")  # each by itself: of a very long text only the beginning is looked at
    return not unsupported(line, told, tuple(days)) or not unsupported(line, (*told, memory), tuple(days))


def _days_of(snapshot: Snapshot, edit: Edit) -> list[str]:
    """The days on which the sources of an edit were written, where their names say so."""
    files = [snapshot.files[source.path] for source in edit.sources if source.path in snapshot.files]
    return [str(file.place.day) for file in files if file.place.day]


def _origin_of(snapshot: Snapshot, source: Source) -> Origin | None:
    file = snapshot.files.get(source.path)
    if file is None or snapshot.hash_of(source.path) == ABSENT:
        return None
    covering = [e.origin for e in file.entries if e.source.first <= source.first <= e.source.last]
    return covering[0] if covering else None


def _short(line: str) -> str:
    text = " ".join(line.split())
    text = text if not holds_secret(text) else say("promise.secret_line")
    return text if len(text) <= 60 else text[:59] + "…"
