"""Known vulnerabilities of what is pinned: python tools/audit.py [requirements/run.txt …]

Asks the advisory service through pip-audit. A package that the service does not know is named, never counted as sound. Exit code 1:
something is known; 75: nobody could be asked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
UNASKED = 75
Packages = list[dict[str, Any]]


def asked(pins: Path) -> Packages | None:
    """What is known of each package that is pinned there; None where nobody answered."""
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", "--require-hashes", "--disable-pip", "-r", str(pins), "-f", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        found: Packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return None
    return found


def verdict(answers: Sequence[tuple[str, Packages | None]]) -> tuple[str, int]:
    """What to say about each file of pins, and the exit code."""
    told, codes = zip(*(_about(name, packages) for name, packages in answers), strict=True)
    if set(codes) == {UNASKED}:
        return "The advisory service cannot be reached from here, so nothing was audited.", UNASKED
    return "\n".join(told), 1 if 1 in codes else max(codes)


def _about(name: str, packages: Packages | None) -> tuple[str, int]:
    known = [one for one in packages or () if "skip_reason" not in one]
    if not packages or not known:
        return f"{name}: nobody could be asked.", UNASKED
    bad = [f"  {one['name']} {one['version']}: {flaw['id']}" for one in known for flaw in one["vulns"]]
    unknown = [one["name"] for one in packages if "skip_reason" in one]
    silent = f" It does not know {', '.join(unknown)}." if unknown else ""
    if bad:
        return "\n".join([f"{name}: {len(bad)} known vulnerabilities.{silent}", *bad]), 1
    return f"{name}: no known vulnerability in {len(known)} packages.{silent}", 0


def main(given: list[str]) -> int:
    files = [Path(name) for name in given] or sorted((ROOT / "requirements").glob("*.txt"))
    said, code = verdict([(pins.name, asked(pins)) for pins in files])
    print(said)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
