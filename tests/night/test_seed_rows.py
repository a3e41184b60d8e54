"""What the seed documents ask of a night, told on the smallest workspaces: seeds 000 and 001, row by row (tests/seeds)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cache

import pytest

from conftest import NIGHT, Build
from reverie.core.layout import REVIEWED
from reverie.core.ports import Embedder, fixed
from reverie.core.settings import Dream, Memory, Settings
from reverie.features.search import default_embedder
from reverie.features.status import glance, warning
from reverie.features.tools import check_reemergence
from reverie.features.why_not import why_not
from reverie.judge.operation import Level, Op, Operation
from reverie.judge.recurring import returning
from reverie.night.briefing import make_brief
from reverie.night.fit import fit
from reverie.night.night import Night, plan_dream
from reverie.night.remember import evidence_of
from reverie.openclaw.promotions import Gates, left_by_the_night, ranking
from reverie.plan.build import build_plan
from reverie.plan.splices import texts_after
from reverie.text.marks import dated_footer
from reverie.workspace.reader import read_workspace
from reverie.workspace.settings_files import read_dream_md
from reverie.workspace.values import Workspace

CLOCK = fixed(NIGHT)
SEED = """# Long-Term Memory

## Current State
- Working on the booking app

## Stable Knowledge
- Editor: Helix

## Relationships & Context
- Mira is the tax adviser

## Dream
<!-- Auto-maintained, do not edit by hand -->
"""
SAID, ID = "Primary note tool: Obsidian", "a3f8c201"
Asked = Callable[..., Night]
NOTE = "memory/2026-11-14.md"


@cache
def embedder() -> Embedder | None:
    return default_embedder(None)  # its tables are read once for all tests


def night(workspace: Workspace) -> Night:
    return plan_dream(workspace, CLOCK)


def after(found: Night) -> str:
    return texts_after(found.snapshot, found.plan).get("MEMORY.md", "")


def told(found: Night) -> set[tuple[Op, str]]:
    return {(one.op, one.new or one.text or one.memory[-1].text) for one in found.suggestions}


def lines(*items: str, under: str = "## Stable Knowledge") -> str:
    return "\n".join(("# Me", "", under, *(f"- {item}" for item in items), ""))


# --- what left and is said again ----------------------------------------------------------------------------------------


def archive(category: str = "decision", content: str = SAID, at: str = "2026-02-27 03:31") -> Mapping[str, str]:
    """The archive as seed 000's script writes it: filed by what it was, with a summary of its own."""
    block = f"---\nID: {ID}\nArchived: {at}\nCategory: [{category}]\nContent: {content}\nNote: First archived\n---\n"
    listed = {"id": ID, "summary": SAID, "content_hash": "x", "removed_at": at, "removed_ts": 0, "reemergence_count": 0}
    return {"dream-vault/ledger.md": block, "dream-vault/meta/removed-entries.json": json.dumps([listed])}


@pytest.mark.parametrize(
    "listed", [f"- [{ID}] 2026-02-27 [decision] {SAID}", f"- {SAID}", f"- 2026-02-27 [decision] {SAID}"]
)
def test_a_line_in_the_list_of_what_was_archived_is_no_memory_and_comes_back_when_it_is_said(
    build: Build, listed: str
) -> None:
    files = {"MEMORY.md": f"{SEED}{listed}\n", NOTE: f"- {SAID}\n", **archive(content=f"{SAID}, for local data")}
    workspace = build(files)

    snapshot = read_workspace(workspace)
    (back,) = returning(make_brief(snapshot, evidence_of(snapshot), CLOCK.now()))

    assert (back.level, back.text) == (Level.CERTAIN, f"[re-emerged] {SAID}") and back.why.endswith(f"[{ID}]")
    assert "in memory" not in {one.verdict for one in why_not(workspace, CLOCK, SAID)}
    assert check_reemergence(workspace, SAID) == f"matched {ID} {SAID}"


def test_in_other_words_it_is_asked_and_what_says_that_it_is_over_is_not(build: Build) -> None:
    said = {"Obsidian is the primary note tool": [Level.LIKELY], "The primary note tool Obsidian is cancelled": []}

    for text, levels in said.items():
        workspace = replace(
            build({"MEMORY.md": SEED, NOTE: f"- {text}\n", **archive()}), embedder=default_embedder(None)
        )
        snapshot = read_workspace(workspace)
        back = returning(make_brief(snapshot, evidence_of(snapshot), CLOCK.now()))
        assert [one.level for one in back] == levels
        assert check_reemergence(workspace, text) == f"matched {ID} {SAID}"


def test_what_came_back_leaves_last_when_there_is_no_room(build: Build) -> None:
    filler = [f"an ordinary line about bench number {n} in the workshop" for n in range(20)]
    text = lines("[re-emerged] keeps a red bicycle <!-- dream:0a0b0c0d -->", *filler)
    snapshot = read_workspace(build({"MEMORY.md": text}, replace(Settings(), memory=Memory(truncation=600))))
    brief = make_brief(snapshot, evidence_of(snapshot), CLOCK.now())

    gone = fit(brief, (), share=0.9).operations

    assert len(gone) > 5 and not [one for one in gone if "bicycle" in one.memory[0].text]


def test_a_value_that_was_replaced_and_is_said_again_is_at_least_asked(build: Build) -> None:
    memory = lines("The pump valve is number 31")
    old = {"dream-vault/ledger.md": archive("superseded", "- The pump valve is number 12")["dream-vault/ledger.md"]}

    found = night(build({"MEMORY.md": memory, NOTE: "- The pump valve is number 12\n", **old}))

    assert [(one.op, one.old, one.new) for one in found.suggestions] == [(Op.UPDATE, "31", "12")]


# --- which notes are read -----------------------------------------------------------------------------------------------


def test_with_lookback_days_an_older_note_stays_in_its_note_and_is_counted(build: Build) -> None:
    assert read_dream_md("## Settings\n- lookback_days: 14\n") == {"dream": {"lookback_days": 14}}
    files = {"memory/2026-10-31.md": "- old\n", "memory/2026-11-01.md": "- young\n", "memory/2026-06-01.md": "- June\n"}

    def read(days: int) -> tuple[list[str], int]:
        snapshot = read_workspace(build(dict(files), replace(Settings(), dream=Dream(lookback_days=days))))
        brief = make_brief(snapshot, evidence_of(snapshot), CLOCK.now())
        return [note.text for note in brief.notes], brief.too_old

    assert read(14) == (["young"], 2)
    assert read(0) == (["June", "old", "young"], 0)


# --- files that are gone ------------------------------------------------------------------------------------------------


FILES = (
    "Deploy with `scripts/deploy.sh`",
    "Never commit scripts/secret.env",
    "Run scripts/mill.sh --all, then ask Anna",
    "证书在 scripts/zheng.pem，每年换一次",
)


def deleted(build: Build, *seen: str) -> Night:
    from reverie.workspace.named_paths import standing

    elsewhere = ("Server: /etc/nowhere/x.conf", "Docs: https://example.org/a/b.md", "Old: ~/not/here.md")
    workspace = build({"MEMORY.md": lines(*FILES, *elsewhere), "scripts/other.sh": "", **dict.fromkeys(seen, "")})
    known = standing(read_workspace(workspace), FILES)
    for path in seen:
        (workspace.root / path).unlink()
    (workspace.root / "memory/.dreams").mkdir(parents=True)
    (workspace.root / REVIEWED).write_text(json.dumps({"standing": known}))
    return night(workspace)


def test_a_line_that_only_names_a_deleted_file_leaves_and_one_that_says_more_is_asked_about(build: Build) -> None:
    found = deleted(build, "scripts/deploy.sh", "scripts/secret.env", "scripts/mill.sh", "scripts/zheng.pem")

    assert [(one.op, one.memory[0].text) for one in found.operations] == [(Op.END, FILES[0])]
    assert "scripts/deploy.sh" in found.operations[0].why
    assert told(found) == {(Op.END, FILES[2]), (Op.END, FILES[3])}


def test_a_file_that_no_night_has_seen_is_only_asked_about(build: Build) -> None:
    found = deleted(build)

    assert not found.operations and told(found) == {(Op.END, FILES[0])}


# --- what is said twice -------------------------------------------------------------------------------------------------


def test_of_two_lines_the_more_detailed_one_stays(build: Build) -> None:
    short, long = "Build with make release", "Build with make release, needs Docker running"
    near = "Tea from Kern is ordered in May", "Tea from Kern is ordered in May and in autumn"
    found = night(build({"MEMORY.md": lines(short, long, *near, "Tea is fine", "Tea is fine, but never at night")}))

    assert [(one.op, one.memory[0].text) for one in found.operations] == [(Op.END, short)]
    assert [(one.op, one.memory[0].text, one.memory[1].text) for one in found.suggestions] == [
        (Op.MERGE, near[1], near[0])
    ]


def test_a_rule_of_the_owners_merges_what_is_only_likely_without_it(build: Build) -> None:
    api = "The API endpoint for orders lists them", "The API endpoint for orders lists them and needs a login"
    other = "Tea from Kern is ordered in May", "Tea from Kern is ordered in May and in autumn"
    rules = replace(Settings(), custom_rules=("Merge duplicate API references",))

    found = night(build({"MEMORY.md": lines(*api, *other)}, rules))

    assert [(one.op, one.memory[1].text) for one in found.operations] == [(Op.MERGE, api[0])]


def test_what_a_rule_of_the_owners_keeps_does_not_end_and_the_refusal_names_the_rule(build: Build) -> None:
    tasks = "## Tasks\n- [x] send the harbour invoice\n- [x] paint the fence\n"
    paid = "## Billing\n- Trial of the scanner until 2026-10-01\n- Berth is paid by card\n- Berth is paid by card\n"
    pool = "## House\n- 泳池保险有效期至2026年10月1日\n- Pool closed until 2026-10-01\n"
    rules = ("Always keep invoice/billing related entries", "始终保留保险相关条目")

    found = night(build({"MEMORY.md": f"# Me\n\n{tasks}\n{paid}\n{pool}"}, replace(Settings(), custom_rules=rules)))

    ended = [one.memory[0].text for one in found.operations]
    assert sorted(ended) == ["Berth is paid by card", "Pool closed until 2026-10-01", "paint the fence"]
    assert len(found.dropped) == 3 and all(any(rule in one.why for rule in rules) for one in found.dropped)


# --- where lines go -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("footer", "renewed"),
    [
        ("*最后更新: 2026-10-01*", "*最后更新: 2026-11-15*"),
        ("*最后更新：2026年9月1日*", "*最后更新：2026年11月15日*"),
        ("*Last updated: October 1, 2026*", "*Last updated: 2026-11-15*"),
        ("Stand: 01.10.2026", "Stand: 15.11.2026"),
        ("_Last updated: 2026/10/01 09:30_", "_Last updated: 2026/11/15 03:00_"),
        ("*Last updated*", "*Last updated*"),
    ],
)
def test_the_day_of_a_footer_is_renewed_as_its_owner_writes_days(footer: str, renewed: str) -> None:
    assert dated_footer(footer, datetime.fromisoformat(NIGHT)) == renewed


def added(text: str, section: str) -> Operation:
    return Operation(Op.ADD, "said", (), text=text, section=section, tag="added")


@pytest.mark.parametrize("blank", ["\n", ""])
def test_new_lines_stand_above_a_footer_which_stays_last(build: Build, blank: str) -> None:
    snapshot = read_workspace(build({"MEMORY.md": f"{lines('likes tea')}{blank}*Last updated: 2026-10-01*\n"}))

    plan = build_plan(snapshot, [added("has a cat", "Stable Knowledge")], CLOCK.now())

    rows = texts_after(snapshot, plan)["MEMORY.md"].split("\n")
    assert rows[-2] == "*Last updated: 2026-11-15*" and any(row.startswith("- has a cat") for row in rows[:-2])
    assert not [edit for edit in build_plan(snapshot, (), CLOCK.now()).edits if edit.path == "MEMORY.md"]


@pytest.mark.parametrize("area", ["lessons", "current", "stable"])
def test_no_section_is_invented_where_the_owner_has_one(build: Build, area: str) -> None:
    for memory in (SEED, "# 记忆\n\n## 偏好\n- 喜欢茶\n"):
        snapshot = read_workspace(build({"MEMORY.md": memory}))
        plan = build_plan(snapshot, [added("has a cat", area)], CLOCK.now())
        rows = texts_after(snapshot, plan)["MEMORY.md"].split("\n")
        assert [row for row in rows if row.startswith("#")] == [
            row for row in memory.split("\n") if row.startswith("#")
        ]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_near_its_last_line_the_night_and_status_say_so(build: Build, ending: str) -> None:
    settings = replace(Settings(), memory=Memory(max_lines=22))
    text = lines(*(f"an item about {n} things" for n in range(16))).replace("\n", ending)
    note = "- Remind me on 2026-12-01 to call the notary\n"
    workspace = build({"MEMORY.md": text.encode(), NOTE: note}, settings)

    found = night(workspace)

    assert after(found).count("\n") == 20 and "notary" in after(found)
    assert [one.text for one in found.plan.flags] == ["MEMORY.md has 20 lines; the limit is 22."]
    (workspace.root / "memory/.dreams").mkdir(parents=True)
    size = (workspace.root / "MEMORY.md").stat().st_size
    seen = {"memory": {"characters": size, "bytes": size, "lines": 20}, "archive": 0, "index": 0}
    (workspace.root / REVIEWED).write_text(json.dumps(seen))
    assert "20 lines" in warning(glance(workspace.root, workspace.vault, settings, CLOCK.now()))


# --- what may have changed, and what may be worth keeping ---------------------------------------------------------------


@pytest.fixture
def asked(build: Build) -> Asked:
    def ask(memory: str, *said: str, days: int = 1) -> Night:
        notes = {f"memory/2026-11-{14 - n}.md": "".join(f"- {one}\n" for one in said) for n in range(days)}
        workspace = build({"MEMORY.md": SEED.replace("- Editor: Helix", f"- {memory}"), **notes})
        return night(replace(workspace, embedder=embedder()))

    return ask


@pytest.mark.parametrize(
    ("old", "said", "change"),
    [
        ("API uses Express", "migrated the API from Express to Fastify", ("Express", "Fastify")),
        ("API uses Express", "API migrated to Fastify", ("Express", "Fastify")),
        ("主数据库：MySQL", "主数据库：PostgreSQL", ("MySQL", "PostgreSQL")),
        ("Main database: MySQL", "Main database: PostgreSQL", ("MySQL", "PostgreSQL")),
        ("The office has a coffee machine", "The office has no coffee machine", ("a coffee", "no coffee")),
    ],
)
def test_what_may_have_changed_is_asked_and_both_stay(
    asked: Asked, old: str, said: str, change: tuple[str, str]
) -> None:
    found = asked(old, said)

    (card,) = [one for one in found.suggestions if one.op is Op.UPDATE]
    assert change[0] in card.old and change[1] in card.new and card.level is Level.LIKELY
    (log,) = [text for path, text in texts_after(found.snapshot, found.plan).items() if "dream-log" in path]
    assert "## Needs Human Review\n" in log and card.new in log
    assert "MEMORY.md" not in {edit.path for edit in found.plan.edits}


def test_a_note_that_may_open_something_is_pointed_at_and_not_told(asked: Asked) -> None:
    found = asked("Front door: ask Noor", "Front door: Marigold7")

    (flag,) = found.plan.flags
    assert flag.text == "Front door: ask Noor" and "memory/2026-11-14.md:1" in flag.why and "Marigold" not in flag.why


def test_a_lesson_and_a_decision_enter_and_the_best_of_the_rest_is_asked_about(asked: Asked) -> None:
    labelled = (
        "Lesson: always run the migration on a copy",
        "Decision: host the API in Frankfurt",
        "经验教训：迁移前先在副本上跑一遍",
    )
    said = (
        "Decided to use PostgreSQL instead of MySQL",
        "Jonte is my brother-in-law",
        "We integrated Stripe for payments",
        "The architecture is now event driven with Kafka",
    )

    found = asked("Editor: Helix", *labelled, *said, "Bought milk")

    assert {one.text for one in found.operations if one.op is Op.ADD} == {*labelled}
    assert told(found) == {(Op.ADD, one) for one in said}


def test_what_was_said_on_two_days_is_asked_about_before_the_rest(asked: Asked) -> None:
    found = asked("Editor: Helix", "Allergic to penicillin", "Our supplier for filters is Kern", days=2)

    assert {(Op.ADD, "Allergic to penicillin"), (Op.ADD, "Our supplier for filters is Kern")} <= told(found)


def test_a_chinese_log_is_chinese(build: Build) -> None:
    files = {
        "MEMORY.md": "# 记忆\n\n## 项目\n- 备份在每天 02:00\n- 办公室有咖啡机\n",
        "memory/2026-06-01.md": "- 服务器在法兰克福\n",
    }
    files[NOTE] = "- 更正：备份在每天 03:30，不是 02:00\n- 今天吃了面\n- ok\n"

    found = night(build(files, replace(Settings(), dream=Dream(lookback_days=14))))

    (log,) = [text for path, text in texts_after(found.snapshot, found.plan).items() if "dream-log" in path]
    latin = {word for word in re.findall("[A-Za-z_.]{3,}", log) if word not in ("MEMORY.md", "lookback_days")}
    assert latin == set() and "自 2026-11-14 起是“03:30”" in log and "早于" in log


def test_promote_says_which_candidates_the_next_night_leaves(build: Build) -> None:
    said = "Noor is allergic to penicillin, never give her any"
    days = {f"memory/2026-11-{day}.md": f"- {said}\n" for day in ("05", "09", "13")}
    workspace = replace(build({"MEMORY.md": lines("Noor is allergic to nuts"), **days}), embedder=embedder())

    found = ranking(workspace, CLOCK, Gates())

    assert [one.text for one in left_by_the_night(found, CLOCK)] == [said]
    assert (Op.ADD, said) in told(night(workspace))


def test_a_line_that_names_another_day_is_not_the_one_that_was_asked_for(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Me\n- Grant: the deadline is 2026-12-01\n"})

    assert why_not(workspace, CLOCK, "grant deadline is 2026-12-15")[0].verdict != "in memory"
    assert why_not(workspace, CLOCK, "grant deadline is 2026-12-01")[0].verdict == "in memory"
