"""Nights led by a model, as a blind judge plays it: the brief goes out as text, the answer comes back, the scorer says what it is worth.

    REVERIE_GOLD=/path/to/gold python benchmarks/led.py make FOLDER     # FOLDER/CASE.brief.txt for every case
    REVERIE_GOLD=/path/to/gold python benchmarks/led.py score FOLDER    # with FOLDER/CASE.answer.json, and CASE.again.json
    REVERIE_GOLD=/path/to/gold python benchmarks/led.py alone FOLDER    # FOLDER/CASE/workspace, edited by hand and without us

Cases are those of REVERIE_GOLD (`gold.json`) and of `nights/` (`wanted.json`). Whoever answers gets the brief's text and nothing
else. What was refused is written to CASE.refused.txt; CASE.again.json is the second chance. Tokens are estimated by rule of thumb.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from gold import PARTS, _scorer  # the scripts beside this one
from nights import NIGHTS, harmed, renamed, statements
from reverie.core.ports import Clock, fixed
from reverie.judge.asker import estimate_tokens
from reverie.judge.by_agent import text_for_agent
from reverie.night.agent import keep_answer
from reverie.night.briefing import brief_of
from reverie.night.night import review
from reverie.surfaces.configure import configured
from reverie.workspace.values import Workspace


def cases() -> Iterator[tuple[str, Path, dict[str, Any]]]:
    folder = Path(os.environ["REVERIE_GOLD"])
    for path in (*sorted(folder.glob("*/gold.json")), *sorted(NIGHTS.glob("*/wanted.json"))):
        yield path.parent.name, path.parent, json.loads(path.read_text("utf-8"))


def opened(case: Path, labels: dict[str, Any], home: str) -> tuple[Workspace, Clock]:
    root = Path(home) / "workspace"
    shutil.copytree(case / "workspace", root)
    cache = str(Path(tempfile.gettempdir()) / "reverie-bench")
    workspace = configured(root, {"HOME": home, "XDG_CACHE_HOME": cache, "DREAM_MODEL": "agent"})
    return workspace, fixed(labels["now"], ZoneInfo(labels["timezone"]))


def make(folder: Path, only: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, case, labels in cases():
        if only not in name:
            continue
        with tempfile.TemporaryDirectory() as home:
            text = text_for_agent(brief_of(*opened(case, labels, home)))
        files = [path for path in (case / "workspace").rglob("*") if path.is_file()]
        whole = sum(estimate_tokens(path.read_bytes().decode("utf-8", "replace")) for path in files)
        (folder / f"{name}.brief.txt").write_text(text, "utf-8")
        print(f"{name:<18}{estimate_tokens(text):>8} tokens in the brief, {whole:>8} in the files")


def score(folder: Path, only: str) -> None:
    scorer = _scorer(Path(os.environ["REVERIE_GOLD"]))
    print(f"{'case':<18}" + "".join(f"{part[:9]:>10}" for part in PARTS) + f"{'harm':>6}{'refused':>9}")
    totals = []
    for name, case, labels in cases():
        answer = folder / f"{name}.answer.json"
        if answer.is_file() and only in name:
            totals.append(_night(folder, name, case, labels, scorer))
    print(f"{'mean':<18}{sum(totals) / max(1, len(totals)):>10.3f}")


def _night(folder: Path, name: str, case: Path, labels: dict[str, Any], scorer: Any) -> float:
    with tempfile.TemporaryDirectory() as home:
        workspace, clock = opened(case, labels, home)
        then, now = (folder / f"{name}.brief.txt").read_text("utf-8"), text_for_agent(brief_of(workspace, clock))
        taken = keep_answer(workspace, clock, renamed((folder / f"{name}.answer.json").read_text("utf-8"), then, now))
        refused = [f"{json.dumps(one.given, ensure_ascii=False)} — {one.why}" for one in taken.refused]
        if (again := folder / f"{name}.again.json").is_file():
            taken = keep_answer(workspace, clock, renamed(again.read_text("utf-8"), then, now))
            refused += [f"AGAIN {json.dumps(one.given, ensure_ascii=False)} — {one.why}" for one in taken.refused]
        night = review(workspace, clock)
        refused += [
            f"DROPPED {one.operation.op} {one.operation.text or one.operation.new} — {one.why}" for one in night.dropped
        ]
        (folder / f"{name}.refused.txt").write_text("\n".join(refused) + "\n", "utf-8")
        shutil.copytree(workspace.root, folder / f"{name}.after", dirs_exist_ok=True)
    return _scored(name, case, labels, folder / f"{name}.after", scorer, len(refused))


def alone(folder: Path, only: str) -> None:
    scorer = _scorer(Path(os.environ["REVERIE_GOLD"]))
    print(f"{'case':<18}" + "".join(f"{part[:9]:>10}" for part in PARTS) + f"{'harm':>6}")
    edited = [one for one in cases() if (folder / one[0] / "workspace").is_dir() and only in one[0]]
    totals = [_scored(name, case, labels, folder / name / "workspace", scorer) for name, case, labels in edited]
    print(f"{'mean':<18}{sum(totals) / max(1, len(totals)):>10.3f}")


def _scored(name: str, case: Path, labels: dict[str, Any], after: Path, scorer: Any, refused: int = 0) -> float:
    with tempfile.TemporaryDirectory() as home:
        labelled = Path(home) / "case"
        shutil.copytree(case, labelled)
        (labelled / "gold.json").write_text(json.dumps(labels), "utf-8")
        found = scorer.score(labelled, after)
    values = {**found.get("parts", found), "overall": found["overall"]}
    cells = "".join(f"{values[part]:>10.2f}" if values.get(part) is not None else f"{'-':>10}" for part in PARTS)
    hurt = harmed(labels, statements(case / "workspace"), statements(after))
    print(f"{name:<18}{cells}{len(hurt):>6}{refused or '':>9}", flush=True)
    for line in hurt:
        print("       HARM:", line)
    return float(found["overall"])


if __name__ == "__main__":
    {"make": make, "score": score, "alone": alone}[sys.argv[1]](
        Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else ""
    )
