"""What the rules are unsure of, in small bundles for somebody who can judge it: a model, or the agent itself.

Only what may enter at all is shown: no secret, no quotation, no machine's line. Each new line comes with the lines of memory
that may be about the same thing. Who judges never sees a path.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from reverie.claim import Evidence
from reverie.counsel import Bundle, Shown
from reverie.language import language_of
from reverie.model import Entry, Snapshot
from reverie.phases.advice import UNDOUBTED, UNLIKELY
from reverie.phases.compose import plain_line
from reverie.phases.consider import Considered, consider
from reverie.phases.custom_rules import not_understood
from reverie.phases.judge import SURE
from reverie.phases.near import anchored, anchors_of
from reverie.phases.signs_of_change import entry_id, may_leave
from reverie.privacy.redact import holds_mask, holds_secret, redacted

AT_ONCE = 12  # new lines in one bundle: small enough that each gets a thought
# Lines that surely matter, and as many that surely do not, in each bundle: they show what its judge is worth.
CERTAIN = 3
NEAREST = 3  # lines of memory beside each
NEAR = 0.35  # cosine from which a line of memory is shown beside a new one


def unsure(
    snapshot: Snapshot, evidence: Evidence, unwanted: Collection[str] = (), most: int = 40
) -> tuple[Bundle, ...]:
    """At most `most` bundles of what is new and not certain: the least certain lines first, then told in their order."""
    considered = [one for one in consider(snapshot, evidence, unwanted) if not one.against and _may_be_shown(one.line)]
    entries = _entries(snapshot)
    near = _near(considered, entries, evidence)
    rules = not_understood(snapshot.workspace.settings.custom_rules)
    asked = [at for at, one in enumerate(considered) if _is_open(one, rules) or near[at]]
    asked.sort(key=lambda at: abs(considered[at].judged.keep - considered[at].bar))
    order = {at: nth for nth, at in enumerate(sorted(range(len(considered)), key=lambda at: _place(considered[at])))}
    asked = sorted(asked[: most * AT_ONCE], key=order.__getitem__)
    controls = _certain(considered, set(asked))
    language = language_of([one.line for one in considered])
    kinds = snapshot.workspace.settings.privacy.kinds
    out = []
    for start in range(0, len(asked), AT_ONCE):
        nth = start // AT_ONCE
        beside_them = [at for kind in controls for at in kind[nth * CERTAIN : (nth + 1) * CERTAIN]]
        part = sorted((*asked[start : start + AT_ONCE], *beside_them), key=order.__getitem__)
        beside = sorted({nth for at in part for nth in near[at]})
        out.append(
            Bundle(
                tuple(_new(considered[at], kinds) for at in part),
                tuple(_old(entries[nth], kinds) for nth in beside),
                tuple(redacted(rule, kinds) for rule in rules),
                language,
            )
        )
    return tuple(out)


def _place(one: Considered) -> tuple[str, str, int]:
    return one.claim.day, one.claim.path, one.claim.first


def _certain(considered: Sequence[Considered], asked: Collection[int]) -> tuple[list[int], list[int]]:
    """Lines about which there is no doubt, the clearest first: those that matter, and those that do not."""
    ranked = sorted((at for at in range(len(considered)) if at not in asked), key=lambda at: considered[at].judged.keep)
    low, high = UNDOUBTED
    matter = [at for at in reversed(ranked) if considered[at].judged.keep >= high and considered[at].wanted]
    return matter, [at for at in ranked if considered[at].judged.keep <= low]


def _is_open(one: Considered, rules: Sequence[str]) -> bool:
    """Neither all but certain nor hopeless; a rule in free words may be about any line."""
    return bool(rules) or UNLIKELY <= one.judged.keep < SURE


def _entries(snapshot: Snapshot) -> list[Entry]:
    memory = snapshot.files.get(snapshot.memory_path)
    return [entry for entry in (memory.entries if memory else ()) if may_leave(entry) and _may_be_shown(entry.text)]


def _near(considered: Sequence[Considered], entries: Sequence[Entry], evidence: Evidence) -> list[list[int]]:
    """For each new line the places of the lines of memory that may be about the same thing, nearest first."""
    if not considered or not entries:
        return [[] for _ in considered]
    news, olds = [one.line for one in considered], [plain_line(entry.text) for entry in entries]
    spread = anchors_of(olds)
    close = (
        np.asarray(evidence.embedder.embed(news)) @ np.asarray(evidence.embedder.embed(olds)).T
        if evidence.embedder
        else np.zeros((len(news), len(olds)), dtype=np.float32)
    )
    found = []
    for i, new in enumerate(news):
        scores = [(float(close[i, j]) + 0.2 * anchored(old, new, spread), j) for j, old in enumerate(olds)]
        best = sorted((score, j) for score, j in scores if score >= NEAR)[-NEAREST:]
        found.append([j for _, j in reversed(best)])
    return found


def _may_be_shown(text: str) -> bool:
    return bool(text.strip()) and not holds_secret(text) and not holds_mask(text)


def _new(one: Considered, kinds: frozenset[str]) -> Shown:
    claim = one.claim
    under = redacted(" > ".join(filter(None, (claim.heading, claim.parents))), kinds)
    return Shown(claim.key, redacted(one.line, kinds), "" if holds_mask(under) else under, claim.day)


def _old(entry: Entry, kinds: frozenset[str]) -> Shown:
    return Shown(
        entry_id(entry), redacted(plain_line(entry.text), kinds), redacted(" > ".join(entry.headings[-1:]), kinds)
    )
