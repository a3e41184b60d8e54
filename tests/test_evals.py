"""The labelled nights: the same figures in every run, and a scorer that sees what it is there to see."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

EVALS = Path(__file__).parents[1] / "evals"
LED, UNLED = EVALS / "nights/de-verein", EVALS / "nights/zh"


def printed(script: str, *words: str | Path, seed: str = "0") -> dict[str, Any]:
    command, environ = [sys.executable, str(EVALS / script), *map(str, words)], os.environ | {"PYTHONHASHSEED": seed}
    shown = subprocess.run(command, capture_output=True, check=True, env=environ).stdout
    return json.loads(shown)  # type: ignore[no-any-return]


def test_the_rows_of_two_cases_are_the_same_in_every_run() -> None:
    first, second = (printed("run.py", LED, UNLED, "--json", seed=seed) for seed in "12")
    assert first == second
    nothing, copied, by_rules, led, also_nothing, also_copied, also_by_rules = first["rows"]
    careful = [row for row in first["rows"] if row["judge"] != "copied"]
    assert [row["harm"] + row["leaks"] + row["notes_changed"] for row in careful] == [[]] * 5
    assert copied["leaks"] and copied["overall"] < by_rules["overall"] > also_copied["overall"]
    assert nothing["counts"] == also_nothing["counts"] == {"new": 0, "good": 0, "reworded": 0}
    assert nothing["overall"] < 0.1 < by_rules["overall"] < 0.9 < led["overall"]
    assert also_nothing["overall"] < 0.1 < also_by_rules["overall"] < 0.9


def test_a_sequence_sees_each_night_only_what_was_written_by_then(tmp_path: Path) -> None:
    case = shutil.copytree(UNLED, tmp_path / "case")
    gold = json.loads((case / "gold.json").read_text("utf-8"))
    first, *_, last = sorted((case / "workspace/memory").glob("20*.md"))
    sequence = gold | {"nights": [f"{note.stem}T23:00:00" for note in (first, last)]}
    (case / "gold.json").write_text(json.dumps(sequence), "utf-8")
    said = max(last.read_text("utf-8").split("\n"), key=len).lstrip("- ")
    answer = {"lines": {"n1": said}, "operations": [{"op": "add", "from": "n1", "text": said}]}
    for name in ("answer-1.json", "answer-2.json"):
        (case / name).write_text(json.dumps(answer), "utf-8")

    *_, led = printed("run.py", case, "--json")["rows"]

    assert ([why for _, why in led["refused"]], led["counts"]["new"]) == (["There is no line n0."], 1)


def test_the_scorer_sees_a_line_that_was_lost_and_a_secret_that_was_written(tmp_path: Path) -> None:
    after = shutil.copytree(UNLED / "workspace", tmp_path / "after")
    gold = json.loads((UNLED / "gold.json").read_text("utf-8"))
    secret = next(reject for reject in gold["reject"] if reject["why"] == "secret")
    *kept, lost = (after / "MEMORY.md").read_text("utf-8").strip().split("\n")

    (after / "MEMORY.md").write_text("\n".join(kept), "utf-8")
    (after / "memory/dream-log.md").write_text(f"- read: {secret['match'][0][0]}\n", "utf-8")

    harmed = printed("score.py", UNLED, after)
    assert harmed["harm"] == [f"{'not to the byte' if lost in gold['untouched'] else 'lost'}: {lost}"]
    assert (harmed["leaks"], harmed["gates"]) == ([f"secret: {secret['id']} in memory/dream-log.md"], 0.5)
