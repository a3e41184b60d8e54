"""The disk is full, or broken, at every step. A run says so, and then nothing has happened or all of it will."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import laws
import pytest
from laws import EVENING, MORNING, Stage, leftovers, undisturbed, unlike, whole
from power import STEPS, FailingDisk, SteppedDisk

from reverie.apply.recover import recover
from reverie.core.errors import WriteFailed
from reverie.night import commands
from reverie.workspace.values import Workspace

NEEDS_ROOM = ("make_folder", "create", "rename", "place", "append")
FSYNC = ("sync", "sync_folder")


@pytest.mark.parametrize("forever", [False, True], ids=["once", "forever"])
@pytest.mark.parametrize(
    ("prepare", "code", "kinds"),
    [
        pytest.param(laws.first_night, errno.ENOSPC, NEEDS_ROOM, id="full"),
        pytest.param(laws.first_night, errno.EIO, FSYNC, id="fsync"),
        pytest.param(laws.first_night, errno.EIO, STEPS, id="broken"),
        pytest.param(laws.later_night, errno.EIO, STEPS, id="broken later"),
    ],
)
def test_a_disk_that_fails_at_any_step_costs_nothing(tmp_path, prepare, code, kinds, forever) -> None:  # type: ignore[no-untyped-def]
    stage: Stage = prepare(tmp_path)
    with stage.copied() as workspace:
        before = whole(workspace)
    nights = undisturbed(stage, laws.review)

    for workspace, failure in every_failure(stage, code, kinds, forever=forever):
        if failure is not None:
            assert (failure.exit_code, os.strerror(code) in str(failure)) == (13, True)
            happens = "is decided" in str(failure) and "The next `dream` command finishes it" in str(failure)
            assert happens or "Nothing was changed" in str(failure) or "could not be finished" in str(failure)
            recover(workspace, SteppedDisk())
            wanted = nights if happens else [before]
            assert whole(workspace) in wanted, unlike(whole(workspace), wanted)
        commands.review(workspace, MORNING, disk=SteppedDisk())
        assert whole(workspace) in nights, unlike(whole(workspace), nights)
        assert leftovers(workspace) == []
        commands.undo(workspace, MORNING, disk=SteppedDisk())
        assert whole(workspace) == before, unlike(whole(workspace), [before])


@pytest.mark.parametrize("forever", [False, True], ids=["once", "forever"])
def test_a_disk_that_fails_while_a_crash_is_mended_only_delays_it(tmp_path: Path, forever: bool) -> None:
    stage = laws.later_night(tmp_path)
    nights = undisturbed(stage, laws.review)
    for crash in (30, 60):
        at, failed = 0, True
        while failed:
            at += 2
            with stage.copied() as workspace:
                laws.cut(workspace, laws.review, crash, laws.Loses.NOTHING)
                disk = FailingDisk(errno.EIO, at, forever=forever)
                try:
                    commands.review(workspace, MORNING, disk=disk)
                except WriteFailed as failure:
                    assert "Input/output error" in str(failure)
                failed = disk.failed
                commands.review(workspace, MORNING, disk=SteppedDisk())
                assert whole(workspace) in nights, unlike(whole(workspace), nights)
                assert leftovers(workspace) == []


def test_a_full_disk_is_said_with_the_name_of_the_file(tmp_path: Path) -> None:
    with (
        laws.first_night(tmp_path).copied() as workspace,
        pytest.raises(
            WriteFailed,
            match=r"(?:plan\.json|\.dreams|runs|0001-\S+) could not be written \(No space left on device\)\. Nothing was",
        ),
    ):
        commands.review(workspace, EVENING, disk=FailingDisk(errno.ENOSPC, 1, ("create",), forever=True))


def test_a_disk_with_any_amount_of_room_left_loses_nothing(tmp_path: Path, tiny: Path) -> None:
    """A really full disk: from no free page at all up to as many as a night needs."""
    stage = laws.first_night(tmp_path)
    nights = undisturbed(stage, laws.review)
    said = []
    for pages in range(40):
        copy = tiny / f"case-{pages}"
        shutil.copytree(stage.folder, copy)
        workspace = laws.workspace_in(copy)
        before = whole(workspace)
        filler = fill(tiny, but=pages * 4096)
        try:
            commands.review(workspace, EVENING)
            said.append("done")
        except WriteFailed as failure:
            said.append("full")
            assert "No space left on device" in str(failure)
            if "Nothing was changed" in str(failure):
                assert {p: d for p, d in whole(workspace).items() if ".dream-tmp" not in p} == before
        filler.unlink()
        commands.review(workspace, MORNING)
        assert whole(workspace) in nights, unlike(whole(workspace), nights)
        assert leftovers(workspace) == []
        shutil.rmtree(copy)
    assert said == sorted(said, reverse=True)
    assert {*said} == {"full", "done"}


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a disk that is really full")
    folder = tmp_path / "tiny"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(folder: Path, *, but: int) -> Path:
    about = os.statvfs(folder)
    filler = folder / "filler"
    filler.write_bytes(b"\0" * max(0, about.f_bavail * about.f_frsize - but))
    return filler


def every_failure(
    stage: Stage, code: int, kinds: tuple[str, ...], *, forever: bool
) -> Iterator[tuple[Workspace, WriteFailed | None]]:
    """The workspace after a night on a disk that failed at one of its steps, and what the night said about it."""
    failing = [(at, step) for at, step in enumerate(laws.steps_of(stage), 1) if step.split()[0] in kinds]
    for at, step in failing[forever::2]:  # "once" and "forever" take turns
        with stage.copied() as workspace:
            disk, failure = FailingDisk(code, at, kinds, forever=forever), None
            try:
                commands.review(workspace, EVENING, disk=disk)
            except WriteFailed as error:
                failure = error
            print(f"The disk failed at step {at}: {step}. {failure}")
            yield workspace, failure
