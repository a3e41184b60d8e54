"""What is written into a file after it was displaced: appended words are carried over, a rewritten file is kept whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import laws
import pytest
from laws import EVENING, MORNING
from power import BusyDisk

from reverie.apply.files import Disk
from reverie.apply.replace import left_behind
from reverie.features.status import kept_versions
from reverie.night import commands
from reverie.workspace.values import Edit, hash_bytes

TURNED = [Edit(id="e", path="MEMORY.md", at=0, old=("- gone\n",), new=("- new\n",), tag="t", why="w", sources=())]


@pytest.mark.parametrize(
    ("edits", "known", "late", "now", "wanted"),
    [
        ((), "- a\n", "- b\n", "- a\n", "- a\n- b\n"),
        ((), "- a\n", "- a\n", "- a\n", "- a\n- a\n"),  # said once more
        ((), "- a\n", "- b\n", "- a\n- b\n", "- a\n- b\n"),  # arrived before a crash
        ((), "- a", "- b\n", "- a", "- a\n- b\n"),  # nobody's line grows by another's words
        (TURNED, "- gone\n", "- new\n", "- new\n", "- new\n- new\n"),
        (TURNED, "# Top\n- gone\n", "- new\n", "# Top\n- new\n", "# Top\n- new\n- new\n"),  # the owner was there before
        (None, "- a\n", "- a\n", None, "- a\n"),  # the run took the file away
        ((), "- a\n", "- a\n- b\n", "", "- a\n- b\n"),  # the owner emptied it: only what came late comes back
    ],
)
def test_late_words_are_carried_over_once_for_every_time_they_were_said(
    tmp_path: Path, edits: Sequence[Edit] | None, known: str, late: str, now: str | None, wanted: str
) -> None:
    target, old = tmp_path / "MEMORY.md", tmp_path / f"old-0-{len(known)}-{hash_bytes(known.encode())[:8]}"
    old.write_text(known + late)
    if now is not None:
        target.write_text(now)

    for _ in range(2):  # a second look finds nothing more to say
        left_behind(target, edits, tmp_path / "old-0", Disk())
        assert target.read_text() == wanted


def test_a_program_that_rewrites_the_displaced_file_loses_nothing_and_the_owner_is_told(tmp_path: Path) -> None:
    with laws.first_night(tmp_path).copied() as workspace, (workspace.root / "MEMORY.md").open("r+") as file:

        def rewrite(kind: str, *paths: Path) -> None:
            if kind == "rename" and "MEMORY.md" in paths[0].name and paths[-1].name.startswith("old-"):
                file.truncate(0)
                file.write("# Kim, all anew\n")
                file.flush()

        commands.review(workspace, EVENING, disk=BusyDisk(after=rewrite))
        commands.review(workspace, MORNING)

        (kept,) = kept_versions(workspace.root)
        assert kept.of == "MEMORY.md"
        assert (workspace.root / kept.path).read_text().endswith("# Kim, all anew\n")
