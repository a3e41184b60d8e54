"""The power is cut before every step of sealing and of opening: each file can be read, and the next start goes on."""

from __future__ import annotations

from pathlib import Path

import laws
import pytest
from laws import every_cut, leftovers
from power import Loses

from reverie.apply.files import Disk, read_bytes
from reverie.apply.recover import recover
from reverie.apply.seal import open_files, seal_files
from reverie.core.layout import STATE_DIR
from reverie.core.ports import Clock
from reverie.core.sealing import is_as_marked, mark_in
from reverie.workspace.values import Workspace


def readable(workspace: Workspace) -> dict[str, bytes | None]:
    """What every file of ours holds, sealed or not."""
    folders = (workspace.root / STATE_DIR, workspace.vault)
    files = ((one.name, path) for one in folders for path in one.rglob("*") if path.is_file())
    return {
        f"{name}/{path.name}": read_bytes(path)
        for name, path in files
        if path.name not in (".sealed", "lock") and ".dream-tmp" not in path.name
    }


@pytest.mark.parametrize(
    ("loses", "opening"), [(Loses.NAMES, False), (Loses.BYTES, False), (Loses.NAMES, True)], ids=str
)
def test_a_cut_leaves_every_file_readable_and_the_next_start_goes_on(
    tmp_path: Path, loses: Loses, opening: bool
) -> None:
    stage, key = laws.later_night(tmp_path), tmp_path / "dream.key"
    recover(laws.workspace_in(stage.folder))

    def act(workspace: Workspace, _clock: Clock, disk: Disk) -> object:
        return open_files(workspace, disk) if opening else seal_files(workspace, key, disk)

    if opening:
        seal_files(laws.workspace_in(stage.folder), key)
    with stage.copied() as workspace:
        before = readable(workspace)

    for workspace in every_cut(stage, act, loses):
        assert readable(workspace) == before

        recover(workspace)

        assert readable(workspace) == before and not leftovers(workspace)
        marks = {str(mark and mark.state) for mark in map(mark_in, (workspace.root / STATE_DIR, workspace.vault))}
        assert marks in ({"None"}, {"sealed"})
        assert all(is_as_marked(path) for path in workspace.vault.rglob("ledger*"))
