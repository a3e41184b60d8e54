"""How much CPU `dream --help` and `dream status` take, as multiples of a bare `python -c pass`.

Ratios within one run, because seconds depend on the machine. Bytecode is compiled first: the first start after an
install pays for that once. The best of several starts is taken, since noise only ever adds.
"""

from __future__ import annotations

import compileall
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DREAM = str(Path(sys.executable).with_name("dream"))
LIMIT = 10.0


def cpu(command: list[str], environment: dict[str, str], times: int) -> float:
    """Seconds of CPU (user and system) of the cheapest of several runs."""
    best = float("inf")
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def measure(times: int = 15) -> dict[str, float]:
    """The ratio for each command, and the bare interpreter's milliseconds for reference."""
    compileall.compile_dir(str(ROOT / "src"), quiet=2)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "lived-in"
        shutil.copytree(ROOT / "examples" / "lived-in", copy)
        environment = {**os.environ, "HOME": folder, "OPENCLAW_WORKSPACE": str(copy)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run([DREAM, "review", "--quiet", "--now", "2026-11-09T03:00:00+01:00"], env=environment, check=True)
        bare = cpu([sys.executable, "-c", "pass"], environment, times)
        commands = {"dream --help": [DREAM, "--help"], "dream status": [DREAM, "status"]}
        found = {name: cpu(command, environment, times) / bare for name, command in commands.items()}
    return {**found, "bare python, ms": bare * 1000}


def main() -> None:
    found = measure()
    if "--json" in sys.argv:
        print(json.dumps(found, indent=2))
        return
    bare = found.pop("bare python, ms")
    print(f"bare `python -c pass`: {bare:.1f} ms of CPU = 1.0")
    for name, ratio in found.items():
        print(f"{name}: {ratio:.1f} times, {ratio * bare:.0f} ms (limit {LIMIT:.0f} times)")
    if max(found.values()) > LIMIT:
        raise SystemExit("over the limit")


if __name__ == "__main__":
    main()
