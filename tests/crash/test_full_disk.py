"""The disk is full, or broken, at every step. A run says so, and then nothing has happened or all of it will."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import laws
import pytest
from laws import EVENING, EXPLORE, MORNING, Stage, hold, memory_of, review
from power import STEPS, FailingDisk, Loses

from reverie.errors import WriteFailed
from reverie.store.disk import Disk
from reverie.workspace.layout import Layout

NEEDS_ROOM = ("make_folder", "create", "rename", "place", "append", "write_at")
FSYNC = ("sync", "sync_folder", "append")
Prepare = Callable[[Path], Stage]
every_length = pytest.mark.parametrize("forever", [False, True], ids=["once", "forever"])
every_failure = pytest.mark.parametrize(
    ("prepare", "code", "kinds", "crash"),  # a crash: the night is being mended when the disk fails
    [
        pytest.param(laws.first_night, errno.ENOSPC, NEEDS_ROOM, 0, id="full"),
        pytest.param(laws.first_night, errno.EIO, FSYNC, 0, id="fsync"),
        pytest.param(laws.topic_night, errno.EIO, STEPS, 0, id="broken"),
        pytest.param(laws.later_night, errno.EIO, STEPS, 0, id="broken later"),
        pytest.param(laws.later_night, errno.EIO, STEPS, 10, id="broken while mending"),
        pytest.param(laws.later_night, errno.EIO, STEPS, 14, id="broken while finishing"),
    ],
)


@every_length
@every_failure
def test_a_disk_that_fails_at_any_step_costs_nothing(
    tmp_path: Path, prepare: Prepare, code: int, kinds: tuple[str, ...], crash: int, forever: bool
) -> None:
    stage = prepare(tmp_path)
    earlier, nights = laws.before(stage), laws.undisturbed(stage, review)
    for layout, _, _ in failures(stage, code, kinds, crash, forever=forever):
        hold(layout, earlier, nights)


@every_length
@every_failure
def test_what_is_said_about_a_disk_that_fails_is_true(
    tmp_path: Path, prepare: Prepare, code: int, kinds: tuple[str, ...], crash: int, forever: bool
) -> None:
    """Every step is tried; what is wrong is shown at once for all of them."""
    stage, wrong = prepare(tmp_path), []
    nights = laws.undisturbed(stage, review, memory_of)
    for layout, earlier, failure in failures(stage, code, kinds, crash, forever=forever):
        if failure:
            assert (failure.exit_code, os.strerror(code) in str(failure) or "is decided" in str(failure)) == (16, True)
            now = memory_of(layout)
            laws.mend(layout)
            is_true = now == earlier if "Nothing was changed" in str(failure) else memory_of(layout) in nights
            wrong += [] if is_true else [str(failure)]
    assert wrong == []


def test_a_full_disk_is_said_in_one_sentence_with_the_name_of_the_file(tmp_path: Path) -> None:
    with laws.first_night(tmp_path).copied() as layout, pytest.raises(WriteFailed) as failed:
        review(layout, EVENING, FailingDisk(errno.ENOSPC, 1, ("create",), forever=True))
    wanted = r".*MEMORY\S* could not be written \(No space left on device\)\. Nothing was changed\."
    assert re.fullmatch(wanted, str(failed.value))


def test_a_disk_with_any_amount_of_room_left_loses_nothing(tmp_path: Path, tiny: Path) -> None:
    """A really full disk: from no free page at all up to as many as a night needs."""
    stage = laws.first_night(tmp_path)
    earlier, nights, outcomes = laws.before(stage), laws.undisturbed(stage, review), []
    for pages in range(0, 40, 1 if EXPLORE else 3):
        shutil.copytree(stage.folder, tiny / "case")
        layout = stage.layout_in(tiny / "case")
        about = os.statvfs(tiny)
        (tiny / "filler").write_bytes(b"\0" * max(0, about.f_bavail * about.f_frsize - pages * 4096))
        try:
            review(layout, EVENING, Disk())
            outcomes.append("done")
        except WriteFailed as failure:
            outcomes.append("full")
            assert "No space left on device" in str(failure)
        (tiny / "filler").unlink()
        hold(layout, earlier, nights)
        shutil.rmtree(tiny / "case")
    assert outcomes == sorted(outcomes, reverse=True)
    assert {*outcomes} == {"full", "done"}


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a disk that is really full")
    (tmp_path / "tiny").mkdir()
    words: list[str | Path] = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path / "tiny"]
    if (mounted := subprocess.run(words, capture_output=True, text=True)).returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    yield tmp_path / "tiny"
    subprocess.run(["umount", "-l", tmp_path / "tiny"], check=True)


def test_an_archive_that_fits_on_the_disk_only_in_part_is_not_taken_for_whole(tmp_path: Path) -> None:
    """A write may take fewer bytes than it was given, and say so: here a limit of the process cuts it, elsewhere the disk."""
    ledger = "# Ledger\n" + "What its owner wrote.\n" * 1000
    stage = laws.staged(tmp_path, laws.FILES | {"dream-vault/ledger.md": ledger})
    earlier, nights = laws.before(stage), laws.undisturbed(stage, review)
    script = f"import laws, resource as r; r.setrlimit(r.RLIMIT_FSIZE, ({len(ledger) + 300}, -1)); laws.in_child()"
    with stage.copied() as layout:
        words: list[str | Path] = [sys.executable, "-c", script, layout.root, layout.vault, EVENING.isoformat()]
        subprocess.run(words, cwd=Path(__file__).parent, capture_output=True, timeout=60)
        hold(layout, earlier, nights)


def failures(
    stage: Stage, code: int, kinds: tuple[str, ...], crash: int, *, forever: bool
) -> Iterator[tuple[Layout, laws.State, WriteFailed | None]]:
    """The workspace after a night (or, after a crash, a start) on a disk that failed at one of its steps; the owner's bytes
    as they were just before that, and what the command said."""
    steps = laws.steps_of(stage)
    failing = [at for at, step in enumerate(steps, 1) if crash or step.split()[0] in kinds]
    for at in failing if EXPLORE else failing[2 * forever :: 4]:  # "once" and "forever" take turns
        with stage.copied() as layout:
            if crash:
                laws.cut(layout, review, crash, Loses.NOTHING)
            earlier, failure, disk = memory_of(layout), None, FailingDisk(code, at, kinds, forever=forever)
            try:
                review(layout, MORNING if crash else EVENING, disk)
            except WriteFailed as error:
                failure = error
            print(f"The disk failed at step {at} of {len(steps)}. {failure}")
            yield layout, earlier, failure
