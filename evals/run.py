"""Labelled nights, each on a copy: nothing done, everything copied, the rules, and a recorded model, led by Reverie or alone.

    python evals/run.py [CASES…] [--json] [--model KIND:NAME] [--system COMMAND]

CASES are cases or folders of them; without any, evals/nights. --json says also what failed, waits and was refused. --model: a
live model leads, too. --system: any other program; it gets the folder of the workspace as its last word and may change it,
and in REVERIE_QUESTIONS what its user asks. `systems/` has adapters.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

from reverie.features.lead import judge_of
from reverie.judge import rules
from reverie.judge.answer import read_answer
from reverie.judge.brief import Brief, Judge, Verdict
from reverie.models.ask import chosen
from reverie.night import Report, review
from reverie.workspace.layout import FileKind, layout_of, note_day
from reverie.workspace.read import read
from score import CARE, GAIN, score

Row = dict[str, Any]
DAY = re.compile(r"\d{4}-\d\d-\d\d")


Night = Callable[[Path, datetime], Report | None]  # what is done to a workspace at a moment


def rows(case: Path, others: dict[str, Night]) -> Iterator[Row]:
    """A row for each way to do it: what the nights of a case come to."""
    gold = json.loads((case / "gold.json").read_text("utf-8"))
    moments = [datetime.fromisoformat(moment) for moment in gold.get("nights", [gold["now"]])]
    os.environ["REVERIE_QUESTIONS"] = "\n".join(asked["q"] for asked in gold.get("ask", ()))
    paths = [case / f"answer{f'-{n}' if len(moments) > 1 else ''}.json" for n in range(1, len(moments) + 1)]
    ways = {name: [night] * len(moments) for name, night in {**WAYS, **others}.items()}
    if all(path.is_file() for path in paths):
        ways["recorded"] = [led_by(recorded(path.read_text("utf-8"))) for path in paths]
    if len(moments) == 1 and (alone := case / "alone.json").is_file():
        ways["alone"] = [rewritten(json.loads(alone.read_text("utf-8")))]
    for name, done in ways.items():
        with tempfile.TemporaryDirectory() as place:
            os.environ |= {"XDG_CACHE_HOME": f"{place}/a", "XDG_STATE_HOME": f"{place}/b", "DREAM_VAULT_PATH": ""}
            begun = spent()
            reports = list(filter(None, nights(case / "workspace", Path(place) / "workspace", moments, done)))
            refused = [why for report in reports for why in report.refused]
            waiting = [f"{wish.op}: {wish.after or wish.why}" for report in reports for wish in report.waiting]
            row = {"case": case.name, "judge": name, "waiting": waiting, "refused": refused, "cpu": spent() - begun}
            yield row | score(case, Path(place))


def spent() -> float:
    """CPU seconds of this process and of those that it waited for."""
    return sum(os.times()[:4])


def nights(source: Path, root: Path, moments: list[datetime], done: list[Night]) -> Iterator[Report | None]:
    """One night after the other; each of several sees the notes and logs up to its day."""
    since = date.min
    for number, moment in enumerate(moments):
        until = moment.date() if len(moments) > 1 else date.max
        for path in (path for path in source.rglob("*") if path.is_file()):
            target, day = root / path.relative_to(source), note_day(path.relative_to(source).as_posix())
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".jsonl":
                lines = path.read_text("utf-8").splitlines(keepends=True)
                target.write_text("".join(x for x in lines if DAY.findall(x)[:1] <= [str(until)]), "utf-8")
            elif since < day <= until if day else since == date.min:
                shutil.copy2(path, target)
        since = until
        yield done[number](root, moment)


def led_by(judge: Judge) -> Night:
    return lambda root, moment: review(layout_of(root), moment, judge)


def copied(root: Path, moment: datetime) -> None:
    """Everything that any note says, behind memory."""
    snapshot = read(layout_of(root))
    lines = [f"- {line.text}\n" for file in snapshot.of_kind(FileKind.NOTE) for line in file.statements]
    with (root / "MEMORY.md").open("a", encoding="utf-8") as memory:
        memory.write("\n" + "".join(lines))


def rewritten(files: dict[str, str]) -> Night:
    """What a model did that had the workspace and the seeds' text, and no Reverie: the files that it wrote."""

    def night(root: Path, moment: datetime) -> None:
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text.encode())

    return night


def system(command: str) -> Night:
    def night(root: Path, moment: datetime) -> None:
        environ = os.environ | {"REVERIE_NOW": f"{moment:%Y-%m-%dT%H:%M}"}
        subprocess.run([*shlex.split(command), str(root)], stdout=subprocess.DEVNULL, env=environ, check=False)

    return night


def live(model: str) -> Night:
    return lambda root, moment: review(layout_of(root), moment, judge_of(chosen(model), layout_of(root)))


WAYS: dict[str, Night] = {"nothing": lambda _, __: None, "copied": copied, "rules": led_by(rules.decide)}


def recorded(answer: str) -> Judge:
    """A judge that repeats an answer; what it says under `lines` are the words that it meant by its names."""

    def judge(brief: Brief) -> Verdict:
        places: dict[str, list[str]] = {}
        for line in (*brief.memory, *brief.notes):
            places.setdefault(line.id[0] + words(line.statement.text), []).append(line.id)
        meant = json.loads(answer).get("lines", {}) if '"lines"' in answer else {}
        names = {name: (places.get(name[0] + words(text)) or [f"{name[0]}0"]).pop(0) for name, text in meant.items()}
        renamed = re.sub(r'"([mn]\d+)"', lambda name: f'"{names.get(name[1], name[1])}"', answer)
        return read_answer(renamed, brief.saved())

    return judge


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text)).casefold()


def mean(found: list[Row]) -> Row:
    """The mean of the scores and parts; what is counted is added up."""
    shares = {name: [row["parts"][name] for row in found if row["parts"][name] is not None] for name in GAIN | CARE}
    overall = [row["overall"] for row in found]
    return {
        "case": f"mean of {len(found)}", "judge": found[0]["judge"], "overall": sum(overall) / len(overall),
        "cpu": sum(row["cpu"] for row in found) / len(found),
        "parts": {name: sum(values) / len(values) if values else None for name, values in shares.items()},
        "counts": {name: sum(row["counts"][name] for row in found) for name in found[0]["counts"]},
        **{name: [item for row in found for item in row[name]] for name in ("harm", "leaks")},
    }  # fmt: skip


def shown(row: Row) -> str:
    cells = " ".join(f"{'-' if value is None else format(value, '.2f'):>5}" for value in row["parts"].values())
    wanted = f"{row['counts']['good']}/{row['counts']['new'] - row['counts']['reworded']}"
    ends = f"{wanted:>9} {len(row['harm']):>5} {len(row['leaks']):>5} {row['cpu']:6.2f}"
    return f"{row['case']:16} {row['judge']:8} {row['overall']:7.3f} {cells} {ends}"


def main() -> None:
    asked = argparse.ArgumentParser(usage=__doc__)
    asked.add_argument("cases", nargs="*", type=Path, default=[Path(__file__).with_name("nights")])
    asked.add_argument("--json", action="store_true")
    asked.add_argument("--model", default="")
    asked.add_argument("--system", default="")
    options = asked.parse_args()
    others = {"live": live(options.model)} if options.model else {}
    others |= {"system": system(options.system)} if options.system else {}
    golds = [path for folder in options.cases for depth in ("", "*/") for path in folder.glob(f"{depth}gold.json")]
    if not golds:
        asked.exit(2, f"There is no gold.json in {options.cases[0]}, nor one folder below. Name a folder of cases.\n")
    found = [row for gold in sorted(golds) for row in rows(gold.parent, others)]
    judges = dict.fromkeys(row["judge"] for row in found)
    means = [mean([row for row in found if row["judge"] == judge]) for judge in judges]
    if options.json:
        print(json.dumps({"rows": found, "means": means}, ensure_ascii=False, indent=1))
        return
    print(
        f"{'case':16} {'judge':8} overall {' '.join(f'{name[:5]:>5}' for name in GAIN | CARE)}    wanted  harm leaks    cpu"
    )
    for row in [*found, *means]:
        print(shown(row))
        for item in [*row["harm"], *row["leaks"]] if row in found else []:
            print(f"    {item}")


if __name__ == "__main__":
    main()
