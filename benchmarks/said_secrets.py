"""Secrets in plain language: how many lines stay in their note, and how many ordinary ones stay with them, by language.

    python benchmarks/said_secrets.py FOLDER [--show]

FOLDER holds `*.secrets.jsonl` and `*.ordinary.jsonl`, an object with `lang` and `text` a line, as blind authors write them. They are
no part of the repository. `--show` prints what was missed and what was held back.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from reverie.privacy.redact import holds_secret, opens_something


def rows(folder: Path, kind: str) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.glob(f"*.{kind}.jsonl")):
        for row in map(json.loads, filter(None, file.read_text("utf-8").split("\n"))):
            yield row["lang"], row["text"]


def main() -> None:
    folder, show = Path(sys.argv[1]), "--show" in sys.argv
    count: Counter[tuple[str, str, str]] = Counter()
    for kind in ("secrets", "ordinary"):
        for lang, text in rows(folder, kind):
            held = opens_something(text)
            for name in (lang, "all"):
                count.update([(name, kind, "lines"), *([(name, kind, "held")] if held else [])])
                count[name, kind, "rules"] += holds_secret(text)
            if show and held != (kind == "secrets"):
                print(f"{kind:8s} {text}")
    for lang in [*sorted({name for name, _, _ in count} - {"all"}), "all"]:
        told = [
            f"{kind}: {count[lang, kind, 'held']} of {count[lang, kind, 'lines']} held (by rules {count[lang, kind, 'rules']})"
            for kind in ("secrets", "ordinary")
        ]
        print(f"{lang:4s} {', '.join(told)}")


if __name__ == "__main__":
    main()
