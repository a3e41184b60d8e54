"""Ninety nights of a made-up life, a third of them cut short: nothing is lost, nothing is done twice, and it comes to rest."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from many_nights import START, Nights

from conftest import EXPLORE

NIGHTS = 90 if EXPLORE else 24  # ninety in `make explore`: CI has twenty minutes for everything
KILLS = frozenset({7, 31, 58, 83})


def test_ninety_nights_with_cuts_kills_and_full_disks_lose_nothing_and_come_to_rest(tmp_path: Path) -> None:
    nights = Nights(tmp_path / "workspace", tmp_path / "cache", seed=5, kills=KILLS)
    for number in range(1, NIGHTS + 1):
        nights.night(number)

    assert nights.missing() == []
    assert min(nights.told[kind] for kind in ("killed", "power cut", "full disk")) > 0, nights.told
    for late in range(1, 4):  # nobody writes any more
        nights.rest(START + timedelta(days=NIGHTS + late), f"quiet night {late}")
    nights.undo(NIGHTS + 4)
