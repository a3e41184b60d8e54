"""The power is cut while a night writes into Claude Code's memory folder, which is not ours: whole or not at all, and tidy after."""

from __future__ import annotations

from pathlib import Path

import laws
import pytest
from power import Loses

from reverie.apply.recover import recover
from reverie.workspace.values import Workspace

TOPIC = "---\nname: release\ndescription: the release\n---\n\n- Merge freeze until 2026-03-05.\n- Ana leads it.\n"


def kept(folder: Path) -> Workspace:
    home = folder / "memory"
    (home / "deep").mkdir(parents=True)
    (home / "MEMORY.md").write_text("- [Gone](gone.md)\n")
    (home / "deep" / "release.md").write_text(TOPIC)
    return Workspace(folder / "state", folder / "state" / "dream-vault", laws.SETTINGS, home=home)


def there(workspace: Workspace) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(workspace.folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("loses", [Loses.NOTHING, Loses.BYTES])
def test_a_night_that_is_cut_happens_whole_or_not_at_all(tmp_path: Path, loses: Loses) -> None:
    outcomes, at, finished = set(), 0, False
    while not finished:
        at += 3
        workspace = kept(tmp_path / str(at))
        before = there(workspace)
        finished = laws.cut(workspace, laws.review, at, loses) is None
        recover(workspace)
        after = there(workspace)
        assert after.keys() == before.keys()
        changed = {name for name in after if after[name] != before[name]}
        outcomes.add(len(changed))
        archived = workspace.vault / "ledger.md"
        assert not changed or "Merge freeze" in archived.read_text()
    assert outcomes == {0, 2}


def test_what_a_power_cut_left_without_a_record_is_swept(tmp_path: Path) -> None:
    workspace = kept(tmp_path)
    before = there(workspace)
    (workspace.folder / "deep" / ".release.md.0001-2026-11-15.dream-tmp").write_text("half")

    recover(workspace)

    assert there(workspace) == before
