"""What was undone, declined or deleted by hand does not come back; newer evidence may bring it back."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.ports import fixed
from reverie.core.settings import Diary, Review, Settings, Storage
from reverie.judge.brief import Brief
from reverie.judge.operation import Operation
from reverie.night import commands
from reverie.night.night import review
from reverie.workspace.values import Workspace
from wishes import Wishing, add, end, update

THINGS = ["boiler", "kiln", "lathe", "press", "anvil"]
MEMORY = "# Me\n\n## Workshop\n" + "".join(f"- The {thing} stands in room {n + 1}\n" for n, thing in enumerate(THINGS))
CHOSEN = st.dictionaries(st.integers(0, len(THINGS) - 1), st.sampled_from(["add", "update", "end"]), min_size=1)
QUIET = Settings(diary=Diary(enabled=False), storage=Storage(dream_log=False))


def said(n: int, what: str) -> str:
    thing = THINGS[n]
    return {
        "add": f"Odo mends the {thing} on the first of each month",
        "update": f"The {thing} stands in room {n + 40}",
        "end": f"The {thing} is sold and gone for good",
    }[what]


def wanting(chosen: dict[int, str]) -> Wishing:
    """A judge that wants the same every night in which the notes say it."""

    def wishes(brief: Brief) -> Iterator[Operation]:
        for n, what in chosen.items():
            cites = tuple(line.claim for line in brief.notes if line.claim.text == said(n, what))
            line = next(
                (m.entry for m in brief.memory if f"The {THINGS[n]} stands in room {n + 1}" == m.entry.text), None
            )
            if cites and what == "add":
                yield replace(add(said(n, what), "Workshop"), cites=cites)
            elif cites and line is not None:
                wish = update(line, f"room {n + 1}", f"room {n + 40}") if what == "update" else end(line)
                yield replace(wish, cites=cites)

    return Wishing(lambda brief: list(wishes(brief)))


@contextmanager
def told(chosen: dict[int, str], wanted: Settings = QUIET) -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "memory").mkdir()
        (root / "MEMORY.md").write_text(MEMORY, "utf-8")
        tell(root, "2026-11-14", chosen)
        yield Workspace(root, root / "dream-vault", wanted)


def tell(root: Path, day: str, chosen: dict[int, str]) -> None:
    (root / f"memory/{day}.md").write_text("".join(f"- {said(n, what)}\n" for n, what in chosen.items()), "utf-8")


def slept(workspace: Workspace, day: int, chosen: dict[int, str]) -> str:
    review(workspace, fixed(f"2026-11-{day}T03:00:00+01:00"), judge=wanting(chosen), force=True)
    return (workspace.root / "MEMORY.md").read_text("utf-8")


@settings(max_examples=15)
@given(CHOSEN)
def test_what_was_undone_comes_back_only_when_it_is_said_later(chosen: dict[int, str]) -> None:
    with told(chosen) as workspace:
        done = slept(workspace, 15, chosen)
        assert done != MEMORY
        commands.undo(workspace, fixed("2026-11-15T09:00:00+01:00"))

        tell(workspace.root, "2026-11-13", chosen)  # an older note tells the same once more
        assert slept(workspace, 16, chosen) == MEMORY

        tell(workspace.root, "2026-11-16", chosen)
        assert slept(workspace, 17, chosen) == done


@settings(max_examples=10)
@given(CHOSEN)
def test_what_was_declined_is_not_wanted_again(chosen: dict[int, str]) -> None:
    with told(chosen, replace(QUIET, review=Review(mode="propose"))) as workspace:
        night = review(workspace, fixed("2026-11-15T03:00:00+01:00"), judge=wanting(chosen))
        assert night.proposed
        commands.apply_plan(workspace, None, fixed("2026-11-15T09:00:00+01:00"), none=True)

        tell(workspace.root, "2026-11-13", chosen)
        assert slept(workspace, 16, chosen) == MEMORY


@settings(max_examples=10)
@given(st.integers(0, len(THINGS) - 1))
def test_what_the_owner_deleted_by_hand_stays_deleted(n: int) -> None:
    chosen = {n: "add"}
    with told(chosen) as workspace:
        assert said(n, "add") in slept(workspace, 15, chosen)
        (workspace.root / "MEMORY.md").write_text(MEMORY, "utf-8")

        tell(workspace.root, "2026-11-13", chosen)
        assert slept(workspace, 16, chosen) == MEMORY
