"""What `classify`, `palace` and `sublimate` may write, and that they only quote: the promises about composed pages.

A classified file is created and never changed; of a page of knowledge only our own block changes; todos.md only grows. A
line of theirs that says something names the place it was read at, and that place says it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from reverie.core.layout import LEDGER, TODOS, Kind, may_compose, place_of
from reverie.plan.splices import spliced
from reverie.text.lines import bare
from reverie.text.managed import without_managed
from reverie.text.terms import terms
from reverie.workspace.values import ABSENT, Edit, Intent, Plan, Snapshot, Source

CLASSIFY, PALACE, SUBLIMATE = "classify", "palace", "sublimate"  # the tags of their edits
_WRITES = {
    Intent.CLASSIFY: frozenset({Kind.CLASSIFIED, Kind.KNOWLEDGE}),
    Intent.PALACE: frozenset({Kind.PALACE}),
    Intent.SUBLIMATE: frozenset({Kind.KNOWLEDGE}),
    Intent.DREAM: frozenset({Kind.PALACE}),
}
_QUOTED = re.compile(r"\s*\(\[(?P<path>[^\]]+?):(?P<first>\d+)(?:-(?P<last>\d+))?\]\([^)]*\)\)\s*$")
_LINK = re.compile(r"- \[[^\]]+\]\((?P<path>memory/[^)\s]+\.md)\) — ")
_FRAME = re.compile(r"\s*(?:#{1,6}\s.*|<!--.*-->|---)?\s*$")
_FIELD = re.compile(r"(?:name|description): ")
_FIXED = re.compile(r"(?:type|created): \S+$")
_MARKUP = re.compile(r"[*_`~|]")
_WORD = re.compile(r"[^\W_]+")


def may_write_composed(snapshot: Snapshot, plan: Plan, path: str) -> bool:
    """Whether this plan may change this path: its command keeps it, and changes no more of it than it may."""
    edits = [edit for edit in plan.edits if edit.path == path]
    if plan.intent is Intent.UNDO:
        ours = all(edit.tag in (CLASSIFY, PALACE, SUBLIMATE) for edit in edits)
        return ours and (may_compose(path) or path == TODOS)
    if path == TODOS:
        return plan.intent is Intent.CLASSIFY and spliced(snapshot.text_of(path), edits).startswith(
            bare(snapshot.text_of(path))
        )
    kind = place_of(path).kind
    if not may_compose(path) or kind not in _WRITES.get(plan.intent, frozenset()):
        return False
    if kind is Kind.CLASSIFIED:
        return snapshot.hash_of(path) == ABSENT
    return kind is Kind.PALACE or _only_our_block(snapshot.text_of(path), spliced(snapshot.text_of(path), edits))


def _only_our_block(before: str, after: str) -> bool:
    mine, now = without_managed(before).rstrip(), without_managed(after).rstrip()
    return now == mine if mine else all(_FRAME.match(bare(line)) for line in now.split("\n"))


def unsaid(snapshot: Snapshot, plan: Plan, told_at: Callable[[Snapshot, Source], str]) -> Iterator[str]:
    """Lines of composed pages whose source does not say them, or that have none."""
    if plan.intent not in (Intent.CLASSIFY, Intent.PALACE, Intent.SUBLIMATE):
        return
    for edit in plan.edits:
        indexed = plan.intent is Intent.CLASSIFY and edit.path == snapshot.memory_path
        if edit.path != TODOS and not may_compose(edit.path) and not indexed:
            continue
        known = {bare(one) for one in edit.old}
        for line in (bare(one) for one in edit.new if bare(one) not in known):
            if not _FRAME.match(line) and not _is_said(snapshot, plan, edit, line, told_at):
                yield line


def _is_said(snapshot: Snapshot, plan: Plan, edit: Edit, line: str, told_at: Callable[[Snapshot, Source], str]) -> bool:
    """Every word and number of the line occurs where it says that it was read."""
    quoted = _QUOTED.search(line)
    if quoted:
        path = LEDGER if quoted["path"] == "ledger.md" else quoted["path"]
        first = int(quoted["first"])
        source = Source(path, first, int(quoted["last"] or first))
        said = told_at(snapshot, source) or _fresh(snapshot, plan, source)
        line = line[: quoted.start()]
    elif place_of(edit.path).kind is Kind.MEMORY:
        link = _LINK.match(line)
        if not link or (link["path"] not in plan.paths and link["path"] not in snapshot.files):
            return False
        said = "\n".join(told_at(snapshot, source) for source in edit.sources)
        line = line.replace(f"({link['path']})", "", 1)
    elif place_of(edit.path).kind is Kind.CLASSIFIED or edit.path == TODOS:
        if _FIXED.match(line):
            return True
        said = "\n".join(told_at(snapshot, source) for source in edit.sources)
        line = _FIELD.sub("", line, count=1)
    else:
        return False
    said += "\n" + _MARKUP.sub("", said)  # a quotation is told without it, and its words may then touch
    low = said.casefold()
    numbers = [word for word in _WORD.findall(line.casefold()) if any(char.isdigit() for char in word)]
    return all(number in low for number in numbers) and set(terms(line.rstrip("… "))) <= set(terms(said))


def _fresh(snapshot: Snapshot, plan: Plan, source: Source) -> str:
    """The lines of a file as this plan leaves it: what it archives is quoted from where it will stand."""
    after = spliced(snapshot.text_of(source.path), [edit for edit in plan.edits if edit.path == source.path])
    return "\n".join(after.split("\n")[source.first - 1 : source.last])
