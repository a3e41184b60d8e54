"""How many secrets are known, kind by kind, and how many ordinary lines are taken for one.

    python evals/privacy.py SECRETS.jsonl ORDINARY.txt [--missed]

A line of the first file is {"line": …, "secret": …, "kind": …, "language": …}; the second has one ordinary line a line.
A secret is known when its whole line is held back. --missed prints what was wrong: only for data that nobody is tested on.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

from reverie.privacy.secrets import may_hold_secret


def is_known(line: str) -> bool:
    """Whether a line of a note stays in it."""
    return may_hold_secret(line)


def recall_by(name: str, rows: list[dict[str, str]]) -> dict[str, tuple[int, int]]:
    """How many of each kind (or language) are known, and how many there are."""
    known: defaultdict[str, list[bool]] = defaultdict(list)
    for row in rows:
        known[row.get(name, "-")].append(row["is_known"] == "yes")
    return {kind: (sum(found), len(found)) for kind, found in sorted(known.items())}


def main() -> None:
    shows_missed, paths = "--missed" in sys.argv, [Path(word) for word in sys.argv[1:] if word != "--missed"]
    if not paths:
        sys.exit(__doc__)
    rows = [json.loads(line) for line in paths[0].read_text("utf-8").split("\n") if line.strip()]
    rows = [row | {"is_known": "yes" if is_known(row["line"]) else "no"} for row in rows]
    for name in ("kind", "language"):
        for kind, (known, total) in recall_by(name, rows).items():
            print(f"{name:9} {kind:24} {known:4}/{total:<4} {known / total:.3f}")
    missed = [row["line"] for row in rows if row["is_known"] == "no"]
    print(f"all       {'':24} {len(rows) - len(missed):4}/{len(rows):<4} {1 - len(missed) / len(rows):.3f}")
    plain = [line for path in paths[1:] for line in path.read_text("utf-8").split("\n") if line.strip()]
    false = [line for line in plain if is_known(line)]
    if plain:
        print(f"false alarms {len(false)} of {len(plain)} ordinary lines: {len(false) / len(plain):.3%}")
    for line in [*missed, *false] if shows_missed else ():
        print(f"    {'missed' if line in missed else 'false'}: {line}")


if __name__ == "__main__":
    main()
