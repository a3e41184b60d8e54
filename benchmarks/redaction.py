"""How much is hidden that should be, and how much that should not? Secrets and personal data of the development half.

    REVERIE_BENCH=PATH/TO/bench python benchmarks/redaction.py [--show]

The sets are for measuring only and are not part of the project; without them the benchmark says so. `--show` prints what
was missed and what was hidden without need. A place counts as found when one of ours of the same kind overlaps it.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter, defaultdict
from pathlib import Path
from time import process_time
from typing import Any

from reverie.privacy.personal import KINDS
from reverie.privacy.redact import findings, holds_secret, redacted

EXAMPLE = Path(__file__).parents[1] / "examples" / "lived-in"
PRESIDIO = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "US_SSN": "national-id",
    "IP_ADDRESS": "ip",
}


def secrets(rows: list[dict[str, Any]], *, show: bool) -> None:
    found: Counter[tuple[int, bool]] = Counter()
    for row in rows:
        hit = holds_secret(row["text"])
        found[row["is_secret"], hit] += 1
        if show and hit != bool(row["is_secret"]):
            print(f"  {'missed' if row['is_secret'] else 'hidden'} {row['rule']}: {row['text'][:150]}")
    for label, name in ((1, "secrets found"), (0, "negatives hidden")):
        hits, all_of = found[label, True], found[label, True] + found[label, False]
        print(f"{name:18} {hits:4} of {all_of:4}  {hits / max(all_of, 1):6.1%}")


def personal(rows: list[dict[str, Any]], *, show: bool) -> None:
    found, missed, wrong = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        text = row["full_text"]
        ours = findings(text, KINDS)
        wanted = [
            (PRESIDIO[s["entity_type"]], s["start_position"], s["end_position"])
            for s in row["spans"]
            if s["entity_type"] in PRESIDIO
        ]
        for kind, start, end in wanted:
            hit = any(o.kind == kind and o.start < end and start < o.end for o in ours)
            (found if hit else missed)[kind] += 1
            if show and not hit:
                print(f"  missed {kind}: {text[max(0, start - 40) : end + 10]!r}")
        for o in ours:
            if not any(o.start < end and start < o.end for _, start, end in wanted):
                wrong[o.kind] += 1
                if show:
                    print(f"  hidden {o.kind}: {text[max(0, o.start - 30) : o.end + 10]!r}")
    print(f"{'kind':14} recall          precision")
    for kind in sorted(set(found) | set(missed) | set(wrong)):
        all_of, ours_of = found[kind] + missed[kind], found[kind] + wrong[kind]
        print(
            f"{kind:14} {found[kind]:3} of {all_of:3} {found[kind] / max(all_of, 1):6.1%}  {found[kind]:3} of {ours_of:3} {found[kind] / max(ours_of, 1):6.1%}"
        )


def example(*, show: bool) -> None:
    """How many lines of the example change, apart from those that hold a secret."""
    changed: defaultdict[str, int] = defaultdict(int)
    lines = without_need = 0
    for path in sorted(EXAMPLE.rglob("*")):
        if not path.is_file():
            continue
        for line in path.read_text("utf-8", "replace").split("\n"):
            lines += 1
            kinds = {one.kind for one in findings(line)}
            without_need += bool(kinds) and "secret" not in kinds
            for kind in kinds:
                changed[kind] += 1
                if show and kind != "secret":
                    print(f"  {kind}: {path.relative_to(EXAMPLE)}: {redacted(line)[:110]}")
    print(
        f"example: {lines} lines; " + ", ".join(f"{kind} {n} ({n / lines:.2%})" for kind, n in sorted(changed.items()))
    )
    print(f"changed without holding a secret: {without_need} ({without_need / lines:.2%}), by the default settings")


def speed() -> None:
    notes = "".join(path.read_text("utf-8", "replace") for path in sorted(EXAMPLE.rglob("*.md")))
    text = notes * (1_000_000 // len(notes) + 1)
    redacted(text[:5000])
    for name, kinds in (("secrets only", frozenset[str]()), ("all kinds", KINDS)):
        start = process_time()
        redacted(text, kinds)
        print(f"{name:14} {len(text.encode()) / 1e6 / (process_time() - start):5.1f} MB/s")
    lines = text.split("\n")
    start = process_time()
    for line in lines:
        redacted(line)
    print(f"line by line   {len(text.encode()) / 1e6 / (process_time() - start):5.1f} MB/s")


def main() -> None:
    show = "--show" in sys.argv[1:]
    example(show=show)
    speed()
    bench = os.environ.get("REVERIE_BENCH")
    if not bench or not (Path(bench) / "secrets_gitleaks.jsonl").is_file():
        print("The labelled sets are not here. Set REVERIE_BENCH to the folder that holds secrets_gitleaks.jsonl.")
        return
    lines = (Path(bench) / "secrets_gitleaks.jsonl").read_text("utf-8").splitlines()
    secrets([json.loads(line) for line in lines if line.strip()], show=show)
    personal(json.loads((Path(bench) / "pii_presidio.json").read_text("utf-8")), show=show)


if __name__ == "__main__":
    main()
