"""The distillation judgement, second half: update, add, or leave alone, against what MEMORY.md says already.

For every new claim the lines of MEMORY.md that may be about the same thing are found, and the judge says what the new
one does to the old: nothing, the same again, more of the same, another value, a correction, an end. Newer wins when it
is certain; what is unsure stays on both sides and becomes a question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from reverie.claim import Evidence
from reverie.lines import count_units
from reverie.markdown import Shape
from reverie.marks import is_footer, is_marked, is_open_matters
from reverie.model import Does, Entry, Finding, Origin, Snapshot, Source
from reverie.phases.advice import BY_MODEL, Advice
from reverie.phases.again import MET_AGAIN, RARE_AGAIN, is_repeated, repeats
from reverie.phases.compose import LONGEST, plain_line
from reverie.phases.consider import ONCE, Considered, consider
from reverie.phases.judge import RELATIONS, Related, judge_pairs
from reverie.phases.near import KEY, Near, anchored, anchors_of, key_of, same_key
from reverie.phases.place import Homes
from reverie.phases.relate import ENDS, UPDATES, Pair, is_over, names_key, relation, says_otherwise
from reverie.phases.signs_of_change import entry_id
from reverie.sections import STABLE
from reverie.sense import bag

ASKED = 0.5  # cosine from which the judge of pairs is asked
_STRANGERS = Related({name: float(name == "unrelated") for name in RELATIONS}, "unrelated")
SUCCESSOR = 0.25  # how likely a line must matter to take the place of one that does
NEAR = 0.55  # cosine from which two lines may be about the same thing


def distil(
    snapshot: Snapshot, evidence: Evidence, unwanted: Collection[str] = ()
) -> tuple[tuple[Finding, ...], Counter[str]]:
    """What should enter, change or leave MEMORY.md because of what is new, and how many claims were refused, by reason."""
    advice = Advice(evidence.counsel)
    considered = advice.heeded(consider(snapshot, evidence, unwanted))
    refused: Counter[str] = Counter(one.against or f"judged {one.judged.kind}" for one in considered if not one.wanted)
    pairs = pairs_with_memory(snapshot, [one for one in considered if not one.against], evidence, advice.wanted_pairs)
    taken, changed = _changes(snapshot, pairs, advice)
    changed += advice.merged_lines(snapshot, [finding.target.block.first for finding in changed if finding.target])
    leaving = {finding.target.block.first for finding in changed if finding.target}
    standing = [pair for pair in pairs if pair.entry.block.first not in leaving]
    already = {pair.new.claim.key for pair in standing if repeats(_near(pair, pair.new.line))}
    candidates = [one for one in considered if not one.against and (one.advised or one.judged.keep >= SUCCESSOR)]
    fresh = [one for one in newest_versions(candidates, evidence) if one.claim.key not in already | taken]
    homes = Homes(snapshot, evidence)
    added = [
        Finding(
            Does.ADD,
            "added",
            one.line,
            _why(one),
            one.observed.sources[:4],
            None,
            homes.home_of(one.line, one.judged.kind, one.claim.heading),
            max(one.judged.keep, ONCE if one.advised else 0.0) + 0.1 * min(one.days - 1, 5),
        )
        for one in fresh
    ]
    asked = advice.asked(snapshot, considered)
    return (*changed, *added, *asked), refused + advice.refused


def _why(one: Considered) -> str:
    if one.advised:
        return f"{one.judged.kind}, said on {one.claim.day or 'no day'}; {BY_MODEL} judged it worth keeping"
    said = f"said on {one.days} days" if one.days > 1 else f"said on {one.claim.day}" if one.claim.day else "said once"
    return f"{one.judged.kind}, {said}; worth keeping {one.judged.keep:.2f}"


def pairs_with_memory(
    snapshot: Snapshot,
    claims: Sequence[Considered],
    evidence: Evidence,
    also: Collection[tuple[str, str]] = (),
) -> list[Pair]:
    """Every (line of MEMORY.md, new claim) that may be about the same thing, judged; `also` are ids of more such pairs."""
    memory = snapshot.files.get(snapshot.memory_path)
    entries = [entry for entry in (memory.entries if memory else ()) if _may_change(entry)]
    if not entries or not claims or evidence.embedder is None:
        return []
    olds = [plain_line(entry.text) for entry in entries]
    news = [one.line or plain_line(one.claim.text) for one in claims]
    spread = anchors_of(olds)
    near = np.asarray(evidence.embedder.embed(news)) @ np.asarray(evidence.embedder.embed(olds)).T
    found = [
        (entries[j], one, float(near[i, j]), anchored(olds[j], news[i], spread), olds[j], news[i])
        for i, one in enumerate(claims)
        for j in range(len(entries))
        if near[i, j] >= NEAR
        or anchored(olds[j], news[i], spread)
        or names_key(olds[j], one.claim.text) == 1
        or (also and (entry_id(entries[j]), one.claim.key) in also)
    ]
    relations = _related([(old, new, cosine, anchors) for _, _, cosine, anchors, old, new in found], evidence)
    return [
        Pair(entry, one, related, cosine, anchors)
        for (entry, one, cosine, anchors, *_), related in zip(found, relations, strict=True)
    ]


def _related(pairs: Sequence[tuple[str, str, float, int]], evidence: Evidence) -> list[Related]:
    """What the judge says of pairs that are near enough for it to know; the others are strangers to each other."""
    near = [at for at, (_, _, cosine, anchors) in enumerate(pairs) if anchors >= 2 or cosine >= ASKED]
    embed = evidence.embedder.embed if evidence.embedder else None
    found = [_STRANGERS] * len(pairs)
    for at, related in zip(near, judge_pairs([pairs[at][:2] for at in near], embed), strict=True):
        found[at] = related
    return found


def _may_change(entry: Entry) -> bool:
    shapes = (Shape.BULLET, Shape.NUMBERED, Shape.ROW, Shape.PARAGRAPH)
    return entry.origin is Origin.OWNER and entry.block.shape in shapes and entry.block.tail == entry.block.end


def _near(pair: Pair, new: str) -> Near:
    waits = any(is_open_matters(heading) for heading in pair.entry.headings[-1:])
    return Near(
        pair.old, new, pair.related.relations, pair.cosine, pair.anchors, pair.related.met, pair.related.rare, waits
    )


def _changes(snapshot: Snapshot, pairs: Sequence[Pair], advice: Advice) -> tuple[set[str], list[Finding]]:
    """The lines of MEMORY.md that a new claim replaces or ends: for each the latest word, for each word its best line."""
    found: list[tuple[float, str, Pair]] = []
    for pair in pairs:
        if pair.entry.protected or is_marked(pair.entry.text) or is_footer(pair.entry.text):
            continue
        what, strength = advice.of_pair(pair, _near(pair, pair.new.claim.text))
        # The owner wrote the old line into memory: one that says of itself that it is otherwise now need not matter more.
        enough = (
            0.0 if strength >= 2.5 and says_otherwise(pair.new.claim.text) else 0.1 if strength >= 2.5 else SUCCESSOR
        )
        task = (
            pair.entry.block.checked is not None
        )  # a box is ticked or it goes; another text beside it is another task
        if pair.entry.block.shape is Shape.ROW and what == UPDATES and not says_otherwise(pair.new.claim.text):
            continue  # a row holds several facts, and that something else is gone says nothing about them
        if what == UPDATES and pair.new.judged.keep < enough and is_over(pair.new.claim.text) and pair.anchors >= 3:
            what = ENDS  # it is gone, and that it went is not worth a line
        if advice.wants(pair, what):
            enough = 0.0
        if what == ENDS or (what == UPDATES and not task and pair.new.line and pair.new.judged.keep >= enough):
            found.append((strength, what, pair))
    found = [one for one in found if not advice.outdated(one[2])]
    best: dict[str, float] = {}
    for strength, what, pair in found:
        best[what + pair.new.claim.key] = max(strength, best.get(what + pair.new.claim.key, 0.0))
    latest: dict[int, tuple[tuple[str, float], str, Pair]] = {}
    for strength, what, pair in found:
        if strength < best[what + pair.new.claim.key]:
            continue
        rank = (pair.new.claim.day, strength)
        if pair.entry.block.first not in latest or rank > latest[pair.entry.block.first][0]:
            latest[pair.entry.block.first] = rank, what, pair
    findings: list[Finding] = []
    taken: set[str] = set()
    for _, (_, what, pair) in sorted(latest.items()):
        findings += _change(snapshot, what, pair, taken, advised=advice.wants(pair, what))
    return taken, findings


def _change(snapshot: Snapshot, what: str, pair: Pair, taken: set[str], *, advised: bool) -> list[Finding]:
    claim, entry = pair.new.claim, pair.entry
    when = f" on {claim.day}" if claim.day else ""
    when += f", {BY_MODEL} says" if advised else ""
    here = Source(snapshot.memory_path, entry.source.first, entry.source.last)
    if what == ENDS:
        why = f"it ended{when}: “{pair.new.line[:80]}”"
        return [Finding(Does.ARCHIVE, "stale", entry.text, why, (claim.source, here), entry)]
    if claim.key in taken or not pair.new.line:
        return []
    taken.add(claim.key)
    why = f"superseded{when}"
    if entry.block.shape is Shape.ROW:  # a row of a table keeps the table's form; the new line stands below it
        section = entry.headings[-1] if entry.headings else STABLE
        return [
            Finding(Does.ARCHIVE, "superseded", entry.text, why, (claim.source, here), entry),
            Finding(Does.ADD, "superseded", pair.new.line, why, (claim.source,), section=section),
        ]
    line = with_key(pair.old, pair.new.line)
    sources = (claim.source,) if line == pair.new.line else (claim.source, here)
    return [Finding(Does.REPLACE, "superseded", line, why, sources, entry)]


def with_key(old: str, line: str) -> str:
    """The new line behind the key of the one whose place it takes, where it does not name it: “CI: green on …”."""
    found = KEY.match(old)
    if not key_of(old) or found is None or bag(key_of(old)) & bag(line) or any(map(str.isdigit, found["key"])):
        return line
    keyed = f"{found['key'].strip()}: {line}"
    return keyed if count_units(keyed) <= LONGEST else line


def newest_versions(candidates: Sequence[Considered], evidence: Evidence) -> list[Considered]:
    """The wanted ones of these claims: of several that say the same the most complete, of several values the newest.

    A claim that takes the place of a wanted one is wanted too, even if the judge would have passed it over.
    """
    if evidence.embedder is None:
        return [one for one in candidates if one.wanted]
    ordered = sorted(candidates, key=lambda one: (one.claim.day, one.claim.path, one.claim.first))
    lines, texts = [one.line for one in ordered], [plain_line(one.claim.text) for one in ordered]
    spread = anchors_of(lines)
    rows = np.asarray(evidence.embedder.embed(lines)) if lines else np.zeros((0, 1))
    near = rows @ rows.T
    pairs = [
        (i, j, anchored(lines[i], lines[j], spread, 4))
        for i in range(len(lines))
        for j in range(i + 1, len(lines))
        if near[i, j] >= NEAR or anchored(lines[i], lines[j], spread, 4) or same_key(lines[i], lines[j])
    ]
    relations = _related([(lines[i], lines[j], float(near[i, j]), anchors) for i, j, anchors in pairs], evidence)
    told = [
        Near(texts[i], texts[j], one.relations, float(near[i, j]), anchors, one.met, one.rare)
        for (i, j, anchors), one in zip(pairs, relations, strict=True)
    ]
    wanted: set[int] = {i for i, one in enumerate(ordered) if one.wanted}
    gone: set[int] = set()
    for (i, j, _), both in zip(pairs, told, strict=True):
        if not {i, j} & (wanted | gone) and echoes(ordered[i], ordered[j], both) and not relation(both)[0]:
            better, other = (i, j) if ordered[i].judged.keep >= ordered[j].judged.keep else (j, i)
            wanted.add(better)
            gone.add(other)
    for (i, j, _), both in zip(pairs, told, strict=True):
        if i not in wanted or i in gone or j in gone:
            continue
        if repeats(both):
            gone.add(j if len(bag(lines[j])) <= len(bag(lines[i])) or is_repeated(lines[j]) or j not in wanted else i)
        elif relation(both)[0] == UPDATES and ordered[i].claim.day < ordered[j].claim.day:
            gone.add(i)
            wanted.add(j)
    return [one for i, one in enumerate(ordered) if i in wanted - gone]


def echoes(one: Considered, other: Considered, near: Near) -> bool:
    """Two days speak of the same in other words, and together they are likely enough: a fact on two dates (seed 000)."""
    if one.claim.day == other.claim.day or one.against or other.against:
        return False
    if near.anchors < 2 or near.cosine < 0.5 or near.met < MET_AGAIN or near.rare < RARE_AGAIN:
        return False
    return 1 - (1 - one.judged.keep) * (1 - other.judged.keep) >= max(one.bar, other.bar)
