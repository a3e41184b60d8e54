"""Laws of the night: whatever memory holds and whatever a judge wishes, nothing is lost and everything can be taken back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import NOW, answering, review
from reverie.judge.rules import decide
from reverie.store.undo import undo
from reverie.text.lines import split_lines, strip_eol
from reverie.workspace.layout import Layout, layout_of
from reverie.workspace.sections import FOOTER

EXPLORE = bool(os.environ.get("EXPLORE"))  # new examples every time, and more of them
EXAMPLES = 1_000 if EXPLORE else 120
SECRET = "- wifi password: Moor-88x!"
words = st.sampled_from(["- a 1", "- a 1", "  - b 2", "    - c", "* d", "x\u2028y", "# H", "### Sub", "", "| k | v |", "|---|---|", "| r | 1 |",
                         "```", "- 📌 pinned", "  - 📌 below", "- [x] done", "- [x] over", "- [ ] open", "> q", "<!-- dream start -->", "<!-- openclaw:dreaming:rem:start -->",
                         "<<<<<<< HEAD", "plain words", "## Dream", "*Last updated: 2026-01-01*", "- trial until 2026-01-05", SECRET])  # fmt: skip
memory = st.tuples(
    st.sampled_from(["", "\ufeff"]),
    st.lists(st.tuples(words, st.sampled_from(["\n", "\r\n"])).map("".join), max_size=14).map("".join),
    words,
).map("".join)
names = st.integers(1, 12).map(lambda number: f"m{number}")
wish = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "update", "end", "merge"]), "memory": st.lists(names, min_size=1, max_size=3), "from": st.just(["n1"])},
    optional={"section": st.sampled_from(["H", "Sub", "New", "Other", "tea.md", "new: Boats"]), "text": st.sampled_from(["valve", "pump came"]),
              "old": st.just("a"), "new": st.just("valve")},
)  # fmt: skip
TOPIC = "---\nname: tea\ndescription: kinds\ntype: user\n---\n\n- black\n- green\n"
NOTE = "- valve and pump came\n- Decision: the boat is sold\n- a 1\n- the password of the door is Kiel-4417-x\n"


@contextmanager
def workspace_of(text: str, *, has_topics: bool) -> Iterator[Layout]:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        root = Path(folder)
        (root / "memory/user").mkdir(parents=True)
        (root / "MEMORY.md").write_bytes(text.encode())
        if has_topics:
            (root / "memory/user/tea.md").write_bytes(TOPIC.encode())
        (root / "memory/2026-03-30.md").write_text(NOTE)
        yield layout_of(root)


def memory_files(layout: Layout) -> dict[str, bytes]:
    paths = [layout.root / "MEMORY.md", *layout.root.glob("memory/*/*.md")]
    return {str(path.relative_to(layout.root)): path.read_bytes() for path in paths if path.is_file()}


@settings(max_examples=EXAMPLES, deadline=None)
@given(memory, st.booleans(), st.lists(wish, max_size=6), st.data())
def test_a_night_loses_nothing_and_is_undone_to_the_byte(
    text: str, has_topics: bool, wishes: list[dict[str, Any]], data: st.DataObject
) -> None:
    with workspace_of(text, has_topics=has_topics) as layout:
        before = memory_files(layout)
        night = review(layout, NOW, answering(*wishes))
        ledger = layout.root / "dream-vault/ledger.md"
        kept = b"".join(memory_files(layout).values()).decode() + (ledger.read_text() if ledger.exists() else "")
        held = (line.removeprefix("\ufeff").strip() for line in b"\n".join(before.values()).decode().splitlines())
        assert all(line in kept for line in held if not FOOTER.fullmatch(line))  # whose day is that of the last night
        if not (night.run and night.run.splices):
            return
        alone = data.draw(st.booleans())
        if alone:
            undo(layout, NOW, decision=data.draw(st.sampled_from(night.plan.done)).id)
        if not alone or len(night.plan.done) > 1:
            undo(layout, NOW)
        if alone:  # of two lines that differ only in their line end either may be the one
            stripped = [{path: [*map(strip_eol, split_lines(text.decode()))] for path, text in files.items()} for files in (before, memory_files(layout))]  # fmt: skip
            assert stripped[0] == stripped[1]
        else:
            assert memory_files(layout) == before


@settings(max_examples=EXAMPLES, deadline=None)
@given(memory, st.booleans(), st.booleans())
def test_a_second_night_writes_nothing_also_without_what_is_derived(text: str, has_topics: bool, forgets: bool) -> None:
    with workspace_of(text, has_topics=has_topics) as layout:
        review(layout, NOW, decide)
        after = memory_files(layout)
        if forgets:
            (layout.root / "memory/.dreams/state.json").unlink(missing_ok=True)
        assert review(layout, NOW + timedelta(hours=1), decide).run is None
        assert memory_files(layout) == after


@settings(max_examples=EXAMPLES, deadline=None)
@given(memory, st.lists(wish, max_size=6))
def test_pinned_lines_notes_and_secrets_stay_where_they_are(text: str, wishes: list[dict[str, Any]]) -> None:
    with workspace_of(text, has_topics=True) as layout:
        pinned = text.count("📌")
        review(layout, NOW, answering(*wishes))
        review(layout, NOW + timedelta(days=1), decide)
        assert (layout.root / "MEMORY.md").read_text().count("📌") == pinned
        assert (layout.root / "memory/2026-03-30.md").read_text() == NOTE
        for path in layout.root.rglob("*"):
            own = path.name in {"MEMORY.md", "2026-03-30.md"}
            assert (
                path.is_dir() or own or not any(secret in path.read_bytes() for secret in (b"Moor-88x", b"Kiel-4417"))
            )


@settings(max_examples=EXAMPLES, deadline=None)
@given(memory, st.lists(wish, max_size=6))
def test_a_dry_night_writes_nothing_and_says_what_the_real_one_does(text: str, wishes: list[dict[str, Any]]) -> None:
    with workspace_of(text, has_topics=True) as layout:
        before = {path: path.read_bytes() for path in layout.root.rglob("*") if path.is_file()}
        dry = review(layout, NOW, answering(*wishes), dry_run=True)
        assert {path: path.read_bytes() for path in layout.root.rglob("*") if path.is_file()} == before
        assert review(layout, NOW, answering(*wishes)).plan.done == dry.plan.done
