"""`why-not`: why a text is not in MEMORY.md. Looks everywhere it could have been stopped and says the nearest reason.

Answers in the order of the walk: it is there after all; it holds a secret; a run took it out, merged or archived it; it is
a candidate and lacks this much; it was read in a note and lacks that much; it was never seen. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reverie.apply.runs import runs
from reverie.core.layout import LEDGER, Kind
from reverie.core.ports import Clock
from reverie.evidence.claims import Evidence, claims_of
from reverie.evidence.gather import gather_plainly
from reverie.judge.brief import Brief
from reverie.judge.forgotten import Recognised, forgotten_in
from reverie.judge.operation import Op
from reverie.judge.specifics import unsupported
from reverie.judge.vetoes import SECRET
from reverie.lang.messages import said_with, say
from reverie.night.briefing import make_brief
from reverie.night.live_lines import recall_state
from reverie.openclaw.deep import GATES, Weighed, number, profile_of, weigh
from reverie.openclaw.score import Gate
from reverie.plan.ledger import Archived, read_ledger
from reverie.plan.show import story_of
from reverie.plan.suggested import ACCEPTED, DECLINED, Suggestion, leaning, like, suggestions_in
from reverie.privacy.redact import holds_mask, holds_secret, opens_something, redacted
from reverie.text.sections import is_dream_list
from reverie.text.terms import bag, in_order, is_negated, plain
from reverie.workspace.openclaw_format import PeerState
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Snapshot, Statement, Workspace

NEARLY = 0.8  # of the words asked for that a line must have to be the one meant
_SENTENCE = 3  # telling words from which their order tells who did what
MOST = 8
_SOURCES = frozenset({Kind.DAILY, Kind.SESSION, Kind.CORPUS, Kind.TOPIC, Kind.CLASSIFIED, Kind.LOG})


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that is known about why a text is not in memory."""

    verdict: str  # in memory, redacted, merged, archived, taken back, a gate, a refusal, over budget, never seen
    detail: str
    text: str = ""
    place: str = ""
    gates: tuple[Gate, ...] = ()


def why_not(workspace: Workspace, clock: Clock, asked: str) -> tuple[Reason, ...]:
    """What is known, nearest first; there is always at least one reason."""
    snapshot = read_workspace(workspace)
    if gone := _forgotten(snapshot, asked):
        return (gone,)
    state = recall_state(workspace)
    found = [*_secret(snapshot, asked), *_standing(snapshot, asked), *_history(snapshot, workspace, asked)]
    if not any(one.verdict in ("in memory", "redacted") for one in found):
        found += _seen(snapshot, clock, state, asked)
    return tuple(found[:MOST]) or (Reason("never seen", say("why_not.never_seen")),)


def _secret(snapshot: Snapshot, asked: str) -> Iterator[Reason]:
    kinds = snapshot.workspace.settings.privacy.kinds
    if holds_secret(asked) or holds_mask(asked) or redacted(asked, kinds) != asked:
        yield Reason("redacted", say("why_not.secret"))


def _forgotten(snapshot: Snapshot, asked: str) -> Reason | None:
    """The one thing to say of what was forgotten: anything besides would tell it again."""
    gone = forgotten_in(snapshot)
    found, why = gone.against(asked)
    if found is not Recognised.SAME or _place(snapshot, asked):
        return None
    return Reason(
        "forgotten", say("why_not.forgotten" if gone.is_gone(asked) else "why_not.forgotten_for_now", how=why)
    )


def _standing(snapshot: Snapshot, asked: str) -> Iterator[Reason]:
    if where := _place(snapshot, asked):
        yield Reason("in memory", say("why_not.in_memory", place=where), place=where)


def _place(snapshot: Snapshot, asked: str) -> str:
    """The line of MEMORY.md that says it; one in the list of what was archived is no memory."""
    entries = (entry for file in snapshot.memories for entry in file.entries if not is_dream_list(entry.headings))
    return next((str(entry.source) for entry in entries if _says(asked, entry.text)), "")


def _history(snapshot: Snapshot, workspace: Workspace, asked: str) -> Iterator[Reason]:
    story = story_of(snapshot, runs(workspace), asked)
    blocks = story.archived or tuple(
        block for block in read_ledger(snapshot.text_of(LEDGER)) if _means(asked, " ".join(block.content))
    )
    for block in blocks:
        yield _archived(block)
    for chapter in story.chapters:
        if chapter.undone_by and chapter.did not in ("archived", "removed"):
            told = say("why_not.taken_back", run=chapter.run, why=chapter.why, undo=chapter.undone_by)
            text = " ".join(line for line in chapter.text.split("\n") if _means(asked, line))
            yield Reason("taken back", told, text, chapter.run)


def _archived(block: Archived) -> Reason:
    text = " ".join(block.content)
    if block.category == "duplicate":
        return Reason("merged", say("why_not.merged", id=block.id, day=block.archived, note=block.note), text, LEDGER)
    told = say(
        "why_not.archived", id=block.id, day=block.archived, category=said_with("tags", block.category), note=block.note
    )
    return Reason("archived", told, text, LEDGER)


def _seen(snapshot: Snapshot, clock: Clock, state: PeerState, asked: str) -> Iterator[Reason]:
    """What notes and recalls say of it, weighed as a night would weigh it."""
    kinds = snapshot.workspace.settings.privacy.kinds
    files = [file for file in snapshot.files.values() if file.place.kind in _SOURCES]
    claims = [claim for file in files for claim in claims_of(file, kinds)]
    meant = [claim for claim in claims if _means(asked, f"{claim.lead} {claim.text}")]
    recalls = {key: one for key, one in state.recalls.items() if _means(asked, one.snippet)}
    evidence = Evidence(gather_plainly(meant, claims, recalls), recalls, state.signals, snapshot.workspace.embedder)
    profile = profile_of(snapshot.workspace.settings.dreaming)
    weighed = weigh(evidence, snapshot, profile=profile, now=clock.now(), include_promoted=True)
    brief = make_brief(snapshot, evidence, clock.now())
    yield from _distilled(snapshot, brief)
    shown = {note.claim.source for note in brief.notes}
    withheld = [claim for claim in meant if claim.source not in shown and opens_something(claim.text)]
    yield from (Reason(SECRET, say("why_not.stays"), place=str(claim.source)) for claim in withheld)
    weighed = weighed if not withheld else ()
    meant = [claim for claim in meant if claim not in withheld]
    yield from (_told(one) for one in weighed)
    known = {plain(one.scored.entry.snippet) for one in weighed}  # behind what they hang on
    yield from _unranked([claim for claim in meant if plain(f"{claim.lead} {claim.text}") not in known])


def _distilled(snapshot: Snapshot, brief: Brief) -> Iterator[Reason]:
    """What the night's own judge says of it: one of the four vetoes, the list it waits in, or how far its worth is from the bar."""
    from reverie.judge.proposals import weigh as weighed  # numpy and the judge's weights
    from reverie.judge.worth import THRESHOLDS

    everything = suggestions_in(snapshot)
    lean = leaning(everything)
    writing = [one for one in everything if one.status != ACCEPTED and one.op in (Op.ADD, Op.UPDATE)]
    listed = {plain(words): one for one in writing for _, words in one.cites}
    bar = THRESHOLDS["sure"]
    for one in weighed(brief):
        place = str(one.note.claim.source)
        if one.against:
            yield Reason(one.against, say("why_not.stays"), one.note.claim.text, place)
        elif suggestion := listed.get(plain(one.note.claim.text)):
            yield _suggested(suggestion, lean, one.note.claim.text, place)
        elif one.worth.keep < bar:
            told = say(
                "why_not.judged",
                kind=said_with("kinds", one.worth.kind),
                keep=one.worth.keep,
                bar=bar,
                margin=one.worth.keep - bar,
            )
            yield Reason("below the gate: judgement", told, one.note.claim.text, place)


def _suggested(one: Suggestion, lean: Mapping[str, float], line: str, place: str) -> Reason:
    """It waits for a yes, or had a no."""
    if one.status == DECLINED:
        told = say("why_not.declined", id=one.id, day=one.decided[:10])
        return Reason("declined", told, line, place)
    moved = say("why_not.leaning", by=lean[like(one)]) if lean.get(like(one)) else ""
    told = say("why_not.suggested", id=one.id, worth=one.worth) + moved
    return Reason("suggested", told, line, place)


def _told(one: Weighed) -> Reason:
    entry = one.scored.entry
    failed = tuple(gate for gate in one.scored.gates if not gate.passed)
    if one.reason in GATES:
        lacks = "; ".join(
            say(
                "why_not.gate",
                name=said_with("gates", gate.name),
                value=number(gate.value),
                needs=number(gate.threshold),
                margin=number(gate.margin),
            )
            for gate in failed
        )
        recalled = say("why_not.recalled", n=entry.recalls) if entry.recalls else say("why_not.never_recalled")
        said = say("why_not.below", n=len(one.scored.counted.days), recalled=recalled, lacks=lacks)
        return Reason(f"below the gate: {failed[0].name}", said, entry.snippet, entry.place, one.scored.gates)
    if not one.reason:
        return Reason("on its way", say("why_not.on_its_way"), one.text, entry.place)
    word = {"budget": "over budget", "known": "in memory", "retired": "archived"}.get(one.reason, one.reason)
    return Reason(word, one.detail, entry.snippet, entry.place, one.scored.gates)


def _unranked(claims: Sequence[Statement]) -> Iterator[Reason]:
    """Lines that were read and are no candidates under these rules, such as those nobody has recalled."""
    for claim in claims:
        if holds_mask(claim.text):
            yield Reason("redacted", say("why_not.masked"), place=str(claim.source))
        else:
            yield Reason("not a candidate", say("why_not.no_candidate"), claim.text, str(claim.source))  # fmt: skip


def _means(asked: str, said: str) -> bool:
    """Whether a line is the one somebody asks about: it holds the words in a row, or nearly all of them."""
    if _in_a_row(asked, said):
        return True
    words = bag(asked)
    if len(words) < 2 or len(words & bag(said)) < NEARLY * len(words) or is_negated(asked) != is_negated(said):
        return False
    return not unsupported(asked, (said,))  # another name, number or day is another fact


def _says(asked: str, said: str) -> bool:
    """Whether a line says what is asked about: it holds the words in a row, or all of them in their order."""
    words = bag(asked)
    all_of_them = words <= bag(said) and (len(words) < _SENTENCE or in_order(said, words) == in_order(asked, words))
    return _in_a_row(asked, said) or (all_of_them and _means(asked, said))


def _in_a_row(asked: str, said: str) -> bool:
    wanted = plain(asked)
    return bool(wanted) and f" {wanted} " in f" {plain(said)} "
