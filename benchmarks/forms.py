"""Each form of `reverie.judge.forms` alone: how often it fires on labelled data, and how often it is right.

    python benchmarks/forms.py [--scenes FOLDER] [--pairs FOLDER] [--gold FOLDER ...] [--show FORM]

The seventeen nights of this folder are always measured; the other labelled data is not part of the repository. Scenes are
made into workspaces first, so that every form sees what a night would show it. A form that is right at least 98 times in a
hundred, and fired ten times or is certain by design, may act; the others only suggest. `--show` prints what one form did.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from nights import NIGHTS, matches  # the script beside this one
from reverie.core.layout import Kind
from reverie.evidence.claims import Evidence, Observed, claims_of
from reverie.judge.brief import Brief
from reverie.judge.forms import FORMS
from reverie.judge.operation import Op, Operation, words_after
from reverie.night.briefing import make_brief
from reverie.surfaces.configure import configured
from reverie.text.terms import plain
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Statement

_NOTES = frozenset({Kind.DAILY, Kind.SESSION, Kind.CORPUS, Kind.LOG})
Right = Callable[[Operation], bool]


@dataclass(frozen=True)
class Case:
    """A labelled brief: where it is from, and whether an operation on it is what its labels want."""

    source: str
    name: str
    brief: Brief
    right: Right
    wanted: Mapping[str, int] = field(default_factory=dict)  # how many updates and ends the labels want


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--scenes", type=Path)
    asked.add_argument("--pairs", type=Path)  # pairs of lines, and single lines with their worth
    asked.add_argument("--gold", type=Path, nargs="*", default=[])
    asked.add_argument("--show", default="")
    options = asked.parse_args()
    cases = [*nights(), *(one for folder in options.gold for one in gold(folder))]
    cases += [*(scenes(options.scenes) if options.scenes else ()), *(pairs(options.pairs) if options.pairs else ())]
    cases += [*(lines(options.pairs) if options.pairs else ())]
    _table(cases, show=options.show)


def _table(cases: Sequence[Case], *, show: str) -> None:
    sources = list(dict.fromkeys(one.source for one in cases))
    counts: dict[tuple[str, str], list[bool]] = {}
    for case in cases:
        for name, form in FORMS.items():
            for one in form(case.brief):
                if one.op is Op.ASK:
                    continue
                right = case.right(one)
                counts.setdefault((name, case.source), []).append(right)
                if name == show:
                    _print(case, one, right=right)
    print(f"{'form':<14}" + "".join(f"{source:>14}" for source in sources) + f"{'all':>14}{'precision':>11}")
    for name in FORMS:
        cells = [counts.get((name, source), []) for source in sources]
        every = [right for cell in cells for right in cell]
        told = "".join(f"{f'{sum(cell)}/{len(cell)}' if cell else '-':>14}" for cell in (*cells, every))
        print(f"{name:<14}{told}{f'{sum(every) / len(every):.3f}' if every else '-':>11}")
    for op in ("update", "end"):
        print(
            f"{f'{op}s wanted':<14}"
            + "".join(f"{sum(c.wanted.get(op, 0) for c in cases if c.source == s):>14}" for s in sources)
        )


def _print(case: Case, one: Operation, *, right: bool) -> None:
    print("   " if right else "!! ", case.name, one.op, one.level, "|", one.target.text if one.target else "")
    print("        said:", " // ".join(f"[{claim.heading}] {claim.text}" for claim in one.cites))
    print("        now: ", words_after(one) if one.op is not Op.END else one.why)


def nights() -> Iterator[Case]:
    yield from (labelled("nights", folder, "wanted.json") for folder in sorted(NIGHTS.iterdir()) if folder.is_dir())


def gold(folder: Path) -> Iterator[Case]:
    yield from (labelled("gold", path.parent, "gold.json") for path in sorted(folder.glob("*/gold.json")))


def labelled(source: str, folder: Path, labels: str) -> Case:
    wanted = json.loads((folder / labels).read_text("utf-8"))
    now = datetime.fromisoformat(wanted["now"])
    count = {"update": len(wanted["updates"]), "end": len(wanted["stale"])}
    return Case(source, folder.name, brief_at(folder / "workspace", now), lambda one: _is_right(one, wanted), count)


def _is_right(one: Operation, wanted: dict[str, Any]) -> bool:
    """What the labels of a workspace say: an old value became the new one, a stale line left, a wanted line came."""
    if one.op is Op.ADD:
        good = [*wanted["keep"], *wanted["acceptable"], *wanted["rules"]]
        bad = any(matches(r["match"], one.text) for r in wanted["reject"])
        new = [u["new"] for u in wanted["updates"]]
        return not bad and any(matches(groups, one.text) for groups in (*(g["match"] for g in good), *new))
    line = one.target.text if one.target else ""
    if one.op is Op.UPDATE:
        after = words_after(one)
        return any(matches(u["old"], line) and matches(u["new"], after) for u in wanted["updates"])
    over = [*(s["match"] for s in wanted["stale"]), *(u["old"] for u in wanted["updates"])]
    copies = one.tag == "duplicate"
    return copies or any(matches(groups, line) for groups in over)


def brief_at(root: Path, now: datetime) -> Brief:
    """The brief of a first night over a folder: every note is new. Without an index and without vectors."""
    with tempfile.TemporaryDirectory() as home:
        snapshot = read_workspace(configured(root, {"HOME": home, "XDG_CACHE_HOME": home}))
    said = [
        claim for _, file in sorted(snapshot.files.items()) if file.place.kind in _NOTES for claim in claims_of(file)
    ]
    snapshot = replace(snapshot, workspace=replace(snapshot.workspace, embedder=None))
    return make_brief(snapshot, Evidence(tuple(map(_observed, said))), now)


def _observed(claim: Statement) -> Observed:
    return Observed(claim, claim.key, (claim.day,), (claim.source,))


def scenes(folder: Path) -> Iterator[Case]:
    """Every scene as a workspace: its sections are headings of MEMORY.md, its days are notes."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").split("\n"):
            if line.strip():
                yield _scene(json.loads(line))


def _scene(scene: dict[str, Any]) -> Case:
    with tempfile.TemporaryDirectory() as home:
        root = Path(home)
        (root / "memory").mkdir()
        (root / "MEMORY.md").write_text("# Memory\n" + _under(("section", "text"), scene["memory"]), "utf-8")
        for day in sorted({note["day"] for note in scene["notes"]}):
            notes = [note for note in scene["notes"] if note["day"] == day]
            (root / "memory" / f"{day}.md").write_text(f"# {day}\n" + _under(("under", "text"), notes), "utf-8")
        brief = brief_at(root, datetime.fromisoformat(f"{scene['today']}T23:00:00"))
    labels = [label for label in scene["labels"].values() if label.get("to")]
    memory = {line["id"] for line in scene["memory"]}
    labels = [label for label in labels if set(_listed(label["to"])) & memory]
    count = {
        op: sum(label.get("does") == does for label in labels) for op, does in (("update", "update"), ("end", "ends"))
    }
    return Case("scenes", scene["id"], brief, lambda one: _is_labelled(one, scene), count)


def _under(names: tuple[str, str], lines: Sequence[dict[str, Any]]) -> str:
    """Markdown with a heading for every part of what a line stands under, and its row or item below it."""
    text, before = "", None
    for line in lines:
        if line[names[0]] != before:
            parts = [part.strip() for part in line[names[0]].split(">") if part.strip()]
            text += "\n" + "".join(f"{'#' * depth} {part}\n" for depth, part in enumerate(parts, 2)) + "\n"
            before = line[names[0]]
        said = line[names[1]]
        is_row = said.startswith("|")
        head = "|" + " |" * (said.count("|") - 1) + "\n|" + "---|" * (said.count("|") - 1) + "\n" if is_row else ""
        text += f"\n{head}{said}\n\n" if is_row or not said.lstrip().startswith(("-", "*")) else f"{said.lstrip()}\n"
    return text


def _is_labelled(one: Operation, scene: dict[str, Any]) -> bool:
    """What the label of the cited note says of the line of memory that the operation is about."""
    cited = {_bare(claim.text) for claim in one.cites}
    said = [
        (note["id"], scene["labels"].get(note["id"], {})) for note in scene["notes"] if _bare(note["text"]) in cited
    ]
    if one.op is Op.ADD:
        return any(label.get("keep", 0) >= 2 for _, label in said)
    target = _bare(one.target.text) if one.target else ""
    ids = {line["id"] for line in scene["memory"] if _bare(line["text"]) == target}
    if one.op is Op.END and not one.cites:
        every = [label for label in scene["labels"].values() if ids & set(_listed(label.get("to")))]
        return one.tag == "duplicate" or any(label.get("does") == "ends" and not label.get("result") for label in every)
    about = [label for _, label in said if ids & set(_listed(label.get("to")))]
    if one.op is Op.END:
        return any(label.get("does") == "ends" for label in about)
    return any(label.get("does") == "update" and _gives(label, one) for label in about)


def _gives(label: dict[str, Any], one: Operation) -> bool:
    """The new value stands in the line as it should be, and the old one does not stand there any more."""
    after = plain(label.get("result") or " ".join(new for _, new in label.get("swap") or ()))
    return plain(one.new) in after and (plain(one.old) not in after or plain(one.old) in plain(one.new))


def pairs(folder: Path) -> Iterator[Case]:
    """Pairs of two lines with their relation: the older one is a line of memory, the newer one a note."""
    for path in sorted(folder.glob("pairs*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").split("\n")):
            if line.strip():
                yield _pair(f"{path.stem}:{number + 1}", json.loads(line))


def _pair(name: str, pair: dict[str, Any]) -> Case:
    with tempfile.TemporaryDirectory() as home:
        root = Path(home)
        (root / "memory").mkdir()
        (root / "MEMORY.md").write_text(f"# Memory\n\n## Notes\n\n- {pair['old']}\n", "utf-8")
        (root / "memory" / "2026-03-02.md").write_text(f"# 2026-03-02\n\n## Notes\n\n- {pair['new']}\n", "utf-8")
        brief = brief_at(root, datetime(2026, 3, 3, 3))
    does = {"update": "update", "correction": "update", "done": "end", "retraction": "end"}.get(pair["relation"], "")
    return Case("pairs", name, brief, lambda one: one.op is Op.ADD or one.op.value == does, {does: 1})


def lines(folder: Path) -> Iterator[Case]:
    """Single lines with their worth, the lines of a file as one note beside an empty memory: what a form would add."""
    for path in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
        rows = [row for row in rows if "keep" in row and "context" in row]
        if rows:
            yield _worths(path.stem, rows)


def _worths(name: str, rows: Sequence[dict[str, Any]]) -> Case:
    with tempfile.TemporaryDirectory() as home:
        root = Path(home)
        (root / "memory").mkdir()
        (root / "MEMORY.md").write_text("# Memory\n", "utf-8")
        listed = [{**row, "text": f"- {row['text']}"} for row in rows]
        (root / "memory" / "2026-03-02.md").write_text("# 2026-03-02\n" + _under(("context", "text"), listed), "utf-8")
        brief = brief_at(root, datetime(2026, 3, 3, 3))
    worth = {_bare(row["text"]): row["keep"] for row in rows}
    return Case("lines", name, brief, lambda one: any(worth.get(_bare(claim.text), 0) >= 2 for claim in one.cites))


def _bare(text: str) -> str:
    return plain(text.lstrip("-*+| \t").rstrip("| "))


def _listed(to: object) -> list[str]:
    return [str(one) for one in to] if isinstance(to, list) else [str(to)] if to else []


if __name__ == "__main__":
    main()
