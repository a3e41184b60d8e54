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
from laws import EVENING, MORNING, Stage, hold, hold_next_morning, memory_of, review
from power import STEPS, FailingDisk, SteppedDisk

from reverie.errors import WriteFailed
from reverie.workspace.layout import Layout

NEEDS_ROOM = ("make_folder", "create", "rename", "place", "append", "write_at")
FSYNC = ("sync", "sync_folder", "append")
Prepare = Callable[[Path], Stage]
every_length = pytest.mark.parametrize("forever", [False, True], ids=["once", "forever"])
every_failure = pytest.mark.parametrize(
    ("prepare", "code", "kinds"),
    [
        pytest.param(laws.first_night, errno.ENOSPC, NEEDS_ROOM, id="full"),
        pytest.param(laws.first_night, errno.EIO, FSYNC, id="fsync"),
        pytest.param(laws.topic_night, errno.EIO, STEPS, id="broken"),
        pytest.param(laws.later_night, errno.EIO, STEPS, id="broken later"),
    ],
)


@every_length
@every_failure
def test_a_disk_that_fails_at_any_step_costs_nothing(
    tmp_path: Path, prepare: Prepare, code: int, kinds: tuple[str, ...], forever: bool
) -> None:
    stage = prepare(tmp_path)
    earlier, nights = laws.before(stage), laws.undisturbed(stage, review)

    for _, layout, _ in failures(stage, code, kinds, forever=forever):
        hold(layout, earlier, nights)
        hold_next_morning(layout, earlier, nights)


@every_length
@every_failure
def test_what_is_said_about_a_disk_that_fails_is_true(
    tmp_path: Path, prepare: Prepare, code: int, kinds: tuple[str, ...], forever: bool
) -> None:
    """Every step is tried; what is wrong is said at once for all of them."""
    stage = prepare(tmp_path)
    earlier, nights = laws.before(stage, memory_of), laws.undisturbed(stage, review, memory_of)
    wrong = []

    for step, layout, failure in failures(stage, code, kinds, forever=forever):
        if failure is None:
            continue
        said, now = str(failure), memory_of(layout)
        assert (failure.exit_code, os.strerror(code) in said or "is decided" in said) == (16, True)
        laws.mend(layout)
        nothing = now == earlier == memory_of(layout)
        is_true = nothing if "Nothing was changed" in said else memory_of(layout) in nights
        wrong += [] if is_true else [f"{step}: {said}"]
    assert wrong == []


@every_length
def test_a_disk_that_fails_while_a_crash_is_mended_only_delays_it(tmp_path: Path, forever: bool) -> None:
    stage = laws.later_night(tmp_path)
    earlier, nights = laws.before(stage), laws.undisturbed(stage, review)
    for layout, _, _ in failing_mends(stage, forever=forever):
        hold(layout, earlier, nights)
        hold_next_morning(layout, earlier, nights)


@every_length
def test_what_is_said_about_a_disk_that_fails_while_a_crash_is_mended_is_true(tmp_path: Path, forever: bool) -> None:
    wrong = []
    for layout, earlier, said in failing_mends(laws.later_night(tmp_path), forever=forever):
        if "Nothing was changed" in said and memory_of(layout) != earlier:
            wrong.append(said)
    assert wrong == []


def test_a_full_disk_is_said_in_one_sentence_with_the_name_of_the_file(tmp_path: Path) -> None:
    with laws.first_night(tmp_path).copied() as layout, pytest.raises(WriteFailed) as failed:
        review(layout, EVENING, FailingDisk(errno.ENOSPC, 1, ("create",), forever=True))
    assert re.fullmatch(r".*MEMORY\S* could not be written \(No space left on device\)\. Nothing was changed\.", str(failed.value))


def test_a_disk_with_any_amount_of_room_left_loses_nothing(tmp_path: Path, tiny: Path) -> None:
    """A really full disk: from no free page at all up to as many as a night needs."""
    stage = laws.first_night(tmp_path)
    earlier, nights = laws.before(stage), laws.undisturbed(stage, review)
    outcomes = []
    for pages in range(0, 40, 1 if laws.EXPLORE else 2):
        copy = tiny / f"case-{pages}"
        shutil.copytree(stage.folder, copy)
        layout = laws.layout_in(copy)
        filler = fill(tiny, but=pages * 4096)
        try:
            laws.night.review(layout, EVENING)
            outcomes.append("done")
        except WriteFailed as failure:
            outcomes.append("full")
            assert "No space left on device" in str(failure)
        filler.unlink()
        hold(layout, earlier, nights)
        hold_next_morning(layout, earlier, nights)
        shutil.rmtree(copy)
    assert outcomes == sorted(outcomes, reverse=True)
    assert {*outcomes} == {"full", "done"}


def test_an_archive_that_fits_on_the_disk_only_in_part_is_not_taken_for_whole(tmp_path: Path) -> None:
    """A write may come back with fewer bytes than it was given; here the limit of a process cuts it, elsewhere the disk."""
    stage = laws.staged(tmp_path, laws.FILES | {"dream-vault/ledger.md": "# Ledger\n" + "What its owner wrote.\n" * 1000})
    earlier, nights = laws.before(stage), laws.undisturbed(stage, review)
    room = len(bytes(nights[0]["vault/ledger.md"])) - 500  # type: ignore[call-overload]
    with stage.copied() as layout:
        script = f"import laws, resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, -1)); laws.in_child()"
        words = [sys.executable, "-c", script, layout.root, layout.vault, EVENING.isoformat()]
        subprocess.run(words, cwd=Path(__file__).parent, capture_output=True, timeout=60)
        hold(layout, earlier, nights)
        hold_next_morning(layout, earlier, nights)


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


def failures(
    stage: Stage, code: int, kinds: tuple[str, ...], *, forever: bool
) -> Iterator[tuple[str, Layout, WriteFailed | None]]:
    """The workspace after a night on a disk that failed at one of its steps, and what the night said about it."""
    failing = [(at, step) for at, step in enumerate(laws.steps_of(stage), 1) if step.split()[0] in kinds]
    for at, step in failing if laws.EXPLORE else failing[forever::2]:  # "once" and "forever" take turns
        with stage.copied() as layout:
            disk, failure = FailingDisk(code, at, kinds, forever=forever), None
            try:
                review(layout, EVENING, disk)
            except WriteFailed as error:
                failure = error
            print(f"The disk failed at step {at}: {step}. {failure}")
            yield step, layout, failure


def failing_mends(stage: Stage, *, forever: bool) -> Iterator[tuple[Layout, laws.State, str]]:
    """The workspace after a crash and a start on a disk that fails, how it was between the two, and what was said."""
    for crash in (10, 14, 20):
        at, failed = 0, True
        while failed:
            at += 1 if laws.EXPLORE else 3
            with stage.copied() as layout:
                laws.cut(layout, review, crash, laws.Loses.NOTHING)
                earlier, said, disk = memory_of(layout), "", FailingDisk(errno.EIO, at, forever=forever)
                try:
                    review(layout, MORNING, disk)
                except WriteFailed as failure:
                    said = str(failure)
                failed = disk.failed
                yield layout, earlier, said
