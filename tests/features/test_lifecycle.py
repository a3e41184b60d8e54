"""A conversation begins with what an agent should read, and ends with a line in today's note; status tells how far memories came."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.errors import BadInput
from reverie.core.ports import fixed
from reverie.core.settings import Memory, Settings
from reverie.features.figures import Hits, hits, stages
from reverie.features.recall.recall import recall
from reverie.features.search import ask
from reverie.features.sessions import begin, end
from reverie.night import commands
from reverie.surfaces.hooks import first_words
from reverie.workspace.named_paths import MissingPath, missing_in, missing_paths
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace
from terminal import TOKEN, call

CLOCK = fixed(NIGHT)
TODAY, YESTERDAY, BEFORE = (f"memory/2026-11-{day}.md" for day in (15, 14, 13))
MEMORY = "# Ada\n\n## Stable Knowledge\n- keeps bees <!-- dream:0a1b2c3d -->\n"


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build(
        {
            "MEMORY.md": MEMORY,
            TODAY: "- The ferry was late\n",
            YESTERDAY: "- 修好了船舵\n",
            BEFORE: "- long ago\n",
            "todos.md": "# Todos\n- [ ] paint the hull\n- [x] buy rope\n- just a thought\n",
        }
    )


def test_what_has_ended_and_what_was_reminded_of_say_so_where_a_conversation_begins(build: Build) -> None:
    lines = "- The berth pass is valid until 2026-11-10\n- Remind me on 2026-11-15 to call the notary\n- keeps bees\n"
    workspace = build({"MEMORY.md": f"# Ada\n\n## Notes\n{lines}"})

    first, second = (begin(workspace, CLOCK) for _ in range(2))

    assert first.reminders and not second.reminders
    assert second.pages[0].text.splitlines()[3:] == [
        "- The berth pass is valid until 2026-11-10 (its last day was 2026-11-10)",
        "- Remind me on 2026-11-15 to call the notary (the reminder was given)",
        "- keeps bees",
    ]


def test_what_only_a_file_needs_is_not_read_aloud(build: Build) -> None:
    workspace = build({"MEMORY.md": b"\xef\xbb\xbf# Ada\r\n\r\n- keeps bees\r\n", YESTERDAY: b"- rain\r\n- wind\r\n"})

    assert [page.text for page in begin(workspace, CLOCK).pages] == ["- rain\n- wind", "# Ada\n\n- keeps bees"]


def test_a_conversation_begins_with_two_days_the_memory_and_what_is_open(workspace: Workspace) -> None:
    before = tree(workspace.root)

    begun = begin(workspace, CLOCK)

    assert [(page.title, page.path, page.text) for page in begun.pages] == [
        ("Today", TODAY, "- The ferry was late"),
        ("Yesterday", YESTERDAY, "- 修好了船舵"),
        ("Memory", "MEMORY.md", "# Ada\n\n## Stable Knowledge\n- keeps bees"),
    ]
    assert begun.todos == ("paint the hull",)
    assert tree(workspace.root) == before


def test_open_questions_are_read_too(build: Build) -> None:
    asked = [{"id": "ab12cd34", "first": "berth 17", "second": "berth 71", "status": "open"}]
    workspace = build({"MEMORY.md": MEMORY, "dream-vault/meta/questions.json": json.dumps(asked)})

    assert [(one.id, one.second) for one in begin(workspace, CLOCK).questions] == [("ab12cd34", "berth 71")]


def test_three_suggestions_are_told_as_suggestions_and_fenced_as_data(workspace: Workspace) -> None:
    likely = [
        {"id": f"ab12cd3{n}", "op": "add", "why": "said once", "text": "The ferry was late", "section": "Ada", "worth": n / 10, "asked": "2026-11-15", "cites": [[f"{TODAY}:1", "The ferry was late"]]}
        for n in range(5)
    ]  # fmt: skip
    (workspace.vault / "meta").mkdir(parents=True)
    (workspace.vault / "meta" / "suggestions.json").write_text(json.dumps(likely), "utf-8")

    assert [card.id for card in begin(workspace, CLOCK).suggestions] == ["ab12cd34", "ab12cd33", "ab12cd32"]
    said = call("session", "start", "--workspace", workspace.root, "--now", NIGHT).out
    assert "# Suggestions (likely, not done" in said and "- ab12cd34  add  worth 0.40" in said
    fenced = first_words(workspace, CLOCK)
    assert fenced.index("<session_memory>") < fenced.index("ab12cd34") < fenced.index("</session_memory>")


def test_of_a_long_note_the_newest_lines_are_read(build: Build) -> None:
    workspace = build({TODAY: "".join(f"- line {n} of a long day at sea\n" for n in range(1_000))})

    (page,) = begin(workspace, CLOCK).pages

    assert page.text.startswith("…\n- line ") and page.text.endswith("line 999 of a long day at sea")


def test_a_summary_goes_into_todays_note_redacted_and_undo_takes_it_back(workspace: Workspace) -> None:
    before = tree(workspace.root)

    ended = end(workspace, CLOCK, f"## Done\n- Ported the chart\n2. {TOKEN} was used\n\n<!-- x -->\n> 明天继续\n")

    note = (workspace.root / TODAY).read_text("utf-8")
    assert note == "- The ferry was late\n- 03:00 Ported the chart\n- 03:00 ⟦secret⟧ was used\n- 03:00 明天继续\n"
    assert (workspace.root / "MEMORY.md").read_text("utf-8") == MEMORY  # the night decides
    commands.undo(workspace, CLOCK, ended.run)
    assert tree(workspace.root) == before


def test_a_summary_of_nothing_writes_nothing_and_one_of_a_book_is_refused(workspace: Workspace) -> None:
    assert end(workspace, CLOCK, " \n## \n").run == ""
    with pytest.raises(BadInput, match="at most"):
        end(workspace, CLOCK, "word " * 2_000)


def test_the_command_starts_and_ends(workspace: Workspace) -> None:
    where = ("--workspace", str(workspace.root), "--now", NIGHT)

    start, done = (
        call("session", "start", *where),
        call("session", "end", "--summary", "-", *where, stdin="Rigged the mast"),
    )

    assert "# Yesterday: memory/2026-11-14.md" in start.out and "- paint the hull" in start.out
    assert "Rigged the mast" in done.out and "- 03:00 Rigged the mast" in (workspace.root / TODAY).read_text()
    assert call("session", "start", "--summary", "x", *where).code == 2
    assert json.loads(call("session", "start", "--json", *where).out)["todos"] == ["paint the hull"]


def test_the_stages_count_what_is_there(workspace: Workspace) -> None:
    assert [(one.name, one.count) for one in stages(workspace, CLOCK)] == [
        ("sensory", 3), ("short-term", 0), ("working", 3), ("long-term", 1),
    ]  # fmt: skip

    commands.review(workspace, CLOCK)

    assert stages(workspace, fixed("2026-11-20T12:00:00+01:00"))[0].count == 0
    assert stages(workspace, fixed("2026-11-20T12:00:00+01:00"))[2].count == 2  # the thirteenth is longer ago


def test_the_hit_rate_counts_questions_that_found_something(workspace: Workspace) -> None:
    assert hits(workspace, CLOCK) == Hits(0, 0)

    for question in ("ferry", "zeppelin mooring"):
        ask(workspace, None, CLOCK, question)
    ask(workspace, None, fixed("2026-09-01T12:00:00+02:00"), "bees")

    found = hits(workspace, CLOCK)
    assert found == Hits(2, 1) and found.rate == 0.5
    told = call("status", "--deep", "--workspace", str(workspace.root), "--now", NIGHT).out
    assert "1 of 2 answered in 30 days (50%)" in told and "long-term 1" in told


def test_a_memory_whose_file_is_gone_says_so_when_it_is_recalled(build: Build) -> None:
    line = "The tide table of the harbour is in `knowledge/tides.md`"
    workspace = build({"MEMORY.md": f"# Ada\n\n## Reference\n- {line}\n", "knowledge/other.md": "x\n"})
    question = "Where is the tide table of the harbour?"

    assert recall(workspace, CLOCK, question, record=False).summary == f"{line} (path missing)"
    (workspace.root / "knowledge/tides.md").write_text("high\n")
    (workspace.root / "MEMORY.md").write_text(f"# Ada\n\n## Reference\n\n- {line}\n")  # not from the cache
    assert recall(workspace, CLOCK, question, record=False).summary == line


@pytest.mark.parametrize("name", ["charts/inner/reef.md", "reef.yaml"])
def test_what_a_night_saw_is_known_to_be_gone_with_its_folder_or_without_one(build: Build, name: str) -> None:
    line = f"Soundings of the reef live in {name}"
    note = {"memory/2026-11-14.md": "# 2026-11-14\n\n- Sailed to the island\n"}
    workspace = build({"MEMORY.md": f"# Ada\n\n## Reference\n- {line}\n", name: "x\n", **note})
    commands.review(workspace, CLOCK)
    assert missing_paths(workspace.root, line) == ()

    shutil.rmtree(workspace.root / "charts", ignore_errors=True)
    (workspace.root / name).unlink(missing_ok=True)

    assert missing_paths(workspace.root, line) == (name,)
    assert recall(workspace, CLOCK, "Where are the soundings of the reef?").summary == f"{line} (path missing)"
    assert missing_in(read_workspace(workspace), line) == (MissingPath(name, deleted=True),)
    (workspace.root / "memory/2026-11-15.md").write_text("- Slept in the harbour\n")
    commands.review(workspace, fixed("2026-11-16T03:00:00+01:00"))
    assert line not in (workspace.root / "MEMORY.md").read_text("utf-8")


def test_only_what_can_be_known_is_called_missing(tmp_path: Path) -> None:
    (tmp_path / "charts").mkdir()
    (tmp_path / "charts" / "amrum.md").write_text("x")
    texts = {
        "see charts/amrum.md": (),
        "see charts/foehr.md.": ("charts/foehr.md",),
        "in `~/.config/reverie/nothing-here.toml`": (),  # no such folder: another machine perhaps
        f"in `{tmp_path}/gone/map.md`": (f"{tmp_path}/gone/map.md",),  # by its whole path it is one of this workspace
        "tides: knowledge/tides.md": ("knowledge/tides.md",),  # only this workspace keeps such files
        "the server's /etc/nginx.conf, 90 km/h, and/or": (),
        "charts/old/sylt.md": ("charts/old/sylt.md",),  # nor is its folder there
        "maps/sylt.md": (),  # of another project perhaps
        f"{tmp_path.parent}/gone/sylt.md": (f"{tmp_path.parent}/gone/sylt.md",),
        "/no-such-disk/charts/sylt.md": (),
        "https://example.org/charts/foehr.md": (),
        "charts/*.md and charts/<name>.md": (),
    }

    assert {text: missing_paths(tmp_path, text) for text in texts} == texts


def test_the_end_of_a_session_gives_what_memory_gained_its_file_and_its_line_in_the_index(build: Build) -> None:
    memory = "# Ada\n\n## Links\n- **Tide tables:** https://tides.example.org\n"
    workspace = build({"MEMORY.md": memory}, Settings(memory=Memory(shape="index")))

    done = end(workspace, CLOCK, "Talked about cables")

    assert done.classified == ("memory/reference/tide-tables.md",)
    index = (workspace.root / "MEMORY.md").read_text("utf-8")
    assert "](memory/reference/tide-tables.md) — " in index and "Talked" not in index
    assert end(workspace, CLOCK, "Went home").classified == ()


def test_where_nobody_keeps_classified_files_the_end_of_a_session_makes_none(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Ada\n\n## Rules\n- Label every cable at both ends\n"})

    assert end(workspace, CLOCK, "Talked about cables").classified == ()
    assert not (workspace.root / "memory/feedback").exists()
