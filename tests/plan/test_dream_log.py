"""The dream log: seed 001's form, the owner's language, appended to, and silent on a night without change."""

from __future__ import annotations

from datetime import datetime

from conftest import NIGHT, Build
from reverie.core.layout import LAST_DISTILL
from reverie.core.ports import fixed
from reverie.core.settings import Settings, Storage
from reverie.judge.operation import Op, Operation
from reverie.lang.messages import speaking
from reverie.plan.dream_log import distill_edits, log_edits
from reverie.plan.splices import spliced
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Edit, Snapshot
from wishes import add, claim, end

NOW = fixed(NIGHT).now()
LOG = "memory/dream-log-2026-11-15.md"
NOTE = "memory/2026-11-14.md"
ENGLISH = "# Me\n\n## Current State\n- The shed roof is being mended\n- The club meets in the old mill on Thursdays\n"


def night(snapshot: Snapshot) -> tuple[list[Operation], list[Edit]]:
    """A night that brings one line in, takes one out and asks something."""
    memory = snapshot.files["MEMORY.md"]
    (roof, *_) = memory.entries
    operations = [
        end(roof, why="it ended on 2026-11-14"),
        add("Choir moves to the mill on 2026-11-16"),
        add("Open the kiln only below 80 degrees", tag="lesson", why="it was logged 2 times"),
        Operation(Op.ASK, "two notes of one day say different things", (claim("It costs 41 €"),), text="41 € or 45 €?"),
    ]
    old = memory.document.lines[roof.block.first : roof.block.end]
    return operations, [Edit("x", "MEMORY.md", roof.block.first, old, (), "stale", "it ended")]


def written(snapshot: Snapshot, now: datetime = NOW, refused: dict[str, int] | None = None) -> str:
    operations, edits = night(snapshot)
    (edit,) = log_edits(snapshot, operations, (), edits, {"routine": 7} if refused is None else refused, now)
    return spliced(snapshot.text_of(LOG), [edit])


def test_the_log_tells_the_night_in_seed_001s_form(build: Build) -> None:
    snapshot = read_workspace(build({"MEMORY.md": ENGLISH, NOTE: "- Choir moves to the mill the day after tomorrow\n"}))

    assert written(snapshot) == (
        "# Dream Log 2026-11-15\n\n## Changes Made\n- [date-fix] 1 day written out\n"
        "- [stale] The shed roof is being mended — it ended on 2026-11-14\n"
        "- [promote] Choir moves to the mill on 2026-11-16 — said once\n"
        "- [distill] Open the kiln only below 80 degrees — it was logged 2 times\n\n"
        "## Needs Human Review\n- 41 € or 45 €? — two notes of one day say different things (memory/2026-11-14.md:1)\n\n"
        "## MEMORY.md Stats\n- Lines: 5 → 4\n- Sections: 1 (unchanged)\n\n## Skipped\n- 7 lines: routine\n"
    )


def test_a_chinese_memory_has_a_chinese_log(build: Build) -> None:
    memory = "# 我\n\n## 当前状态\n- 仓库的屋顶正在修\n- 合唱团每周四在老磨坊排练\n"
    with speaking("zh"):
        text = written(read_workspace(build({"MEMORY.md": memory, NOTE: "- 屋顶修好了\n"})))

    for said in (
        "# 梦境日志 2026-11-15",
        "## 所做更改",
        "[过时] 仓库的屋顶正在修",
        "[提炼]",
        "## 需要人工审核",
        "- 行数: 5 → 4",
        "- 7 条: 常规记录",
    ):
        assert said in text


def test_a_second_night_of_the_day_is_added_below(build: Build) -> None:
    before = "# Dream Log 2026-11-15\n\n## Changes Made\n- [stale] something"
    snapshot = read_workspace(build({"MEMORY.md": ENGLISH, LOG: before}))

    after = written(snapshot, fixed("2026-11-15T15:30:00+01:00").now())

    assert after.startswith(f"{before}\n\n## Changes Made (15:30)\n")
    assert after.count("# Dream Log") == 1


def test_a_night_without_change_and_an_owner_who_wants_none_get_none(build: Build) -> None:
    snapshot = read_workspace(build({"MEMORY.md": ENGLISH}))
    operations, edits = night(snapshot)
    view = [Edit("cursor", "memory/.last_dream", 0, (), ("x\n",), "view", "")]
    quiet = read_workspace(build({"MEMORY.md": ENGLISH}, Settings(storage=Storage(dream_log=False))))

    assert log_edits(snapshot, [], (), view, {"routine": 3}, NOW) == []
    assert log_edits(quiet, operations, (), edits, {}, NOW) == []


def test_a_secret_is_not_retold(build: Build) -> None:
    snapshot = read_workspace(build({"MEMORY.md": ENGLISH}))
    _, edits = night(snapshot)

    (edit,) = log_edits(snapshot, [add("key AKIAIOSFODNN7EXAMPLE is with Kim")], (), edits, {}, NOW)

    assert "AKIAIOSFODNN7EXAMPLE" not in "".join(edit.new)


def test_reading_a_log_moves_last_distill_and_nothing_else_does(build: Build) -> None:
    log = {"memory/self-improving/errors.jsonl": '{"ts": "2026-11-14T10:00:00Z", "text": "the glaze cracked"}\n'}
    (edit,) = distill_edits(read_workspace(build(dict(log))), NOW)

    assert (edit.path, edit.new) == (LAST_DISTILL, ("2026-11-15T02:00:00Z\n",))
    assert distill_edits(read_workspace(build({NOTE: "- bought bread\n"})), NOW) == []
    assert distill_edits(read_workspace(build({".learnings/ERRORS.md": "- the glaze cracked\n"})), NOW) == []
