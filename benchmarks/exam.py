"""The exam of a model (`dream model exam`) with answers from files: blind judges sit it here, careless ones too.

    python benchmarks/exam.py make FOLDER     # FOLDER/SCENE.prompt.txt: all that a model is told about one scene
    python benchmarks/exam.py score FOLDER    # with FOLDER/SCENE.answer.json, and SCENE.again.json as the second chance

A scene without an answer counts as one in which nothing is wanted. What was refused is written to SCENE.refused.txt.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from reverie.judge.answer import value_of
from reverie.judge.brief_text import windows
from reverie.judge.built_in import BuiltIn
from reverie.judge.by_model import checked, question
from reverie.judge.checks import refusal
from reverie.judge.exam import Marks, added, briefs, harm_share, marked, passes, score
from reverie.judge.operation import Operation
from reverie.surfaces.configure import configured

EMBEDDER = configured(Path(__file__).parent, {}).embedder


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, brief in briefs():
        (only,) = windows(brief, 24_000)
        asked = question(only)
        (folder / f"{name}.prompt.txt").write_text(f"{asked.system}\n{asked.user}", "utf-8")


def graded(folder: Path) -> None:
    mine, own = [], []
    for name, brief in briefs(EMBEDDER):
        wanted = _answered(folder, name)
        mine.append(marked(name, wanted))
        own.append(marked(name, [one for one in BuiltIn().judge(brief).operations if not refusal(one, brief)]))
        print(f"{name:<24}{_told(mine[-1])}   built-in {_told(own[-1])}")
    verdict = "passes" if passes(mine, own) else "does not pass"
    print(
        f"{score(mine):.2f} (built-in {score(own):.2f}), harm {harm_share(mine):.3f} of {_told(added(mine))}: {verdict}"
    )


def _answered(folder: Path, name: str) -> list[Operation]:
    brief = dict(briefs(EMBEDDER))[name]
    found: list[Operation] = []
    refused: list[str] = []
    for end in ("answer", "again"):
        path = folder / f"{name}.{end}.json"
        if path.is_file():
            good, bad = checked(value_of(path.read_text("utf-8")).value, brief, "model")
            found += [one for one in good if one.id not in {other.id for other in found}]
            refused += [f"{json.dumps(one.given, ensure_ascii=False)} — {one.why}" for one in bad]
    (folder / f"{name}.refused.txt").write_text("\n".join(refused), "utf-8")
    return found


def _told(marks: Marks) -> str:
    return f"right {marks.right:>3} of {marks.wanted:>3}, wrong {marks.wrong:>2}, harm {marks.harm:>2}"


if __name__ == "__main__":
    {"make": make, "score": graded}[sys.argv[1]](Path(sys.argv[2]))
