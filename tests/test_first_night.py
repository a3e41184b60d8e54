"""A newcomer's first night, as a terminal shows it."""

from __future__ import annotations

from pathlib import Path

from test_commands import dream, made

SESSION = [
    ("", ["MEMORY.md: 53 chars / 18,000 limit (0%), 5 lines", "Last distillation: never", "`dream plan` shows what a first night would change; `dream review` lets it happen."]),
    ("plan", ["    was  - likes black tea", "    now  - likes black tea", "🌙 This is what a night would do; nothing was written."]),
    ("review", ["🌙 Distillation complete", "MEMORY.md: 53 → 35 of 18,000 characters; 1 new lines read", "This run: updated 0 | added 0 | archived 1",
                "`dream undo` takes it back; `dream runs 0001` tells every decision."]),
    ("why black tea", ["review: merge: the same words stand in MEMORY.md:4  (2026-03-31 03:00, run 0001)", "It stands in MEMORY.md:4, now."]),
    ("why the harbour is shut", ["It is not in memory.", "memory/2026-03-30.md:1 says it: a night read it and left it out"]),
    ("undo", ["Run 0001 is undone."]),
    ("show", ["# Kim", "- likes black tea", "- likes black tea"]),
    ("runs", ["0001  2026-03-31 03:00  review: 1 decisions, undone by 0002", "0002  2026-03-31 03:00  undo: 1 decisions"]),
    ("runs 1", ["review: merge, taken back: the same words stand in MEMORY.md:4"]),
    ("status", ["Last distillation: 2026-03-31 03:00 (0 hours ago)", "System state: active", "Nothing waits."]),
]  # fmt: skip


def test_the_first_night(tmp_path: Path) -> None:
    memory = "# Kim\n\n## Tastes\n- likes black tea\n- likes black tea\n"
    made(tmp_path, {"MEMORY.md": memory, "memory/2026-03-30.md": "- the harbour is shut today\n"})
    for words, wanted in SESSION:
        shown = dream(tmp_path, words)
        rest = iter(shown.out.splitlines())
        assert not shown.code
        for line in wanted:  # in this order
            assert any(line in told for told in rest), f"dream {words}: {line!r} is not in\n{shown.out}"
    assert (tmp_path / "MEMORY.md").read_text() == memory
