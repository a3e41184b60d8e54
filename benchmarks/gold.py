"""The gold nights: each labelled workspace is dreamt over, and `gold/score.py` says what a careful person thinks of it.

    REVERIE_GOLD=/path/to/gold python benchmarks/gold.py [--case NAME] [--show] [--only forms|judge]

The data is not part of the repository (it is for measuring). `--show` prints new lines that nobody wanted and wanted lines
that are missing. Two nights are dreamt, as the scorer allows; the second must change nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from nights import harmed, statements  # the script beside this one
from reverie.core.errors import ReverieError
from reverie.core.ports import fixed
from reverie.features.search import default_embedder
from reverie.judge import built_in
from reverie.judge.forms import Formed
from reverie.night.night import review
from reverie.surfaces.configure import configured

PARTS = (
    "overall",
    "keep",
    "updates",
    "stale",
    "rules",
    "ask",
    "precision",
    "rejects",
    "duplicates",
    "coexist",
    "unsure",
    "untouched",
)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--case", default="")
    asked.add_argument("--show", action="store_true")
    asked.add_argument("--only", choices=("forms", "judge"), help="the built-in judge without its other half")
    options = asked.parse_args()
    if options.only == "forms":
        built_in._entering = lambda brief, may: iter(())
    elif options.only == "judge":
        built_in.by_form = lambda brief: Formed((), frozenset())
    folder = Path(os.environ.get("REVERIE_GOLD", ""))
    cases = sorted(path.parent for path in folder.glob("*/gold.json")) if os.environ.get("REVERIE_GOLD") else []
    if not cases:
        sys.exit("The gold nights are not here. Unpack them and set REVERIE_GOLD to their folder.")
    scorer = _scorer(folder)
    print(f"{'case':<18}" + "".join(f"{part[:9]:>10}" for part in PARTS) + f"{'harm':>6}{'CPU s':>8}")
    totals = [_night(case, scorer, show=options.show) for case in cases if options.case in case.name]
    print(f"{'mean':<18}{sum(totals) / len(totals):>10.3f}")


def _night(case: Path, scorer: Any, *, show: bool) -> float:
    gold = json.loads((case / "gold.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        shutil.copytree(case / "workspace", root)
        environ = {"HOME": folder, "XDG_CACHE_HOME": str(Path(tempfile.gettempdir()) / "reverie-bench")}
        workspace = configured(root, environ)
        clock = fixed(gold["now"], ZoneInfo(gold["timezone"]))
        start = time.process_time()
        try:
            review(workspace, clock)
        except ReverieError as error:
            print(case.name, "refused:", error)
        spent = time.process_time() - start
        found = scorer.score(case, root)
        parts = found.get("parts", found)
        values = {**parts, "overall": found["overall"]}
        cells = "".join(f"{values[part]:>10.2f}" if values.get(part) is not None else f"{'-':>10}" for part in PARTS)
        hurt = harmed(gold, statements(case / "workspace"), statements(root))
        print(f"{case.name:<18}{cells}{len(hurt):>6}{spent:>8.1f}", flush=True)
        for line in hurt:
            print("       HARM:", line)
        if show:
            _show(gold, case / "workspace", root, scorer)
        return float(found["overall"])


def _show(gold: dict[str, Any], before: Path, after: Path, scorer: Any) -> None:
    old = set(scorer.content_lines(scorer.text_of(before / "MEMORY.md")))
    lines = scorer.content_lines(scorer.text_of(after / "MEMORY.md"))
    wanted = [group for part in ("keep", "acceptable", "rules") for item in gold[part] for group in [item["match"]]]
    wanted += [item["new"] for item in gold["updates"]]
    wanted += [item[side] for part in ("coexist", "unsure") for item in gold[part] for side in ("first", "second")]
    for line in lines:
        if line in old:
            continue
        reject = [item["id"] for item in gold["reject"] if scorer.matches(item["match"], line)]
        good = any(scorer.matches(match, line) for match in wanted)
        print("   ", "REJECT " + ",".join(reject) if reject else "ok     " if good else "nobody ", line[:170])
    for item in gold["keep"]:
        if not scorer.found(item["match"], lines):
            print("    missing", item["kind"], "|", item["text"][:90], "|", item["evidence"][:2])
    for item in gold["updates"]:
        gone, there = (
            not scorer.found(item["old"], [x for x in lines if not scorer.matches(item["new"], x)]),
            scorer.found(item["new"], lines),
        )
        if not (gone and there):
            print("    update ", item["about"], "| old gone:", gone, "| new there:", there)
    for item in gold["stale"]:
        if scorer.found(item["match"], lines):
            print("    stale  ", item["about"], item["match"])


def _scorer(folder: Path) -> Any:
    for place in (folder / "score.py", folder.parent / "score.py", Path(os.environ.get("REVERIE_SCORE", ""))):
        if place.is_file():
            spec = importlib.util.spec_from_file_location("score", place)
            assert spec and spec.loader
            module = importlib.util.module_from_spec(spec)
            sys.modules["score"] = module
            spec.loader.exec_module(module)
            return module
    sys.exit("score.py is not beside the gold nights; set REVERIE_SCORE to it.")


if __name__ == "__main__":
    default_embedder(None)
    main()
