"""The weights of `reverie.privacy.measure`, and what they are worth on authors that they were not made of.

    python evals/measure.py try [ORDINARY…]      three authors left out at a time: recall, and false alarms
    python evals/measure.py make [ORDINARY…]     write the weights (some minutes)

`secrets/*.tsv` are lines of twelve blind authors: kind (labelled, spoken, plain), language, what stands above, the line. The
notes of `nights/` are ordinary lines too; ORDINARY are files of JSON lines with a "text" (and a "context") for more of them, which stay where
they are: the weights name the hash of all that they were made of. The way is a linear support vector machine over features
that are weighted by how much oftener secrets have them, trained one line at a time in a fixed order.
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
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from reverie.privacy import measure
from reverie.privacy.secrets import holds_secret
from reverie.workspace.layout import layout_of
from reverie.workspace.read import read

HERE = Path(__file__).parent
KINDS = ("labelled", "spoken")
COST, ROUNDS, KEPT = 0.1, 25, 40_000  # of an error; passes over the lines; features of a measure that keep their weight
ORDINARY_SHARE = 0.005  # of ordinary lines that no rule holds back: so many the measure may


class Line(NamedTuple):
    kind: str
    author: str
    text: str
    above: str = ""


def authored() -> Iterator[Line]:
    for path in sorted((HERE / "secrets").glob("*.tsv")):
        for row in path.read_text("utf-8").splitlines():
            kind, _, above, text = row.split("\t")
            yield Line(kind, path.stem, text, above)


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
    weights: dict[int, float]
    bias: float

    def of(self, features: Sequence[int]) -> float:
        return self.bias + sum(self.weights.get(feature, 0.0) for feature in features)


def trained(rows: Sequence[tuple[array[int], bool]]) -> Measure:
    """Dual coordinate descent; each feature counts by the logarithm of how much oftener secrets have it."""
    counts = (Counter[int](), Counter[int]())
    for features, is_secret in rows:
        counts[is_secret].update(features)
    known = counts[0].keys() | counts[1].keys()
    totals = [sum(count.values()) + len(known) for count in counts]
    ratio = {f: math.log((counts[1][f] + 1) / totals[1]) - math.log((counts[0][f] + 1) / totals[0]) for f in known}
    scaled = [([ratio[f] for f in features], features, 1 if is_secret else -1) for features, is_secret in rows]
    squares = [sum(v * v for v in values) + 1 + 0.5 / COST for values, _, _ in scaled]
    weights, bias, alpha = dict.fromkeys(known, 0.0), 0.0, [0.0] * len(rows)
    order, chance = list(range(len(rows))), random.Random(7)
    for _ in range(ROUNDS):
        chance.shuffle(order)
        for n in order:
            values, features, sign = scaled[n]
            margin = sign * (bias + sum(weights[f] * v for f, v in zip(features, values, strict=True)))
            gradient = margin - 1 + alpha[n] * 0.5 / COST
            if alpha[n] == 0 and gradient >= 0:
                continue
            new = max(0.0, alpha[n] - gradient / squares[n])
            step, alpha[n] = (new - alpha[n]) * sign, new
            if step:
                bias += step
                for f, v in zip(features, values, strict=True):
                    weights[f] += step * v
    found = {f: weights[f] * ratio[f] for f in known}
    least = sorted(map(abs, found.values()), reverse=True)[min(KEPT, len(found) - 1)]
    return Measure({f: weight for f, weight in found.items() if abs(weight) > least}, bias)


def both(lines: Sequence[Line], features: Sequence[array[int]], chosen: Sequence[int]) -> list[Measure]:
    return [
        trained([(features[n], lines[n].kind == kind) for n in chosen if lines[n].kind in (kind, "plain", "ordinary")])
        for kind in KINDS
    ]


def features_of(line: Line) -> array[int]:
    return array("I", {crc32(name.encode("utf-8", "surrogatepass")) for name in measure.names(line.text, line.above)})


def tried(lines: Sequence[Line], features: Sequence[array[int]]) -> float:
    """Print what is found of authors that were left out; the bar at which so few ordinary lines are held back."""
    scores = [0.0] * len(lines)
    sources = sorted({line.author for line in lines})
    for part in range(4):
        out = {source for n, source in enumerate(sources) if n % 4 == part}
        found = both(lines, features, [n for n, line in enumerate(lines) if line.author not in out])
        for n, line in enumerate(lines):
            scores[n] = max(each.of(features[n]) for each in found) if line.author in out else scores[n]
        print(f"left out: {' '.join(sorted(out))}", flush=True)
    ruled = [holds_secret(line.text, line.above) for line in lines]
    left = sorted((scores[n] for n, line in enumerate(lines) if line.kind == "ordinary" and not ruled[n]), reverse=True)
    bar = left[int(ORDINARY_SHARE * sum(line.kind == "ordinary" for line in lines))]
    for kind in (*KINDS, "plain", "ordinary"):
        mine = [n for n, line in enumerate(lines) if line.kind == kind]
        rules = sum(ruled[n] for n in mine) / len(mine)
        either = sum(ruled[n] or scores[n] > bar for n in mine) / len(mine)
        print(f"{kind:9} {len(mine):6} lines: {rules:.3f} by the rules, {either:.3f} with the measure")
    print(f"bar {bar:.3f}")
    return bar


def write(found: Sequence[Measure], bar: float, lines: Sequence[Line]) -> None:
    """Hashes in order, then a byte for each weight of both measures; the first place says nothing."""
    known = [0, *sorted({feature for each in found for feature in each.weights} - {0})]
    rows: list[array[int]] = []
    measures: list[tuple[float, float]] = []
    for each in found:
        step = max(map(abs, each.weights.values())) / 127
        rows.append(array("b", [0, *(round(each.weights.get(feature, 0.0) / step) for feature in known[1:])]))
        measures.append((each.bias, step))
    made_of = sha256("\n".join("\t".join(line) for line in lines).encode()).hexdigest()
    head = {"size": len(known), "bar": round(bar, 3), "measures": measures, "made_of": made_of}
    folder = Path(measure.__file__).parent
    (folder / "measure.bin").write_bytes(array("I", known).tobytes() + b"".join(row.tobytes() for row in rows))
    (folder / "measure.json").write_text(json.dumps(head, indent=1) + "\n", "utf-8")


def main() -> None:
    words = sys.argv[1:]
    if not words or words[0] not in ("try", "make"):
        sys.exit(__doc__)
    lines = [*authored(), *dict.fromkeys(line for line in ordinary(words[1:]) if re.search(r"\w", line.text))]
    features = [features_of(line) for line in lines]
    bar = tried(lines, features)
    if words[0] == "make":
        write(both(lines, features, range(len(lines))), bar, lines)


if __name__ == "__main__":
    main()
