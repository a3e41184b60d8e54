"""A night on a terminal, as an SVG: `dream review` on a copy of examples/workspace. `make reference` writes it."""

import os
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

ROOT, WIDTH, STEP = Path(__file__).parents[2], 104, 18  # characters of a line, pixels from line to line
COLOURS = {"was": "#e5707a", "now": "#7cc78a", "from": "#8a93a3", "🌙": "#e8c872", "`dream": "#8a93a3"}


def main() -> None:
    lines = ["$ dream review", *night().split("\n")]
    height = STEP * (len(lines) + 1)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * 8 + 32} {height}" role="img">')
    print("<title>A night on a terminal: each change with its words before and after, and where they come from</title>")
    print(f'<rect width="100%" height="{height}" rx="8" fill="#1b1f27"/>')
    print(
        '<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" fill="#d8dee9" xml:space="preserve">'
    )
    for number, line in enumerate(lines, 1):
        colour = COLOURS.get((line.split() or [""])[0], "")
        fill = f' fill="{colour}"' if colour else ' font-weight="600"' if line.startswith("$") else ""
        print(f'<text x="16" y="{STEP * number + 4}"{fill}>{escape(line)}</text>')
    print("</g>\n</svg>")


def night() -> str:
    with tempfile.TemporaryDirectory() as home:
        shutil.copytree(ROOT / "examples/workspace", Path(home, "workspace"))
        command = "from reverie.surfaces.cli import main; main()"
        words = ["review", "--workspace", f"{home}/workspace", "--now", "2026-11-15T03:00"]
        environ = os.environ | {"HOME": home, "XDG_STATE_HOME": f"{home}/s", "XDG_CACHE_HOME": f"{home}/c"}
        shown = subprocess.run([sys.executable, "-c", command, *words], env=environ, capture_output=True, check=True)
        return "\n".join(line[:WIDTH] for line in shown.stdout.decode().strip().split("\n"))


if __name__ == "__main__":
    main()
