"""One memory in other hosts' files: within their budget, their owner's words untouched."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import NOW, Make, answering, end, review
from reverie.errors import NotFound, ReverieError
from reverie.store.projections import project, refresh, unproject
from reverie.store.undo import undo

MEMORY = "## A\n- a1\n- a2\n- the pin of the card is 4711\n## Corrections\n- answers in German\n"
BLOCK = (
    "<!-- reverie:memory:start -->\n## Corrections\n- answers in German\n## A\n- a1\n- a2\n<!-- reverie:memory:end -->"
)


def test_a_block_follows_memory_and_leaves_what_stands_beside_it(workspace: Make, tmp_path: Path) -> None:
    layout, agents = workspace(MEMORY), tmp_path / "AGENTS.md"
    agents.write_bytes(b"# Mine\r\nmy rules")
    assert project(layout, str(agents)) == {str(agents): "written"}
    assert agents.read_bytes() == f"# Mine\nmy rules\n{BLOCK}\n".replace("\n", "\r\n").encode()
    review(layout, NOW, answering(end("m2")))
    assert b"a2" not in agents.read_bytes()
    undo(layout, NOW)
    assert b"a2" in agents.read_bytes()
    unproject(layout, str(agents))
    with pytest.raises(NotFound):
        unproject(layout, str(agents))


@pytest.mark.parametrize(
    "before", ["# Mine\r\nmy rules", "# Mine\r\nmy line\r\n", "x\n\n\n", "\n\n", "\n\nhello\r\nworld\r\n\r\n", "y"]
)
def test_what_is_taken_out_again_leaves_every_byte_as_it_was(workspace: Make, tmp_path: Path, before: str) -> None:
    layout, agents = workspace(MEMORY), tmp_path / "AGENTS.md"
    agents.write_bytes(before.encode())
    project(layout, str(agents))
    review(layout, NOW, answering(end("m2")))
    unproject(layout, str(agents))
    assert agents.read_bytes() == before.encode()


def test_a_block_that_somebody_touched_is_left_alone_and_told(workspace: Make, tmp_path: Path) -> None:
    layout, rule = workspace(MEMORY), tmp_path / "memory.mdc"
    project(layout, str(rule))
    assert rule.read_text().startswith("---\ndescription:")
    touched = rule.read_text().replace("- a1", "- a1, and mine")
    rule.write_text(touched)
    review(layout, NOW, answering(end("m2")))
    assert rule.read_text() == touched
    assert (
        "somebody changed" in refresh(layout)[str(rule)] and "somebody changed" in project(layout, str(rule))[str(rule)]
    )
    with pytest.raises(ReverieError, match="Somebody changed"):
        unproject(layout, str(rule))
    assert rule.read_text() == touched


def test_a_budget_is_kept_and_what_corrects_stays(workspace: Make, tmp_path: Path) -> None:
    layout, other = workspace("## A\n" + "- a long fact about tea\n" * 9 + MEMORY), tmp_path / "other.md"
    project(layout, str(other), budget=200)
    assert len(other.read_text()) <= 200 and "answers in German" in other.read_text()
