"""How well a night judges, on labelled workspaces that lie outside the repository.

    python benchmarks/gold.py rules CASES            a night without a model over every case
    python benchmarks/gold.py briefs CASES OUT       what a model would be asked, one file a case
    python benchmarks/gold.py answers CASES ANSWERS  a night with the recorded answer of every case

CASES holds `<case>/workspace` and `<case>/gold.json`, and score.py beside them or named by SCORER. Cases whose gold.json
lists `memory_files` (the index shape) are scored on those files joined.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import ModuleType

from reverie.judge.answer import prompt
from reverie.judge.brief import Judge
from reverie.judge.model import ScriptedModel, model_judge
from reverie.judge.rules import decide
from reverie.night import Night, brief_of, read_memory, run_night
from reverie.store.state import State
from reverie.workspace.layout import layout_of


def cases(folder: Path) -> Iterator[tuple[Path, datetime]]:
    for gold in sorted(folder.glob("*/gold.json")):
        yield gold.parent, datetime.fromisoformat(json.loads(gold.read_text("utf-8"))["now"])


def nights(folder: Path, judge_of: Callable[[Path], Judge]) -> None:
    scorer, overall = scorer_beside(folder), list[float]()
    precise = new = 0
    for case, now in cases(folder):
        with tempfile.TemporaryDirectory() as place:
            after = Path(place) / "workspace"
            shutil.copytree(case / "workspace", after)
            night = run_night(layout_of(after), now, judge_of(case))
            result = scored(scorer, case, after)
        counts = result["counts"]
        precise, new = precise + counts["good"] + counts["reworded"], new + counts["new_lines"]
        overall.append(result["overall"])
        print_case(case.name, result, night)
    print(f"mean overall {sum(overall) / len(overall):.3f}; new lines that were wanted {precise} of {new}")


def scored(scorer: ModuleType, case: Path, after: Path) -> dict:  # type: ignore[type-arg]
    """The scorer's figures; for the index shape all memory files count as one."""
    files = json.loads((case / "gold.json").read_text("utf-8")).get("memory_files")
    if not files:
        return scorer.score(case, after)  # type: ignore[no-any-return]
    with tempfile.TemporaryDirectory() as place:
        joined = Path(place) / case.name
        shutil.copytree(case, joined)
        shutil.copytree(after, Path(place) / "after")
        for root in (joined / "workspace", Path(place) / "after"):
            known = [root / name for name in files] + [p for p in root.glob("*.md") if p.name not in files]
            texts = [path.read_text("utf-8-sig") for path in known if path.is_file() and path.name != "DREAM.md"]
            for path in known:
                path.unlink(missing_ok=True)
            (root / "MEMORY.md").write_text(
                "\n".join(text.partition("\n---\n")[2] if text.startswith("---") else text for text in texts)
            )
        return scorer.score(joined, Path(place) / "after")  # type: ignore[no-any-return]


def print_case(name: str, result: dict, night: Night) -> None:  # type: ignore[type-arg]
    parts = " ".join(f"{key} {value:.2f}" for key, value in result["parts"].items() if value is not None)
    counts = result["counts"]
    print(
        f"{name:24} overall {result['overall']:.3f} | {parts} | new {counts['new_lines']} rejects {counts['reject_hits']}"
        f" leaks {counts['secret_leaks']} notes changed {counts['notes_changed']} chars {counts['chars']}"
        f" | done {len(night.plan.done)} waiting {len(night.plan.waiting)} refused {len(night.plan.refused) + len(night.verdict.refused)}"
        f" missed {len(night.plan.missed)}"
    )
    if os.environ.get("DETAIL"):
        print(
            json.dumps({key: value for key, value in result["detail"].items() if value}, ensure_ascii=False, indent=1)
        )
        for refusal in night.plan.refused:
            print(
                "  refused:",
                refusal.why,
                "|",
                refusal.operation.text or refusal.operation.swap or refusal.operation.lines,
            )
        for wish, why in night.verdict.refused:
            print("  no operation:", why, "|", wish)
        for card in night.plan.waiting:
            print("  waits:", card.op, card.why, "|", card.question or card.text or [ref.words for ref in card.lines])


def briefs(folder: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for case, now in cases(folder):
        brief = brief_of(read_memory(layout_of(case / "workspace")), State(), now.date(), is_led=True)
        (out / f"{case.name}.txt").write_text(prompt(brief), "utf-8")
        print(f"{case.name}: {len(prompt(brief)):,} characters")


def scorer_beside(folder: Path) -> ModuleType:
    path = Path(os.environ.get("SCORER") or folder / "score.py")
    spec = importlib.util.spec_from_file_location("score", path)
    if spec is None or spec.loader is None or not path.is_file():
        sys.exit(f"{path} is not there; name the scorer with SCORER=…/score.py.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(words: list[str]) -> None:
    match words:
        case ["rules", folder]:
            nights(Path(folder), lambda _: decide)
        case ["briefs", folder, out]:
            briefs(Path(folder), Path(out))
        case ["answers", folder, answers]:
            nights(
                Path(folder),
                lambda case: model_judge(ScriptedModel((Path(answers) / f"{case.name}.json").read_text("utf-8"))),
            )
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
