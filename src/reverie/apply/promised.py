"""Whether a run that a crash interrupted may be finished: its COMMIT is of its plan, and the plan keeps the promises.

The plan kept them when it was decided; but a record is only a file, and whoever made this workspace may have written it. So the
promises are asked again, over the workspace as it was before the run: what was put in place already is thought away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from reverie.apply.files import hash_at, read_bytes, real_path
from reverie.apply.runs import read_mark
from reverie.apply.writer import staged
from reverie.core.errors import BadPlanFile, OverBudget, RefusedPlan
from reverie.core.layout import OWN_OUTPUT
from reverie.lang.messages import say
from reverie.plan.promises import check_promises
from reverie.plan.splices import carried, placed_again, spliced, turned_round
from reverie.text.lines import split_lines
from reverie.workspace.reader import read_workspace, reread
from reverie.workspace.values import ABSENT, Edit, Plan, Snapshot, Source, Workspace, hash_text, to_text


@dataclass(frozen=True, slots=True)
class Committed:
    """A file of a run as COMMIT names it: its hashes before and after, and its size before."""

    path: str
    before: str
    after: str
    size: int


def committed(folder: Path, plan: Plan) -> tuple[Committed, ...]:
    """The files that COMMIT names, in its order. Raises BadPlanFile unless they are those of the plan."""
    try:
        items = read_mark(folder, "COMMIT")["files"]
        found = tuple(
            Committed(str(one["path"]), str(one["before"]), str(one["after"]), int(one["size"])) for one in items
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        found = ()
    same = sorted(one.path for one in found) == list(plan.paths) and all(
        one.before == plan.base.get(one.path) and (one.after == ABSENT) == (one.path in plan.removes) for one in found
    )
    if not found or not same:
        raise BadPlanFile(say("records.no_mark", where=f"runs/{folder.name}/COMMIT"))
    return found


def keep_promises(workspace: Workspace, plan: Plan, files: Sequence[Committed], folder: Path) -> None:
    """Raise RefusedPlan, StalePlan or BadPlanFile if finishing this run would do what no plan may."""
    views = [_before(workspace, plan, one, folder) for one in files]
    now = read_workspace(workspace)
    texts = {view.path: view.text for view in views if view.text is not None}
    hashes = {path: hash_text(text) for path, text in texts.items()}
    known = dict(reread(now, texts, hashes).files)
    for view in views:
        if view.text is None:
            known.pop(view.path, None)
    snapshot = Snapshot(workspace, MappingProxyType(known), now.refused)
    touched = {view.path for view in views if view.edits or view.path in plan.removes}
    asked = replace(
        plan,
        base=MappingProxyType({path: hashes.get(path, ABSENT) for path in touched}),
        edits=tuple(edit for view in views for edit in view.edits),
        removes=tuple(path for path in plan.removes if path in touched and path in texts),
    )
    try:
        check_promises(snapshot, asked)
    except OverBudget:
        pass  # decided within the limits of its day; the next night makes room
    except RefusedPlan:
        # The owner may have typed into a note since, and its lines have moved: then the whole note is asked.
        check_promises(snapshot, _with_whole_sources(snapshot, asked))


@dataclass(frozen=True, slots=True)
class _View:
    """A file as it was before the run (None: it was not there), and the edits that lead from it to what will stand there."""

    path: str
    text: str | None
    edits: tuple[Edit, ...]


def _before(workspace: Workspace, plan: Plan, one: Committed, folder: Path) -> _View:
    edits = tuple(edit for edit in plan.edits if edit.path == one.path)
    target = real_path(workspace, one.path)
    data = read_bytes(target)
    text, here = to_text(data or b""), hash_at(target)
    if here == one.before:
        _refuse_unless(one.after in (ABSENT, hash_text(spliced(text, edits))), folder)
        return _View(one.path, None if data is None else text, edits)
    if here == one.after:  # it is in place already
        back = spliced(text, turned_round(edits))
        _refuse_unless(one.before in ((ABSENT, hash_text("")) if not back else (hash_text(back),)), folder)
        return _View(one.path, None if one.before == ABSENT else back, edits)
    if one.after == ABSENT:  # it was to go, and the owner wrote into it: it stays
        return _View(one.path, text, ())
    if hash_at(staged(target, folder)) == one.after:  # the owner was here first: the edits are carried over
        return _View(one.path, None if data is None else text, placed_again(edits, text)[0])
    back, _ = carried(turned_round(edits), text)  # the owner was here afterwards: nothing is written any more
    return _View(one.path, back, placed_again(edits, back)[0])


def _refuse_unless(right: object, folder: Path) -> None:
    if not right:
        raise BadPlanFile(say("records.no_mark", where=f"runs/{folder.name}/COMMIT"))


def _with_whole_sources(snapshot: Snapshot, plan: Plan) -> Plan:
    return replace(plan, edits=tuple(replace(edit, sources=_whole(snapshot, edit)) for edit in plan.edits))


def _whole(snapshot: Snapshot, edit: Edit) -> tuple[Source, ...]:
    paths = dict.fromkeys(source.path for source in edit.sources)
    files = [snapshot.files[path] for path in paths if path in snapshot.files]
    theirs = [file for file in files if file.place.kind not in OWN_OUTPUT]
    kept = tuple(source for source in edit.sources if source.path not in {file.path for file in theirs})
    return (*kept, *(Source(file.path, 1, max(1, len(split_lines(file.text)))) for file in theirs))
