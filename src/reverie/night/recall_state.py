"""The recall stores with their words. Ours keeps none: what an entry says is read again from the note it came from.

An entry is known by the hash of its words, so a line that moved inside its file is found, and one that was reworded or
deleted is not: such an entry says nothing any more and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from reverie.evidence.recall_store import staged_words, words_hash
from reverie.night.remember import LiveClaims
from reverie.workspace.openclaw_format import PeerRecall, PeerState, claim_hash, concept_tags
from reverie.workspace.openclaw_state import peer_state
from reverie.workspace.values import File, Statement, Workspace


def recall_state(
    workspace: Workspace, files: Mapping[str, File] | None = None, others: Iterable[Statement] = ()
) -> PeerState:
    """What the peer and we know of past recalls, in words. `files` are a snapshot's; `others` may say the same elsewhere."""
    state = peer_state(workspace)
    bare = [entry for entry in state.recalls.values() if not entry.snippet]
    if not bare:
        return state
    live, elsewhere = LiveClaims(workspace, files), {claim.key[:12]: claim for claim in others}
    found = {entry.key: _worded(entry, live, elsewhere) for entry in bare}
    recalls = {key: found.get(key, entry) for key, entry in state.recalls.items()}
    return replace(state, recalls=MappingProxyType({key: one for key, one in recalls.items() if one is not None}))


def _worded(entry: PeerRecall, live: LiveClaims, elsewhere: Mapping[str, Statement]) -> PeerRecall | None:
    """The entry with its words; None if nobody says them any more."""
    for claim in live(entry.path)[1].from_line(entry.first):
        if words := _meant(entry, claim):
            return replace(entry, snippet=words, tags=entry.tags or concept_tags(entry.path, words))
    if other := elsewhere.get(entry.claim):
        return replace(entry, snippet=other.text, tags=entry.tags or concept_tags(entry.path, other.text))
    return None


def _meant(entry: PeerRecall, claim: Statement) -> str:
    """The words of a claim in the form the entry counts them; nothing, if it is another claim."""
    if entry.claim in (claim.key[:12], words_hash(claim.text)):
        return claim.text
    staged = staged_words(claim)
    return staged if entry.claim == claim_hash(staged) else ""
