"""Packs the scenes that models are examined with: `python training/pack_exam.py FOLDER_OF_SCENES`.

Twelve of exam_scenes.txt, none of which any weight was trained on. Only what the exam needs is kept; notes that hold a secret leave,
because no brief shows them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from reverie.privacy.redact import holds_secret

CHOSEN = (
    "agent-en-05", "agent-en-11", "agent-zh-05", "agent-zh-11", "en-work-05", "en-work-11", "en-life-05", "zh-05", "zh-11",
    "de-es-05", "fr-pt-05", "ru-ja-ko-03",
)  # fmt: skip
PACKED = Path(__file__).resolve().parents[1] / "src" / "reverie" / "judge" / "data" / "exam_scenes.jsonl"
KEPT = ("keep", "does", "to", "swap", "result", "line", "section")


def packed(scene: dict[str, Any]) -> dict[str, Any]:
    labels = scene["labels"]
    shown = [
        note for note in scene["notes"] if labels[note["id"]]["kind"] != "secret" and not holds_secret(note["text"])
    ]
    told = {
        note["id"]: {name: labels[note["id"]][name] for name in KEPT if labels[note["id"]].get(name)} for note in shown
    }
    return {
        "name": scene["id"],
        "language": scene["lang"],
        "today": scene["today"],
        "memory": [[line["section"], line["text"]] for line in scene["memory"]],
        "notes": [[int(note["id"][1:]), note["day"], note["under"], note["text"]] for note in shown],
        "labels": {name: label for name, label in told.items() if label},  # what is missing must not be kept
    }


def main() -> None:
    lines = [line for file in Path(sys.argv[1]).glob("*.jsonl") for line in file.read_text("utf-8").split("\n") if line]
    scenes = {scene["id"]: scene for scene in map(json.loads, lines)}
    written = [json.dumps(packed(scenes[name]), ensure_ascii=False, separators=(",", ":")) for name in CHOSEN]
    PACKED.write_text("\n".join(written) + "\n", "utf-8")


if __name__ == "__main__":
    main()
