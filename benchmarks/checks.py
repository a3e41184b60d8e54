"""How often the checks refuse an honest wording, and how often they let a false one pass. Scenes are labelled by blind authors.

    REVERIE_SCENES=/path/to/scenes python benchmarks/checks.py [--refused de] [--passed de]

Honest: every line and every result that an author wrote, as an add, as an update with a whole text, and as a swap. An author
knew the whole scene and named one note, so a line is cited twice: by that note alone, and with the lines of the scene that
hold what else the author used. False: the same lines with one digit, name, day or "not" changed, a fact of the card left out,
or a clause with a number or a name put behind. An honest update names what it drops.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from reverie.judge.brief import Brief, MemoryLine, NoteLine
from reverie.judge.checks import refusal
from reverie.judge.operation import Op, Operation
from reverie.judge.specifics import lost, specifics_of, unsupported
from reverie.text.markdown import Block, Shape
from reverie.workspace.values import Origin, Source, Statement, stated

_MARKER = re.compile(r"^\s*(?:[-*+•]\s+(?:\[.\]\s+)?|\d+[.)]\s+|>\s?)")
_NAMES = {"ru": ("Дубровин", "Загорская"), "en": ("Vandermeer", "Kowalczyk")}
_NOT = {
    "en": (r"\b(is|are|was|will|can|must|does|should|has|have)\b", r"\1 not"),
    "de": (r"\b(ist|sind|wird|werden|hat|kann|will|darf|soll|liegt|kommt|bleibt|holt|nimmt|zieht)\b", r"\1 nicht"),
    "es": (r"\b(es|está|son|hay|va|tiene|puede|quiere|viene|cierra|abre|paga|se)\b", r"no \1"),
    "fr": (r"\b(est|sont|peut|doit|va|vient|prend|reste|veut)\b", r"n'\1 pas"),
    "pt": (r"\b(é|está|são|tem|vai|pode|quer|fica|sai|paga|prefere)\b", r"não \1"),
    "ru": (r"\b(\w+(?:ет|ит|ут|ют|ят|ем|им))\b", r"не \1"),
    "zh": (r"(要|能|会|用|可以|接|去|放)", r"不\1"),
    "ja": (r"(する|使う|行う)", "しない"),
    "ko": (r"(한다|쓴다|준다)", "하지 않는다"),
}
_NEGATIONS = {
    "en": r"\b(?:not|never|no)\b ?|n't\b", "de": r"\b(?:nicht|nie|kein\w*)\b ?", "es": r"\b(?:no|nunca|sin)\b ?",
    "fr": r"\b(?:ne|pas|jamais|sans)\b ?|\bn['’]", "pt": r"\b(?:não|nunca|sem)\b ?", "ru": r"\b(?:не|без|никогда)\b ?",
    "zh": r"不要|不|没有|没|别", "ja": r"(?<!必)ない|ません|なし", "ko": r"지 않|안 |없",
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    language: str
    brief: Brief
    operation: Operation
    kind: str


def scenes(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines)


def brief_of(scene: dict[str, Any]) -> Brief:
    memory = tuple(
        MemoryLine(line["id"], _entry(at, line["text"], line["section"])) for at, line in enumerate(scene["memory"])
    )
    notes = tuple(
        NoteLine(
            note["id"],
            stated(
                f"memory/{note['day']}.md", at + 1, at + 1, bare(note["text"]), note["under"] or "", day=note["day"]
            ),
            (note["day"],),
        )
        for at, note in enumerate(scene["notes"])
    )
    sections = tuple(dict.fromkeys(line["section"] for line in scene["memory"]))
    return Brief(date.fromisoformat(scene["today"]), memory, notes, sections=sections)


def _entry(at: int, text: str, section: str) -> Statement:
    block = Block(Shape.BULLET, at, at + 1, bare(text), tail=at + 1)
    return Statement(bare(text), Source("MEMORY.md", at + 1, at + 1), block, Origin.OWNER, (section,))


def bare(text: str) -> str:
    return _MARKER.sub("", text.strip()).replace("📌 ", "").strip()


def honest(scene: dict[str, Any]) -> Iterator[Case]:
    brief = brief_of(scene)
    lines, notes = {one.id: one.entry for one in brief.memory}, {one.id: one.claim for one in brief.notes}
    told: dict[str, list[Statement]] = defaultdict(list)  # a later result tells the earlier changes of its line too
    for id_, label in scene["labels"].items():
        claim, to = notes[id_], (label.get("to") or [""])[0]
        if label.get("does") == "add" and label.get("line"):
            section = label["section"] if label["section"] in brief.sections else brief.sections[0]
            wish = Operation(Op.ADD, "", (claim,), text=bare(label["line"]), section=section)
            yield Case(scene["lang"], brief, wish, "add")
        if to in lines and label.get("does") in ("update", "richer", "ends"):
            told[to].append(claim)
            if label.get("result"):
                text = bare(label["result"])  # what its author left out of the card, a judge names
                gone = lost((lines[to].text,), text)
                wish = Operation(Op.UPDATE, "", tuple(told[to]), (lines[to],), text=text, drops=gone)
                yield Case(scene["lang"], brief, wish, label["does"])
            if len(swap := label.get("swap") or ()) == 1 and swap[0][0] in lines[to].text:
                wish = Operation(Op.UPDATE, "", (claim,), (lines[to],), old=swap[0][0], new=swap[0][1])
                yield Case(scene["lang"], brief, wish, "swap")


def fully_cited(case: Case) -> Case:
    """The same wish with the lines of the scene that hold what else its author used."""
    wish, brief = case.operation, case.brief
    cites, memory = list(wish.cites), list(wish.memory)
    for _ in range(4):
        known = [part for claim in cites for part in (claim.text, claim.heading)] + [e.text for e in memory]
        known += [wish.section, *(part for e in memory for part in e.headings)]
        stray = unsupported(wish.new or wish.text, known, [claim.day for claim in cites])
        more = [n.claim for n in brief.notes if n.claim not in cites and _holds(n.claim.text, "", stray)]
        lines = [m.entry for m in brief.memory if m.entry not in memory and _holds(m.entry.text, "", stray)]
        if not stray or not (more or lines):
            break
        cites += more[:1]
        memory += lines[:1] if wish.op is Op.ADD else []
    return replace(case, operation=replace(wish, cites=tuple(cites), memory=tuple(memory)))


def _holds(text: str, day: str, stray: tuple[str, ...]) -> bool:
    return any(specifics_of(f"x {one}") and not unsupported(f"x {one}", [text], [day] if day else []) for one in stray)


def lies(case: Case, dice: random.Random) -> Iterator[tuple[str, Case]]:
    wish = case.operation
    text = wish.new if wish.old else wish.text
    for kind, words in _mutated(text, case, dice):
        if words != text:
            changed = replace(wish, new=words) if wish.old else replace(wish, text=words)
            yield kind, replace(case, operation=changed)


def _mutated(text: str, case: Case, dice: random.Random) -> Iterator[tuple[str, str]]:
    if digits := list(re.finditer(r"\d", text)):
        hit = dice.choice(digits)
        yield "digit", _put(text, hit.span(), str((int(hit[0]) + dice.randint(1, 9)) % 10))
    if days := list(re.finditer(r"\d{4}-\d{2}-\d{2}", text)):
        hit = dice.choice(days)
        yield "day", _put(text, hit.span(), (date.fromisoformat(hit[0]) + timedelta(dice.randint(3, 20))).isoformat())
    if names := _people(text, case):
        pool = _NAMES["ru" if case.language == "ru" else "en"]
        yield "name", _put(text, dice.choice(names), dice.choice(pool))
    if pair := _pair(text, case):
        first, second = pair
        yield "swapped", text.replace(first, "\0", 1).replace(second, first, 1).replace("\0", second, 1)
    pattern, by = _NOT[case.language]
    yield "not added", re.sub(pattern, by, text, count=1)
    if (found := re.search(_NEGATIONS[case.language], text, re.I)) and _denied(case, found[0]):
        yield "not dropped", re.sub(" +", " ", _put(text, found.span(), "")).strip()
    if case.operation.text and case.operation.memory and case.kind == "update":
        yield from (("fact dropped", less) for less in _less(text, case, dice))
    yield "number invented", f"{text.rstrip('.。')}, 7431 kg"
    yield "name invented", f"{text.rstrip('.。')}, {_NAMES['ru' if case.language == 'ru' else 'en'][0]}"


def _put(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


def _pair(text: str, case: Case) -> tuple[str, str] | None:
    """Two numbers, weekdays or times that stand once in the text and in one of its sources."""
    sources = [claim.text for claim in case.operation.cites] + [entry.text for entry in case.operation.memory]
    for kind in (r"(?<![\d.,:/-])\d+(?![\d.,:/-])", r"(?<!\d)\d{1,2}:\d\d(?!\d)"):
        once = [one for one in re.findall(kind, text) if text.count(one) == 1]
        for first, second in itertools.combinations(once, 2):
            if any({first, second} <= set(re.findall(kind, source)) for source in sources):
                return first, second
    return None


def _people(text: str, case: Case) -> list[tuple[int, int]]:
    """Words with a capital that the scene never writes without one, and in German never behind an article."""
    scene = " ".join([*(n.claim.text for n in case.brief.notes), *(m.entry.text for m in case.brief.memory)])
    found = []
    for hit in re.finditer(r"(?<![\w-])[A-ZÄÖÜÉÁА-ЯЁ][a-zäöüßéèáíóúãõçñа-яё]{2,}(?![\w-])", text):
        lower = re.search(rf"(?<!\w){re.escape(hit[0].lower())}", scene)
        inside = len(re.findall(rf"[\w,] {re.escape(hit[0])}(?!\w)", scene)) > 1
        of_article = re.search(
            rf"\b(?:der|die|das|dem|den|des|eine?[nmrs]?|im|am|zum|zur|vom|beim|kein\w*) (?:\w+e[nrs]? )?{re.escape(hit[0])}",
            scene,
        )
        is_german_thing = case.language == "de" and (of_article or len(hit[0]) > 8 or scene.count(hit[0]) < 2)
        if not lower and inside and not is_german_thing:
            found.append(hit.span())
    return found


def _denied(case: Case, word: str) -> bool:
    return any(word.strip().casefold() in claim.text.casefold() for claim in case.operation.cites)


def _less(text: str, case: Case, dice: random.Random) -> Iterator[str]:
    """The card without one of the facts that its note does not touch."""
    facts = re.split(r"(?<=[,;，；])", text)
    old = case.operation.memory[0].text
    loose = [
        fact for fact in facts[1:]
        if fact.strip(" ,;，；") in old and specifics_of(f"x {fact}", case.language) and text.count(fact) == 1
    ]  # fmt: skip
    if loose:
        yield text.replace(dice.choice(loose), "").rstrip(" ,;，；")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--refused", default="", help="show honest wordings of this language that were refused")
    parser.add_argument("--passed", default="", help="show lies in this language that passed")
    asked = parser.parse_args()
    dice, said, passed = random.Random(7), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    refused, reasons = Counter[tuple[str, str]](), Counter[str]()
    for scene in scenes(Path(os.environ["REVERIE_SCENES"])):
        for case in honest(scene):
            full = fully_cited(case)
            for name, one in (("one note", case), ("all cited", full)):
                why = refusal(one.operation, one.brief)
                said[case.language, f"{name}: {case.kind}"] += 1
                refused[case.language, f"{name}: {case.kind}"] += bool(why)
                if why and name == "all cited":
                    reasons[re.sub(r"“[^”]*”", "…", why)] += 1
                if why and name == "all cited" and asked.refused in (case.language, "all"):
                    told = " | ".join(f"{c.day} {c.heading}: {c.text}" for c in one.operation.cites)
                    print(f"REFUSED {case.kind}: {why}\n   {told}\n   {[e.text for e in one.operation.memory]}")
                    print(f"   → {one.operation.old} → {one.operation.new}{one.operation.text}")
            if refusal(full.operation, full.brief):
                continue
            for kind, lie in lies(full, dice):
                said[case.language, f"lie: {kind}"] += 1
                if not refusal(lie.operation, lie.brief):
                    passed[case.language, f"lie: {kind}"] += 1
                    if asked.passed in (case.language, "all"):
                        told = " | ".join(f"{c.day} {c.heading}: {c.text}" for c in lie.operation.cites)
                        print(f"PASSED {kind}: {lie.operation.new or lie.operation.text}\n   {told}")
                        print(f"   was {full.operation.new or full.operation.text}")
    show(said, refused, passed, reasons)


def show(said: Counter[Any], refused: Counter[Any], passed: Counter[Any], reasons: Counter[str]) -> None:
    languages = sorted({language for language, _ in said})
    print("| |" + "|".join(languages) + "|all|\n|---" * 1 + "|---" * (len(languages) + 1) + "|")
    bad = refused + passed
    kinds = sorted({kind for _, kind in said})
    sums = {
        "one note: honest, no ends": [k for k in kinds if k.startswith("one") and "ends" not in k],
        "all cited: honest, no ends": [k for k in kinds if k.startswith("all") and "ends" not in k],
        "lies": [k for k in kinds if k.startswith("lie")],
    }
    for name, group in {**{kind: [kind] for kind in kinds}, **sums}.items():
        row = []
        for language in (*languages, ""):
            many = sum(n for (lang, kind), n in said.items() if kind in group and language in ("", lang))
            wrong = sum(n for (lang, kind), n in bad.items() if kind in group and language in ("", lang))
            row.append(f"{wrong}/{many} {100 * wrong / many:.1f}%" if many else "–")
        print(f"|{name}|" + "|".join(row) + "|")
    for why, times in reasons.most_common(15):
        print(f"{times:5} {why}")


if __name__ == "__main__":
    main()
