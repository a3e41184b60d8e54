"""Laws about a host's recall store: whatever stands in it, nights leave its bytes alone and an undo restores the rest."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import NIGHT, tree
from reverie.core.layout import LOCK, PEER_JOURNAL, PEER_RECALLS, PEER_SIGNALS
from reverie.core.ports import HashEmbedder, fixed
from reverie.core.settings import Settings
from reverie.features.schedule import recorded
from reverie.features.search import ask
from reverie.night.commands import plan_dream, undo
from reverie.workspace.values import Workspace

CLOCK = fixed(NIGHT)
LINES = st.sampled_from((
    "- Noor drinks green tea only", "- We decided: from now on the staging port is 4600", "- [x] order brass hands", "## Rules", "",
    "- 小明对花生过敏", "- the boat is sold", "- never deploy on a Friday", "- meeting at 10", "plain words about the houseboat in Gent",
))  # fmt: skip
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20))
KEYS = st.one_of(
    st.sampled_from(("memory:claim:0123456789ab", "memory:memory/2026-11-14.md:1:1", "memory:grounded:0123456789ab")),
    st.text(max_size=20),
)
ENTRIES = st.one_of(
    PLAIN,
    st.dictionaries(st.text(max_size=10), PLAIN, max_size=3),
    st.fixed_dictionaries(
        {
            "source": st.just("memory"),
            "path": st.sampled_from(("memory/2026-11-14.md", "memory/2026-11-13.md", "memory/gone.md", "../x")),
            "snippet": LINES.map(lambda line: line.removeprefix("- ")),
            "recallCount": st.integers(-1, 9),
            "dailyCount": st.integers(0, 3),
        },
        optional={
            "totalScore": st.floats(0, 9),
            "queryHashes": st.lists(st.text("0123456789abcdef", min_size=12, max_size=12), max_size=40),
            "recallDays": st.lists(st.sampled_from(("2026-11-14", "2026-10-01", "nonsense")), max_size=3),
            "claimHash": st.just("0123456789ab"),
            "lastRecalledAt": st.just("2026-11-14T09:00:00Z"),
            "promotedAt": st.just("2026-11-14T09:00:00Z"),
            "a field of the host": PLAIN,
        },
    ),
)
STORES = st.one_of(
    st.fixed_dictionaries(
        {"entries": st.dictionaries(KEYS, ENTRIES, max_size=8)}, optional={"version": PLAIN, "theirs": PLAIN}
    ),
    PLAIN,
)


def hosted(folder: str, memory: list[str], note: list[str], store: Any, signals: Any) -> Workspace:
    root = Path(folder)
    (root / PEER_RECALLS).parent.mkdir(parents=True)
    (root / "MEMORY.md").write_text("\n".join(memory), "utf-8")
    (root / "memory/2026-11-14.md").write_text("\n".join(note), "utf-8")
    (root / PEER_RECALLS).write_text(json.dumps(store, indent=3), "utf-8")
    (root / PEER_SIGNALS).write_text(json.dumps(signals), "utf-8")
    (root / PEER_JOURNAL).write_text('{"type":"memory.recall.recorded","query":"tea?"}\n{"torn', "utf-8")
    return replace(Workspace(root, root / "dream-vault", Settings()), embedder=HashEmbedder())


def everything(root: Path) -> dict[str, bytes]:
    return tree(root, without=(LOCK,))


def of_the_host(root: Path) -> list[bytes]:
    return [(root / path).read_bytes() for path in (PEER_RECALLS, PEER_SIGNALS, PEER_JOURNAL)]


@settings(max_examples=30)
@given(st.lists(LINES, max_size=6), st.lists(LINES, max_size=6), STORES, STORES)
def test_every_file_that_was_there_is_the_same_after_a_night_and_its_undo(
    memory: list[str], note: list[str], store: Any, signals: Any
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = hosted(folder, memory, note, store, signals)
        before, theirs = everything(workspace.root), of_the_host(workspace.root)

        plan_dream(workspace, CLOCK)
        assert everything(workspace.root) == before

        ask(workspace, workspace.embedder, CLOCK, "which port has staging")
        night = recorded.review(workspace, CLOCK)
        assert of_the_host(workspace.root) == theirs
        if night.run:
            undo(workspace, CLOCK)

        after = everything(workspace.root)
        assert {path: after.get(path) for path in before} == before


@settings(max_examples=15)
@given(st.lists(LINES, max_size=6), st.lists(LINES, max_size=6), STORES)
def test_a_night_without_a_run_changes_only_what_it_names(memory: list[str], note: list[str], store: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = hosted(folder, memory, note, store, {})
        for _ in range(3):
            before = everything(workspace.root)
            night = recorded.review(workspace, CLOCK)
            after = everything(workspace.root)
            changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
            if night.run is None:
                assert all(path.startswith(night.derived) for path in changed if not path.endswith(".lock"))
