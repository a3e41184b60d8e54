"""`make demo`: a night without a model and one with a recorded model, on copies of examples/workspace."""

from __future__ import annotations

import shutil
from datetime import datetime
from difflib import unified_diff
from pathlib import Path

from reverie.judge.brief import Judge
from reverie.judge.model import ScriptedModel, model_judge
from reverie.judge.rules import decide
from reverie.night import review
from reverie.store.undo import undo
from reverie.surfaces.show import report_lines
from reverie.workspace.layout import layout_of

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 15, 3)


def main() -> None:
    memory = (HERE / "workspace/MEMORY.md").read_text("utf-8")
    print(f"══ The memory before ══\n\n{memory}")
    play("without a model: only what form makes certain", decide)
    answer = (HERE / "answer.json").read_text("utf-8")
    play("led by a model (its answer was recorded)", model_judge(ScriptedModel(answer)))
    print("The copies are in .demo/. Look around: `.venv/bin/dream --workspace .demo/led why surveyor`.")


def play(title: str, judge: Judge) -> None:
    """One night on a copy: what it did and why, before and after, and that an undo brings every byte back."""
    root = Path(".demo") / ("rules" if judge is decide else "led")
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(HERE / "workspace", root)
    layout, memory = layout_of(root), root / "MEMORY.md"
    before = memory.read_bytes()
    print(f"\n══ A night {title} ══\n")
    print("\n".join(report_lines(review(layout, NOW, judge), dry_run=False)))
    lines = [text.decode("utf-8").splitlines(keepends=True) for text in (before, memory.read_bytes())]
    print("\nBefore and after:\n\n" + "".join(unified_diff(*lines, "before", "after", n=1)))
    undo(layout, NOW)
    print(f"`dream undo`: every byte is back: {memory.read_bytes() == before}")
    undo(layout, NOW, "2")
    print("`dream undo 2` (an undo is undone): the night stands again.")


if __name__ == "__main__":
    main()
