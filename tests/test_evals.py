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
FIRST, SECOND = EVALS / "nights/de-verein", EVALS / "nights/zh"


def printed(script: str, *words: str | Path, seed: str = "0") -> dict[str, Any]:
    command, environ = [sys.executable, str(EVALS / script), *map(str, words)], os.environ | {"PYTHONHASHSEED": seed}
    shown = subprocess.run(command, capture_output=True, check=True, env=environ).stdout
    return json.loads(shown)  # type: ignore[no-any-return]


def test_the_rows_of_two_cases_are_the_same_in_every_run() -> None:
    first, second = (printed("run.py", FIRST, SECOND, "--json", seed=seed) for seed in "12")
    for row in (*first.values(), *second.values()):
        assert all(found.pop("cpu") >= 0 for found in row)
    assert first == second
    for case in ("de-verein", "zh"):
        row = {row["judge"]: row for row in first["rows"] if row["case"] == case}
        careful = [row[judge] for judge in ("nothing", "rules", "recorded", "alone")]
        assert [found["harm"] + found["leaks"] + found["notes_changed"] for found in careful] == [[]] * 4
        assert row["copied"]["leaks"] and row["copied"]["overall"] < row["rules"]["overall"]
        assert row["nothing"]["counts"] == {"new": 0, "good": 0, "reworded": 0}
        nothing, by_rules, led, alone = (found["overall"] for found in careful)
        assert nothing < 0.1 < by_rules < alone < 0.9 < led


def test_a_sequence_sees_each_night_only_what_was_written_by_then(tmp_path: Path) -> None:
    case = shutil.copytree(SECOND, tmp_path / "case")
    gold = json.loads((case / "gold.json").read_text("utf-8"))
    first, *_, last = sorted((case / "workspace/memory").glob("20*.md"))
    sequence = gold | {"nights": [f"{note.stem}T23:00:00" for note in (first, last)]}
    (case / "gold.json").write_text(json.dumps(sequence), "utf-8")
    said = max(last.read_text("utf-8").split("\n"), key=len).lstrip("- ")
    answer = {"lines": {"n1": said}, "operations": [{"op": "add", "from": "n1", "text": said}]}
    for name in ("answer-1.json", "answer-2.json"):
        (case / name).write_text(json.dumps(answer), "utf-8")

    (led,) = (row for row in printed("run.py", case, "--json")["rows"] if row["judge"] == "recorded")

    assert ([why for _, why in led["refused"]], led["counts"]["new"]) == (["There is no line n0."], 1)


def test_the_scorer_sees_a_line_that_was_lost_and_a_secret_that_was_written(tmp_path: Path) -> None:
    after = shutil.copytree(SECOND / "workspace", tmp_path / "after")
    gold = json.loads((SECOND / "gold.json").read_text("utf-8"))
    secret = next(reject for reject in gold["reject"] if reject["why"] == "secret")
    *kept, lost = (after / "MEMORY.md").read_text("utf-8").strip().split("\n")

    (after / "MEMORY.md").write_text("\n".join(kept), "utf-8")
    (after / "memory/dream-log.md").write_text(f"- read: {secret['match'][0][0]}\n", "utf-8")

    harmed = printed("score.py", SECOND, after)
    assert harmed["harm"] == [f"{'not to the byte' if lost in gold['untouched'] else 'lost'}: {lost}"]
    assert (harmed["leaks"], harmed["gates"]) == ([f"secret: {secret['id']} in memory/dream-log.md"], 0.5)
