"""`dream classify`: where each memory belongs, and, at the owner's word, the files it then has.

A model may be asked about memories whose kind nobody can tell. It chooses a kind and clauses of the memory's own; files only
quote, so no word of a model's own can stand there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from reverie.apply.files import Disk
from reverie.core.errors import BadInput, OverBudget
from reverie.core.layout import USER_PAGE, Kind
from reverie.core.model_calls import Use, counted
from reverie.core.ports import Clock
from reverie.evidence.model_records import KeptAnswers
from reverie.features.classify.filing import LONGEST_LINK, about_the_user, classify_plan
from reverie.features.classify.memories import CLAUSE, MemoryItem, cut, items_of
from reverie.features.classify.sorting import Opinion, Placement, Sort, classify, item_id
from reverie.judge.asker import Asker
from reverie.judge.compose import plain_line
from reverie.judge.prompts import asked
from reverie.judge.vetoes import is_request
from reverie.judge.worth import Embed
from reverie.lang.messages import say
from reverie.night.live_lines import read_remembered
from reverie.night.night import memory_is_readable
from reverie.night.transaction import transact
from reverie.plan.promises import check_promises
from reverie.plan.splices import texts_after
from reverie.privacy.redact import holds_mask, redacted
from reverie.workspace.reader import reread
from reverie.workspace.values import Plan, Run, Snapshot, Workspace, hash_text

# Reasons why a model's word was not taken, as receipts count them.
NO_CLAUSE, UNKNOWN_ID, IMPLAUSIBLE = "clause not in the memory", "unknown id", "implausible kind"
_LINK_LENGTHS = (LONGEST_LINK, 110, 80)  # characters, tried in this order until MEMORY.md is within its limits
_BATCH = 20  # memories of one question
_LONGEST_SHOWN = 600  # characters of a memory in a question


@dataclass(frozen=True, slots=True)
class Classified:
    """What was decided about every memory, the plan it leads to, and the run if it was applied."""

    snapshot: Snapshot
    placements: tuple[Placement, ...]
    plan: Plan
    run: Run | None = None

    @property
    def unlinked(self) -> tuple[str, ...]:
        """In the index shape, classified files that MEMORY.md does not name: nobody finds them by reading it."""
        if self.snapshot.workspace.settings.memory.shape != "index":
            return ()
        memory = texts_after(self.snapshot, self.plan).get(self.snapshot.memory_path, "")
        text = memory or self.snapshot.text_of(self.snapshot.memory_path)
        there = (path for path, file in self.snapshot.files.items() if file.place.kind is Kind.CLASSIFIED)
        return tuple(sorted(path for path in there if f"]({path})" not in text))

    @property
    def about_the_user(self) -> tuple[str, ...]:
        """What memory says of the owner, and USER.md will not say after this plan."""
        if USER_PAGE in self.plan.paths:
            return ()
        return tuple(one.text for one in about_the_user(self.snapshot, self.placements))

    def of(self, sort: Sort) -> tuple[Placement, ...]:
        return tuple(one for one in self.placements if one.sort is sort)


def sort_memories(
    workspace: Workspace, clock: Clock, *, apply: bool = False, user: bool = False, disk: Disk | None = None
) -> Classified:
    """Sort the entries of MEMORY.md into user, feedback, project and reference. Without `apply` nothing is written.

    USER.md is the owner's: what memory says of them is only proposed for it, and added with `user`.
    """
    if workspace.home is not None:
        raise BadInput(say("claude.no_classify", path=workspace.home))
    if not apply:
        return _decided(read_remembered(workspace), clock, keep=False, user=user)

    def decide(snapshot: Snapshot) -> tuple[Classified, Plan]:
        found = _decided(snapshot, clock, keep=True, user=user)
        return found, found.plan

    done = transact(workspace, clock, "classify", decide, disk=disk, read=read_remembered)
    return replace(done.told, run=done.run)


def sort_statement(workspace: Workspace, text: str, heading: str = "") -> Placement:
    """Where one statement would belong, as if it stood in MEMORY.md (under `heading`). Writes nothing."""
    said = " ".join(text.split())
    if not said:
        raise BadInput(say("classify.empty"))
    snapshot = read_remembered(workspace)
    path = snapshot.memory_path
    alone = f"# Memory\n\n## {heading or '-'}\n- {said}\n"
    items = items_of(reread(snapshot, {path: alone}, {path: hash_text(alone)}).files[path])
    if not items:
        raise BadInput(say("classify.not_a_statement"))
    return classify(items, snapshot.files.values(), _embed(workspace))[0]


def _decided(snapshot: Snapshot, clock: Clock, *, keep: bool, user: bool = False) -> Classified:
    memory_is_readable(snapshot)
    workspace, files = snapshot.workspace, snapshot.files.values()
    items = items_of(snapshot.files.get(snapshot.memory_path))
    placements = classify(items, files, _embed(workspace))
    opinions, use = opinions_on(workspace, clock, placements, keep=keep)
    if opinions:
        placements = classify(items, files, _embed(workspace), opinions)
    plan = _fitting(snapshot, placements, clock, user=user)
    return Classified(snapshot, placements, replace(plan, use=_receipt(use, opinions, placements)))


def _fitting(snapshot: Snapshot, placements: Sequence[Placement], clock: Clock, *, user: bool) -> Plan:
    """The plan; an index of a long memory fits with shorter links."""
    *longer, shortest = _LINK_LENGTHS
    for longest in longer:
        plan = classify_plan(snapshot, placements, clock.now(), longest, user=user)
        try:
            check_promises(snapshot, plan)
        except OverBudget:
            continue
        return plan
    plan = classify_plan(snapshot, placements, clock.now(), shortest, user=user)
    check_promises(snapshot, plan)
    return plan


def _embed(workspace: Workspace) -> Embed | None:
    return workspace.embedder.embed if workspace.embedder else None


# What a model thinks


def asker_for(workspace: Workspace, clock: Clock, *, keep: bool) -> Asker | None:
    """The workspace's model; None where there is none. With `keep` its answers are kept for the next time."""
    if workspace.model is None:
        return None
    kept = KeptAnswers(workspace.root, workspace.settings.privacy.kinds, clock, write=keep)
    return Asker(workspace.model, workspace.settings.model, kept)


def may_be_shown(text: str, kinds: frozenset[str]) -> bool:
    """Whether a model may read it: no secret, no personal data that is masked, no order."""
    return redacted(text, kinds) == text and not holds_mask(text) and not is_request(text)


def opinions_on(
    workspace: Workspace, clock: Clock, placements: Sequence[Placement], *, keep: bool
) -> tuple[Mapping[str, Opinion], Use | None]:
    """What a model thinks of the memories whose kind nobody can tell, by their ids; and what it cost. None: nobody was asked."""
    kinds = workspace.settings.privacy.kinds
    unsure = [one.item for one in placements if one.askable]
    asker = asker_for(workspace, clock, keep=keep) if unsure and workspace.settings.model.leads else None
    if asker is None:
        return {}, None
    found: dict[str, Opinion] = {}
    dropped: list[str] = []
    for start in range(0, len(unsure), _BATCH):
        shown = [item for item in unsure[start : start + _BATCH] if may_be_shown(item.whole, kinds)]
        by_id = {f"m{nth}": item for nth, item in enumerate(shown, 1)}
        data = [{"id": name, **_shown(item, kinds)} for name, item in by_id.items()]
        answer = asker.ask(asked("classify", {"memories": data})) if data else None
        if answer is not None and answer.value is not None:
            opinions, refused = _opinions_in(answer.value["memories"], by_id)
            found.update(opinions)
            dropped += refused
    return found, replace(asker.use, dropped=counted(dropped))


def _shown(item: MemoryItem, kinds: frozenset[str]) -> dict[str, str]:
    under = item.statement.heading
    return {"under": under if may_be_shown(under, kinds) else "", "text": cut(item.whole, _LONGEST_SHOWN)}


def _opinions_in(
    answers: Sequence[Mapping[str, Any]], items: Mapping[str, MemoryItem]
) -> tuple[dict[str, Opinion], list[str]]:
    """(opinions by `item_id`, what was dropped). A clause that the memory does not have is left out; the kind stays."""
    found: dict[str, Opinion] = {}
    dropped: list[str] = []
    for answer in answers:
        item = items.get(str(answer["id"]))
        if item is None or item_id(item) in found:
            dropped.append(UNKNOWN_ID)
            continue
        named = [" ".join(str(answer[name]).split()).rstrip(" .。") for name in ("why", "how")]
        why, how = (part if part and _is_its_own(part, item) else "" for part in named)
        dropped += [NO_CLAUSE for part in named if part and part not in (why, how)]
        found[item_id(item)] = Opinion(str(answer["kind"]), why, how if how != why else "")
    return found, dropped


def _is_its_own(part: str, item: MemoryItem) -> bool:
    lines = (item.plain, *(plain_line(one.text) for one in item.parts))
    return not holds_mask(part) and any(is_clause(part, line) for line in lines)


def is_clause(part: str, line: str) -> bool:
    """Whether a part of a line is one of its clauses or several in a row, word for word; not half of one, and not all of it."""
    whole = line.rstrip(" .。!！")
    marks = list(CLAUSE.finditer(whole))
    begins, ends = {0, *(mark.end() for mark in marks)}, {len(whole), *(mark.start() for mark in marks)}
    at = whole.find(part) if part else -1
    return at >= 0 and len(part) < len(whole) and at in begins and at + len(part) in ends


def _receipt(use: Use | None, opinions: Mapping[str, Opinion], placements: Sequence[Placement]) -> Use | None:
    """What a model was asked, which kinds were taken, and how many the judge did not believe."""
    if use is None:
        return None
    heard = [one.kind for one in placements if one.opinion]
    refused = {IMPLAUSIBLE: len(opinions) - len(heard)} if len(opinions) > len(heard) else {}
    return replace(use, accepted=counted(heard), dropped=MappingProxyType({**use.dropped, **refused}))
