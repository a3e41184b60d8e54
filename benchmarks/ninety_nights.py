"""Ninety nights of several made-up lives, with kills, power cuts and full disks; every law of the crash tests after each.

    python benchmarks/ninety_nights.py [NIGHTS [SEED ...]]

The long form of tests/crash/test_ninety_nights.py: real processes are killed on every ninth night. Prints what happened to
each life, and stops at the first law that does not hold, with the night and the files.
"""

from __future__ import annotations

import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "crash"))

from many_nights import START, Nights

QUIET = 5  # nights at the end on which nobody writes


def main(nights: int, seeds: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            started = time.process_time()
            life = Nights(Path(folder) / f"life-{seed}", Path(folder) / "cache", seed, frozenset(range(9, nights, 9)))
            for number in range(1, nights + 1):
                life.night(number)
            for late in range(1, QUIET + 1):
                life.rest(START + timedelta(days=nights + late), f"quiet night {late}")
            assert life.missing() == [], f"seed {seed}: neither in memory nor in the archive: {life.missing()}"
            life.undo(nights + QUIET + 1)
            told = ", ".join(f"{what} {count}" for what, count in sorted(life.told.items()))
            print(f"seed {seed}: {nights} nights hold ({told}); {time.process_time() - started:.0f} s CPU", flush=True)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(numbers[0] if numbers else 90, numbers[1:] or [1, 2, 3, 4, 5])
