"""Seventeen labelled nights of our own, in nine languages: what a careful person would want of each, and what the night did.

    python benchmarks/nights.py [--case NAME] [--show]

`nights/CASE/workspace` is the folder that is dreamt over (on a copy), `wanted.json` the labels: a statement is there when
every group of words has one of its alternatives in a line. The people are invented. The labels were written by somebody
who had not seen the rules; since then the rules have been mended with these nights in view, so they are a guard against
going back, not a blind measure any more. Parts are shares: 1 is perfect.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from reverie.core.ports import fixed
from reverie.judge.by_agent import text_for_agent
from reverie.night.agent import keep_answer
from reverie.night.briefing import brief_of
from reverie.night.night import review
from reverie.surfaces.configure import configured

NIGHTS = Path(__file__).with_name("nights")
LIMIT = 18_000  # characters: above it a memory must get smaller
PARTS = ("keep", "updates", "stale", "ask", "precision", "clean", "once", "coexist", "untouched")
_MARK = re.compile(r"<!--.*?-->")
_WORDS = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]|[^\W\u3040-\u9fff\uac00-\ud7af]+")
_LINE = re.compile(r"^ *\[([mna]\d+)[^\]]*\] (.*)$", re.M)
_ID = re.compile(r'"\[?([mna]\d+)\]?"')
Groups = Sequence[Sequence[str]]


@dataclass
class Result:
    """The parts of a night, and what went wrong in words."""

    case: str
    parts: dict[str, float] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    harmed: list[str] = field(default_factory=list)  # lines that left or changed though nothing calls them outdated
    leaks: list[str] = field(default_factory=list)
    notes_changed: list[str] = field(default_factory=list)
    seconds: float = 0.0


def matches(groups: Groups, line: str) -> bool:
    low = line.casefold()
    return bool(groups) and all(any(word.casefold() in low for word in group) for group in groups)


def any_line(groups: Groups, lines: Iterable[str]) -> bool:
    return any(matches(groups, line) for line in lines)


def dreamt(case: Path, *, led: bool = False) -> Result:
    """Dream over a copy of a case and hold the outcome against its labels; `led` by the answer that was recorded for it."""
    wanted = json.loads((case / "wanted.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        shutil.copytree(case / "workspace", root)
        cache = Path(tempfile.gettempdir()) / "reverie-bench"  # the embedder's tables are made once
        environ = {"HOME": folder, "XDG_CACHE_HOME": str(cache), **({"DREAM_MODEL": "agent"} if led else {})}
        workspace, clock = configured(root, environ), fixed(wanted["now"], ZoneInfo(wanted["timezone"]))
        if led:
            then, now = (case / "brief.txt").read_text("utf-8"), text_for_agent(brief_of(workspace, clock))
            keep_answer(workspace, clock, renamed((case / "answer.json").read_text("utf-8"), then, now))
        start = time.process_time()
        review(workspace, clock)
        return _held(case, root, wanted, time.process_time() - start)


def renamed(answer: str, then: str, now: str) -> str:
    """An answer with the ids that its lines have in the brief as it is now: a line more or less moves all ids behind it."""
    places: dict[str, list[str]] = {}
    for name, said in _LINE.findall(now):
        places.setdefault(f"{name[0]}{said}", []).append(name)
    ids = {name: found.pop(0) for name, said in _LINE.findall(then) if (found := places.get(f"{name[0]}{said}"))}
    return _ID.sub(lambda one: f'"{ids.get(one[1], "gone")}"', answer)


def _held(case: Path, root: Path, wanted: dict[str, Any], seconds: float) -> Result:
    before, after = (statements(folder) for folder in (case / "workspace", root))
    ledger = [line for path in root.rglob("ledger.md") for line in path.read_text("utf-8").split("\n")]
    found = Result(case.name, seconds=seconds)
    share = _Share(found)
    share("keep", [(k["text"], any_line(k["match"], after)) for k in wanted["keep"]])
    share("updates", [(u["about"], _updated(u, after)) for u in wanted["updates"]])
    share(
        "stale",
        [(s["about"], any_line(s["match"], ledger) and not any_line(s["match"], after)) for s in wanted["stale"]],
    )
    share("ask", [(q["q"], any_line(q["match"], [*after, *ledger])) for q in wanted["ask"] if q["where"] != "notes"])
    new = [line for line in after if line not in before]
    share("precision", [(line, _is_wanted(line, wanted)) for line in new])
    rejects = [r for r in wanted["reject"] if r["why"] != "secret"]
    share("clean", [(str(r["match"]), not any_line(r["match"], after)) for r in rejects])
    share("once", [(d["about"], sum(matches(d["match"], line) for line in after) < 2) for d in wanted["duplicates"]])
    share("coexist", [(x["about"], _both_stay(x, before, after)) for x in wanted["coexist"]])
    found.harmed = harmed(wanted, before, after)
    lines = (root / "MEMORY.md").read_text("utf-8").split("\n")
    share("untouched", [(line, line in lines) for line in wanted["untouched"]])
    found.leaks = list(_leaks(case, root, wanted))
    found.notes_changed = [
        path.name
        for path in (case / "workspace" / "memory").glob("*.md")
        if (root / "memory" / path.name).read_bytes() != path.read_bytes()
    ]
    return found


def harmed(wanted: dict[str, Any], before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Lines of MEMORY.md that a night removed or changed and that no label calls outdated.

    A line that only gained words is not lost. Outdated are what is stale, the old side of an update, and a copy of what still stands. Where the file was over its limit,
    something must leave: then only what a label wants kept, or asks memory for, is harm.
    """
    over = sum(len(line) + 1 for line in before) > LIMIT
    words = [set(_WORDS.findall(line.casefold())) for line in after]
    gone = [line for line in dict.fromkeys(before) if line not in after]
    lost = [line for line in gone if not any(set(_WORDS.findall(line.casefold())) <= one for one in words)]
    return [line for line in lost if _is_harm(line, wanted, after, over=over)]


def _is_harm(line: str, wanted: dict[str, Any], after: Sequence[str], *, over: bool) -> bool:
    outdated = [one["match"] for one in wanted["stale"]] + [one["old"] for one in wanted["updates"]]
    if any(matches(groups, line) for groups in outdated):
        return False
    if any(matches(one["match"], line) and any_line(one["match"], after) for one in wanted["duplicates"]):
        return False
    if not over:
        return True
    needed = [one["match"] for one in wanted["keep"]] + [q["match"] for q in wanted["ask"] if q["where"] == "memory"]
    return any(matches(groups, line) and not any_line(groups, after) for groups in needed)


class _Share:
    """Adds a part to a result, and says what is missing from it."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __call__(self, name: str, items: Sequence[tuple[str, bool]]) -> None:
        self._result.parts[name] = sum(good for _, good in items) / len(items) if items else 1.0
        self._result.wrong += [f"{name}: {text}" for text, good in items if not good]


def _statements(path: Path) -> list[str]:
    """The lines of a memory that say something, without our marks, headings and the generated section."""
    text = _MARK.sub("", path.read_text("utf-8")).partition("\n## Dream")[0]
    return [line.strip() for line in text.split("\n") if line.strip() and not line.startswith("#")]


def statements(folder: Path) -> list[str]:
    """The same of the memory in a folder; nothing where there is none."""
    path = folder / "MEMORY.md"
    return _statements(path) if path.is_file() else []


def _updated(update: dict[str, Any], after: Sequence[str]) -> bool:
    old = any(matches(update["old"], line) and not matches(update["new"], line) for line in after)
    return any_line(update["new"], after) and not old


def _is_wanted(line: str, wanted: dict[str, Any]) -> bool:
    if any(matches(r["match"], line) for r in wanted["reject"]):
        return False
    groups = [one["match"] for key in ("keep", "acceptable", "rules") for one in wanted[key]]
    groups += [update["new"] for update in wanted["updates"]]
    groups += [one[side] for key in ("coexist", "unsure") for one in wanted[key] for side in ("first", "second")]
    return any(matches(group, line) for group in groups)


def _both_stay(pair: dict[str, Any], before: Sequence[str], after: Sequence[str]) -> bool:
    return all(any_line(pair[side], after) or not any_line(pair[side], before) for side in ("first", "second"))


def _leaks(case: Path, root: Path, wanted: dict[str, Any]) -> Iterable[str]:
    """Secrets of the notes in any file that the night wrote."""
    secrets = [word for r in wanted["reject"] if r["why"] == "secret" for group in r["match"] for word in group]
    secrets = [word for word in secrets if not word.isdigit()]  # four figures stand in many a time stamp
    for path in (path for path in root.rglob("*") if path.is_file()):
        old = case / "workspace" / path.relative_to(root)
        if not old.is_file() or old.read_bytes() != path.read_bytes():
            text = path.read_bytes().decode("utf-8", "replace").casefold()
            yield from (f"{path.relative_to(root)}: {word}" for word in secrets if word.casefold() in text)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--case", default="")
    asked.add_argument("--show", action="store_true")
    asked.add_argument("--led", action="store_true", help="by the recorded answers of a model")
    options = asked.parse_args()
    print(f"{'case':<14}" + "".join(f"{part:>11}" for part in PARTS) + f"{'harm':>6}{'CPU s':>8}")
    for case in sorted(path.parent for path in NIGHTS.glob(f"*{options.case}*/wanted.json")):
        if options.led and not (case / "answer.json").is_file():
            continue
        found = dreamt(case, led=options.led)
        figures = "".join(f"{found.parts[part]:>11.2f}" for part in PARTS)
        print(f"{found.case:<14}{figures}{len(found.harmed):>6}{found.seconds:>8.1f}", flush=True)
        for line in found.harmed:
            print("       HARM:", line)
        for line in found.wrong if options.show else ():
            print("      ", line)
        for line in (*found.leaks, *found.notes_changed):
            print("       LEAK OR CHANGE:", line)


if __name__ == "__main__":
    main()
