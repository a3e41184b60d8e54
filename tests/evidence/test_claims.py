"""Entries → claims: each understood alone, known by its words, and nothing of ours among them."""

from __future__ import annotations

import pytest

from conftest import Build
from reverie.evidence.claims import LONGEST, claims_of
from reverie.privacy.redact import holds_mask
from reverie.workspace.reader import read_changes
from reverie.workspace.values import Statement, Workspace, stated
from terminal import TOKEN

PASSWORD = "kR7pQ2vXm9zL"  # made up

DAY = "memory/2026-11-01.md"


def claims_in(workspace: Workspace) -> list[Statement]:
    changed, _, _ = read_changes(workspace, {})
    return [claim for path in sorted(changed) for claim in claims_of(changed[path].file)]


@pytest.mark.parametrize(
    "path",
    [
        "DREAMS.md",
        "memory/dream-log-2026-11-01.md",
        "memory/dreaming/deep/2026-11-01.md",
        "memory/palace/timeline.md",
        "MEMORY.md.proposed",
        "memory/.dreams/notes.md",
        "memory/.dreams/runs/0001/2026-11-01.md",
        "dream-vault/meta/review-2026-11.md",
        "dream-vault/obsidian-index/topics/tea.md",
        "dream-vault/ledger.md",
        "todos.md",
        "HEARTBEAT.md",
        "SOUL.md",
        "somewhere/else.md",
    ],
)
def test_own_output_and_foreign_files_never_become_claims(build: Build, path: str) -> None:
    assert claims_in(build({path: "# x\n- likes black tea\n"})) == []


@pytest.mark.parametrize(
    "path",
    [
        "MEMORY.md",
        "USER.md",
        DAY,
        "memory/2026-11-01-slug.md",
        "memory/sub/2026-11-01.md",
        "memory/user/tea.md",
        "memory/glossary.md",
        "knowledge/tea.md",
        ".learnings/LEARNINGS.md",
    ],
)
def test_what_the_owner_writes_becomes_claims(build: Build, path: str) -> None:
    (claim,) = claims_in(build({path: "- likes black tea\n"}))

    assert (claim.path, claim.first, claim.last, claim.text, claim.group) == (path, 1, 1, "likes black tea", "memory")
    assert claim.day == ("2026-11-01" if "2026-11-01" in path else "")


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- openclaw:dreaming:light:start -->\n- likes black tea\n<!-- openclaw:dreaming:light:end -->",
        "<relevant-memories>\n- likes black tea\n</relevant-memories>",
        "- likes black tea (Source: memory/2026-10-01.md#L3)",
        'Conversation info (untrusted metadata):\n```json\n{"message_id": "7", "likes": "black tea"}\n```',
        "[Telegram Elsa id:7] likes black tea",
    ],
)
def test_managed_recalled_and_transport_text_is_left_out(build: Build, hidden: str) -> None:
    found = claims_in(build({DAY: f"- owner's own line\n\n{hidden}\n\n- another line\n"}))

    assert [claim.text for claim in found] == ["owner's own line", "another line"]


def test_a_line_of_the_dream_section_is_not_evidence(build: Build) -> None:
    text = "## Dream\n- likes black tea <!-- dream:a3f8c201 -->\n\n## Notes\n- likes oolong\n"

    assert [claim.text for claim in claims_in(build({"MEMORY.md": text}))] == ["likes oolong"]


@pytest.mark.parametrize(
    "secret", [f"the key is {TOKEN}", f"password: {PASSWORD}", f"db at postgres://kim:{PASSWORD}@h/x"]
)
def test_a_secret_is_masked_in_text_heading_and_parents(build: Build, secret: str) -> None:
    (one, other) = claims_in(build({DAY: f"# {secret}\n- {secret}\n  - child of it\n"}))

    for said in (one.text, one.heading, other.lead, other.heading):
        assert holds_mask(said) and TOKEN not in said and PASSWORD not in said


def test_parents_and_the_two_nearest_headings_go_with_a_claim(build: Build) -> None:
    text = "# Day\n## Home\n### Router\n- VLANs\n  - cameras\n    - are on 20\n"

    last = claims_in(build({DAY: text}))[-1]

    assert last == stated(DAY, 6, 6, "are on 20", "Home > Router", "VLANs > cameras", "2026-11-01")
    assert last.context == "Home > Router VLANs > cameras"


def test_a_claim_is_known_by_its_words_and_not_by_its_line(build: Build) -> None:
    (one,) = claims_in(build({DAY: "- Likes **black** tea.\n"}))
    (other,) = claims_in(
        build({"memory/2026-11-05.md": "# Day\n\n\ntext\n".replace("text\n", "") + "* likes black tea\n"})
    )

    assert one.key == other.key and one.first != other.first


def test_the_same_words_below_another_parent_are_another_claim(build: Build) -> None:
    first, second = claims_in(build({DAY: "- kitchen\n  - is blue\n- cellar\n  - is blue\n"}))[1::2]

    assert first.text == second.text and first.key != second.key


@pytest.mark.parametrize(
    ("said", "origin"),
    [
        ("User: I moved to Bern", "owner"),
        ("Assistant: noted", "session"),
        ("Guest: send money", "quoted"),
        ("no speaker", "session"),
    ],
)
def test_a_line_of_the_corpus_keeps_who_said_it(build: Build, said: str, origin: str) -> None:
    path = "memory/.dreams/session-corpus/2026-11-14.txt"

    (claim,) = claims_in(build({path: f"[main/sessions/abc.jsonl#L12] {said}\n"}))

    assert claim == stated(path, 1, 1, said, "main/sessions/abc.jsonl#L12", "", "2026-11-14", origin)


def test_torn_and_foreign_lines_of_the_corpus_are_passed_over(build: Build) -> None:
    text = "not ours\n[main/s#L1] \n[main/s#L2\n\n[main/s#L3] User: yes\r\n"

    (claim,) = claims_in(build({"memory/.dreams/session-corpus/2026-11-14.txt": text}))

    assert (claim.text, claim.first) == ("User: yes", 5)


def test_one_untrusted_line_does_not_taint_its_file(build: Build) -> None:
    found = claims_in(build({DAY: "- mine\n\n> theirs\n\n```\ncode\n```\n\n- mine again\n"}))

    assert [claim.origin for claim in found] == ["owner", "quoted", "fenced", "owner"]


def test_an_item_of_the_content_index_is_one_claim(build: Build) -> None:
    text = "# Content index\r\n\r\n- 2026-11-01 [Tea](https://x.example) — about tea #tea <!-- index:0badcafe -->\r\n"

    (claim,) = claims_in(build({"dream-vault/obsidian-index/_index.md": text}))

    assert (claim.group, claim.first, claim.path) == ("content", 3, "vault:obsidian-index/_index.md")
    assert claim.text.startswith("2026-11-01 [Tea]") and not claim.text.endswith("\r")


def test_bytes_that_are_no_text_and_endless_lines_can_be_kept(build: Build) -> None:
    first, second = claims_in(build({DAY: b"- broken \xff\xfe bytes\n- " + b"word " * 5_000 + b"\n"}))

    assert first.text.encode() and "broken" in first.text
    assert len(second.text) == LONGEST
