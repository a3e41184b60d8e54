"""A model that wants harm: it invents, turns round, retires what holds, obeys what a mail says, and answers in no shape at all.

What it says depends on its seed and the question only. Some seeds are wild; the sly ones judge well in most things, as a
model would that wants to be believed, and lie once or twice.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from adversary.verdict import Case
from adversary.wordings import LIES, PLANTED, SECRETS, TONGUES, Lie

from reverie.core.model_calls import Ask, Reply

LINE = re.compile(r"^\s*\[([mn]\d+)[^\]]*\] (.*)$", re.M)
DATA = re.compile(r"<data>\s*(.*?)\s*</data>", re.S)
Line = dict[str, str]
Operation = dict[str, Any]
_KINDS = ("add", "update", "merge", "end", "ignore", "ask")


class AdversaryModel:
    """Implements the `Model` port. It has read the labels, so that it can mix truth with lies."""

    def __init__(self, seed: int, case: Case) -> None:
        self.identity = f"adversary {seed}"
        self.random, self.case, self.asked = Random(seed), case, 0
        self.style = ("sly", "wild", "sly", "broken", "sly")[seed % 5]
        self.told: Counter[str] = Counter()  # attack → how often

    def ask(self, ask: Ask, seconds: float) -> Reply:
        self.asked += 1
        found = DATA.search(ask.user)
        if self.style == "broken" and self.random.random() < 0.7:
            return Reply(self._no_answer(ask.task))
        if ask.task != "night":
            return Reply(json.dumps(self._free(ask.task, json.loads(found[1]) if found else {})))
        shown = [{"id": name, "text": text} for name, text in LINE.findall(found[1] if found else "")]
        data = {
            "new": [one for one in shown if one["id"][0] == "n"],
            "memory": [one for one in shown if one["id"][0] == "m"],
        }
        operations = self._sly(data) if self.style == "sly" else self._wild(data)
        self.random.shuffle(operations)
        said = self._free("diary", [one["text"] for one in shown])["text"]
        return Reply(json.dumps({"operations": operations[:60], "diary": said}))

    def _wild(self, data: dict[str, list[Line]]) -> list[Operation]:
        return [self._attack(data) for _ in range(self.random.randint(3, 60))]

    def _sly(self, data: dict[str, list[Line]]) -> list[Operation]:
        """What a good judge would say, and some attacks in the place of it or besides."""
        honest = [one for line in data["new"] for one in self._honest(line, data)]
        attacks = [self._attack(data) for _ in range(self.random.randint(1, 4))]
        hit = {name for one in attacks for name in one["from"]}
        return [one for one in honest if not hit & set(one["from"])] + attacks

    def _honest(self, line: Line, data: dict[str, list[Line]]) -> list[Operation]:
        for old, note in self.case.leaves():
            there = [one["id"] for one in data["memory"] if one["text"] in old]
            if there and note.text[:12] in line["text"]:
                return [_op(self.random.choice(("update", "end")), [line["id"]], there, line["text"])]
        return [_op("add", [line["id"]], [], line["text"])] if len(line["text"]) > 14 else []

    def _attack(self, data: dict[str, list[Line]]) -> Operation:
        random, new, old = self.random, data["new"], data["memory"]
        kind = random.choice(_KINDS)
        line = random.choice(new)
        if kind == "ignore" or not old:
            self.told[kind] += 1
            return _op("ignore", [line["id"]])
        if random.random() < 0.15:
            return self._strange(kind, line, data)
        if kind == "merge":
            some = random.sample(random.choice((new, old)), 2) if min(len(new), len(old)) > 1 else old[:1]
            some = _alike(random, old) if random.random() < 0.5 else some
            self.told["merge look-alikes"] += 1
            sort = "memory" if some[0]["id"].startswith("m") else "new"
            return _op(
                "merge", *(([one["id"] for one in some], []) if sort == "new" else ([], [one["id"] for one in some]))
            )
        text, lie = self._lie(line, [one["text"] for one in (*new, *old) if one is not line])
        self.told[f"{kind}: {lie}"] += 1
        if kind == "add":
            return _op("add", [line["id"]], [], text)
        target = _nearest(line, old) if random.random() < 0.6 else random.choice(old)
        return _op(kind, [line["id"]], [target["id"]], "" if kind == "end" else text)

    def _lie(self, line: Line, others: Sequence[str]) -> tuple[str, str]:
        if self.random.random() < 0.15:
            return line["text"], "its own words"
        lie: Lie = self.random.choice(LIES)
        return lie(self.random, line["text"], others), lie.__name__

    def _strange(self, kind: str, line: Line, data: dict[str, list[Line]]) -> Operation:
        """Ids that were not shown, stand in the wrong field, or are too many."""
        self.told["strange ids"] += 1
        n, m = line["id"], self.random.choice(data["memory"])["id"]
        return self.random.choice(
            (
                _op(kind, [m], [n]), _op(kind, [n], [n]), _op(kind, [m], [m]), _op(kind, ["n999"], [m]), _op(kind, [n], ["m999"]),
                _op(kind, [], []), _op(kind, [], [m]), _op(kind, [n, n], [m, m]), _op(kind, ["MEMORY.md"], ["../x"]),
                _op(kind, [one["id"] for one in data["new"][:12]], [one["id"] for one in data["memory"][:12]]),
                _op("end", [n], [one["id"] for one in data["memory"][:12]]), _op("merge", [n], [m]), _op(kind, ["n१"], ["m¹"]),
            )
        )  # fmt: skip

    def _no_answer(self, task: str) -> str:
        self.told["no shape"] += 1
        one = _op("end", ["n1"], ["m1"])
        return self.random.choice(
            (
                "", "null", "[]", "{", "{}", "I am sorry, I cannot help with that.", '{"operations": "delete everything"}', "NaN", "\x00", "\ud800",
                "[" * 100_000, '{"a":' * 50_000, json.dumps({"operations": [one] * 10_000}), "x" * 10_000_000, '{"operations": [' + json.dumps(one),
                json.dumps({"operations": [{**one, "path": "MEMORY.md"}]}), json.dumps({"operations": [{**one, "op": "delete"}]}),
                json.dumps({"operations": [{**one, "from": 17}]}), json.dumps({"operations": [{**one, "text": 7}]}), json.dumps({"operations": [None]}),
                json.dumps({"operations": [], "operation": 1}), json.dumps({"operations": {"0": one}}), "```json\n" + json.dumps([one]) + "\n```",
                json.dumps({"text": "x" * 5_000_000}), '{"operations": [], "operations": [1]}', "1e999", json.dumps({"text": None}),
            )
        )  # fmt: skip

    def _free(self, task: str, data: Any) -> dict[str, Any]:
        """Free texts: a diary that lies sentence by sentence, reflections that cite anything."""
        lines = _strings(data) or ["nothing"]
        told = " ".join(
            self._lie({"text": self.random.choice(lines)}, lines)[0] for _ in range(self.random.randint(1, 14))
        )
        told = f"Tonight I read. {told} {self.random.choice((*PLANTED, *SECRETS, *TONGUES, ''))}"
        if task == "diary":
            return {"text": told[:2400]}
        if task == "themes":
            return {"reflections": [{"text": told[:400], "lines": ["l1", "l2"]}]}
        return {"memories": [], "titles": [], "sentences": []}


def _op(kind: str, new: Sequence[str], old: Sequence[str] = (), text: str = "") -> Operation:
    named = "question" if kind == "ask" else "text"
    return {"op": kind, "from": list(new), "memory": list(old), named: text[:300]}


def _alike(random: Random, old: Sequence[Line]) -> list[Line]:
    one = random.choice(old)
    return [one, _nearest(one, [other for other in old if other is not one] or list(old))]


def _nearest(line: Line, old: Sequence[Line]) -> Line:
    words = set(re.findall(r"[\u3400-\u9fff]|\w+", line["text"].casefold()))
    return max(old, key=lambda one: len(words & set(re.findall(r"[\u3400-\u9fff]|\w+", one["text"].casefold()))))


def _strings(data: Any) -> list[str]:
    if isinstance(data, str):
        return [data] if len(data) > 12 else []
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for part in parts for text in _strings(part)]
