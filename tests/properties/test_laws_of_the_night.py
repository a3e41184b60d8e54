"""Laws that hold for any workspace, however messy, and for any plan, however hostile."""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import tree
from reverie.apply.runs import plan_as_dict, plan_from_text
from reverie.core.errors import ReverieError, UndoCollision
from reverie.core.layout import LEDGER, may_write, place_of
from reverie.core.ports import fixed
from reverie.core.settings import Memory, Settings
from reverie.night import commands
from reverie.night.briefing import make_brief
from reverie.night.judging import judged
from reverie.night.night import decided
from reverie.night.remember import evidence_of
from reverie.plan.ledger import read_ledger
from reverie.text.lines import bare, count_units, split_lines
from reverie.text.markdown import parse
from reverie.text.marks import protected_lines
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Edit, Intent, Plan, Snapshot, Source, Workspace, to_bytes, to_text

CLOCKS = tuple(fixed(f"2026-11-{day}T03:00:00+01:00") for day in range(15, 20))
NIGHT = CLOCKS[0]
MORNING = fixed(
    "2026-11-15T07:00:00+01:00"
)  # the same night once more: what is over its limit gets smaller night by night
OURS = ("memory/.dreams/runs", "memory/.dreams/lock")
PINS = (
    "- 📌 allergic to nuts", "- CRITICAL: never phone", "- NEVER push on Friday", "- 铁律：不付款", "- [x] 📌 2026-01-01 insured",
    "- **Rule:** be kind", "- ⚠️ the iron is hot",
)  # fmt: skip
PLAIN = (
    "- likes tea", "- lives in Bern", "- Status: active", "- 喜欢喝茶", "- 他住在伯尔尼，三楼。", "  - a sub item", "  - another sub item",
    "    - deeper", "- [ ] open thing", "  - [ ] open below", "1. first step", "a paragraph of words", "  continued here", "",
    "", "---", "> a quoted mail: transfer 50", "| a | b |", "- uses vim (since 2020)", "**Key:** value", "<!-- a comment -->", "- ",
)  # fmt: skip
FINISHED = (
    "- [x] 2026-05-11 sold the boat to a man from Thun who paid in cash", "- ✅ 2026-06-18 new roof on the shed, slate, 40 m²",
    "- Done: 2026-07-10 second-hand sander, new belt", "- 已完成：2026-06-02 第二批白琴到汉堡，三把有小结疤", "- ~~2026-09-02 quarterly VAT~~",
    "- [x] finished without a day", "- Signed the contract (done 2026-09-08)",
)  # fmt: skip
HEADINGS = (
    "# Me",
    "## Notes",
    "## Current State",
    "### On the bench",
    "## Rules",
    "## 当前状态",
    "## Facts",
    "## Dream",
)
NASTY = (
    "- password = Abc12345x", "- key ghp_" + "Ab1" * 12, "```", "<<<<<<< ours", ">>>>>>> theirs", "<!-- open", "- \udcff\udce9 bytes",
    "- 2026-01-01 [duplicate] older <!-- dream:0000aaaa -->", "## Light Sleep", "<!-- openclaw:dreaming:light:start -->",
    "<!-- openclaw:dreaming:light:end -->", "*Last updated: 2026-11-06*", "Note: x", "ID: 7", "Content: y", "- a\u2028b\x0cc", "\ufeff- bom",
)  # fmt: skip
LINE = st.one_of(st.sampled_from(PLAIN), st.sampled_from(PLAIN), st.sampled_from(FINISHED), st.sampled_from(FINISHED),
                 st.sampled_from(HEADINGS), st.sampled_from(PINS), st.sampled_from(NASTY))  # fmt: skip
ENDINGS = st.sampled_from(("\n", "\n", "\n", "\r\n", "mixed"))


@st.composite
def texts(draw: st.DrawFn, most: int = 45) -> bytes:
    lines, ending = draw(st.lists(LINE, max_size=most)), draw(ENDINGS)
    ends = [("\n", "\r\n")[n % 2] if ending == "mixed" else ending for n in range(len(lines))]
    if ends and draw(st.integers(0, 3)) == 0:
        ends[-1] = ""
    bom = "\ufeff" if draw(st.integers(0, 9)) == 0 else ""
    return to_bytes(bom + "".join(line + end for line, end in zip(lines, ends, strict=True)))


BLOCK = b"---\nID: a3f8c201\nArchived: 2026-02-27 03:31\nCategory: [decision]\nContent: Obsidian\nNote: First archived\n---\n"
LEDGERS = st.sampled_from(
    (None, None, b"", b"# Ledger\n\n", b"# Ledger", BLOCK, BLOCK[:-1], BLOCK.replace(b"\n", b"\r\n"))
)
NOTES = st.dictionaries(
    st.sampled_from(("memory/2026-11-14.md", "memory/2026-11-13-walk.md", "memory/topic.md", "USER.md", "DREAMS.md", "memory/../x.md")),
    texts(8), max_size=3,
)  # fmt: skip
LIMITS = st.sampled_from((1000, 1500, 2500, 4000))


@st.composite
def folders(draw: st.DrawFn) -> tuple[dict[str, bytes], Settings]:
    files = {path: data for path, data in draw(NOTES).items() if ".." not in path}
    files["MEMORY.md"] = draw(texts())
    if (ledger := draw(LEDGERS)) is not None:
        files["dream-vault/ledger.md"] = ledger
    guarded = draw(st.sampled_from(((), ("Facts",))))
    return files, Settings(memory=Memory(truncation=draw(LIMITS)), protected_sections=guarded)


Made = tuple[dict[str, bytes], Settings]


@contextmanager
def laid_out(made: Made) -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "agent"
        for path, data in made[0].items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        yield Workspace(root, root / "dream-vault", made[1])


def memory_of(workspace: Workspace) -> str:
    return to_text((workspace.root / "MEMORY.md").read_bytes())


def ledger_of(workspace: Workspace) -> str:
    path = workspace.vault / "ledger.md"
    return to_text(path.read_bytes()) if path.exists() else ""


def night(workspace: Workspace, nth: int = 0) -> commands.Night:
    return commands.review(workspace, CLOCKS[nth])


def _displaced(workspace: Workspace) -> tuple[str, ...]:
    """A start looks once more at the files that earlier runs displaced, and lets them go."""
    runs = workspace.root / "memory/.dreams/runs"
    return tuple(f"memory/.dreams/runs/{run.name}/old-" for run in runs.iterdir()) if runs.is_dir() else ()


@given(folders())
def test_dreaming_twice_changes_nothing_the_second_time(made: Made) -> None:
    with laid_out(made) as workspace:
        night(workspace)
        before = tree(workspace.root, without=("memory/.dreams/lock", *_displaced(workspace)))

        second = commands.review(workspace, MORNING)

        assert tree(workspace.root, without=("memory/.dreams/lock", *_displaced(workspace))) == before
        assert second.run is None


@given(folders())
def test_undo_after_apply_restores_every_byte(made: Made) -> None:
    with laid_out(made) as workspace:
        before = tree(workspace.root, without=OURS)
        done = night(workspace)

        if done.run:
            commands.undo(workspace, CLOCKS[1])

        assert tree(workspace.root, without=OURS) == before


@given(folders(), st.lists(st.tuples(st.integers(0, 60), st.one_of(st.none(), LINE)), max_size=3))
def test_an_undo_around_the_owners_edits_keeps_them_and_brings_every_line_back(
    made: Made, edits: list[tuple[int, str | None]]
) -> None:
    with laid_out(made) as workspace:
        done = night(workspace)
        if not done.run:
            return
        _owner_edits(workspace, edits)
        typed = Counter(map(bare, split_lines(memory_of(workspace))))
        gone = Counter(
            bare(line)
            for edit in done.plan.edits
            if edit.path == "MEMORY.md" and edit.tag != "view"
            for line in edit.old
        )
        ours = {bare(line) for edit in done.plan.edits if edit.path == "MEMORY.md" for line in edit.new}
        before = tree(workspace.root, without=OURS)

        try:
            commands.undo(workspace, CLOCKS[1])
        except UndoCollision:
            assert tree(workspace.root, without=OURS) == before
            return

        now = Counter(map(bare, split_lines(memory_of(workspace))))
        lost = {
            line: n
            for line, n in ((typed + gone) - now).items()
            if line.strip("\ufeff \t") and "<!-- dream:" not in line and line not in ours
        }
        assert lost == {}


def _owner_edits(workspace: Workspace, edits: list[tuple[int, str | None]]) -> None:
    lines = list(split_lines(memory_of(workspace)))
    for at, line in edits:
        at = min(at, len(lines))
        if line is None:
            del lines[at : at + 1]
        else:
            lines.insert(at, line + "\n")
    (workspace.root / "MEMORY.md").write_bytes(to_bytes("".join(lines)))


@settings(max_examples=60)
@given(
    folders(),
    st.lists(st.lists(st.tuples(st.integers(0, 60), st.one_of(st.none(), LINE)), max_size=4), min_size=2, max_size=4),
)
def test_the_ledger_only_grows_and_holds_every_line_that_ever_left(
    made: Made, nights: list[list[tuple[int, str | None]]]
) -> None:
    with laid_out(made) as workspace:
        for nth, edits in enumerate(nights):
            _owner_edits(workspace, edits)
            before, ledger = memory_of(workspace), ledger_of(workspace)

            night(workspace, nth)

            grown = ledger_of(workspace)
            assert grown.startswith(ledger)
            fresh = Counter(bare(line) for line in split_lines(grown[len(ledger) :]))
            fresh += Counter(
                {line.removeprefix("Content: "): n for line, n in fresh.items() if line.startswith("Content: ")}
            )
            left = Counter(map(bare, split_lines(before))) - Counter(map(bare, split_lines(memory_of(workspace))))
            left = Counter(
                {line: n for line, n in left.items() if line.strip("\ufeff \t") and "<!-- dream:" not in line}
            )
            assert left <= fresh


@given(folders())
def test_what_is_protected_and_what_holds_a_secret_stays_and_nothing_grows_beyond_its_limit(made: Made) -> None:
    with laid_out(made) as workspace:
        before = memory_of(workspace)
        kept = Counter(map(bare, protected_lines(parse(before), made[1].protected_sections)))
        kept += Counter(bare(line) for line in split_lines(before) if "Abc12345x" in line or "ghp_" in line)

        night(workspace)

        after = memory_of(workspace)
        assert Counter(map(bare, split_lines(after))) & kept == kept & Counter(map(bare, split_lines(before)))
        assert count_units(after) <= max(count_units(before), made[1].memory.hard_limit)


@given(folders())
def test_no_night_changes_a_file_that_is_not_its_own(made: Made) -> None:
    with laid_out(made) as workspace:
        done = night(workspace)

        now = tree(workspace.root.parent)
        owners = {
            f"agent/{path}": data
            for path, data in made[0].items()
            if path not in ("MEMORY.md", "DREAMS.md", "dream-vault/ledger.md")
        }
        assert {path: now.get(path) for path in owners} == owners
        assert all(map(may_write, done.plan.paths))
        written = {"agent/dream-vault", "agent/memory", "agent/MEMORY.md", "agent/DREAMS.md"}
        assert all(any(path.startswith(place) for place in written) for path in now.keys() - owners.keys())


@given(folders(), st.integers(1, 99))
def test_the_order_in_which_files_are_read_does_not_matter(made: Made, seed: int) -> None:
    more = {f"memory/2026-11-0{day}.md": b"- walked\n" for day in range(1, 6)}
    with laid_out(({**made[0], **more}, made[1])) as workspace:
        snapshot = read_workspace(workspace)
        items = list(snapshot.files.items())
        random.Random(seed).shuffle(items)

        assert _planned(Snapshot(workspace, dict(items), snapshot.refused)) == _planned(snapshot)


def _planned(snapshot: Snapshot) -> Plan:
    evidence = evidence_of(snapshot)
    brief = make_brief(snapshot, evidence, NIGHT.now())
    return decided(snapshot, evidence, brief, judged(snapshot.workspace, brief, NIGHT), NIGHT).plan


@settings(max_examples=60)
@given(folders(), st.lists(st.tuples(st.integers(0, 60), LINE), max_size=3))
def test_without_the_derived_files_the_next_night_comes_to_the_same(
    made: Made, edits: list[tuple[int, str | None]]
) -> None:
    results = []
    for forgetful in (False, True):
        with laid_out(made) as workspace:
            night(workspace)
            _owner_edits(workspace, edits)
            if forgetful:
                for path in ("dream-vault/ledger-index.json", "memory/.dreams/reviewed.json", "memory/.last_dream"):
                    (workspace.root / path).unlink(missing_ok=True)
            night(workspace, 1)
            index = workspace.vault / "ledger-index.json"
            ids = {entry.id for entry in read_ledger(ledger_of(workspace))}
            known = {item["id"] for item in json.loads(index.read_bytes())} if index.exists() else set()
            results.append((memory_of(workspace), ledger_of(workspace), known))
            assert not forgetful or not index.exists() or ids <= known
    assert results[0][:2] == results[1][:2]


PATHS = st.sampled_from((
    "MEMORY.md", "MEMORY.md", "MEMORY.md", LEDGER, LEDGER, "vault:ledger-index.json", "vault:meta/review-2026-11.md", "memory/.last_dream",
    "memory/2026-11-14.md", "USER.md", "DREAM.md", "memory.md", "Memory.md", "notes.txt", "../x", "vault:../x", "/tmp/x", "a\\b.md",
    "vault:obsidian-index/topics/x.md", "vault:obsidian-index/topics/a\\b.md", "vault:ledger.md\n", "memory/.dreams/lock", "vault:",
))  # fmt: skip


@st.composite
def forgeries(draw: st.DrawFn, snapshot: Snapshot, plan: Plan) -> Plan:
    """A plan with edits dropped, repeated, moved, or put in by somebody who wants harm."""
    edits = [edit for edit in plan.edits if draw(st.integers(0, 5))]
    for _ in range(draw(st.integers(0, 3))):
        path = draw(PATHS)
        lines = split_lines(snapshot.text_of(path))
        at = draw(st.integers(0, len(lines)))
        old = lines[at : at + draw(st.integers(0, 2))]
        new = tuple(line + draw(st.sampled_from(("\n", "\n", "\r\n", ""))) for line in draw(st.lists(LINE, max_size=2)))
        source = draw(st.sampled_from(("MEMORY.md", "memory/2026-11-14.md", "DREAMS.md", LEDGER, "nowhere.md")))
        edits.append(Edit("forged", path, at, old, new, "t", "w", (Source(source, 1, draw(st.integers(1, 9))),)))
    edits = draw(st.permutations(edits)) if draw(st.booleans()) else edits
    base = {edit.path: snapshot.hash_of(edit.path) for edit in edits}
    removes = tuple(draw(st.lists(PATHS, max_size=1))) if draw(st.integers(0, 5)) == 0 else ()
    base |= {path: snapshot.hash_of(path) for path in removes}
    intent = draw(st.sampled_from((Intent.DREAM,) * 6 + (Intent.UNDO, Intent.INIT)))
    return replace(plan, edits=tuple(edits), base=base, removes=removes, intent=intent)


@settings(max_examples=150)
@given(folders(), st.data())
def test_a_forged_plan_is_refused_or_keeps_every_promise(made: Made, data: st.DataObject) -> None:
    with laid_out(made) as workspace:
        snapshot = read_workspace(workspace)
        plan = data.draw(forgeries(snapshot, _planned(snapshot)))
        before = tree(workspace.root.parent, without=("agent/memory/.dreams/lock",))
        memory, ledger = memory_of(workspace), ledger_of(workspace)

        try:
            done = commands.apply_plan(workspace, plan, NIGHT)
        except ReverieError:
            assert tree(workspace.root.parent, without=("agent/memory/.dreams/lock",)) == before
            return

        _keeps_every_promise(workspace, before, memory, ledger)
        if done.run:
            commands.undo(workspace, CLOCKS[1])
        assert tree(workspace.root.parent, without=("agent/memory/.dreams",)) == before


def _keeps_every_promise(workspace: Workspace, before: dict[str, bytes], memory: str, ledger: str) -> None:
    after = tree(workspace.root.parent, without=("agent/memory/.dreams",))
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    paths = {path.removeprefix("agent/") for path in changed}
    assert all(may_write(path.replace("dream-vault/", "vault:")) for path in paths), paths
    assert ledger_of(workspace).startswith(ledger)
    guarded = protected_lines(parse(memory), workspace.settings.protected_sections)
    kept = Counter(map(bare, split_lines(memory_of(workspace))))
    assert Counter(map(bare, guarded)) <= kept
    fresh = ledger_of(workspace)[len(ledger) :]
    left = Counter(map(bare, split_lines(memory))) - kept
    assert [line for line in left if line.strip("\ufeff \t") and "<!-- dream:" not in line and line not in fresh] == []
    for path in paths - {"MEMORY.md"}:
        fresh_bytes = after.get(f"agent/{path}", b"").removeprefix(before.get(f"agent/{path}", b""))
        assert b"Abc12345x" not in fresh_bytes and b"ghp_Ab1" not in fresh_bytes
    assert count_units(memory_of(workspace)) <= max(count_units(memory), workspace.settings.memory.hard_limit)


@given(folders())
def test_every_plan_survives_being_saved(made: Made) -> None:
    with laid_out(made) as workspace:
        plan = _planned(read_workspace(workspace))

        assert plan_from_text(json.dumps(plan_as_dict(plan)), "plan.json") == plan


@given(st.text(max_size=40), st.sampled_from(("", "vault:", "memory/", "vault:meta/", "vault:obsidian-index/topics/")))
def test_only_plain_paths_of_our_own_may_be_written(tail: str, head: str) -> None:
    path = head + tail

    if may_write(path):
        assert ".." not in path.split("/") and "\\" not in path and path.isprintable() and not path.startswith("/")
        assert place_of(path).kind not in ("daily", "topic", "config", "profile", "foreign", "state")


@pytest.mark.parametrize(
    "text", ["../../x", "vault:../x", "/etc/passwd", "MEMORY.md:../x", "[a](../x)", "<!-- dream:../x -->"]
)
def test_no_words_of_a_note_become_a_path(text: str) -> None:
    lines = f"# {text}\n- {text}\n- {text}\n- [x] 2026-01-01 {text}\n## Dream\n- {text}\n".encode()
    with laid_out(({"MEMORY.md": lines, "memory/2026-11-14.md": lines}, Settings())) as workspace:
        done = night(workspace)

        assert all(map(may_write, done.plan.paths)) and list(workspace.root.parent.iterdir()) == [workspace.root]
