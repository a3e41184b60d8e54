"""What its owner takes back is not told as if it still held: without a model it is a suggestion that recall and search respect."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import NIGHT, Build
from tests.wishes import Wishing, end

from reverie.core.ports import fixed
from reverie.evidence.embedders import StaticEmbedder
from reverie.features.recall.recall import recall
from reverie.features.search import ask
from reverie.judge.operation import Op
from reverie.night.night import review
from reverie.night.suggesting import accept, suggestions
from reverie.workspace.values import Workspace

CLOCK = fixed(NIGHT)
NOTE = "memory/2026-11-14.md"
BESIDE = "- The kiln stands in the shed\n- Lunch is at noon\n"


@pytest.fixture
def told(build: Build):  # type: ignore[no-untyped-def]
    """A memory with one line, and a note of the next day that says something about it; a night has been."""

    def tell(memory: str, note: str) -> Workspace:
        files: dict[str, str | bytes] = {
            "MEMORY.md": f"# Memory\n\n## Facts\n\n- {memory}\n{BESIDE}",
            "memory/.last_dream": "2026-11-13T03:00:00+01:00\n",
            NOTE: f"# 2026-11-14\n\n- {note}\n",
        }
        workspace = build(files)
        workspace = replace(workspace, embedder=StaticEmbedder(Path(workspace.root.parent)))
        review(workspace, CLOCK)
        return workspace

    return tell


TAKEN_BACK = [
    ("Owner has a sister called Vera in Leeds", "I do not have a sister", "Does the owner have a sister?"),
    ("主人每天喝乌龙茶", "我不再喝乌龙茶了", "主人喝乌龙茶吗？"),
    (
        "Owner goes to the Ironside gym twice a week",
        "I don't go to the Ironside gym any more",
        "Does the owner go to a gym?",
    ),
]


@pytest.mark.parametrize(("memory", "note", "question"), TAKEN_BACK)
def test_it_waits_for_a_yes_and_is_told_as_contradicted_meanwhile(told, memory: str, note: str, question: str) -> None:  # type: ignore[no-untyped-def]
    workspace = told(memory, note)

    card = next(card for card in suggestions(workspace, CLOCK) if card.op is Op.END)
    assert (card.lines[0].text, card.said[0].text) == (memory, note)
    assert memory in (workspace.root / "MEMORY.md").read_text()
    for fact in recall(workspace, CLOCK, question).facts:
        assert memory not in fact.text or "contradicted by" in fact.text or NOTE in fact.text
    for hit in ask(workspace, workspace.embedder, CLOCK, memory).hits:
        assert hit.claim.text != memory or (hit.current, hit.superseded_by) == (False, f"{NOTE}:3")
    accept(workspace, CLOCK, card.id)
    assert memory not in (workspace.root / "MEMORY.md").read_text()


STILL_TRUE = [
    ("Owner plays the cello in the evening", "No cello tonight, a string broke", "What does the owner play?"),
    ("Owner has two children", "The children don't like spinach", "Does the owner have children?"),
]


@pytest.mark.parametrize(("memory", "note", "question"), STILL_TRUE)
def test_a_line_that_still_holds_is_still_told(told, memory: str, note: str, question: str) -> None:  # type: ignore[no-untyped-def]
    workspace = told(memory, note)

    assert memory in (workspace.root / "MEMORY.md").read_text()
    assert any(memory in fact.text for fact in recall(workspace, CLOCK, question).facts)


def test_a_note_with_a_new_value_changes_the_line_and_does_not_end_it(build: Build) -> None:
    memory = "# 记忆\n\n## 项目\n- **网关端口：** 8443，部署在 heron\n- **发版日：** 周四晚上\n"
    workspace = build({"MEMORY.md": memory, NOTE: "## 记录\n- 网关端口改成 9443 了，还是在 heron\n"})
    workspace = replace(workspace, embedder=StaticEmbedder(Path(workspace.root.parent)))

    review(workspace, CLOCK)

    assert [(card.op, card.old, card.new) for card in suggestions(workspace, CLOCK)] == [(Op.UPDATE, "8443", "9443")]


def test_before_any_night_what_was_said_since_is_told_first(build: Build) -> None:
    memory, note, question = TAKEN_BACK[2]
    workspace = build(
        {
            "MEMORY.md": f"# Memory\n\n## Facts\n\n- {memory}\n{BESIDE}",
            "memory/.last_dream": "2026-11-13T03:00:00+01:00\n",
            NOTE: f"# 2026-11-14\n\n- {note}\n",
        }
    )
    found = recall(replace(workspace, embedder=StaticEmbedder(Path(workspace.root.parent))), CLOCK, question)

    assert [fact.text for fact in found.facts] == [
        f"2026-11-14: {note}",
        f"{memory} (contradicted by {NOTE}:3, 2026-11-14)",
    ]


def test_a_judge_that_leads_may_end_the_line_by_citing_it(build: Build) -> None:
    memory, note, _ = TAKEN_BACK[0]
    workspace = build({"MEMORY.md": f"# Memory\n\n- {memory}\n{BESIDE}", NOTE: f"# 2026-11-14\n\n- {note}\n"})
    judge = Wishing(
        lambda brief: [
            end(line.entry, cites=(brief.notes[0].claim,), by="model", tag="superseded")
            for line in brief.memory
            if brief.notes and memory in line.text
        ]
    )

    review(workspace, CLOCK, judge=judge)
    assert memory not in (workspace.root / "MEMORY.md").read_text()
