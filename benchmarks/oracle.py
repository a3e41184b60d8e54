"""Whether the gates let good judgement through: a model that knows the gold labels judges what the rules are unsure of.

    REVERIE_GOLD=/path/to/gold python benchmarks/oracle.py [--case NAME] [--show]

For each gold night the score without a model, with the oracle, and with its opposite (it wants what it should not and denies
what it should want). The oracle sees what any model sees: lines, days and headings, never a path. The data is not part of
the repository (it is for measuring).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from gold import _scorer as scorer_in  # type: ignore[import-not-found]
from reverie.counsel import Ask, Reply, use_as_dict
from reverie.night.engine import review
from reverie.model import Plan
from reverie.judge.compose import plain_line
from reverie.ports import fixed
from reverie.sense import bag
from reverie.setting_groups import Mind
from reverie.surfaces.configure import configured

DATA = re.compile(r"<data>\s*(.*?)\s*</data>", re.S)
WISHED = ("keep", "rules")


class Oracle:
    """Implements the `Model` port from a case's labels. `wicked`: it says the opposite."""

    def __init__(self, case: Path, scorer: Any, *, wicked: bool = False) -> None:
        self.identity = "wicked oracle" if wicked else "oracle"
        self.gold, self.scorer, self.wicked = json.loads((case / "gold.json").read_text("utf-8")), scorer, wicked
        self.root = case / "workspace"
        self.taken: set[str] = set()

    def ask(self, ask: Ask, seconds: float) -> Reply:
        found = DATA.search(ask.user)
        assert found is not None
        data = json.loads(found[1])
        if ask.task != "judge":
            return Reply('{"text": ""}')
        return Reply(json.dumps({"operations": [op for line in data["new"] for op in self._about(line, data)]}))

    def _about(self, line: dict[str, str], data: dict[str, Any]) -> list[dict[str, Any]]:
        told = f"{line['under']} {line['text']}"
        changes = [] if self.wicked else [*self._updates(line, told, data), *self._ends(line, data)]
        wanted = self._wanted(told)
        if self.wicked:
            return [_op("ignore" if wanted else "add", [line["id"]])]
        if changes:
            return changes
        if wanted is None:
            return []
        return [_op("add" if wanted else "ignore", [line["id"]])]

    def _wanted(self, told: str) -> bool | None:
        """Whether the labels want this line; None where they do not mind. Of several that say one thing, one."""
        match, gold = self.scorer.matches, self.gold
        if any(match(one["old"], told) and not match(one["new"], told) for one in gold["updates"]):
            return False
        if any(match(one["match"], told) for one in gold["reject"]):
            return False
        items = [one for part in WISHED for one in gold[part] if match(one["match"], told)]
        items += [one for one in gold["updates"] if match(one["new"], told)]
        fresh = [one for one in items if one["id"] not in self.taken]
        self.taken |= {one["id"] for one in fresh}
        if items:
            return bool(fresh)
        sides = [one[side] for part in ("coexist", "unsure") for one in gold[part] for side in ("first", "second")]
        fine = [*sides, *(one["match"] for one in gold["acceptable"])]
        return None if any(match(groups, told) for groups in fine) else False

    def _updates(self, line: dict[str, str], told: str, data: dict[str, Any]) -> list[dict[str, Any]]:
        match = self.scorer.matches
        return [
            _op("update", [line["id"]], [old["id"]])
            for one in self.gold["updates"]
            if match(one["new"], told)
            for old in data["memory"]
            if match(one["old"], old["text"]) and not match(one["new"], old["text"])
        ]

    def _ends(self, line: dict[str, str], data: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            _op("retire", [line["id"]], [old["id"]])
            for one in self.gold["stale"]
            for old in data["memory"]
            if self.scorer.matches(one["match"], old["text"])
            if any(self._is_at(line, place) for place in one.get("evidence", ()))
        ]

    def _is_at(self, line: dict[str, str], place: str) -> bool:
        """Whether this is the line that the label names as its evidence."""
        path, _, number = place.rpartition(":")
        if path == "MEMORY.md" or line["day"] not in path:
            return False
        said = (self.root / path).read_text("utf-8").split("\n")[int(number) - 1]
        words = bag(plain_line(said.strip(" -*")))
        return len(words & bag(line["text"])) >= 0.6 * len(words)


def _op(op: str, new: list[str], memory: list[str] | None = None) -> dict[str, Any]:
    return {"op": op, "new": new, "memory": memory or [], "text": ""}


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--case", default="")
    asked.add_argument("--show", action="store_true")
    options = asked.parse_args()
    folder = Path(os.environ.get("REVERIE_GOLD", ""))
    cases = sorted(path.parent for path in folder.glob("*/gold.json")) if os.environ.get("REVERIE_GOLD") else []
    if not cases:
        sys.exit("The gold nights are not here. Unpack them and set REVERIE_GOLD to their folder.")
    scorer = scorer_in(folder)
    print(f"{'case':<18}{'rules':>8}{'oracle':>8}{'wicked':>8}   what the oracle's words came to")
    for case in (case for case in cases if options.case in case.name):
        scores, plans = zip(
            *(_night(case, scorer, model, show=options.show) for model in _models(case, scorer)), strict=True
        )
        use = use_as_dict(plans[1].use) if plans[1].use else {}
        told = {name: use.get(name) for name in ("calls", "accepted", "dropped")}
        print(f"{case.name:<18}" + "".join(f"{score:>8.2f}" for score in scores) + f"   {told}", flush=True)


def _models(case: Path, scorer: Any) -> list[Oracle | None]:
    return [None, Oracle(case, scorer), Oracle(case, scorer, wicked=True)]


def _night(case: Path, scorer: Any, model: Oracle | None, *, show: bool) -> tuple[float, Plan]:
    gold = json.loads((case / "gold.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        shutil.copytree(case / "workspace", root)
        environ = {"HOME": folder, "XDG_CACHE_HOME": str(Path(tempfile.gettempdir()) / "reverie-bench")}
        workspace = configured(root, environ)
        mind = Mind(kind="command", max_calls=1_000, max_tokens=100_000_000, write=False)
        workspace = replace(workspace, model=model, settings=replace(workspace.settings, model=mind))
        night = review(workspace, fixed(gold["now"], ZoneInfo(gold["timezone"])), force=True)
        found = scorer.score(case, root)
        if show:
            for name, lines in found["detail"].items():
                for line in lines:
                    print("    ", model.identity if model else "rules", name, str(line)[:150])
        return float(found["overall"]), night.plan


if __name__ == "__main__":
    main()
