"""A memory that is found over its limit gets smaller every night, never larger, is never refused, and loses no protected line."""

from __future__ import annotations

import tempfile
from math import ceil
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.ports import fixed
from reverie.core.settings import Diary, Memory, Settings, Storage
from reverie.night.night import review
from reverie.text.lines import count_units
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace

WORDS = ["boiler", "kiln", "lathe", "press", "anvil", "wheel", "bench", "saw", "oven", "loom", "forge", "crane"]
LINE = st.one_of(
    st.builds("- The {} stands beside the {} in room {}".format, *[st.sampled_from(WORDS)] * 2, st.integers(1, 99)),
    st.builds("- 2026-03-{:02} the {} was cleaned".format, st.integers(1, 28), st.sampled_from(WORDS)),
    st.builds("- 📌 the {} is never moved".format, st.sampled_from(WORDS)),
    st.builds("  - detail about the {}".format, st.sampled_from(WORDS)),
    st.sampled_from(["", "## Workshop", "## Rules", "- [x] oil the hinges", "- [ ] call Odo", "- 大棚的水泵是 3 千瓦"]),
)


@settings(max_examples=20)
@given(st.lists(LINE, min_size=12, max_size=40), st.integers(200, 900), st.lists(LINE, max_size=6))
def test_night_by_night_it_gets_smaller_and_never_larger(lines: list[str], limit: int, said: list[str]) -> None:
    limits = Memory(truncation=limit, hard=1.0, target=0.8)
    quiet = Settings(memory=limits, diary=Diary(enabled=False), storage=Storage(dream_log=False))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "memory").mkdir()
        memory = root / "MEMORY.md"
        memory.write_text("# Me\n" + "".join(f"{line}\n" for line in lines), "utf-8")
        (root / "memory/2026-11-14.md").write_text("".join(f"{line}\n" for line in said), "utf-8")
        workspace = Workspace(root, root / "dream-vault", quiet)
        guarded = {e.text for e in read_workspace(workspace).files["MEMORY.md"].entries if e.protected}

        for day in range(15, 18):
            before = memory.read_text("utf-8")
            night = review(workspace, fixed(f"2026-11-{day}T03:00:00+01:00"), force=True)
            after = memory.read_text("utf-8")

            over = count_units(before) > limit
            assert count_units(after) <= max(count_units(before), limit)
            if over:
                assert count_units(after) <= count_units(before)
            crowded = [one for one in night.operations if one.tag == "over budget"]
            assert len(crowded) <= ceil(0.15 * len(before.split("\n"))), "a few lines a night"
            assert over or not crowded, "nothing leaves a memory that is within its limit"
            assert guarded <= {e.text for e in read_workspace(workspace).files["MEMORY.md"].entries}
