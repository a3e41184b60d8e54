"""What is written from private notes stays as private as they are, whoever looks for it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.core.durable import new_mode
from terminal import call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
NIGHT = "2026-11-15T03:00:00+01:00"


@pytest.fixture
def root() -> Iterator[Path]:
    """A workspace that everybody may enter, with private files in it; not below pytest's own folder, which is closed."""
    folder = Path(tempfile.mkdtemp(dir="/tmp", prefix="dream-private-"))
    folder.chmod(0o755)
    (folder / "memory").mkdir(mode=0o755)
    (folder / "memory").chmod(0o755)
    for path, text in {
        "MEMORY.md": "# Memory\n\n- The kiln burns at night.\n- The kiln burns at night.\n",
        "memory/2026-11-13.md": "- We decided to fire the kiln on Mondays.\n",
        "memory/2026-11-14.md": "- Lesson learned: the kiln needs a new door.\n",
    }.items():
        (folder / path).write_text(text, "utf-8")
        (folder / path).chmod(0o600)
    yield folder
    shutil.rmtree(folder)


def live(root: Path) -> None:
    """An evening, a night and a morning: everything that writes."""
    for words in (
        ["note", "The glaze is mixed on Tuesdays."],
        ["review", "--now", NIGHT],
        ["search", "kiln"],
        ["palace", "--rebuild"],
        ["classify", "--apply"],
        ["refine"],
        ["index", "A book about the kiln"],
        ["off"],
    ):
        call(*words, "--workspace", root, REVERIE_NOW=NIGHT)


def wider(root: Path, allowed: int) -> list[str]:
    """Files that somebody may read or write who may not read the notes."""
    files = (path for path in root.rglob("*") if path.is_file())
    return [str(path.relative_to(root)) for path in files if stat.S_IMODE(path.stat().st_mode) & ~allowed]


def test_nothing_that_a_night_writes_is_wider_than_the_notes(root: Path) -> None:
    live(root)

    assert len(list((root / "memory/.dreams/runs").iterdir())) > 1 and (root / "dream-vault/ledger.md").exists()
    assert wider(root, 0o600) == []
    folders = [path for path in root.rglob("*") if path.is_dir() and path != root / "memory"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv")
def test_another_user_reads_no_word_of_it(root: Path) -> None:
    live(root)

    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    found = subprocess.run([*nobody, "grep", "-rlE", "kiln|glaze|.", root], capture_output=True, text=True, check=False)

    assert "Permission denied" in found.stderr and found.stdout == ""


def test_one_private_note_is_enough_and_old_state_is_closed(root: Path) -> None:
    for path in (root / "MEMORY.md", root / "memory/2026-11-13.md"):
        path.chmod(0o644)
    (root / "memory/.dreams").mkdir(mode=0o755)
    (root / "memory/.dreams").chmod(0o755)

    live(root)

    assert set(wider(root, 0o600)) == {"MEMORY.md", "memory/2026-11-13.md"}  # what was there keeps its mode
    assert stat.S_IMODE((root / "memory/.dreams").stat().st_mode) == 0o700


def test_what_is_open_to_a_group_stays_open_to_it_as_far_as_the_umask_says(root: Path) -> None:
    root.chmod(0o770)
    for path in (root / "MEMORY.md", *(root / "memory").glob("*.md")):
        path.chmod(0o660)

    before = os.umask(0o027)
    try:
        live(root)
    finally:
        os.umask(before)

    assert stat.S_IMODE((root / "dream-vault/ledger.md").stat().st_mode) == 0o640
    assert stat.S_IMODE((root / "dream-vault").stat().st_mode) == 0o750
    assert stat.S_IMODE((root / "MEMORY.md").stat().st_mode) == 0o660


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_a_note_of_another_group_is_not_shown_to_ours(root: Path) -> None:
    root.chmod(0o770)
    for path in (root / "MEMORY.md", *(root / "memory").glob("*.md")):
        path.chmod(0o640)
    assert new_mode(root / "memory/new.md") == 0o640

    os.chown(root / "memory/2026-11-13.md", -1, 12_345)

    assert new_mode(root / "memory/new.md") == 0o600


def test_outside_every_workspace_only_the_owner_reads(tmp_path: Path) -> None:
    assert new_mode(tmp_path / "AGENTS.md") == 0o600
