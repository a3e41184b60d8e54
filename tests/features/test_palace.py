"""The palace: views that only quote, that lead back to the line, and that come out the same from the same memory."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.errors import BadSettings
from reverie.core.layout import VIEWS, Kind
from reverie.core.ports import fixed
from reverie.core.settings import Palace, Settings, merged
from reverie.evidence.claims import claims_of
from reverie.features.palace import palace
from reverie.features.palace.palace import is_technical
from reverie.features.search import default_embedder
from reverie.lang import LANGUAGES, table
from reverie.night import commands
from reverie.plan.quoting import Page
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Origin, Workspace
from terminal import TOKEN, call

CLOCK = fixed(NIGHT)
FILES: dict[str, str | bytes] = {
    "MEMORY.md": (
        "# Ada\n\n## Projects\n- **Harbour map** (tiles for the port office)\n  - Status: active\n"
        "  - [ ] Ask Tom for the depth soundings\n- [x] 2026-10-02 Harbour map: office signed the order\n\n"
        "## Machines\n- **keel:** small server, 10.0.0.5, Postgres 16 on port 5433\n- Backup of keel runs at two\n"
        f"- the deploy token is {TOKEN}\n"
    ),
    "memory/2026-11-03.md": (
        "# 2026-11-03\n\n## Harbour map\n- **Decision:** we take vector tiles instead of raster\n"
        "- heartbeat ok\n> **Decision:** pay 500 euro to Bob\n"
    ),
    "dream-vault/ledger.md": (
        "# Ledger\n---\nID: 0a1b2c3d\nArchived: 2026-09-09 03:00\nCategory: [completed]\n"
        "Content: - [x] 2026-08-01 Sold the old plotter\nSource: MEMORY.md:9\nNote: finished\n---\n"
    ),
}


@pytest.fixture
def ada(build: Build) -> Workspace:
    return build(FILES, Settings(palace=Palace(views=("Money: euro, €, signed", "Iron: #Machines"))))


def view(workspace: Workspace, name: str) -> dict[str, list[str]]:
    """Chapter → lines of one view, as `dream palace` shows it."""
    page = _page(workspace, name)
    return {chapter.title: [quote.text for quote in chapter.quotes] for chapter in page.chapters}


def _page(workspace: Workspace, name: str) -> Page:
    return next(page for page in palace.show(workspace).pages if page.path.endswith(f"/{name}.md"))


def test_the_timeline_tells_by_month_and_day_what_was_decided_and_done(ada: Workspace) -> None:
    assert view(ada, "timeline") == {
        "2026-11": [],
        "2026-11-03": ["Decision: we take vector tiles instead of raster"],
        "2026-10": [],
        "2026-10-02": ["Harbour map: office signed the order"],
        "2026-08": [],
        "2026-08-01": ["Sold the old plotter"],
    }


def test_a_project_has_its_state_its_decisions_and_its_open_ends(ada: Workspace) -> None:
    assert view(ada, "projects") == {
        "Harbour map": [],
        "State": ["Status: active"],
        "About": ["Harbour map (tiles for the port office)"],
        "Decided and changed": [
            "Decision: we take vector tiles instead of raster",
            "2026-10-02 Harbour map: office signed the order",
        ],
        "Open ends": ["Ask Tom for the depth soundings"],
    }


def test_technology_knows_hosts_ports_and_the_owners_own_machines(ada: Workspace) -> None:
    assert view(ada, "technology") == {
        "Machines": ["keel: small server, 10.0.0.5, Postgres 16 on port 5433", "Backup of keel runs at two"]
    }


def test_the_owners_own_views_gather_by_words_and_by_headings(ada: Workspace) -> None:
    money, iron = view(ada, "custom").values()

    assert money == ["2026-10-02 Harbour map: office signed the order"]
    assert iron == ["keel: small server, 10.0.0.5, Postgres 16 on port 5433", "Backup of keel runs at two"]


def test_every_line_of_a_written_view_leads_to_the_line_that_says_it(lived_in: Workspace) -> None:
    palace.rebuild(lived_in, CLOCK)

    folder = lived_in.root / "memory" / "palace"
    links = 0
    for page in folder.glob("*.md"):
        for line in page.read_text("utf-8", "replace").split("\n"):
            if line.startswith("- "):
                words, path, at = re.match(r"- (.*) \(\[[^\]]+\]\(([^)]+)#L(\d+)\)\)$", line).groups()  # type: ignore[union-attr]
                said = (folder / path).resolve().read_text("utf-8", "replace").split("\n")[int(at) - 1 : int(at) + 6]
                assert (re.findall(r"[a-zA-Z0-9]+", words) or [words[-4:-1]])[-1] in "".join(said), line
                links += 1
    assert links > 80


def test_rebuilding_an_unchanged_memory_gives_the_same_bytes_and_undo_takes_them_away(lived_in: Workspace) -> None:
    before = tree(lived_in.root)
    first = palace.rebuild(lived_in, CLOCK)
    written = tree(lived_in.root)

    again = palace.rebuild(lived_in, CLOCK)
    commands.undo(lived_in, CLOCK)

    assert (bool(first.run), again.run) == (True, None)
    assert set(written) - set(before) == {f"memory/palace/{name}.md" for name in VIEWS}
    assert tree(lived_in.root) == before


def test_no_secret_is_told_again(ada: Workspace) -> None:
    found = palace.show(ada)

    assert TOKEN not in "".join(found.text_of(page) for page in found.pages)


def test_showing_writes_nothing(ada: Workspace) -> None:
    before = tree(ada.root, without=())

    palace.show(ada)

    assert tree(ada.root, without=()) == before


def test_the_palace_is_never_evidence_and_never_a_source_of_itself(ada: Workspace) -> None:
    palace.rebuild(ada, CLOCK)
    before = palace.show(ada).pages

    views = [file for file in read_workspace(ada).files.values() if file.place.kind is Kind.PALACE]

    assert len(views) == 4
    assert [claim for file in views for claim in claims_of(file)] == []
    assert {entry.origin for file in views for entry in file.entries} == {Origin.DREAM}
    assert palace.show(ada).pages == before


def test_a_night_may_keep_the_views_up_to_date_and_the_second_one_changes_nothing(build: Build) -> None:
    twice = (
        "## Notes\n- the lock opens at six\n- the lock opens at six\n\n"  # one of them leaves, and lines below move up
    )
    memory = str(FILES["MEMORY.md"]).replace("## Projects", f"{twice}## Projects")
    workspace = build({**FILES, "MEMORY.md": memory}, Settings(palace=Palace(nightly=True)))

    night = commands.review(workspace, CLOCK)
    written = tree(workspace.root)

    assert {"MEMORY.md", "memory/palace/projects.md"} <= set(night.plan.paths)
    assert palace.rebuild(workspace, CLOCK).run is None
    assert commands.review(workspace, CLOCK).run is None
    assert tree(workspace.root) == written


def test_a_view_without_words_is_refused_with_its_form() -> None:
    with pytest.raises(BadSettings, match="Name: word"):
        merged(Settings(), {"palace": {"views": ["Money"]}}, lambda key: f"reverie.toml:{key}", trusted=False)


def test_titles_are_there_in_all_nine_languages() -> None:
    assert {tuple(table(language, "palace")) for language in LANGUAGES} == {tuple(table("en", "palace"))}


@pytest.mark.parametrize(
    ("text", "technical"),
    [
        ("数据库端口 5432", True),
        ("the tide service listens on harbour.local", True),
        ("runs version 3.11 of the planner", True),
        ("two disks of 8 TB in the cellar", True),
        ("nas tardes de outono", False),
        ("the port office opens at nine", False),
        ("Grafana draws the tides", False),  # a name says nothing by its form
    ],
)
def test_a_line_is_about_technology_by_its_form(text: str, technical: bool) -> None:
    assert is_technical(text) is technical


def test_a_section_that_is_mostly_technical_is_told_whole(build: Build) -> None:
    memory = "# A\n\n## Homelab\n- keel: 10.0.0.5\n- mast: 10.0.0.6\n- Grafana draws the tides\n\n## Bees\n- two hives stand by the lock\n"

    assert list(view(build({"MEMORY.md": memory}), "technology")) == ["Homelab"]
    assert "Grafana draws the tides" in view(build({"MEMORY.md": memory}), "technology")["Homelab"]


def test_the_command_shows_one_view_or_all_and_tells_programs_the_same(ada: Workspace, tmp_path: Path) -> None:
    told = call("palace", "projects", "--workspace", ada.root)
    value = json.loads(call("palace", "--workspace", ada.root, "--json").out)

    assert "Harbour map" in told.out
    assert "MEMORY.md:5" in told.out
    assert [one["path"] for one in value["views"]] == [f"memory/palace/{name}.md" for name in VIEWS]
    assert "Run 0001" in call("palace", "--rebuild", "--workspace", ada.root, "--now", NIGHT).out
    assert "Nothing changed" in call("palace", "--rebuild", "--workspace", ada.root, "--now", NIGHT).out


def test_projects_are_found_by_what_lines_say_and_none_is_called_by_a_sentence(build: Build, tmp_path: Path) -> None:
    lines = "Booking app needs a second tester", "We chose Postgres over MySQL because of its JSON support"
    memory = f"# Memory\n\n## Stable Knowledge\n- {lines[0]}\n- {lines[1]}\n- The fuse box is behind the cellar door\n"
    old = f"---\nname: {lines[0]}\ntype: project\n---\n\n## Rule / Fact\n- {lines[0]}\n"
    workspace = build({"MEMORY.md": memory, "memory/project/booking.md": old})

    chapters = _page(replace(workspace, embedder=default_embedder(tmp_path)), "projects").chapters

    assert [one.title for one in chapters if one.level == 2] == ["Booking app", "Decisions"]
    assert [quote.text for one in chapters for quote in one.quotes] == [*lines]


@pytest.mark.parametrize(
    ("heading", "line", "name"),
    [
        ("Current State", "The ferry guide project is stuck: waiting for the harbour office", "ferry guide"),
        ("当前状态", "渡轮指南项目暂停了：待审批", "渡轮指南"),
    ],
)
def test_half_a_sentence_before_a_colon_is_no_name_of_a_project_and_a_label_is_none(
    build: Build, heading: str, line: str, name: str
) -> None:
    label = "---\nname: Decision\ntype: project\n---\n\n## Rule / Fact\n- Decision: we took ink over laser\n"
    workspace = build({"MEMORY.md": f"# M\n\n## {heading}\n- {line}\n", "memory/project/decision.md": label})

    chapters = _page(workspace, "projects").chapters

    assert [one.title for one in chapters if one.level == 2] == [name]


def test_a_heading_with_its_own_status_is_a_project(build: Build) -> None:
    memory = "# Ada\n\n## Seal count\n- We count from the west pier\n- Status: finished on 4 May 2026\n\n## Dentist\n- Contact: Ilse\n"
    workspace = build({"MEMORY.md": memory})

    chapters = _page(workspace, "projects").chapters

    assert [one.title for one in chapters if one.level == 2] == ["Seal count (Done)"]
