"""One memory for several hosts: each within its limits, corrections above what they correct, and never read back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import NIGHT, Build, tree
from reverie.core.errors import BadSettings, RefusedFile
from reverie.core.layout import Kind
from reverie.core.ports import fixed
from reverie.core.settings import OtherHost, Settings, merged
from reverie.features.doctor.doctor import examine
from reverie.features.forget import forget
from reverie.features.projections import projections
from reverie.features.projections.content import project_memory
from reverie.features.search import ask
from reverie.lang import LANGUAGES
from reverie.lang.messages import say_in
from reverie.night import commands
from reverie.night.workspaces import discover
from reverie.text.lines import count_units
from reverie.workspace.projection import END, SECTIONS, START, front_of, is_projection, is_untouched, with_section
from reverie.workspace.reader import read_workspace, reread
from reverie.workspace.values import File, Origin, Workspace
from terminal import TOKEN, call

CLOCK = fixed(NIGHT)
WARES = ("rope", "chain", "anchor", "buoy", "lamp", "oar", "sail", "mast", "keel", "hook", "net", "bell", "tarpaulin")
HOSTS = ("openclaw", "claude-code", "hermes", "agents-md", "gemini-md", "cursor")
MEMORY = (
    "# Ada\n\n## Machines\n- The depth sounder listens on port 4010\n- **keel:** small server in the attic <!-- dream:0a1b2c3d -->\n"
    f"- the deploy token is {TOKEN}\n  - it is renewed in May\n\n## Rules\n- 📌 Never sail on the thirteenth\n\n"
    "## Odds\n- Correction: the depth sounder listens on port 4600\n- [x] 2026-10-02 Sold the old plotter\n"
)


def seen(build: Build, text: str) -> File:
    snapshot = read_workspace(build({"MEMORY.md": text}))
    return snapshot.files["MEMORY.md"]


def made(memory: File, host: str, chars: int = 0, lines: int = 0, asked: dict[int, int] | None = None) -> str:
    target = OtherHost(path="/x", host=host, chars=chars, lines=lines)
    return project_memory(memory, target, Settings(), "0" * 8, asked or {}).text


def with_target(into: Workspace, path: Path, host: str = "claude-code", **more: Any) -> Workspace:
    target = OtherHost(path=str(path), host=host, **more)
    return replace(into, settings=replace(into.settings, project=(*into.settings.project, target)))


MEASURES: dict[str, Callable[[str], int]] = {"openclaw": count_units, "claude-code": lambda text: len(text.encode())}


# what a host gets


@pytest.mark.parametrize("host", HOSTS)
def test_a_memory_that_fits_is_told_whole_but_for_secrets_and_machine_marks(build: Build, host: str) -> None:
    text = made(seen(build, MEMORY), host)

    for said in ("small server in the attic", "Never sail on the thirteenth", "Sold the old plotter"):
        assert said in text
    assert TOKEN not in text
    assert "renewed in May" not in text, "it says nothing without the line it hangs on"
    assert "dream:0a1b2c3d" not in text
    assert is_projection(text) and is_untouched(text)


@pytest.mark.parametrize("host", HOSTS)
def test_a_correction_stands_above_what_it_corrects(build: Build, host: str) -> None:
    text = made(seen(build, MEMORY), host)

    assert text.index("port 4600") < text.index("listens on port 4010")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("测深仪监听端口 4010", "测深仪监听端口 4600"),
        ("Das Echolot im Hafen nutzt den Port 4010", "Korrektur: das Echolot im Hafen nutzt den Port 4600"),
        ("La sonda del puerto escucha en el canal 4010", "Corrección: la sonda del puerto escucha en el canal 4600"),
    ],
)
def test_so_it_does_in_other_languages(build: Build, old: str, new: str) -> None:
    text = made(seen(build, f"# 1\n\n## 2\n- {old}\n\n## 3\n- {new}\n"), "hermes")

    assert text.split("\n")[1:] == ["§", "2", f"- {new}", f"- {old}", ""]


@pytest.mark.parametrize("host", ["claude-code", "hermes"])
def test_what_is_corrected_never_comes_without_its_correction(build: Build, host: str) -> None:
    memory = seen(build, MEMORY)

    for chars in range(150, 700, 3):
        text = made(memory, host, chars)
        assert "listens on port 4010" not in text or "port 4600" in text


def test_gemini_reads_no_file_in_the_place_of_a_name(build: Build) -> None:
    text = made(seen(build, "# Ada\n\n- ask @maria, ada@example.org or `@./x.md` about @~/notes.md\n"), "gemini-md")

    assert "- ask `@maria,` ada@example.org or `@./x.md` about `@~/notes.md`\n" in text


def test_hermes_keeps_the_person_apart_from_the_rest_where_both_are_wanted(build: Build) -> None:
    memory = seen(build, "# Notes\n\n## Preferences\n- short answers\n\n## Machines\n- the lathe runs at 900 rpm\n")
    person, rest = (OtherHost(path=f"/{host}", host=host) for host in ("hermes-user", "hermes"))
    both = replace(Settings(), project=(person, rest))

    told = [project_memory(memory, target, both, "0" * 8, {}) for target in (person, rest)]

    assert [("short answers" in one.text, "lathe" in one.text, one.limit) for one in told] == [
        (True, False, 1_375),
        (False, True, 2_200),
    ]
    assert "short answers" in made(memory, "hermes")  # alone it tells all


def test_the_pin_stays_longest_and_finished_things_leave_first(build: Build) -> None:
    memory = seen(build, MEMORY)
    fits = [made(memory, "claude-code", chars) for chars in range(700, 150, -3)]

    assert any("Sold the old plotter" not in text and "attic" in text for text in fits)
    assert any("attic" not in text and "thirteenth" in text for text in fits)
    assert all("attic" not in text or "thirteenth" in text for text in fits)


def test_what_was_asked_for_stays_before_what_nobody_asked_for(build: Build) -> None:
    memory = seen(build, "# A\n" + "".join(f"- fact number {n} of the old harbour\n" for n in range(60)))
    budget = 700

    assert "number 57 " not in made(memory, "claude-code", budget)
    assert "number 57 " in made(memory, "claude-code", budget, asked={58: 3})


def test_what_a_search_found_is_worth_more_in_the_next_night(build: Build, tmp_path: Path) -> None:
    facts = [f"- the {word} of the old harbour is kept in shed {n}" for n, word in enumerate(WARES)]
    workspace = with_target(build({"MEMORY.md": "\n".join(facts) + "\n"}), tmp_path / "o.md", chars=500)
    projections.project(workspace, CLOCK)
    assert "the tarpaulin" not in (tmp_path / "o.md").read_text()

    ask(workspace, None, CLOCK, "where is the tarpaulin")
    commands.review(workspace, CLOCK)

    assert "the tarpaulin" in (tmp_path / "o.md").read_text()


def test_a_correction_among_the_parts_of_one_thing_moves_among_them(build: Build) -> None:
    text = "- Depth sounder\n  - It listens on the harbour port 4010\n    - by cable\n  - Correction: it listens on the harbour port 4600\n"

    assert made(seen(build, text), "claude-code").split("\n")[1:] == [
        "- Depth sounder",
        "  - Correction: it listens on the harbour port 4600",
        "  - It listens on the harbour port 4010",
        "    - by cable",
        "",
    ]


def test_a_row_stays_in_its_table(build: Build) -> None:
    table = "| what | where |\n|---|---|\n| depth sounder harbour | port 4010 |\n"
    text = f"{table}\nCorrection: the depth sounder of the harbour has port 4600\n"

    told = made(seen(build, text), "claude-code")

    assert table in told and told.index("4600") > told.index("|---")


def test_newer_days_stay_before_older_ones(build: Build) -> None:
    memory = seen(build, "".join(f"- 20{n:02}-05-01 the mole was painted, as every year\n" for n in range(10, 40)))
    text = made(memory, "claude-code", 600)

    assert "2039-05-01" in text and "2010-05-01" not in text


@pytest.mark.parametrize(
    ("words", "note"), [("旧港口的防波堤每年都要重新粉刷", "zh"), ("the mole of the old harbour is painted", "en")]
)
def test_the_number_left_out_is_told_in_the_owners_language(build: Build, words: str, note: str) -> None:
    memory = seen(build, "".join(f"- {words} {n}\n" for n in range(40)))
    text = made(memory, "claude-code", 700)

    left = 40 - text.count(words)
    assert 0 < left < 40
    assert text.rstrip("\n").endswith(say_in(note, "projection.left_out", n=left))


def test_hermes_gets_entries_apart_by_section_signs_with_their_headings(build: Build) -> None:
    text = made(
        seen(build, "# Ada\n\n## Machines\n\n### Attic\n- keel\n§\n- port 1\n\n## Odds\n- a plotter\n"), "hermes"
    )

    assert text.split("\n§\n")[1:] == ["Machines › Attic\n- keel\n- port 1", "Odds\n- a plotter\n"]


def test_agents_get_a_chapter_below_their_own_headings(build: Build) -> None:
    text = made(seen(build, "# Ada\n\n## Odds\n- the plotter is sold\n"), "agents-md")

    assert text.split("\n")[1:] == ["## Memory", "", "### Ada", "", "#### Odds", "- the plotter is sold", ""]


_lines = st.lists(
    st.sampled_from(
        [
            "# Title", "## Part", "### Deeper", "- a bullet about the mole", "  - a part of it", "1. first of all", "A paragraph of words.",
            "> quoted", "| a | b |", "|---|---|", "| 1 | 2 |", "```", "", "- 📌 pinned 灯塔 🗼", "Actually the mole is no longer painted",
            "§", "<!-- reverie:end -->", "<!-- a note -->", "---", "- [x] done with the bullet about the mole", "Heading\n===",
        ]
    ),
    max_size=40,
)  # fmt: skip


@given(_lines, st.sampled_from(HOSTS), st.integers(500, 2_000), st.integers(10, 40))
def test_no_memory_breaks_a_budget_or_loses_half_a_line(lines: list[str], host: str, chars: int, most: int) -> None:
    memory = _file("\n".join(lines))
    found = project_memory(memory, OtherHost(path="/x", host=host, chars=chars, lines=most), Settings(), "0" * 8, {})
    whole = with_section("", found.text) if host in SECTIONS else found.text
    measure = MEASURES.get(host, len)

    assert measure(whole) <= chars and whole.count("\n") <= most
    assert (measure(whole), whole.count("\n")) == (found.size, found.lines)
    assert is_untouched(found.text)
    known = {line.strip().lstrip("# ") for line in "\n".join(lines).split("\n")} | {"", "§"}
    known |= {say_in(language, "projection.title") for language in LANGUAGES}
    notes = {say_in(language, "projection.left_out", n=found.omitted) for language in LANGUAGES}
    said = [
        part
        for line in found.text[len(front_of(found.text)) :].split("\n")[1:]
        for part in line.strip().lstrip("# ").split(" › ")
    ]
    assert [line for line in said if line not in known | notes] == []


def _file(text: str) -> File:
    from reverie.workspace.values import Snapshot, hash_text

    empty = Snapshot(Workspace(Path("/nowhere"), Path("/nowhere/vault")), {})
    return reread(empty, {"MEMORY.md": text}, {"MEMORY.md": hash_text(text)}).files["MEMORY.md"]


# where it is written


def test_a_night_brings_projections_up_to_date_and_undo_takes_them_back(build: Build, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    workspace = with_target(build({"MEMORY.md": "- the mole is red\n- the buoy is green\n"}), other)
    projections.project(workspace, CLOCK)
    before = other.read_text()
    (workspace.root / "MEMORY.md").write_text("- the mole is red\n- the mole is red\n- the buoy is green\n")

    night = commands.review(workspace, CLOCK)

    assert night.run is not None
    assert other.read_text() == before and before.count("mole") == 1
    commands.undo(workspace, CLOCK)
    assert other.read_text().count("the mole is red") == 2
    assert not list(tmp_path.glob(".*"))


def test_a_second_night_writes_no_projection(build: Build, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    workspace = with_target(build({"MEMORY.md": "- the mole is red\n"}), other)
    commands.review(workspace, CLOCK)
    os.utime(other, (1, 1))

    night = commands.review(workspace, CLOCK)

    assert [one.outcome for one in night.projected] == ["unchanged"]
    assert other.stat().st_mtime == 1


def test_what_is_forgotten_leaves_the_other_hosts_too(build: Build, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    workspace = with_target(build({"MEMORY.md": "- the mole is red\n- Ada owes Bert nine crowns\n"}), other)
    projections.project(workspace, CLOCK)
    assert "nine crowns" in other.read_text()

    forget.forget(workspace, CLOCK, "Ada owes Bert nine crowns")

    assert "nine crowns" not in other.read_text()


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_section_changes_no_other_byte_and_the_first_file_is_kept(build: Build, tmp_path: Path, ending: str) -> None:
    agents, text = tmp_path / "AGENTS.md", f"Build with make.{ending}{ending}Tabs.".encode()
    agents.write_bytes(text)
    workspace = with_target(build({"MEMORY.md": "- the mole is red\n"}), agents, "agents-md")
    projections.project(workspace, CLOCK)
    agents.write_bytes(agents.read_bytes() + f"Added later.{ending}".encode())
    (workspace.root / "MEMORY.md").write_text("- the mole is blue\n")

    projections.project(workspace, CLOCK)

    now = agents.read_bytes().decode()
    assert now.startswith(text.decode()) and now.endswith(f"{END}{ending}Added later.{ending}")
    assert now.count(START) == now.count(END) == 1 and "blue" in now and "red" not in now
    assert now.count("\r") == (now.count("\n") if ending == "\r\n" else 0)
    assert (tmp_path / "AGENTS.md.before").read_bytes() == text


STRANGERS = {
    "a file of somebody else": ("words of somebody\n", "was not written by Reverie"),
    "one that somebody wrote into": ("OURS and a line of mine\n", "was changed by somebody"),
    "markers that do not pair up": (f"{START}\nwords\n", "do not pair up"),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_what_is_not_ours_is_left_as_it_is(build: Build, tmp_path: Path, name: str) -> None:
    text, why = STRANGERS[name]
    other = tmp_path / "other.md"
    workspace = with_target(
        build({"MEMORY.md": "- the mole is red\n"}), other, "agents-md" if START in text else "hermes"
    )
    if "OURS" in text:
        projections.project(workspace, CLOCK)
        text = text.replace("OURS", other.read_text())
    other.write_text(text)
    (workspace.root / "MEMORY.md").write_text("- the mole is blue\n")

    (found,) = projections.project(workspace, CLOCK)

    assert found.outcome == "refused" and why in found.why
    assert other.read_text() == text


def test_a_link_is_refused_and_so_is_a_place_inside_the_memory(build: Build, tmp_path: Path) -> None:
    workspace = build({"MEMORY.md": "- the mole is red\n", "memory/2026-11-01.md": "- sunny\n"})
    (tmp_path / "link.md").symlink_to(workspace.root / "MEMORY.md")
    for path in (
        tmp_path / "link.md",
        workspace.root / "MEMORY.md",
        workspace.root / "memory" / "x.md",
        tmp_path / "no" / "x",
    ):
        before = tree(tmp_path, without=("workspace-1/memory/.dreams",))

        (found,) = projections.project(with_target(workspace, path), CLOCK)

        assert found.outcome == "refused" and found.why
        assert tree(tmp_path, without=("workspace-1/memory/.dreams",)) == before


def test_two_memories_do_not_fight_over_one_file(build: Build, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    first = with_target(build({"MEMORY.md": "- the mole is red\n"}), other)
    second = with_target(build({"MEMORY.md": "- the buoy is green\n"}), other)
    projections.project(first, CLOCK)

    (found,) = projections.project(second, CLOCK)

    assert "belongs to another memory" in found.why and "mole" in other.read_text()
    named = with_target(replace(second, settings=Settings()), other, workspace=str(second.root))
    assert [one.outcome for one in projections.project(named, CLOCK)] == ["written"]
    assert projections.project(replace(named, root=first.root), CLOCK) == (), "it is not of that memory"


# never read back


def test_a_projection_inside_a_workspace_is_nobodys_evidence(build: Build) -> None:
    theirs = made(seen(build, "- the lighthouse keeper is called Wenzel\n"), "claude-code")
    section = with_section(
        "- the ferry leaves at nine\n", made(seen(build, "- the anchor weighs ninety\n"), "agents-md")
    )
    workspace = build({"MEMORY.md": "- the mole is red\n", "memory/other.md": theirs, "memory/agents.md": section})

    snapshot = read_workspace(workspace)

    assert snapshot.files["memory/other.md"].place.kind is Kind.PROJECTION
    assert {entry.origin for entry in snapshot.files["memory/other.md"].entries} == {Origin.DREAM}
    trusted = [e.text for e in snapshot.files["memory/agents.md"].entries if e.origin is Origin.OWNER]
    assert trusted == ["the ferry leaves at nine"]
    found = [
        hit.claim.text
        for words in ("keeper Wenzel", "anchor weighs")
        for hit in ask(workspace, None, CLOCK, words).hits
    ]
    assert not any("Wenzel" in text or "ninety" in text for text in found)
    assert commands.review(workspace, CLOCK).run is None or "Wenzel" not in (workspace.root / "MEMORY.md").read_text()


def test_a_memory_that_is_a_projection_dreams_no_dream_of_its_own(build: Build, tmp_path: Path) -> None:
    there = build({"memory/2026-11-01.md": "- Decision: we paint the mole blue\n"})
    here = with_target(build({"MEMORY.md": "- the mole is red\n"}), there.root / "MEMORY.md", "openclaw")
    projections.project(here, CLOCK)
    before = tree(there.root)

    with pytest.raises(RefusedFile, match="projection of another memory"):
        commands.review(there, CLOCK)

    assert tree(there.root) == before
    listed = Settings(workspaces=(str(there.root), str(here.root)), project=here.settings.project)
    assert [one.root for one in discover({"HOME": str(tmp_path)}, listed)] == [here.root]


def test_the_doctor_tells_of_a_projection_that_is_old_or_not_ours(build: Build, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    workspace = with_target(build({"MEMORY.md": "- the mole is red\n"}), other)
    projections.project(workspace, CLOCK)

    def words() -> set[str]:
        return {sign.status for sign in examine(workspace, CLOCK)[1] if sign.about == "hosts"}

    assert words() == set()
    (workspace.root / "MEMORY.md").write_text("- the mole is blue\n")
    assert words() == {"projection stale"}
    other.write_text("mine now\n")
    assert words() == {"projection refused"}


# settings and the command


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"pth": "/x", "host": "hermes"}, "did you mean `project.path`"),
        ({"path": "/x"}, "has no `host`"),
        ({"path": "x.md", "host": "hermes"}, "write the whole path"),
        ({"path": "/x", "host": "emacs"}, "it can be openclaw, claude-code, hermes, hermes-user, agents-md"),
        ({"path": "/x", "host": "hermes", "chars": 3}, "must lie between 500"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(table: dict[str, Any], why: str) -> None:
    with pytest.raises(BadSettings, match=why):
        merged(Settings(), {"project": [table]}, lambda key: f"reverie.toml ({key})", trusted=True)


def test_only_the_owner_says_where_a_memory_goes() -> None:
    with pytest.raises(BadSettings, match="a workspace may not decide"):
        merged(Settings(), {"project": [{"path": "/x", "host": "hermes"}]}, str, trusted=False)


def test_the_command_tells_what_it_wrote_and_what_it_would(build: Build, tmp_path: Path) -> None:
    workspace = build({"MEMORY.md": MEMORY})
    (tmp_path / "reverie").mkdir()
    (tmp_path / "reverie" / "reverie.toml").write_text(f'[[project]]\npath = "{tmp_path}/out.md"\nhost = "hermes"\n')
    here = ("--workspace", workspace.root, "--now", NIGHT)

    dry = call("project", "--dry-run", *here, XDG_CONFIG_HOME=str(tmp_path))
    assert "would be written" in dry.out and "📌 Never sail" in dry.out and not (tmp_path / "out.md").exists()
    wrote = call("project", "--json", *here, XDG_CONFIG_HOME=str(tmp_path))

    (one,) = json.loads(wrote.out)["projections"]
    assert (wrote.code, one["outcome"], one["withheld"], one["limit"]) == (0, "written", 1, 2200)
    (tmp_path / "out.md").write_text("mine now\n")
    refused = call("project", *here, XDG_CONFIG_HOME=str(tmp_path))
    assert refused.code == 9 and "was not written by Reverie" in refused.out
    assert "No other host" in call("project", *here).out
