"""A projection is the old one or the new one, whole, whatever happens while it is written; and nobody's words are lost."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from power import BusyDisk, FailingDisk, Loses, PowerCut, PowerDisk, SteppedDisk

from conftest import Build
from reverie.core.settings import OtherHost, Settings
from reverie.features.projections.projections import refreshed
from reverie.workspace.values import Workspace

OLD, NEW = "- the mole is red\n", "- the mole is blue\n"
FIRST = {"claude-code": None, "agents-md": "Build with make.\n"}


@pytest.fixture(params=[(host, again) for host in FIRST for again in (False, True)], ids=str)
def scene(request: pytest.FixtureRequest, build: Build) -> Iterator[Callable[[], tuple[Workspace, Path]]]:
    """A workspace whose memory has changed, and the file that must follow; `again`: it was projected before."""
    host, again = request.param

    def make() -> tuple[Workspace, Path]:
        workspace = build({"MEMORY.md": OLD, "out/readme": ""})
        target = workspace.root / "out" / "other.md"
        if FIRST[host] is not None:
            target.write_text(str(FIRST[host]))
        one = OtherHost(path=str(target), host=host)
        workspace = replace(workspace, settings=replace(Settings(), project=(one,)))
        if again:
            refreshed(workspace)
            (workspace.root / "MEMORY.md").write_text(NEW)
        return workspace, target

    yield make


def content(target: Path) -> bytes | None:
    return target.read_bytes() if target.exists() else None


def after(scene: Callable[[], tuple[Workspace, Path]]) -> tuple[bytes | None, int]:
    """What the file becomes when nothing goes wrong, but for the id of the folder; and how many steps that takes."""
    workspace, target = scene()
    disk = SteppedDisk()
    refreshed(workspace, disk)
    return content(target), len(disk.took)


@pytest.mark.parametrize("loses", Loses)
def test_a_power_cut_leaves_the_old_or_the_new_and_the_next_run_completes_it(
    scene: Callable[[], tuple[Workspace, Path]], loses: Loses
) -> None:
    for step in range(1, after(scene)[1] + 1):
        workspace, target = scene()
        before = content(target)
        with pytest.raises(PowerCut):
            refreshed(workspace, PowerDisk(workspace, step, loses))

        torn = content(target)
        (found,) = refreshed(workspace)

        assert torn in (before, content(target))
        assert found.outcome == ("unchanged" if torn == content(target) and torn != before else "written")


def test_a_full_disk_leaves_the_old_one_and_nothing_beside_it(scene: Callable[[], tuple[Workspace, Path]]) -> None:
    for step in range(1, after(scene)[1] + 1):
        workspace, target = scene()
        before, disk = content(target), FailingDisk(errno.ENOSPC, step, ("create", "swap", "place"))

        (found,) = refreshed(workspace, disk)

        if disk.failed:
            assert (found.outcome, content(target)) == ("refused", before)
        assert not list(target.parent.glob(".*"))


def test_words_that_arrive_while_it_is_written_win(scene: Callable[[], tuple[Workspace, Path]]) -> None:
    workspace, target = scene()

    came: list[str] = []

    def somebody(kind: str, *_paths: Path) -> None:
        if kind in ("swap", "place") and not came:
            came.append(kind)
            target.write_bytes((content(target) or b"") + b"mine\n")

    (found,) = refreshed(workspace, BusyDisk(before=somebody))

    assert found.outcome == "refused" and "just now" in found.why
    assert (content(target) or b"").endswith(b"mine\n")
    assert not list(target.parent.glob(".*"))
