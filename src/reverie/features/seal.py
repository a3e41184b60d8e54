"""`dream seal` and `dream unseal`: archive, runs, index and whatever else of ours holds words, encrypted where they lie.

Neither is a run: nothing of it can be undone but by the other command. MEMORY.md, notes and diary stay plain, for hosts read them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.seal import open_files, seal_files
from reverie.core.layout import STATE_DIR
from reverie.core.ports import Clock
from reverie.core.sealing import mark_in
from reverie.evidence.index import remove_index
from reverie.workspace.values import Workspace


@dataclass(frozen=True, slots=True)
class Sealing:
    """What it came to: how many files changed, and for which key (where it lies, and its public half)."""

    sealed: bool
    files: int = 0
    key: str = ""
    recipient: str = ""


def seal(workspace: Workspace, clock: Clock, key_file: Path | None = None) -> Sealing:
    """Turn it on. Where it is on, seal what is plain still; `key_file` then says where the key lies now."""
    with held(workspace.root, "seal", _moment(clock), workspace.settings.lock_wait):
        if mark_in(workspace.root / STATE_DIR) is None:
            recover(workspace)  # a run that a crash left must not put a plain file in place afterwards
        remove_index(workspace.root)  # derived: the next search builds it anew, sealed
        mark, files = seal_files(workspace, key_file)
    return Sealing(True, files, mark.key, mark.recipient)


def unseal(workspace: Workspace, clock: Clock) -> Sealing:
    """Turn it off. The key stays where it is: a backup may need it."""
    with held(workspace.root, "unseal", _moment(clock), workspace.settings.lock_wait):
        recover(workspace)
        remove_index(workspace.root)
        done = open_files(workspace)
    return Sealing(False) if done is None else Sealing(False, done[1], done[0].key, done[0].recipient)


def _moment(clock: Clock) -> str:
    return clock.now().isoformat(timespec="seconds")
