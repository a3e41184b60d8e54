"""Claude Code's memory folder: found, read, dreamt over and kept in its own shape, with nothing of ours in it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from reverie.core.errors import BadInput, RefusedPlan
from reverie.core.layout import may_write
from reverie.core.ports import FixedClock, fixed
from reverie.evidence.claims import Evidence
from reverie.features.classify.classify import sort_memories
from reverie.features.forget.forget import forget
from reverie.features.note import note
from reverie.features.search import ask
from reverie.judge.brief import ScriptedJudge
from reverie.judge.operation import Level, Op, Operation
from reverie.night.briefing import make_brief
from reverie.night.commands import undo
from reverie.night.night import review
from reverie.night.suggesting import accept, decline, suggestions
from reverie.plan.build import plan_of
from reverie.plan.promises import check_promises
from reverie.surfaces.configure import configured, find_workspace, is_kept_per_project
from reverie.text.lines import split_lines
from reverie.workspace.claude_memory import encoded, memory_folder, project_at, project_of
from reverie.workspace.claude_topics import pointers
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Author, Edit, Intent, Workspace
from terminal import call

OWNER = Author("owner", "cli")


def topic(name: str, about: str, kind: str, body: str) -> str:
    return f"---\nname: {name}\ndescription: {about}\nmetadata:\n  type: {kind}\n---\n\n{body}"


INDEX = """\
- [Who the user is](user_role.md) — backend developer, new to React
- [Testing](feedback_testing.md) — integration tests hit a real database
- [Old wiki](reference_wiki.md) — where the design notes were
"""
FILES = {
    "MEMORY.md": INDEX,
    "user_role.md": topic("user-role", "who the user is", "user", "Backend developer for ten years; new to React.\n"),
    "feedback_testing.md": topic(
        "feedback-testing",
        "how tests are written here",
        "feedback",
        "Integration tests must hit a real database, not mocks.\n\n**Why:** mocked tests passed and the migration failed.\n\n"
        "- **Test database:** PostgreSQL 15\n- **Test command:** pnpm test\n",
    ),
    "project_freeze.md": topic(
        "mobile-release",
        "the mobile release and its people",
        "project",
        "- Merge freeze for the mobile release until 2026-03-05.\n- The release manager is Ana.\n",
    ),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    (shop / "src").mkdir()
    (shop / "CLAUDE.md").write_text("# Shop\n\n- Run the linter before every commit.\n")
    (shop / ".claude/rules").mkdir(parents=True)
    (shop / ".claude/rules/api.md").write_text("---\npaths: src/**\n---\n- Endpoints answer in JSON:API.\n")
    return shop


def kept(project: Path, files: Mapping[str, str] = FILES) -> Workspace:
    """The workspace that a command run in the project takes, with these files in Claude Code's folder."""
    folder = memory_folder(project, os.environ)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
    return find_workspace(None, os.environ, project / "src")


def there(workspace: Workspace) -> dict[str, str]:
    """Every file of Claude Code's folder, hidden ones included."""
    home = workspace.folder
    return {p.relative_to(home).as_posix(): p.read_bytes().decode() for p in home.rglob("*") if p.is_file()}


def test_a_folder_is_named_as_claude_code_names_it() -> None:
    assert encoded("/home/me/my_shop.v2") == "-home-me-my-shop-v2"
    assert encoded("x" * 300) == "x" * 200 + "-t2j4zk"  # what the program itself makes of it


@pytest.mark.skipif(not os.environ.get("CLAUDE_PROGRAM"), reason="CLAUDE_PROGRAM names no Claude Code")
def test_the_real_program_makes_the_folder_where_we_look(tmp_path: Path) -> None:
    inside = tmp_path / "my_shop.v2 é" / "src"
    inside.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", inside.parent], check=True)
    nowhere = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "none", "CLAUDE_CODE_MAX_RETRIES": "0"}

    words = [os.environ["CLAUDE_PROGRAM"], "-p", "hello"]
    subprocess.run(words, cwd=inside, env={**os.environ, **nowhere}, stdin=subprocess.DEVNULL, check=False, timeout=60)

    assert memory_folder(inside, os.environ).is_dir()
    assert project_of(memory_folder(inside, os.environ)) == inside.parent


def test_all_worktrees_of_a_repository_share_one_memory(project: Path, tmp_path: Path) -> None:
    inner = project / ".git/worktrees/fix"
    inner.mkdir(parents=True)
    (inner / "commondir").write_text("../..\n")
    (tmp_path / "fix").mkdir()
    (tmp_path / "fix/.git").write_text(f"gitdir: {inner}\n")

    assert project_at(tmp_path / "fix") == project_at(project / "src") == project


def test_a_command_in_a_project_takes_what_claude_code_keeps_of_it(project: Path) -> None:
    workspace = kept(project)

    assert workspace.home == workspace.folder == memory_folder(project, os.environ)
    assert (workspace.project, workspace.settings.memory.max_lines) == (project, 200)
    assert Path(os.environ["HOME"]) / ".local/state/reverie" in workspace.root.parents
    assert not workspace.root.exists()  # looking writes nothing


@pytest.mark.parametrize("worked_in", ["", "src"])
def test_the_project_of_a_folder_is_named_by_its_transcripts(project: Path, worked_in: str) -> None:
    workspace = kept(project)
    sessions = workspace.folder.parent.with_name(encoded(str(project / worked_in)))
    sessions.mkdir(exist_ok=True)
    (sessions / "a1.jsonl").write_text(json.dumps({"cwd": str(project / worked_in)}, separators=(",", ":")))

    assert configured(workspace.folder, os.environ).project == project


def test_the_users_settings_move_the_folder_and_a_projects_do_not(project: Path, tmp_path: Path) -> None:
    (project / ".claude/settings.json").write_text(json.dumps({"autoMemoryDirectory": str(tmp_path / "strange")}))
    assert memory_folder(project, os.environ).name == "memory"

    claude = Path(os.environ["HOME"]) / ".claude"
    claude.mkdir()
    (claude / "settings.json").write_text(json.dumps({"autoMemoryDirectory": "~/notes-of-claude"}))
    assert memory_folder(project, os.environ) == Path(os.environ["HOME"]) / "notes-of-claude"


def test_topics_and_the_projects_own_words_are_found(project: Path, clock: FixedClock) -> None:
    workspace = kept(project)

    def best(question: str) -> list[str]:
        answer = ask(workspace, workspace.embedder, clock, question)
        assert not answer.degraded
        return [str(hit.claim.source) for hit in answer.hits[:2]]

    assert "topic:feedback_testing.md:12" in best("which test database")  # the index speaks of it too
    assert best("linter before commit")[0] == "project:CLAUDE.md:3"
    assert there(workspace) == FILES


def test_a_night_keeps_the_shape_and_undo_brings_back_every_byte(project: Path, clock: FixedClock) -> None:
    workspace = kept(project)

    night = review(workspace, clock)

    assert there(workspace) == {
        **FILES,
        "MEMORY.md": INDEX + "- [mobile-release](project_freeze.md) — the mobile release and its people\n",
        "project_freeze.md": FILES["project_freeze.md"].replace(
            "- Merge freeze for the mobile release until 2026-03-05.\n", ""
        ),
    }
    assert "Merge freeze for the mobile release" in (workspace.vault / "ledger.md").read_text()
    assert review(workspace, clock).run is None  # the second night changes nothing
    assert night.run is not None
    undo(workspace, clock, night.run.id)
    assert there(workspace) == FILES
    assert not review(workspace, fixed("2026-11-16T03:00:00+01:00")).operations  # and what was undone stays undone
    assert there(workspace) == FILES


def test_a_line_that_leads_nowhere_is_suggested_and_leaves_with_a_yes(project: Path, clock: FixedClock) -> None:
    workspace = kept(project)
    review(workspace, clock)

    (card,) = suggestions(workspace, clock)
    assert (card.op, card.lines[0].place, "reference_wiki.md" in card.why) == (Op.END, "MEMORY.md:3", True)
    accept(workspace, clock, card.id)
    assert "wiki" not in there(workspace)["MEMORY.md"]
    assert "Old wiki" in (workspace.vault / "ledger.md").read_text()


def test_a_topic_that_is_over_is_suggested_whole_and_keeps_its_front_matter(project: Path, clock: FixedClock) -> None:
    over = topic("sale", "sale prices, valid until 2026-09-30", "project", "- Everything costs half.\n- Ask Kim.\n")
    workspace = kept(project, {"MEMORY.md": "- [Sale](sale.md) — half price\n", "sale.md": over})
    review(workspace, clock)
    assert there(workspace)["sale.md"] == over

    (card,) = suggestions(workspace, clock)
    accept(workspace, clock, card.id)
    assert there(workspace) == {"MEMORY.md": "", "sale.md": over[: over.index("- Everything")]}
    assert review(workspace, clock).plan.counts == {}  # a topic that says nothing needs no line


def test_a_line_that_leads_nowhere_and_names_its_end_leaves_as_any_other(project: Path, clock: FixedClock) -> None:
    workspace = kept(project, FILES | {"MEMORY.md": INDEX + "- [Fair](fair.md) — the stand, valid until 2026-10-04\n"})

    review(workspace, clock)

    assert "Fair" not in there(workspace)["MEMORY.md"]


@pytest.mark.parametrize(
    "about", ["no tastings until 2026-09-30 because of the works", "展台搭到2026年9月30日", "valid until 2026-09-30"]
)
def test_a_topic_and_its_line_of_the_index_are_one_card_and_stay_on_a_no(
    project: Path, clock: FixedClock, about: str
) -> None:
    over = topic("cellar", about, "project", "- Tastings until 2026-09-30.\n- Ask Jo for the key.\n")
    index = f"- [Cellar](cellar.md) — {about}\n"
    workspace = kept(project, {"MEMORY.md": index, "cellar.md": over})

    review(workspace, clock)
    (card,) = suggestions(workspace, clock)
    assert "3 " in card.why
    assert there(workspace) == {"MEMORY.md": index, "cellar.md": over}

    decline(workspace, clock, card.id)
    review(workspace, clock)
    assert there(workspace)["MEMORY.md"] == index
    assert not suggestions(workspace, clock)


def test_what_was_said_after_the_end_of_a_topic_stays_with_its_line(project: Path, clock: FixedClock) -> None:
    over = topic("sale", "sale until 2026-09-30", "project", "- Half price.\n- From 2026-12-01 on again.\n")
    index = "- [Sale](sale.md) — half price\n"
    workspace = kept(project, {"MEMORY.md": index, "sale.md": over})
    review(workspace, clock)

    (card,) = suggestions(workspace, clock)
    accept(workspace, clock, card.id)
    assert there(workspace) == {"MEMORY.md": index, "sale.md": over.replace("- Half price.\n", "")}
    assert not review(workspace, clock).operations
    assert not suggestions(workspace, clock)


def test_what_a_run_wrote_into_a_topic_after_its_end_is_not_taken_along(project: Path, clock: FixedClock) -> None:
    over = topic("sale", "sale until 2026-09-30", "project", "- Prices: half of list.\n- Ask Kim.\n")
    workspace = kept(project, {"MEMORY.md": "- [Sale](sale.md) — prices\n", "sale.md": over})
    (workspace.root / "memory").mkdir(parents=True)
    (workspace.root / "memory/2026-11-14.md").write_text("- Prices: 80 % of list\n")
    snapshot = read_workspace(workspace)
    (cite,) = snapshot.files["memory/2026-11-14.md"].entries
    line = snapshot.files["topic:sale.md"].entries[0]
    wish = Operation(Op.UPDATE, "newer", (cite,), (line,), text="Prices: 80 % of list", by="scripted")
    review(workspace, clock, judge=ScriptedJudge([wish]))

    review(workspace, fixed("2026-11-16T03:00:00+01:00"))
    card = suggestions(workspace, clock)[0]
    assert [one.text for one in card.lines] == ["Ask Kim."] and "one line" in card.why


def test_a_decision_about_something_else_stands_in_the_index_and_in_no_topic(project: Path, clock: FixedClock) -> None:
    over = topic("sale", "sale, valid until 2026-09-30", "project", "- Invoices are due in a week.\n")
    workspace = kept(project, FILES | {"sale.md": over})
    before = there(workspace)

    noted = note(workspace, clock, "Decision: invoices go out on the first of the month", by=OWNER)

    changed = {name: text for name, text in there(workspace).items() if before[name] != text}
    assert (noted.home, list(changed)) == ("MEMORY.md", ["MEMORY.md"])
    assert changed["MEMORY.md"].startswith(INDEX + "- Decision: invoices go out on the first of the month")
    note(workspace, clock, "Decision: the test database is started with docker before the integration tests", by=OWNER)
    assert "docker" in there(workspace)["feedback_testing.md"]


def test_a_topic_that_may_have_no_line_costs_no_other_its_line(project: Path, clock: FixedClock) -> None:
    pinned = topic("📌 rules", "how we work", "feedback", "- Small commits.\n")
    over = topic("sale", "sale prices, valid until 2026-09-30", "project", "- Half price.\n")
    paint = topic("paint", "colours of the shop", "project", "- The door is green.\n")
    workspace = kept(project, {"MEMORY.md": "", "a.md": pinned, "b.md": over, "c.md": paint})

    review(workspace, clock)

    assert there(workspace)["MEMORY.md"] == "- [paint](c.md) — colours of the shop\n"


@pytest.mark.parametrize(
    ("front", "line"),
    [
        (
            "name: Folded\ndescription: >-\n  two lines\n  of words\ntype: project",
            "[Folded](x.md) — two lines of words",
        ),
        ("name: Kept\ndescription: |\n  a: b\n\n  c", "[Kept](x.md) — a: b c"),
        ("name: \"Say \\\"hi\\\"\"\ndescription: 'it''s here'", '[Say "hi"](x.md) — it\'s here'),
        (
            "name: a [b] c\ndescription: the dogs' bowl\n  and the cat's",
            "[a \\[b\\] c](x.md) — the dogs' bowl and the cat's",
        ),
        ("metadata: # of ours\n  type: user\nname: plain", "[plain](x.md)"),
    ],
)
def test_front_matter_is_read_as_yaml_and_the_line_that_is_made_of_it_leads_there(
    project: Path, clock: FixedClock, front: str, line: str
) -> None:
    workspace = kept(project, {"MEMORY.md": "", "x.md": f"---\n{front}\n---\n- The door is green.\n"})

    review(workspace, clock)

    assert there(workspace)["MEMORY.md"] == f"- {line}\n"
    assert [path for _, path in pointers(read_workspace(workspace))] == ["topic:x.md"]


def test_what_would_enter_any_other_memory_waits_for_a_yes_and_goes_to_its_topic(
    project: Path, clock: FixedClock
) -> None:
    workspace = kept(project)
    (workspace.root / "memory/self-improving").mkdir(parents=True)
    said = "Start the test database with `make db` before you run the integration tests"
    logged = "".join(json.dumps({"ts": f"2026-11-{day}T10:00:00Z", "text": said}) + "\n" for day in (12, 14))
    (workspace.root / "memory/self-improving/corrections.jsonl").write_text(logged)
    review(workspace, clock)
    assert said not in "".join(there(workspace).values())

    card = next(one for one in suggestions(workspace, clock) if one.op is Op.ADD)
    accept(workspace, clock, card.id)
    assert f"- {said}" in there(workspace)["feedback_testing.md"]


def test_a_judge_that_leads_changes_a_value_inside_a_topic(project: Path, clock: FixedClock) -> None:
    workspace = kept(project)
    (workspace.root / "memory").mkdir(parents=True)
    (workspace.root / "memory/2026-11-14.md").write_text("- The test database is PostgreSQL 16 now\n")
    snapshot = read_workspace(workspace)
    (cite,) = snapshot.files["memory/2026-11-14.md"].entries
    line = next(one for one in snapshot.files["topic:feedback_testing.md"].entries if "15" in one.text)
    wish = Operation(Op.UPDATE, "newer", (cite,), (line,), old="PostgreSQL 15", new="PostgreSQL 16", by="scripted")

    review(workspace, clock, judge=ScriptedJudge([wish]))

    after = FILES["feedback_testing.md"].replace("PostgreSQL 15", "PostgreSQL 16")
    assert there(workspace)["feedback_testing.md"] == after
    assert "PostgreSQL 15" in (workspace.vault / "ledger.md").read_text()


def test_what_the_owner_wrote_for_claude_code_is_shown_to_judges_and_never_changes(
    project: Path, clock: FixedClock
) -> None:
    workspace = kept(project)
    snapshot = read_workspace(workspace)
    brief = make_brief(snapshot, Evidence(), clock.now())
    rule = next(line for line in brief.memory if "linter" in line.text)
    before = (project / "CLAUDE.md").read_bytes()

    wish = Operation(Op.END, "not needed", (), (rule.entry,), by="scripted", level=Level.CERTAIN)
    night = review(workspace, clock, judge=ScriptedJudge([wish]))

    assert rule.fixed == "context"
    assert [one.operation for one in night.dropped] == [wish]
    assert (project / "CLAUDE.md").read_bytes() == before


def test_what_is_noted_and_forgotten_leaves_no_file_of_ours_in_the_folder(project: Path, clock: FixedClock) -> None:
    workspace = kept(project)
    note(workspace, clock, "We decided that the release manager is Ben from now on", by=OWNER)
    done = forget(workspace, clock, "the release manager is Ana")

    assert set(there(workspace)) == set(FILES)
    assert "Ana" not in there(workspace)["project_freeze.md"]
    undo(workspace, clock, done.run)
    assert "Ana" in there(workspace)["project_freeze.md"]


@pytest.mark.parametrize(
    ("path", "at", "promise"),
    [
        ("topic:user_role.md", 7, "what_leaves_is_archived"),
        ("topic:pinned.md", 1, "protected_lines_stay"),
        ("project:CLAUDE.md", 2, "only_paths_of_the_layout"),
    ],
)
def test_no_plan_takes_a_line_out_of_a_topic_unarchived_or_touches_the_projects_files(
    project: Path, clock: FixedClock, path: str, at: int, promise: str
) -> None:
    snapshot = read_workspace(kept(project, {**FILES, "pinned.md": "# Rules\n- 📌 Never on Fridays\n"}))
    line = (*split_lines(snapshot.text_of(path)), "x\n")[at]
    plan = plan_of(snapshot, Intent.DREAM, [Edit("x", path, at, (line,), (), "stale", "no reason")], clock.now())

    with pytest.raises(RefusedPlan, match=promise):
        check_promises(snapshot, plan)
    assert not may_write("topic:../a1.md")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_front_matter_stays_to_the_byte(project: Path, clock: FixedClock, ending: str) -> None:
    front = (
        'name: "odd:  name "\ndescription:   until 2026-01-01 — # not a comment\nmetadata: {type: project,  x: [1,2]}'
    )
    body = "- Trial account until 2026-02-28.\n- Trial account until 2026-02-28.\n- Ask Kim."
    text = f"---\n{front}\n---\n{body}".replace("\n", ending)
    workspace = kept(project, {"MEMORY.md": "", "odd.md": text})

    review(workspace, clock)

    after = there(workspace)["odd.md"]
    assert after == text.replace(f"- Trial account until 2026-02-28.{ending}", "")


def test_a_command_of_an_owner_in_a_description_does_not_become_a_mark_of_the_index(
    project: Path, clock: FixedClock
) -> None:
    strict = topic("strict", "NEVER mock the database", "feedback", "Tests talk to PostgreSQL.\n")
    workspace = kept(project, {"MEMORY.md": "", "strict.md": strict})

    review(workspace, clock)

    assert there(workspace)["MEMORY.md"] == "- [strict](strict.md)\n"


def test_a_project_without_a_memory_yet_can_be_noted_in(project: Path, clock: FixedClock) -> None:
    (Path(os.environ["HOME"]) / ".claude/projects").mkdir(parents=True)
    workspace = find_workspace(None, os.environ, project)
    note(workspace, clock, "Remember the milk for the office", by=OWNER)
    review(workspace, clock)

    assert not workspace.folder.exists()
    assert is_kept_per_project(os.environ, project)


def test_classify_leaves_the_topics_of_claude_code_alone(project: Path, clock: FixedClock) -> None:
    with pytest.raises(BadInput, match="topic files of its own"):
        sort_memories(kept(project), clock)


def test_an_integrated_project_is_told_of_its_own_memory_and_all_of_them_of_theirs(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "src")
    claude = Path(os.environ["HOME"]) / ".claude"

    assert call("integrate", "claude-code", "--project", project, "--yes").code == 0
    assert call("integrate", "claude-code", "--yes").code == 0

    alone, everywhere = ((project / ".claude/settings.local.json"), claude / "settings.json")
    assert f"--workspace {memory_folder(project, os.environ)}" in alone.read_text()
    assert "hook claude-code" in everywhere.read_text() and "--workspace" not in everywhere.read_text()


def test_a_line_of_the_index_that_stands_there_twice_leaves_once(project: Path, clock: FixedClock) -> None:
    again = INDEX.split("\n")[0] + "\n"
    workspace = kept(project, FILES | {"MEMORY.md": INDEX + again})

    review(workspace, clock)

    assert there(workspace)["MEMORY.md"].count(again) == 1
