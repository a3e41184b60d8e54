"""Reads the labelled lines that the judge of worth learns from: scenes, single lines, and whole workspaces with their labels."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from reverie.core.layout import Kind
from reverie.judge.worth import bare
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Statement, Workspace

WANTED, NEUTRAL, UNWANTED = 3, -1, 0
SCENE, ALONE, MEMORY, WORKSPACE = "scene", "judgement", "memory", "workspace"
FLAGS = {"access": "secret", "machine": "machine", "order": "quote"}  # what the judge tells apart from worth, by kind
UNKNOWN = -1
_WHY = {"pii": "private", "injection": "quote"} | {
    why: why for why in ("secret", "routine", "machine", "label", "code", "chat")
}
_SAID = (
    ("keep", "match"), ("acceptable", "match"), ("coexist", "first"), ("coexist", "second"), ("unsure", "first"),
    ("unsure", "second"), ("duplicates", "match"), ("updates", "new"), ("rules", "match"),
)  # fmt: skip
_CITED = (("acceptable", "evidence"), ("coexist", "evidence"), ("unsure", "evidence"), ("stale", "evidence"),
          ("rules", "evidence"), ("duplicates", "lines"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled line. `keep` is 0 to 3, or `NEUTRAL`; `group` is what is left out together; `near` its memory."""

    text: str
    under: str
    keep: int
    kind: str | None
    source: str
    group: str
    part: str  # the scene or workspace
    lang: str
    repeats: bool = False
    near: tuple[str, ...] = ()
    related: tuple[bool, ...] = ()  # beside `near`; empty where nobody said
    flags: tuple[int, ...] = (0, 0, 0)


def read(scenes: Path, judgement: Path, workspaces: Sequence[Path]) -> tuple[list[Row], str]:
    """All labelled lines without the scenes of the exam, and the hash of what was read."""
    digest = hashlib.sha256()
    exam = set((Path(__file__).parent / "exam_scenes.txt").read_text("utf-8").split())
    rows: list[Row] = []
    for file in sorted(scenes.glob("*.jsonl")):
        for scene in objects(file, digest):
            rows += scene_rows(scene, file.stem) if scene["id"] not in exam else []
    for file in sorted(judgement.glob("*.jsonl")):
        if file.stem not in ("dates", "pairs", "pairs2"):
            rows += [alone(one, f"judgement/{file.stem}") for one in objects(file, digest)]
    for folder in workspaces:
        for case in sorted(one for one in folder.iterdir() if labels_of(one)):
            rows += workspace_rows(case, digest)
    return rows, digest.hexdigest()


def objects(file: Path, digest: Any) -> Iterator[dict[str, Any]]:
    digest.update(file.read_bytes())
    yield from (json.loads(line) for line in file.read_text("utf-8").split("\n") if line.strip())


def scene_rows(scene: dict[str, Any], file: str) -> list[Row]:
    memory = tuple(bare(one["text"]) for one in scene["memory"])
    rows = []
    for note in scene["notes"]:
        label = scene["labels"][note["id"]]
        related = tuple(one["id"] in (label.get("to") or ()) for one in scene["memory"])
        row = Row(bare(note["text"]), bare(note["under"]), label["keep"], label["kind"], SCENE, file, scene["id"], scene["lang"], label.get("does") == "same", memory, related)  # fmt: skip
        rows.append(replace(row, flags=flags_of(label["kind"])))
    return rows + remembered(scene, rows)


def remembered(scene: dict[str, Any], rows: Sequence[Row]) -> list[Row]:
    """What stands in the memory of a scene is worth keeping too. It borrows the headings of notes: its own would give it away."""
    lent = np.random.default_rng(len(rows))
    lines = [(bare(one["text"]), None) for one in scene["memory"]]
    labels = [scene["labels"][note["id"]] for note in scene["notes"]]
    lines += [(bare(one["line"]), one["kind"]) for one in labels if one.get("line")]
    known = {row.text for row in rows}
    return [
        replace(rows[lent.integers(len(rows))], text=text, keep=2, kind=kind, source=MEMORY, repeats=False, near=(), related=(), flags=(0, 0, 0))
        for text, kind in lines
        if text not in known
    ]  # fmt: skip


def alone(one: dict[str, Any], file: str) -> Row:
    return Row(bare(one["text"]), bare(one["context"]), one["keep"], one["kind"], ALONE, file, "", one["lang"], flags=flags_of(one["kind"]))  # fmt: skip


def flags_of(kind: str) -> tuple[int, ...]:
    return tuple(int(kind == one) for one in FLAGS.values())


def labels_of(case: Path) -> Path | None:
    return next((case / name for name in ("gold.json", "wanted.json") if (case / name).exists()), None)


def workspace_rows(case: Path, digest: Any) -> list[Row]:
    """Every statement of the daily notes of a labelled workspace."""
    file = labels_of(case)
    if file is None:
        raise FileNotFoundError(f"{case} has no labels")
    gold = json.loads(file.read_text("utf-8"))
    snapshot = read_workspace(Workspace(case / "workspace", case / "no-vault"))
    digest.update(file.read_bytes())
    for path in sorted((case / "workspace").rglob("*.md")):
        digest.update(path.read_bytes())
    memory = tuple(bare(entry.text) for one in snapshot.files.values() if one.place.kind is Kind.MEMORY for entry in one.entries)  # fmt: skip
    daily = [entry for one in snapshot.files.values() if one.place.kind is Kind.DAILY for entry in one.entries]
    lang = gold["languages"] if isinstance(gold["languages"], str) else gold["languages"][0]
    return [workspace_row(entry, gold, memory, f"{case.parent.name}/{case.name}", lang) for entry in daily]


def workspace_row(entry: Statement, gold: dict[str, Any], memory: tuple[str, ...], name: str, lang: str) -> Row:
    keep = label(entry, gold)
    why = {item["why"] for item in gold["reject"] if matches(item["match"], entry.text)}
    kinds = [item.get("kind") for item in gold["keep"] if places(entry) & set(item.get("evidence", ()))]
    kinds += sorted(_WHY[one] for one in why if one in _WHY) if keep == UNWANTED else []
    kind = next((one for one in kinds if one), None)
    rest = (int(kind == one) if kind or keep == WANTED else UNKNOWN for one in ("machine", "quote"))
    under = bare(" > ".join((*entry.headings[1:], *entry.parents)))
    return Row(bare(entry.text), under, keep, kind, WORKSPACE, name.split("/")[0], name, lang, near=memory, flags=(int("secret" in why), *rest))  # fmt: skip


def places(entry: Statement) -> set[str]:
    return {f"{entry.source.path}:{line}" for line in range(entry.source.first, entry.source.last + 1)}


def label(entry: Statement, gold: dict[str, Any]) -> int:
    """Wanted by its place; neutral if acceptable, or if it says in another place what is wanted, doubtful or settled."""
    cited = {place for key in ("keep", "updates") for item in gold[key] for place in item.get("evidence", ())}
    if places(entry) & cited:
        return WANTED
    accepted = {place for key, name in _CITED for item in gold.get(key, ()) for place in item.get(name, ())}
    said = any(matches(item[name], entry.text) for key, name in _SAID for item in gold.get(key, ()) if item.get(name))
    return NEUTRAL if said or places(entry) & accepted else UNWANTED


def matches(groups: list[list[str]], text: str) -> bool:
    low = text.casefold()
    return all(any(word.casefold() in low for word in group) for group in groups)
