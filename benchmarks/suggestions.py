"""The list of suggestions, measured: does it hold what a careful person wants, and are its first twenty worth reading?

    REVERIE_GOLD=/path/to/gold:/path/to/more python benchmarks/suggestions.py [--case NAME] [--show] [--unseen FILE]
    REVERIE_SCENES=/path/to/scenes python benchmarks/suggestions.py --scenes [--all]

Every labelled workspace (our own nights, and whatever REVERIE_GOLD names) is dreamt over once without a model. W is the number of
wanted operations: what is to be kept and not in MEMORY.md, values that changed, lines that are stale. Reported are the share of the
first twenty suggestions that are wanted, and the share of W that was done or is done once the wanted ones among the first W (and
2 W) suggestions are accepted. `old` counts as gone only when no line says it without the new value. An add that brings the new side
of an update is a wanted card, but does not end the old line; `half` counts those as well.

The judge of worth has learnt from these workspaces. With `--unseen` it says of each line of their daily notes what weights said that
had not seen the folder (`training/worth.py --unseen` writes that file): so the list would look to a stranger.

Scenes are labelled line by line; those of `training/exam_scenes.txt` were kept out of the training.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from nights import NIGHTS, any_line, harmed, matches, statements  # the script beside this one
from reverie.core.ports import fixed
from reverie.judge import proposals, worth
from reverie.judge.operation import Op
from reverie.judge.worth import bare
from reverie.night.night import review
from reverie.night.suggesting import Card, suggestions
from reverie.surfaces.configure import configured
from reverie.text.terms import plain

FIRST = 20
EXAM = Path(__file__).parents[1] / "training" / "exam_scenes.txt"


@dataclass
class Found:
    """What a list came to: of how many wanted operations how many are had, and which of the first cards are wanted."""

    name: str
    wanted: int = 0  # W
    done: int = 0
    at_w: int = 0
    at_2w: int = 0
    half: int = 0  # at 2 W, when the new side beside the old one counts too
    good: list[str] = field(default_factory=list)  # of the first twenty: wanted, acceptable, or neither
    cards: int = 0
    harm: int = 0

    def row(self) -> str:
        share = [one / self.wanted if self.wanted else 1.0 for one in (self.done, self.at_w, self.at_2w, self.half)]
        first = sum(one in ("wanted", "beside") for one in self.good), sum(one != "" for one in self.good)
        of = len(self.good) or 1
        figures = "".join(f"{one:>8.2f}" for one in (first[0] / of, first[1] / of, *share))
        return f"{self.name:<18}{self.wanted:>5}{self.cards:>7}{figures}{self.harm:>6}"


HEAD = f"{'case':<18}{'W':>5}{'cards':>7}" + "".join(
    f"{name:>8}" for name in ("first20", "or ok", "done", "at W", "at 2W", "half")
) + f"{'harm':>6}"  # fmt: skip


def cases() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every labelled workspace with its labels."""
    folders = [Path(one) for one in os.environ.get("REVERIE_GOLD", "").split(os.pathsep) if one]
    for path in sorted(NIGHTS.glob("*/wanted.json")) + [p for one in folders for p in sorted(one.glob("*/gold.json"))]:
        yield path.parent, json.loads(path.read_text("utf-8"))


def measured(case: Path, wanted: Mapping[str, Any], *, show: bool) -> Found:
    """Dream over a copy and hold the list against the labels."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        shutil.copytree(case / "workspace", root)
        cards = dreamt(root, str(wanted["now"]), str(wanted["timezone"]))
        before, after = statements(case / "workspace"), statements(root)
    keep = [one["match"] for one in wanted["keep"] if not any_line(one["match"], before)]
    goals = [*(("keep", match, ()) for match in keep)]
    goals += [("update", one["new"], one["old"]) for one in wanted["updates"]]
    goals += [("stale", one["match"], ()) for one in wanted["stale"]]
    good = [judged_card(card, wanted) for card in cards]
    found = Found(
        case.name, len(goals), cards=len(cards), good=good[:FIRST], harm=len(harmed(dict(wanted), before, after))
    )
    found.done = sum(_had(goal, after) for goal in goals)
    for most in (len(goals), 2 * len(goals)):
        later = _accepted(after, [card for card, how in zip(cards[:most], good, strict=False) if how == "wanted"])
        had = sum(_had(goal, later) for goal in goals)
        found.at_w, found.at_2w = (had, had) if most == len(goals) else (found.at_w, had)
    found.half = sum(_had(goal, later) or (goal[0] == "update" and any_line(goal[1], later)) for goal in goals)
    if show:
        _show(cards, good, goals, later)
    return found


def dreamt(root: Path, now: str, timezone: str) -> tuple[Card, ...]:
    """One night over a folder, and the list after it."""
    cache = Path(tempfile.gettempdir()) / "reverie-bench"  # the embedder's tables are made once
    workspace = configured(root, {"HOME": str(root.parent), "XDG_CACHE_HOME": str(cache)})
    clock = fixed(now, ZoneInfo(timezone))
    review(workspace, clock)
    return suggestions(workspace, clock)


def judge_as_stranger(keep: Mapping[str, float]) -> None:
    """From now on a night takes the worth of these texts from here."""

    def answers(
        lines: Sequence[worth.LineToWeigh], embed: worth.Embed | None, *, quick: bool = False
    ) -> list[worth.Worth]:
        own = worth.worth_of(lines, embed, quick=quick)
        return [replace(one, keep=keep.get(bare(line.text), one.keep)) for line, one in zip(lines, own, strict=True)]

    vars(proposals)["worth_of"] = answers


def line_after(card: Card, line: str) -> str:
    """What a line says once a card that changes it is accepted."""
    return line.replace(card.old, card.new, 1) if card.old else card.text


def judged_card(card: Card, wanted: Mapping[str, Any]) -> str:
    """Whether a careful person says yes to a card, does not mind it, or says no (an empty word)."""
    if card.op is Op.ADD:
        if any(matches(one["match"], card.text) for one in wanted["reject"]):
            return ""
        if any(matches(one["match"], card.text) for one in wanted["keep"]):
            return "wanted"
        if any(matches(one["new"], card.text) for one in wanted["updates"]):
            return "wanted"
        fine = [one["match"] for key in ("acceptable", "rules") for one in wanted[key]]
        fine += [one[side] for key in ("coexist", "unsure") for one in wanted[key] for side in ("first", "second")]
        return "ok" if any(matches(match, card.text) for match in fine) else ""
    line = card.lines[0].text
    if card.op is Op.UPDATE:
        after = line_after(card, line)
        swaps = [one for one in wanted["updates"] if matches(one["old"], line) or not matches(one["new"], line)]
        return "wanted" if any(matches(one["new"], after) for one in swaps) else ""
    gone = card.lines if card.op is Op.END else card.lines[1:]
    outdated = [one["match"] for one in wanted["stale"]] + [one["old"] for one in wanted["updates"]]
    if all(any(matches(match, one.text) for match in outdated) for one in gone):
        return "wanted"
    return "ok" if any(matches(one["match"], line) for one in wanted["duplicates"]) else ""


def _accepted(lines: Sequence[str], cards: Sequence[Card]) -> list[str]:
    """The memory once these cards are accepted."""
    after = list(lines)
    for card in cards:
        if card.op is Op.ADD:
            after.append(card.text)
            continue
        words = plain(card.lines[0].text)
        at = next((i for i, line in enumerate(after) if words in plain(line)), None)
        if at is not None:
            after[at] = line_after(card, after[at]) if card.op is Op.UPDATE else ""
    return after


def _had(goal: tuple[str, Any, Any], lines: Sequence[str]) -> bool:
    kind, match, old = goal
    if kind == "stale":
        return not any_line(match, lines)
    outdated = kind == "update" and any(matches(old, line) and not matches(match, line) for line in lines)
    return any_line(match, lines) and not outdated


def _show(
    cards: Sequence[Card], good: Sequence[str], goals: Sequence[tuple[str, Any, Any]], later: Sequence[str]
) -> None:
    for number, (card, how) in enumerate(zip(cards, good, strict=True), 1):
        print(f"   {number:>3} {how or '-':<7}{_told(card)}")
    for goal in goals:
        if not _had(goal, later):
            print("    missing", *goal)


def _told(card: Card) -> str:
    line = card.lines[0].text if card.lines else ""
    change = f"{line[:90]} [{card.old} -> {card.new or card.text}]" if card.op is Op.UPDATE else card.text or line
    said = f" <= {card.said[0].text[:90]}" if card.said and card.op is not Op.ADD else ""
    return f"{card.worth:.2f} {card.op} {change[:190]}{said}"


# Scenes: labels a line.


def scenes(*, everything: bool) -> Iterator[dict[str, Any]]:
    """Scenes that were kept out of the training; with `everything` all of them."""
    folder = Path(os.environ.get("REVERIE_SCENES", ""))
    kept_out = set(EXAM.read_text("utf-8").split())
    for path in sorted(folder.glob("*.jsonl")):
        for row in path.read_text("utf-8").split("\n"):
            scene = json.loads(row) if row else {}
            if scene and (everything or scene["id"] in kept_out):
                yield scene


def scene_measured(scene: Mapping[str, Any], *, show: bool) -> Found:
    """The same figures over the labels of lines: W are lines to add, updates, ends, and what makes a line richer."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        scene_folder(scene, root)
        before = statements(root)
        cards = dreamt(root, f"{scene['today']}T23:30:00", "UTC")
        after = statements(root)
    texts = {one["id"]: _bare(one["text"]) for one in (*scene["memory"], *scene["notes"])}
    goals = list(_scene_goals(scene))
    done = {n for n, does, to, label in goals if _scene_done(does, texts.get(to, ""), texts[n], label, before, after)}
    good = [_scene_judged(card, goals, texts, scene["labels"]) for card in cards]
    found = Found(scene["id"], len(goals), len(done), cards=len(cards), good=[how for _, how in good[:FIRST]])
    for most in (len(goals), 2 * len(goals)):
        had = done | {n for n, how in good[:most] if how == "wanted"}
        found.at_w, found.at_2w = (len(had), len(had)) if most == len(goals) else (found.at_w, len(had))
    found.half = len(done | {n for n, how in good[: 2 * len(goals)] if how and n})
    found.harm = len(_scene_harm(before, after, goals, texts))
    if show:
        for number, (card, (_, how)) in enumerate(zip(cards, good, strict=True), 1):
            print(f"   {number:>3} {how or '-':<7}{_told(card)}")
        for n, does, to, label in goals:
            if n not in had:
                print("    missing", does, "|", texts[n], "|", texts.get(to, ""), "|", label.get("swap", ""))
    return found


def scene_folder(scene: Mapping[str, Any], root: Path) -> None:
    """A scene as a workspace on disk."""
    (root / "memory").mkdir(parents=True)
    sections: dict[str, list[str]] = {}
    for one in scene["memory"]:
        sections.setdefault(one["section"], []).append(_item(one["text"]))
    text = "# Memory\n\n" + "\n\n".join(f"## {name}\n" + "\n".join(lines) for name, lines in sections.items())
    (root / "MEMORY.md").write_text(text + "\n", "utf-8")
    days: dict[str, dict[str, list[str]]] = {}
    for one in scene["notes"]:
        days.setdefault(one["day"], {}).setdefault(one.get("under", ""), []).append(_item(one["text"]))
    for day, parts in days.items():
        blocks = [_headed(under) + "\n".join(lines) for under, lines in parts.items()]
        (root / "memory" / f"{day}.md").write_text(f"# {day}\n\n" + "\n\n".join(blocks) + "\n", "utf-8")


def _headed(under: str) -> str:
    parts = [part for part in under.split(" > ") if part]
    return "".join(f"{'#' * (level + 2)} {part}\n" for level, part in enumerate(parts))


def _item(text: str) -> str:
    return text if text.startswith(("-", "*", "|", "#", ">", "1")) else f"- {text}"


def _bare(text: str) -> str:
    return plain(text.lstrip("-*• ").removeprefix("[ ] ").removeprefix("[x] "))


def _scene_goals(scene: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    """(note, does, memory line, label) of what is wanted; of two changes of one value the later one."""
    memory = {one["id"] for one in scene["memory"]}
    latest: dict[tuple[str, str], str] = {}
    for one in scene["notes"]:
        label = scene["labels"].get(one["id"], {})
        for old, _ in label.get("swap") or ():
            latest[_target(label), old] = one["id"]
    for one in scene["notes"]:
        label = scene["labels"].get(one["id"], {})
        does, to = label.get("does", ""), _target(label)
        if does in ("update", "ends") and to in memory:
            swaps = [old for old, _ in label.get("swap") or ()]
            if not swaps or any(latest[to, old] == one["id"] for old in swaps):
                yield one["id"], does, to, label
        elif ((does == "richer" and to in memory) or does == "add") and label.get("keep", 0) >= 2:
            yield one["id"], does, to, label


def _target(label: Mapping[str, Any]) -> str:
    return str(next(iter(label.get("to") or ()), ""))


def _scene_judged(
    card: Card, goals: Sequence[tuple[str, str, str, Mapping[str, Any]]], texts: Mapping[str, str], labels: Mapping[str, Any]
) -> tuple[str, str]:  # fmt: skip
    """(the note whose wish a card fulfils, how): wanted, beside the old line that should change, ok, or nothing."""
    said = {plain(one.text) for one in card.said}
    mine = [goal for goal in goals if any(_same(texts[goal[0]], words) for words in said)]
    line = plain(card.lines[0].text) if card.lines else ""
    for n, does, to, label in mine:
        here = bool(to) and bool(line) and _same(texts[to], line)
        if card.op is Op.ADD:
            return (n, {"add": "wanted", "richer": "wanted", "update": "beside"}.get(does, ""))
        if card.op is Op.END and here:
            return (n, "wanted") if does == "ends" and not label.get("result") else (n, "ok")
        if card.op is Op.UPDATE and here and does in ("update", "richer", "ends"):
            after = plain(line_after(card, card.lines[0].text))
            return (n, "wanted") if _is_right(after, line, label) else (n, "")
    kept = any(_same(texts[n], words) and label.get("keep", 0) >= 2 for n, label in labels.items() for words in said)
    return ("", "ok" if card.op is Op.ADD and kept else "")


def _is_right(after: str, line: str, label: Mapping[str, Any]) -> bool:
    """The line afterwards is the wanted one, or holds every new value and none of the old ones."""
    if label.get("result") and plain(_bare(label["result"])) == after:
        return True
    swaps = [(plain(old), plain(new)) for old, new in label.get("swap") or ()]
    core = [(old, new) for old, new in swaps if _core(new, old) in after]
    return (
        bool(swaps)
        and len(core) == len(swaps)
        and all(after.count(old) < line.count(old) or old in new for old, new in swaps)
    )


def _core(new: str, old: str) -> str:
    """The words of a new value that the old one has not: "5 retries" for "3 retries" is "5"."""
    known = set(old.split())
    return " ".join(word for word in new.split() if word not in known) or new


def _scene_done(
    does: str, line: str, note: str, label: Mapping[str, Any], before: Sequence[str], after: Sequence[str]
) -> bool:
    """Whether the night did it by itself."""
    there, was = [_bare(one) for one in after], [_bare(one) for one in before]
    changed = line not in there and line in was
    if does == "ends":
        return changed
    if does == "update":
        return changed and any(_is_right(one, line, label) for one in there if one not in was)
    wanted = plain(label.get("line", ""))
    return any(_same(note, one) or (wanted and wanted == one) for one in there if one not in was)


def _scene_harm(
    before: Sequence[str], after: Sequence[str], goals: Sequence[tuple[str, str, str, Mapping[str, Any]]], texts: Mapping[str, str]
) -> list[str]:  # fmt: skip
    """Lines that left or changed and that no label ends, changes or makes richer."""
    meant = {texts[to] for _, _, to, _ in goals if to}
    there = {_bare(one) for one in after}
    return [one for one in before if _bare(one) not in there and _bare(one) not in meant]


def _same(text: str, words: str) -> bool:
    return text == words or (len(words) > 12 and (words in text or text in words))


def _total(rows: Sequence[Found], name: str) -> Found:
    total = Found(name)
    for one in rows:
        total.wanted, total.done, total.at_w = total.wanted + one.wanted, total.done + one.done, total.at_w + one.at_w
        total.at_2w, total.half, total.harm = total.at_2w + one.at_2w, total.half + one.half, total.harm + one.harm
        total.cards, total.good = total.cards + one.cards, total.good + one.good
    return total


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--case", default="")
    asked.add_argument("--show", action="store_true")
    asked.add_argument("--unseen", type=Path)
    asked.add_argument("--scenes", action="store_true")
    asked.add_argument("--all", action="store_true", help="also scenes that the weights were trained on")
    options = asked.parse_args()
    print(HEAD)
    rows: list[Found] = []
    if options.scenes:
        for scene in scenes(everything=options.all):
            if options.case in scene["id"]:
                rows.append(scene_measured(scene, show=options.show))
                print(rows[-1].row(), flush=True)
    else:
        unseen = json.loads(options.unseen.read_text("utf-8")) if options.unseen else []
        for case, wanted in cases():
            if options.case in case.name:
                judge_as_stranger(
                    {bare(row[2]): row[3] for row in unseen if row[0] == f"{case.parent.name}/{case.name}"}
                )
                rows.append(measured(case, wanted, show=options.show))
                print(rows[-1].row(), flush=True)
    print(_total(rows, "all").row())


if __name__ == "__main__":
    main()
