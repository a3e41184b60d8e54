"""The second look: faults planted into memories that real nights wrote, and how many of them `dream refine` finds.

    python benchmarks/planted.py [--each N] [--show]

The labelled nights of our own and the example are dreamt over; what the nights wrote is the clean memory.
Then, one kind of fault at a time, lines are given invented numbers, names, days and paths (in the memory and in the run's
own record, as if the night had made them up), lines are changed after the night, notes are changed, shortened, deleted, and
later notes say otherwise. Found: the line is named. A false alarm: a line is named that nothing was done to. The clean memory
is also looked at after every note was renamed and got a line on top, which changes nothing that it says.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path

from reverie.core.ports import FixedClock, fixed
from reverie.features.refine.findings import WrittenLine
from reverie.features.refine.refine import Refined, refine, written_lines
from reverie.night.commands import list_runs, review
from reverie.surfaces.configure import configured
from reverie.text.terms import is_negated
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "examples" / "lived-in"
ALARMS = ("dead source", "drifted", "invented", "contradicted", "again", "expired", "lost", "conflict")
WITH = {
    "en": " (agreed with {})", "es": " (lo sabe {})", "fr": " (vu avec {})", "ru": " (знает {})", "ja": "（{}さんに確認済み）",
    "zh": "（{}说的）", "de": " (mit {} besprochen)",
    "pt": " (combinado com {})", "ko": " ({} 확인)",
}  # fmt: skip
NAMES = {
    "ru": ("Аркадий Полуэктов", "Зинаида Чуйкова"), "ja": ("赤嶺", "東雲"), "zh": ("欧阳彬", "慕容倩"),
    "ko": ("제갈현", "독고민"),
}  # fmt: skip
LATIN = ("Wolfhart Iversen", "Quirina Lasker", "Ottoline Brask")
NOW = {
    "en": "Correction: {}", "es": "Corrección: {}", "fr": "Correction : {}", "ru": "Поправка: {}", "ja": "訂正：{}", "zh": "更正：{}",
    "de": "Korrektur: {}", "pt": "Correção: {}", "ko": "정정: {}",
}  # fmt: skip
NOT = {
    "de": "Es stimmt nicht, dass {}", "pt": "Não é verdade que {}", "ko": "사실이 아님, 그렇지 않다: {}",
    "en": "It is not so that {}", "es": "No es cierto que {}", "fr": "Il n'est pas vrai que {}", "ru": "Это не так: {}",
    "ja": "{}ということはない", "zh": "并没有{}",
}  # fmt: skip
_MARK = re.compile(r"\s*<!-- dream:([0-9a-f]{8}) -->")
_NUMBER = re.compile(r"(?<![\d-])\d+(?![\d-])")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass
class Score:
    planted: int = 0
    found: int = 0
    clean: int = 0
    false: int = 0
    missed: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        self.planted, self.found = self.planted + other.planted, self.found + other.found
        self.clean, self.false = self.clean + other.clean, self.false + other.false
        self.missed += other.missed
        self.alarms += other.alarms


@dataclass(frozen=True)
class Dreamt:
    """A copy of a case after its night."""

    case: str
    root: Path
    clock: FixedClock

    @property
    def language(self) -> str:
        """The first word of a case's name; the example and a case of two languages are answered in English."""
        first = self.case.split("-")[0]
        return first if first in WITH else "en"

    def workspace(self) -> Workspace:
        return opened(self.root)

    def written(self) -> tuple[WrittenLine, ...]:
        workspace = self.workspace()
        return written_lines(read_workspace(workspace), list_runs(workspace))

    def copy(self, to: Path) -> Dreamt:
        shutil.copytree(self.root, to)
        return Dreamt(self.case, to, self.clock)


Plant = Callable[[Dreamt, WrittenLine, random.Random], bool]


def opened(root: Path) -> Workspace:
    cache = Path(tempfile.gettempdir()) / "reverie-bench"  # the embedder's tables are made once
    return configured(root, {"HOME": str(root.parent), "XDG_CACHE_HOME": str(cache)})


def dreamt(case: Path, to: Path) -> Dreamt:
    """Dream over a copy of a case."""
    if case == EXAMPLE:
        source, now = EXAMPLE, "2026-11-09T03:00:00+01:00"
    else:
        source, now = case / "workspace", str(json.loads((case / "wanted.json").read_text("utf-8"))["now"])
    shutil.copytree(source, to)
    one = Dreamt(case.name, to, fixed(now))
    review(one.workspace(), one.clock, force=True)
    return one


def cases() -> list[Path]:
    return [*sorted(path.parent for path in HERE.glob("nights/*/wanted.json")), EXAMPLE]


# What is planted. Each returns whether it could be.


def number(one: Dreamt, line: WrittenLine, dice: random.Random) -> bool:
    return _invent(one, line, _other_number(line.text) or f"{line.text} ({dice.randrange(3_000, 9_000)})")


def name(one: Dreamt, line: WrittenLine, dice: random.Random) -> bool:
    return _invent(one, line, line.text + WITH[one.language].format(dice.choice(NAMES.get(one.language, LATIN))))


def day(one: Dreamt, line: WrittenLine, dice: random.Random) -> bool:
    other = (date(2025, 1, 3) + timedelta(days=dice.randrange(300))).isoformat()
    return _invent(
        one, line, _DAY.sub(other, line.text, count=1) if _DAY.search(line.text) else f"{line.text} ({other})"
    )


def path(one: Dreamt, line: WrittenLine, dice: random.Random) -> bool:
    where = dice.choice(("~/projects/ledger/settings.toml", "ops/eu-west/restore.sh", "/srv/share/contracts"))
    return _invent(one, line, f"{line.text} ({where})")


def denied(one: Dreamt, line: WrittenLine, dice: random.Random) -> bool:
    """The night turned a statement round."""
    return not is_negated(line.text) and _invent(one, line, NOT[one.language].format(line.text))


def changed_in_memory(one: Dreamt, line: WrittenLine, dice: random.Random) -> bool:
    """Somebody gave the line another number after the night."""
    other = _other_number(line.text)
    return bool(other) and _swap(one.root / "MEMORY.md", line.text, other)


def changed_in_note(one: Dreamt, line: WrittenLine, dice: random.Random) -> bool:
    """The owner corrected a number in the note."""
    source = line.sources[0]
    at = one.root / source.path
    lines = _read(at).split("\n")
    shared = [n for n in _NUMBER.findall(line.text) if re.search(rf"(?<!\d){n}(?!\d)", lines[source.first - 1])]
    if len(line.sources) > 1 or not shared:
        return False
    other = str(int(shared[-1]) * 3 + 7)
    lines[source.first - 1] = re.sub(rf"(?<!\d){shared[-1]}(?!\d)", other, lines[source.first - 1])
    _write(at, "\n".join(lines))
    return True


def taken_out_of_note(one: Dreamt, line: WrittenLine, dice: random.Random) -> bool:
    if len(line.sources) > 1:
        return False
    at = one.root / line.sources[0].path
    lines = _read(at).split("\n")
    lines[line.sources[0].first - 1 : line.sources[0].last] = [""]  # the lines below keep their numbers
    _write(at, "\n".join(lines))
    return True


def note_deleted(one: Dreamt, line: WrittenLine, dice: random.Random) -> bool:
    for source in line.sources:
        (one.root / source.path).unlink(missing_ok=True)
    return True


def said_otherwise_since(one: Dreamt, line: WrittenLine, dice: random.Random) -> bool:
    other = _other_number(line.text)
    if not other or not line.day:
        return False
    at = one.root / "memory" / f"{one.clock.now().date().isoformat()}.md"
    before = _read(at) if at.exists() else ""
    _write(at, f"{before}- {NOW[one.language].format(other)}\n")
    return True


KINDS: dict[str, Plant] = {
    "invented number": number, "invented name": name, "invented day": day, "invented path": path,
    "turned round": denied,
    "changed in memory": changed_in_memory, "changed in the note": changed_in_note, "taken out of the note": taken_out_of_note,
    "note deleted": note_deleted, "said otherwise since": said_otherwise_since,
}  # fmt: skip


def _other_number(text: str) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return ""
    last = found[-1]
    return f"{text[: last.start()]}{int(last[0]) * 3 + 7}{text[last.end() :]}"


def _invent(one: Dreamt, line: WrittenLine, text: str) -> bool:
    """The line in memory and in the record of its run: the night itself made it up."""
    if not text or not _swap(one.root / "MEMORY.md", line.text, text):
        return False
    record = one.root / "memory" / ".dreams" / "runs" / line.run / "plan.json"
    plan = json.loads(record.read_text("utf-8"))
    for edit in plan["edits"]:
        edit["new"] = [new.replace(line.text, text) if line.id in new else new for new in edit["new"]]
    record.write_text(json.dumps(plan))
    return True


def _read(at: Path) -> str:
    """Any bytes survive: the example holds notes in old encodings."""
    return at.read_bytes().decode("utf-8", "surrogateescape")


def _write(at: Path, text: str) -> None:
    at.write_bytes(text.encode("utf-8", "surrogateescape"))


def _swap(at: Path, old: str, new: str) -> bool:
    text = _read(at)
    if text.count(old) != 1:
        return False
    _write(at, text.replace(old, new))
    return True


def planted(one: Dreamt, kind: str, most: int, to: Path) -> Score:
    """Plant faults of one kind into a copy, look, and count."""
    dice = random.Random(f"{one.case} {kind}")
    copy = one.copy(to)
    lines = list(copy.written())
    dice.shuffle(lines)
    chosen: list[WrittenLine] = []
    touched: set[str] = set()
    for line in lines:
        paths = {source.path for source in line.sources}
        if len(chosen) < most and not paths & touched and KINDS[kind](copy, line, dice):
            chosen.append(line)
            touched |= paths if kind == "note deleted" else set()
    hurt = {line.id for line in chosen}
    also = {line.id for line in lines if {source.path for source in line.sources} & touched}  # came from the same note
    seen = dict(alarms(refine(copy.workspace(), _later(copy.clock), dry_run=True)))
    score = Score(len(hurt), len(hurt & set(seen)), len(lines) - len(hurt | also), len(set(seen) - hurt - also))
    score.missed = [f"{one.case}, {kind}: {line.text}" for line in chosen if line.id not in seen]
    score.alarms = [f"{one.case}, {kind}: {why}" for its, why in seen.items() if its not in hurt | also]
    shutil.rmtree(to)
    return score


def alarms(found: Refined) -> Iterator[tuple[str, str]]:
    for finding in found.findings:
        mark = _MARK.search(finding.target.text) if finding.target else None
        if mark and finding.tag in ALARMS:
            yield mark[1], f"{finding.tag}: {finding.text} | {finding.why}"


def clean(one: Dreamt, to: Path, *, moved: bool) -> Score:
    """The same memory, nothing planted; `moved`: the notes have other names and line numbers."""
    copy = one.copy(to)
    if moved:
        for note in sorted((copy.root / "memory").glob("????-??-??.md")):
            note.with_name(f"{note.stem}-notes.md").write_bytes(b"Moved here.\n\n" + note.read_bytes())
            note.unlink()
    found = refine(copy.workspace(), _later(copy.clock), dry_run=True)
    seen = dict(alarms(found))
    shutil.rmtree(to)
    return Score(clean=found.looked, false=len(seen), alarms=[f"{one.case}, clean: {why}" for why in seen.values()])


def _later(clock: FixedClock) -> FixedClock:
    moment: datetime = clock.now()
    return FixedClock(moment + timedelta(hours=10))


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--each", type=int, default=5, help="faults of a kind in each workspace, at most")
    asked.add_argument("--show", action="store_true")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        nights = [dreamt(case, Path(folder) / case.name) for case in cases()]
        copy, total, show = Path(folder) / "copy", Score(), []
        print(f"{'':<24}{'planted':>8}{'found':>7}{'':>7}{'clean':>8}{'false':>7}")
        for label in ("clean", "clean, notes moved", *KINDS):
            score = Score()
            for one in nights:
                score.add(
                    planted(one, label, options.each, copy)
                    if label in KINDS
                    else clean(one, copy, moved="moved" in label)
                )
            share = f"{score.found / score.planted:.1%}" if score.planted else ""
            print(f"{label:<24}{score.planted:>8}{score.found:>7}{share:>7}{score.clean:>8}{score.false:>7}")
            total.add(score)
            show += [*score.missed, *score.alarms]
        print(
            f"{'all':<24}{total.planted:>8}{total.found:>7}{total.found / total.planted:>7.1%}{total.clean:>8}{total.false:>7}"
        )
        print("\n".join(show) if options.show else "", end="")


if __name__ == "__main__":
    main()
