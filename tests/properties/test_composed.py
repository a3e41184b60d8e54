"""Laws of classify, palace and sublimate: whatever MEMORY.md and a note hold, promises are kept and undo brings it back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import NIGHT, tree
from reverie.core.errors import OverBudget
from reverie.core.ports import fixed
from reverie.core.settings import Memory, Settings
from reverie.features.classify.classify import sort_memories
from reverie.features.palace import palace
from reverie.features.sublimate import sublimate
from reverie.night import commands
from reverie.workspace.values import Workspace

CLOCK = fixed(NIGHT)
LINES = st.sampled_from((
    "# Memory", "## Rules", "## About me", "## 项目", "## Projects", "## Links", "", "- 📌 pinned", "- Answers: short, no tables",
    "- **Harbour map** (tiles)", "  - Status: done", "  - Status: active", "  - [ ] ask Tom", "  - [x] 2026-10-02 handed over",
    "    - deeper still", "- [ ] order brass hands", "- [x] 2026-09-01 sold the plotter", "- 用 Postgres，端口 5433，因为便宜", "| a | b |", "|---|---|",
    "| keel | 10.0.0.5 |", "plain words about the houseboat in Gent", "> quoted", "```", "code()", "1. first of all we deploy on Tuesdays",
    "- [Role](memory/user/role.md) — analyst", "- [odd](x) [brackets] (and) **more**: yes", "~~struck~~ and then some", "- a\u2028b", "- \ud83d\ude00 emoji: 😀 here",
    "<!-- reverie:knowledge:start -->", "<!-- a comment -->", "- never deploy on a Friday, otherwise nobody sleeps", "---", "- 2026-10-26: price is 5,200 €",
))  # fmt: skip
TEXTS = st.lists(st.one_of(LINES, st.text(max_size=30).map(lambda text: "- " + text.replace("\r", ""))), max_size=25)


def made(folder: str, memory: list[str], note: list[str], shape: str) -> Workspace:
    root = Path(folder)
    (root / "memory").mkdir()
    (root / "MEMORY.md").write_bytes("\n".join(memory).encode("utf-8", "surrogatepass"))
    (root / "memory" / "2026-11-14.md").write_bytes("\n".join(note).encode("utf-8", "surrogatepass"))
    return Workspace(root, root / "dream-vault", Settings(memory=Memory(shape=shape)))


@settings(max_examples=60)
@given(TEXTS, TEXTS, st.sampled_from(("sections", "index")))
def test_every_memory_can_be_sorted_seen_and_ripened_and_every_byte_comes_back(
    memory: list[str], note: list[str], shape: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = made(folder, memory, note, shape)
        before = tree(workspace.root)

        runs = 0
        for compose in (
            lambda: sort_memories(workspace, CLOCK, apply=True),
            lambda: palace.rebuild(workspace, CLOCK),
            lambda: sublimate(workspace, CLOCK, apply=True),
        ):
            runs += bool(compose().run)
            assert compose().run is None

        for _ in range(runs):
            commands.undo(workspace, CLOCK)
        assert tree(workspace.root) == before


def test_an_index_that_cannot_fit_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    lines = ["# Memory", "", "## Links", *(f"- **Tool {i}:** does the thing number {i}" for i in range(60))]
    small = Settings(memory=Memory(shape="index", truncation=3_000))
    workspace = Workspace(tmp_path, tmp_path / "dream-vault", small)
    (tmp_path / "MEMORY.md").write_text("\n".join(lines))
    before = tree(tmp_path)

    with pytest.raises(OverBudget):
        sort_memories(workspace, CLOCK, apply=True)

    assert tree(tmp_path) == before
