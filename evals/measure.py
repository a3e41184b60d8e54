"""The weights of `reverie.privacy.measure`, and what they are worth on authors that they were not made of.

    python evals/measure.py try [ORDINARY…]      some authors left out at a time: recall, and false alarms
    python evals/measure.py make [ORDINARY…]     write the weights (ten minutes)

`secrets/*.tsv` are lines of blind authors: kind (labelled, spoken, plain), language, what stands above, the line. The notes of
`nights/` are ordinary lines too; ORDINARY are files of JSON lines with a "text" (and a "context") for more of them, which stay
where they are: the weights name the hash of all that they were made of. The way is a linear support vector machine whose
features are weighted by how much oftener secrets have them, trained one line at a time in a fixed order.
"""

from __future__ import annotations

import json
import math
import random
import re
import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from operator import mul
from pathlib import Path
from typing import NamedTuple

from reverie.privacy import measure
from reverie.workspace.layout import layout_of
from reverie.workspace.read import read

HERE = Path(__file__).parent
KINDS = ("labelled", "spoken")
COST, ROUNDS, PARTS = 0.03, 25, 4  # of an error; passes over the lines; groups of authors that are left out in turn
SHARES = {"sure": 0.002, "likely": 0.012}  # of ordinary lines that may be held back


class Line(NamedTuple):
    kind: str
    author: str
    text: str
    above: str = ""


def authored() -> Iterator[Line]:
    for path in sorted((HERE / "secrets").glob("*.tsv")):
        for row in path.read_text("utf-8").splitlines():
            kind, _, above, text = row.split("\t")
            yield Line(kind, path.stem, text, above.strip("# "))


def ordinary(paths: Sequence[str]) -> Iterator[Line]:
    """Lines of notes that nobody calls a secret, by the file that they are of."""
    for case in sorted((HERE / "nights").iterdir()):
        gold = json.loads((case / "gold.json").read_text("utf-8"))
        secrets = [each["match"] for each in gold["reject"] if each["why"] in ("secret", "pii")]
        for file in read(layout_of(case / "workspace")).files.values():
            for line in file.statements:
                if not any(
                    all(any(word.lower() in line.raw.lower() for word in group) for group in match) for match in secrets
                ):
                    yield Line("ordinary", case.name, line.text, line.context)
    for path in paths:
        for row in map(json.loads, Path(path).read_text("utf-8").splitlines()):
            notes = [row] if "text" in row else row.get("notes", ())
            private = {
                name for name, label in row.get("labels", {}).items() if label.get("kind") in ("secret", "private")
            }
            for note in (note for note in notes if note.get("id") not in private):
                above = note.get("context") or note.get("under") or ""
                yield Line("ordinary", Path(path).stem, note["text"], above.replace(" > ", " · "))


class Measure(NamedTuple):
    weights: list[float]  # of each place
    bias: float

    def of(self, places: Sequence[int]) -> float:
        return self.bias + sum(map(self.weights.__getitem__, places))


def trained(rows: Sequence[tuple[array[int], bool]]) -> Measure:
    """Dual coordinate descent; each place counts by the logarithm of how much oftener secrets have it."""
    counts = ([1] * measure.PLACES, [1] * measure.PLACES)
    for places, is_secret in rows:
        for place in places:
            counts[is_secret][place] += 1
    plain, secret = (sum(count) for count in counts)
    ratio = [math.log(often / secret) - math.log(rarely / plain) for rarely, often in zip(*counts, strict=True)]
    scaled = [(*_scaled(places, ratio), 1 if is_secret else -1) for places, is_secret in rows]
    squares = [sum(value * value for value in values) + 1 + 0.5 / COST for _, values, _ in scaled]
    weights, bias, alpha = [0.0] * measure.PLACES, 0.0, [0.0] * len(rows)
    order, chance = list(range(len(rows))), random.Random(7)
    for _ in range(ROUNDS):
        chance.shuffle(order)
        for n in order:
            places, values, sign = scaled[n]
            margin = sign * (bias + sum(map(mul, map(weights.__getitem__, places), values)))
            gradient = margin - 1 + alpha[n] * 0.5 / COST
            if alpha[n] == 0 and gradient >= 0:
                continue
            new = max(0.0, alpha[n] - gradient / squares[n])
            step, alpha[n] = (new - alpha[n]) * sign, new
            if step:
                bias += step
                for place, value in zip(places, values, strict=True):
                    weights[place] += step * value
    return Measure([weight * value for weight, value in zip(weights, ratio, strict=True)], bias)


def _scaled(places: array[int], ratio: list[float]) -> tuple[array[int], array[float]]:
    """Each place once, and what it counts: as often as the line has it."""
    often = Counter(places)
    return array("I", often), array("d", (count * ratio[place] for place, count in often.items()))


def both(lines: Sequence[Line], places: Sequence[array[int]], chosen: Sequence[int]) -> list[Measure]:
    return [
        trained([(places[n], lines[n].kind == kind) for n in chosen if lines[n].kind in (kind, "plain", "ordinary")])
        for kind in KINDS
    ]


def tried(lines: Sequence[Line], places: Sequence[array[int]]) -> dict[str, float]:
    """Print what is found of authors that were left out; the bars at which so few ordinary lines are held back."""
    scores = [0.0] * len(lines)
    sources = sorted({line.author for line in lines})
    for part in range(PARTS):
        out = {source for n, source in enumerate(sources) if n % PARTS == part}
        found = both(lines, places, [n for n, line in enumerate(lines) if line.author not in out])
        for n, line in enumerate(lines):
            scores[n] = max(each.of(places[n]) for each in found) if line.author in out else scores[n]
        print(f"left out: {' '.join(sorted(out))}", flush=True)
    of_ordinary = sorted((scores[n] for n, line in enumerate(lines) if line.kind == "ordinary"), reverse=True)
    bars = {name: of_ordinary[int(share * len(of_ordinary))] for name, share in SHARES.items()}
    for kind in (*KINDS, "plain", "ordinary"):
        mine = [score for score, line in zip(scores, lines, strict=True) if line.kind == kind]
        shares = (f"{name} {sum(score > bar for score in mine) / len(mine):.3f}" for name, bar in bars.items())
        print(f"{kind:9} {len(mine):6} lines: {', '.join(shares)}")
    return bars


def write(found: Sequence[Measure], bars: dict[str, float], lines: Sequence[Line]) -> None:
    """A byte for each weight of both measures."""
    steps = [max(map(abs, each.weights)) / 127 for each in found]
    rows = [
        array("b", [round(weight / step) for weight in each.weights]) for each, step in zip(found, steps, strict=True)
    ]
    made_of = sha256("\n".join("\t".join(line) for line in lines).encode()).hexdigest()
    measures = [(each.bias, step) for each, step in zip(found, steps, strict=True)]
    head = {**{name: round(bar, 3) for name, bar in bars.items()}, "measures": measures, "made_of": made_of}
    folder = Path(measure.__file__).parent
    (folder / "measure.bin").write_bytes(b"".join(row.tobytes() for row in rows))
    (folder / "measure.json").write_text(json.dumps(head, indent=1) + "\n", "utf-8")


def main() -> None:
    words = sys.argv[1:]
    if not words or words[0] not in ("try", "make"):
        sys.exit(__doc__)
    lines = [*authored(), *dict.fromkeys(line for line in ordinary(words[1:]) if re.search(r"\w", line.text))]
    places = [array("I", measure.places(line.text)) for line in lines]
    bars = tried(lines, places)
    if words[0] == "make":
        write(both(lines, places, range(len(lines))), bars, lines)


if __name__ == "__main__":
    main()
