"""What comes to mind before a reply: is it the answer, is it nothing for a message about something else, is it current?

    REVERIE_GOLD=PATH/TO/gold REVERIE_BENCH=PATH/TO/bench python benchmarks/recall.py [--show]

Both sets are for measuring only and are not part of the project; what is missing is said. The gold nights: every workspace
is dreamt over once, then its own questions are asked, and those of all the other workspaces. LoCoMo's development half:
turns as lines of dated notes, and the questions of the other conversations. `hit`: the summary holds an answer. `empty`:
share of unrelated messages that call nothing to mind. `superseded`: answers that tell a value the labels call
old and the question did not ask for. `alone`: those of them that do not tell the new one with it.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from retrieval import write_notes
from reverie.core.errors import ReverieError
from reverie.core.ports import Clock, HashEmbedder, fixed
from reverie.core.settings import Active, Settings
from reverie.features.recall.recall import Recalled, recall
from reverie.features.search import default_embedder, reindex
from reverie.night.night import review
from reverie.surfaces.configure import configured
from reverie.workspace.values import Workspace

CACHE = Path(tempfile.gettempdir()) / "reverie-bench"
EVERY = 3  # of the unrelated questions of LoCoMo
STYLES = ("balanced", "strict", "contextual", "recall-heavy", "precision-heavy")
LINES = 10_000
SHOW = "--show" in sys.argv


def ask(workspace: Workspace, clock: Clock, question: str, style: str = "") -> Recalled:
    settings = replace(workspace.settings.active, prompt_style=style)
    return recall(workspace, clock, question, settings=settings, record=False)


def matches(groups: list[list[str]], text: str) -> bool:
    low = text.casefold()
    return all(any(word.casefold() in low for word in group) for group in groups)


def nights(folder: Path, into: Path) -> Iterator[tuple[dict[str, Any], Workspace, Clock]]:
    """Each gold workspace, dreamt over once."""
    for case in sorted(folder.glob("*/gold.json")):
        gold = json.loads(case.read_text("utf-8"))
        root = into / case.parent.name
        shutil.copytree(case.parent / "workspace", root)
        workspace = configured(root, {"HOME": str(into), "XDG_CACHE_HOME": str(CACHE)})
        clock = fixed(gold["now"], ZoneInfo(gold["timezone"]))
        try:
            review(workspace, clock)
        except ReverieError as error:
            print(gold["case"], "refused:", error)
        yield gold, workspace, clock


def measure_gold(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        every = list(nights(folder, Path(place)))
        print(f"{'gold nights':<18}{'memory':>8}{'notes':>8}{'ledger':>8}{'empty':>8}{'superseded':>12}{'alone':>8}")
        for style in STYLES:
            hits: dict[str, list[bool]] = {"memory": [], "notes": [], "ledger": []}
            empty, old, alone = [], 0, 0
            for gold, workspace, clock in every:
                for item in gold["ask"]:
                    found = ask(workspace, clock, item["q"], style)
                    hits[item["where"]].append(matches(item["match"], found.summary))
                    told = [fact.text for fact in found.facts if not matches(item["match"], fact.text)]
                    past = [text for text in told for update in gold["updates"] if is_old(update, text)]
                    old += bool(past)
                    alone += bool(past) and not hits[item["where"]][-1]
                    if SHOW and style == "balanced":
                        show(gold["case"], item, found, past, hit=hits[item["where"]][-1])
                for other, *_ in every:
                    if other is not gold:
                        empty += [
                            (ask(workspace, clock, item["q"], style), gold["case"], item["q"]) for item in other["ask"]
                        ]
            if SHOW and style == "balanced":
                for found, case, question in empty:
                    if found.summary:
                        print("  UNRELATED", case, "|", question, "|", found.summary)
            share = sum(not found.summary for found, *_ in empty) / len(empty)
            cells = "".join(f"{sum(one) / len(one):>8.2f}" for one in hits.values())
            print(f"{style:<18}{cells}{share:>8.3f}{old:>12}{alone:>8}", flush=True)


def is_old(update: dict[str, Any], text: str) -> bool:
    return matches(update["old"], text) and not matches(update["new"], text)


def show(case: str, item: dict[str, Any], found: Recalled, past: list[str], *, hit: bool) -> None:
    print("  hit " if hit else "  MISS", case, item["where"], "|", item["q"], "|", found.summary or f"({found.why})")
    for text in past:
        print("        SUPERSEDED", text)


def measure_locomo(file: Path) -> None:
    data = json.loads(file.read_text("utf-8"))
    embedder = default_embedder(CACHE / "reverie")
    clock = fixed("2024-06-01T12:00:00+00:00")
    rows: dict[str, tuple[list[bool], list[bool]]] = {style: ([], []) for style in ("balanced", "recall-heavy")}
    for number, sample in enumerate(data):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            where = write_notes(sample["conversation"], root)
            workspace = Workspace(root, root / "dream-vault", Settings(), embedder)
            reindex(workspace, embedder)
            for style, (hits, empty) in rows.items():
                for item in sample["qa"]:
                    wanted = {where[one] for one in item.get("evidence", []) if one in where}
                    if wanted:
                        found = ask(workspace, clock, item["question"], style)
                        hits.append(any((f.hit.claim.path, f.hit.claim.first) in wanted for f in found.facts))
                for other in data[:number] + data[number + 1 :]:
                    empty += [not ask(workspace, clock, i["question"], style).summary for i in other["qa"][::EVERY]]
    print(f"{'LoCoMo':<18}{'asked':>8}{'hit':>8}{'empty':>8}")
    for style, (hits, empty) in rows.items():
        print(f"{style:<18}{len(hits):>8}{sum(hits) / len(hits):>8.3f}{sum(empty) / len(empty):>8.3f}")


def measure_time() -> None:
    """Warm answers over ten thousand lines, and a cold command over a hundred notes."""
    embedder, clock = default_embedder(CACHE / "reverie"), fixed("2026-11-15T12:00:00+00:00")
    things = ("router", "boiler", "invoice", "garden", "bicycle", "archive", "camera", "printer", "ladder", "kitchen")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "memory").mkdir()
        for day in range(LINES // 40):
            name = f"{2020 + day // 336}-{day // 28 % 12 + 1:02d}-{day % 28 + 1:02d}"
            lines = [f"- the {things[n % 10]} of house {day}-{n} costs {day * 40 + n} euros" for n in range(40)]
            (root / "memory" / f"{name}.md").write_text(f"# {name}\n\n" + "\n".join(lines) + "\n", "utf-8")
        (root / "MEMORY.md").write_text("# Memory\n\n- The boiler was serviced by Orla in March.\n", "utf-8")
        workspace = Workspace(root, root / "dream-vault", Settings(), embedder)
        reindex(workspace, embedder)
        spent, used = [], time.process_time()
        for number in range(200):
            begun = time.perf_counter()
            ask(workspace, clock, f"who serviced the {things[number % 10]} of house {number}-{number % 40}?")
            spent.append(time.perf_counter() - begun)
        used = (time.process_time() - used) / len(spent)
        spent = sorted(spent[20:])
        print(
            f"warm, {LINES:,} lines: median {statistics.median(spent) * 1000:.1f} ms, p95 {spent[int(len(spent) * 0.95)] * 1000:.1f} ms, CPU {used * 1000:.1f} ms"
        )
        cold = [cpu_of(root) for _ in range(4)][1:]
        print(f"cold command: {min(cold):.2f} s of CPU")


class Hanging(HashEmbedder):
    """An embedder that does not come back."""

    def embed(self, texts: Sequence[str]) -> Any:
        time.sleep(30)
        return super().embed(texts)


def measure_deadline() -> None:
    """How much later than its time an answer comes while the embedder hangs."""
    clock, late = fixed("2026-11-15T12:00:00+00:00"), []
    settings = Active(timeout_ms=300, circuit_breaker_max_timeouts=20)
    for _ in range(15):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            root = Path(folder)
            (root / "MEMORY.md").write_text("- The boiler was serviced by Orla in March.\n", "utf-8")
            workspace = Workspace(root, root / "dream-vault", Settings(), Hanging(identity="hanging"))
            begun = time.perf_counter()
            recall(workspace, clock, "who serviced the boiler?", settings=settings, record=False)
            late.append(time.perf_counter() - begun - 0.3)
    print(f"hanging embedder: {max(late) * 1000:.1f} ms after its time at worst, of {len(late)}")


def cpu_of(root: Path) -> float:
    before = os.times()
    code = "from reverie.surfaces.cli import main; main()"
    env = {**os.environ, "XDG_CACHE_HOME": str(CACHE)}
    subprocess.run(
        [sys.executable, "-c", code, "recall", "who serviced the boiler?", "--workspace", str(root)],
        check=True, capture_output=True, env=env,
    )  # fmt: skip
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    gold, bench = os.environ.get("REVERIE_GOLD", ""), os.environ.get("REVERIE_BENCH", "")
    if gold and any(Path(gold).glob("*/gold.json")):
        measure_gold(Path(gold))
    else:
        print("gold nights: not measured. Set REVERIE_GOLD to their folder.")
    if bench and (Path(bench) / "locomo_dev.json").exists():
        measure_locomo(Path(bench) / "locomo_dev.json")
    else:
        print("LoCoMo: not measured. Set REVERIE_BENCH to the folder that holds locomo_dev.json.")
    measure_time()
    measure_deadline()


if __name__ == "__main__":
    main()
