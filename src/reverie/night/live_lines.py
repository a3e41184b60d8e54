"""What lines say, read from their files when somebody wants to see them: the index and the recall store keep no words.

A file is parsed once in a process and kept while it is the same; the files that were asked for longest ago leave first. An entry
of the recall store is known by the hash of its words, so a line that moved inside its file is found; what was reworded or deleted
says nothing any more and is left out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from types import MappingProxyType

from reverie.core.layout import LEDGER, TOMBSTONES, VAULT
from reverie.evidence.claims import FileClaims, claims_of, claims_when_looked_at
from reverie.evidence.recall_store import staged_words, words_hash
from reverie.judge.forgotten import Forgotten, read_stones, remembered, without_forgotten
from reverie.plan.ledger import ledger_lines, read_ledger
from reverie.privacy.redact import redacted
from reverie.workspace.openclaw_format import PeerRecall, PeerState, claim_hash, concept_tags
from reverie.workspace.openclaw_state import peer_state
from reverie.workspace.reader import read_one, read_workspace
from reverie.workspace.values import File, Group, Snapshot, Statement, Workspace, stated, to_bytes

MOST_LINES = 20_000  # kept in memory, of all workspaces of this process: about 20 MB
_Key = tuple[Path, Path, frozenset[str], frozenset[str], str]


class _ParsedFiles:
    """The files parsed last, by workspace and path."""

    def __init__(self) -> None:
        self._files: OrderedDict[_Key, tuple[str, FileClaims]] = OrderedDict()
        self._lines = 0
        self._lock = Lock()  # a recall asks from a thread of its own

    def get(self, key: _Key) -> tuple[str, FileClaims] | None:
        with self._lock:
            if found := self._files.get(key):
                self._files.move_to_end(key)
            return found

    def put(self, key: _Key, digest: str, claims: FileClaims) -> None:
        with self._lock:
            old = self._files.pop(key, None)
            self._files[key] = digest, claims
            self._lines += len(claims) - (len(old[1]) if old else 0)
            while self._lines > MOST_LINES and len(self._files) > 1:
                self._lines -= len(self._files.popitem(last=False)[1][1])


_KEPT = _ParsedFiles()


class LiveClaims:
    """The claims of one workspace's files. `files`, where given, are taken instead of what stands on the disk."""

    def __init__(self, workspace: Workspace, files: Mapping[str, File] | None = None) -> None:
        self._workspace, self._files = workspace, files
        self._kinds = workspace.settings.privacy.kinds
        self.gone = forgotten_of(workspace)

    def __call__(self, path: str, digest: str = "") -> tuple[str, FileClaims]:
        """The claims of a file, and the hash of what they were read from. With `digest`, what is kept of it is enough."""
        known = _KEPT.get(self._key(path))
        if known and known[0] == digest:
            return known
        file = self._files.get(path) if self._files is not None else read_one(self._workspace, path)
        if not isinstance(file, File):
            return "", FileClaims(())
        if known and known[0] == file.hash:
            return known
        return file.hash, self.kept(file)

    def kept(self, file: File) -> FileClaims:
        """The claims of a file, kept for the next who asks."""
        claims = (
            FileClaims(list(claims_in(file, self._kinds, self.gone)))
            if file.path.startswith(VAULT)
            else claims_when_looked_at(without_forgotten(file, self.gone), self._kinds)
        )
        _KEPT.put(self._key(file.path), file.hash, claims)
        return claims

    def _key(self, path: str) -> _Key:
        return self._workspace.root, self._workspace.vault, self._kinds, self.gone.names, path


def forgotten_of(workspace: Workspace) -> Forgotten:
    """What the owner wants forgotten, as it stands on the disk now."""
    file = read_one(workspace, TOMBSTONES)
    return Forgotten(read_stones(file.text)) if isinstance(file, File) else Forgotten()


def read_remembered(
    workspace: Workspace, previous: Snapshot | None = None, on_read: Callable[[int], None] | None = None
) -> Snapshot:
    """The workspace as it is now, without what was forgotten for ever: what whoever decides, tells or shows something reads."""
    return remembered(read_workspace(workspace, previous, on_read))


def claims_in(file: File, kinds: frozenset[str], gone: Forgotten) -> Iterator[Statement]:
    """The claims of a file; those of the ledger are its blocks."""
    if file.path.startswith(VAULT):
        yield from (claim for claim in _archived(file, kinds) if not gone.is_gone(claim.text))
    else:
        yield from claims_of(without_forgotten(file, gone), kinds)


def _archived(file: File, kinds: frozenset[str]) -> Iterator[Statement]:
    if file.path != LEDGER:
        yield from claims_of(file, kinds)
        return
    for block, line in zip(read_ledger(file.text), ledger_lines(file.text), strict=True):
        text = redacted(to_bytes(" ".join(" ".join(block.content).split())).decode("utf-8", "replace"), kinds)
        yield stated(
            LEDGER, line, line, text, f"{block.id} {block.category}", "", block.archived[:10], group=Group.ARCHIVE.value
        )


Progress = Callable[[int], None]


def recall_state(
    workspace: Workspace, files: Mapping[str, File] | None = None, others: Iterable[Statement] = ()
) -> PeerState:
    """What the peer and we know of past recalls, in words. `files` are a snapshot's; `others` may say the same elsewhere."""
    state = peer_state(workspace)
    live, elsewhere = LiveClaims(workspace, files), {claim.key[:12]: claim for claim in others}
    bare = [entry for entry in state.recalls.values() if not entry.snippet]
    if not bare and not live.gone.for_good:
        return state
    found: dict[str, PeerRecall | None] = {entry.key: _worded(entry, live, elsewhere) for entry in bare}
    found |= {key: None for key, entry in state.recalls.items() if entry.snippet and live.gone.is_gone(entry.snippet)}
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
