"""Laws of the night: whatever memory holds and whatever a judge wishes, nothing is lost and everything can be taken back."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import NOW, answering, review
from reverie.store.undo import undo
from reverie.text.lines import split_lines, strip_eol
from reverie.workspace.layout import layout_of

words = st.sampled_from(["- a 1", "- a 1", "  - b 2", "    - c", "* d", "x\u2028y", "# H", "### Sub", "", "| k | v |", "|---|---|", "| r | 1 |",
                         "```", "- 📌 pinned", "- [x] done", "> q", "<!-- dream start -->", "<!-- dream end -->", "plain words"])  # fmt: skip
memory = st.tuples(st.lists(st.tuples(words, st.sampled_from(["\n", "\r\n"])).map("".join), max_size=14), words).map(
    lambda parts: "".join(parts[0]) + parts[1]
)
names = st.integers(1, 12).map(lambda number: f"m{number}")
wish = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "update", "end", "merge"]), "memory": st.lists(names, min_size=1, max_size=3), "from": st.just(["n1"])},
    optional={"section": st.sampled_from(["H", "Sub", "New", "Other"]), "text": st.sampled_from(["valve", "pump came"]),
              "old": st.just("a"), "new": st.just("valve")},
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(memory, st.lists(wish, max_size=6), st.data())
def test_a_night_loses_nothing_and_is_undone_to_the_byte(
    text: str, wishes: list[dict[str, Any]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "memory").mkdir()
        (root / "MEMORY.md").write_bytes(text.encode())
        (root / "memory/2026-03-30.md").write_text("- valve and pump came\n")
        layout = layout_of(root)
        night = review(layout, NOW, answering(*wishes))
        ledger = root / "dream-vault/ledger.md"
        kept = (root / "MEMORY.md").read_bytes().decode() + (ledger.read_bytes().decode() if ledger.exists() else "")
        assert all(line.strip() in kept for line in text.splitlines())
        if not (night.run and night.run.splices):
            return
        alone = data.draw(st.booleans())
        if alone:
            undo(layout, NOW, decision=data.draw(st.sampled_from(night.plan.done)).id)
        if not alone or len(night.plan.done) > 1:
            undo(layout, NOW)
        back = (root / "MEMORY.md").read_bytes().decode()
        if alone:  # of two lines that differ only in their line end either may be the one
            assert list(map(strip_eol, split_lines(back))) == list(map(strip_eol, split_lines(text)))
        else:
            assert back == text
