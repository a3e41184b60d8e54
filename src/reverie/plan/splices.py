"""Splices: what a plan leads to, how it is turned round, and how its place is found again in a changed file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from reverie.core.errors import StalePlan
from reverie.text.lines import appended, bare, ending_of, split_lines
from reverie.text.marks import is_footer
from reverie.workspace.values import ABSENT, Change, Edit, Plan, Snapshot, hash_text, short_id, to_bytes

FOOTER = "footer"  # the id of the edit that renews the day of a “last updated” line, and what such a line is known by
VIEW = "view"  # the tag of an edit that follows from others: nobody decided it


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """From the top down; what is put in at a line comes before what is taken out there."""
    return sorted(edits, key=lambda edit: (edit.at, bool(edit.old)))


def spliced(text: str, edits: Iterable[Edit]) -> str:
    """The text after the edits. Each must find the lines it names exactly where it names them."""
    lines = list(split_lines(text))
    for edit in reversed(in_order(edits)):
        end = edit.at + len(edit.old)
        if edit.at > len(lines) or tuple(lines[edit.at : end]) != edit.old:
            raise StalePlan(edit.path)
        lines[edit.at : end] = edit.new
    return "".join(lines)


def texts_after(snapshot: Snapshot, plan: Plan) -> dict[str, str]:
    """What every file of the plan would hold; a file that is taken away is not in it."""
    return {
        path: spliced(snapshot.text_of(path), [edit for edit in plan.edits if edit.path == path])
        for path in plan.paths
        if path not in plan.removes
    }


def changes_of(snapshot: Snapshot, plan: Plan) -> tuple[Change, ...]:
    """The plan as bytes: what the writer is given."""
    texts = texts_after(snapshot, plan)
    return tuple(
        Change(
            path,
            plan.base[path],
            None if path in plan.removes else to_bytes(texts[path]),
            len(to_bytes(snapshot.text_of(path))),
        )
        for path in plan.paths
    )


def hashes_after(snapshot: Snapshot, plan: Plan) -> dict[str, str]:
    after = {path: hash_text(text) for path, text in texts_after(snapshot, plan).items()}
    return after | dict.fromkeys(plan.removes, ABSENT)


def turned_round(edits: Iterable[Edit]) -> list[Edit]:
    """The edits that lead back, placed where the first ones left their lines."""
    back, shift = [], 0
    for edit in in_order(edits):
        back.append(replace(edit, at=edit.at + shift, old=edit.new, new=edit.old))
        shift += len(edit.new) - len(edit.old)
    return back


def with_neighbours(edits: Sequence[Edit], lines: Sequence[str]) -> tuple[Edit, ...]:
    """Edits that know their neighbours by hash, so that an undo weeks later finds the place.

    Hashes, not text: a neighbour may hold a secret, and a record of a run must not.
    """

    leaving = {i for edit in edits if edit.id != FOOTER for i in range(edit.at, edit.at + len(edit.old))}

    def near(start: int, step: int) -> str:
        i = start
        while 0 <= i < len(lines) and (not lines[i].strip() or i in leaving):  # a neighbour that stays
            i += step
        return _known_by(lines[i]) if 0 <= i < len(lines) else ""

    return tuple(replace(edit, around=(near(edit.at - 1, -1), near(edit.at + len(edit.old), 1))) for edit in edits)


def _known_by(line: str) -> str:
    """A line as a neighbour: a “last updated” line is the same whatever its day."""
    return (FOOTER if is_footer(bare(line)) else short_id(line.strip())) if line.strip() else ""


def lines_leaving(edits: Iterable[Edit], *, undone: bool = False) -> frozenset[str]:
    """The words of the lines that these edits, or with `undone` the way back from them, take out."""
    return frozenset(bare(line) for one in edits if one.id != FOOTER for line in (one.new if undone else one.old))


def difference(path: str, before: str, after: str, **about: object) -> tuple[Edit, ...]:
    """The one splice that leads from a text to another; none when they are the same."""
    if before == after:
        return ()
    old, new = split_lines(before), split_lines(after)
    top = 0
    while top < min(len(old), len(new)) and old[top] == new[top]:
        top += 1
    end = 0
    while end < min(len(old), len(new)) - top and old[-1 - end] == new[-1 - end]:
        end += 1
    return (Edit(path=path, at=top, old=old[top : len(old) - end], new=new[top : len(new) - end], **about),)  # type: ignore[arg-type]


def found_again(edit: Edit, lines: Sequence[str], leaving: Set[str] = frozenset()) -> Edit | None:
    """The edit at the place where its lines stand now, or where they belong; None when no place is certain.

    Text that is to be taken out must be there word for word, beside at least one of its old neighbours: the same
    words may stand elsewhere, and they are not the ones that were meant. A place to put text back into must still have
    one of its two neighbours. Of several, the one nearest to where it used to be. `leaving` are lines that other edits of
    the same file take out: they are nobody's neighbours. Line endings may have changed since (the last line of a file
    gets one when somebody appends), so they are taken as they are now.
    """
    said = [bare(line) for line in lines]
    plain = [_known_by(line) for line in said]
    views = (plain, ["" if line in leaving else mark for line, mark in zip(said, plain, strict=True)])
    above, below = edit.around
    size = len(edit.old)
    if edit.old:
        wanted = [bare(line) for line in edit.old]
        places = [i for i in range(len(lines) - size + 1) if said[i : i + size] == wanted]
        near = {
            i: any(_last_mark(view, i) == above for view in views)
            + any(_next_mark(view, i + size) == below for view in views)
            for i in places
        }
        best = max(near.values(), default=0)
        if best == 0 and (above or below):
            return None
        places = [i for i in places if near[i] == best]
    else:
        places = [i + 1 for i, mark in enumerate(plain) if above and mark == above]
        places = [i for i in places if any(_next_mark(view, i) == below for view in views)] or places
        if edit.new and not edit.new[-1].strip():  # it left with the blank line below it, so it stood below one
            staying = views[1]  # lines that leave with this undo are nobody's neighbours
            places = [next((k for k in range(i, len(staying)) if staying[k]), len(staying)) for i in places]
        places = places or [i for i, mark in enumerate(plain) if below and mark == below]
        if not above and not below:
            places = [0]
    if not places:
        return None
    at = min(places, key=lambda i: abs(i - edit.at))
    return _whole_lines(replace(edit, at=at, old=tuple(lines[at : at + size])), lines)


def _whole_lines(edit: Edit, lines: Sequence[str]) -> Edit:
    """A line that was the last of its file, without an ending, needs one where others follow or stand above."""
    end, new = edit.at + len(edit.old), edit.new
    if new and end < len(lines) and not new[-1].endswith(("\n", "\r")):
        new = (*new[:-1], new[-1] + ending_of(lines))
    if new and not edit.old and edit.at == len(lines) and lines and not lines[-1].endswith(("\n", "\r")):
        at, old, new = appended(lines, (bare(line) for line in new))
        return replace(edit, at=at, old=old, new=new)
    return replace(edit, new=new)


def _next_mark(known: Sequence[str], start: int) -> str:
    return next((mark for mark in known[start:] if mark), "")


def _last_mark(known: Sequence[str], end: int) -> str:
    return next((mark for mark in reversed(known[:end]) if mark), "")


def carried(edits: Sequence[Edit], text: str) -> tuple[str, tuple[Edit, ...]]:
    """The edits on a text that somebody changed meanwhile, and those that found no place.

    An edit whose place is not certain any more is left out: the owner's bytes win.
    """
    placed, left = placed_again(edits, text)
    return spliced(text, placed), left


def placed_again(edits: Sequence[Edit], text: str) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    """The edits where their lines stand in this text, and those whose place is not certain."""
    lines = split_lines(text)
    leaving = lines_leaving(edits)
    placed: list[Edit] = []
    left: list[Edit] = []
    for edit in in_order(edits):
        again = found_again(edit, lines, leaving)
        if again is not None and not edit.old:  # what stood above it stays above it
            again = replace(again, at=max([again.at, *(one.at + len(one.old) for one in placed)]))
        if again is None or any(_overlap(again, other) for other in placed):
            left.append(edit)
        else:
            placed.append(again)
    return tuple(placed), tuple(left)


def _overlap(one: Edit, other: Edit) -> bool:
    return one.at < other.at + len(other.old) and other.at < one.at + len(one.old)
