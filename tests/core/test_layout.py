"""What every path means, and that a dream may write to a handful of them only."""

from __future__ import annotations

import re
from datetime import date, time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reverie.core.layout import GROWS, OWN_OUTPUT, Kind, Place, may_write, place_of, review_log

KINDS = {
    Kind.MEMORY: ["MEMORY.md", "memory.md"],
    Kind.PROPOSED: ["MEMORY.md.proposed"],
    Kind.PROFILE: ["USER.md", "SOUL.md", "HEARTBEAT.md", "todos.md", "user.md"],
    Kind.CONFIG: ["DREAM.md", "dream.md", "reverie.toml", "openclaw.json"],
    Kind.DIARY: ["DREAMS.md", "dreams.md"],
    Kind.CLASSIFIED: ["memory/user/profile.md", "memory/feedback/a/b.md", "memory/project/x.md", "memory/reference/y.md"],
    Kind.PALACE: ["memory/palace/timeline.md", "memory/palace/custom.md"],
    Kind.REPORT: ["memory/dreaming/light/2026-11-05.md", "memory/dreaming/x", "memory/dream-log-old.md"],
    Kind.LOG: ["memory/self-improving/errors.jsonl", ".learnings/ERRORS.md"],
    Kind.KNOWLEDGE: ["knowledge/playbook.md", "knowledge/projects/tracker.md"],
    Kind.STATE: ["memory/.dreams/events.jsonl", "memory/.dreams/reverie-recall.json", "memory/.dreams/runs/1/COMMIT", "memory/.hidden.md"],
    Kind.CURSOR: [
        "memory/.last_dream", "memory/.dreams/reviewed.json", "vault:meta/active-days.json", "vault:meta/last-review.txt",
        "vault:meta/dream-state.txt",
    ],
    Kind.LEDGER: ["vault:ledger.md"],
    Kind.INDEX: [
        "vault:ledger-index.json", "vault:meta/removed-entries.json", "vault:obsidian-index/_index.md",
        "vault:obsidian-index/topics/wood.md", "vault:meta/tombstones.json",
    ],
    Kind.REVIEW_LOG: ["vault:meta/review-2026-11.md", "memory/dream-log-2026-11-05.md"],
    Kind.TOPIC: ["memory/glossary.md", "memory/2026-13-45.md", "memory/a/b/c.md", "memory/notes 2026-10-20.md"],
    Kind.FOREIGN: [
        "", "README.md", "notes.txt", "memory", "memory/photo.png", "memory/self-improving/notes.txt", "src/main.md",
        "MEMORY.md.bak", "MEMORY.md.dream-tmp", "memory/2026-10-20.md.dream-tmp", "memory/2026-10-20.txt", ".learnings/a/b.md",
        "archive/2026-10-20.md", "vault:", "vault:notes.md", "vault:meta/review-2026.md", "vault:ledger.md.bak",
        "vault:sub/ledger.md", "vault:MEMORY.md", "vault:memory/2026-10-20.md", "knowledge/photo.png", "openclaw.json5",
    ],
}  # fmt: skip
DAY = date(2026, 10, 20)
WRITABLE = re.compile(
    r"memory\.md|memory/\.last_dream|memory/\.dreams/reviewed\.json|memory/dream-log-[0-9]{4}-[0-9]{2}-[0-9]{2}\.md|memory/self-improving/\.last_distill"
    r"|vault:(?:ledger\.md|ledger-index\.json|meta/review-[0-9]{4}-[0-9]{2}\.md|meta/(?:removed-entries|tombstones|questions)\.json"
    r"|meta/(?:active-days\.json|last-review\.txt|dream-state\.txt)|obsidian-index/(?:_index|topics/[^/\\\0]+)\.md)",
    re.ASCII,
)


@pytest.mark.parametrize(("path", "kind"), [(path, kind) for kind, paths in KINDS.items() for path in paths])
def test_every_path_has_its_kind(path: str, kind: Kind) -> None:
    assert place_of(path).kind is kind


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("memory/2026-10-20.md", Place(Kind.DAILY, DAY)),
        ("2026-10-20.md", Place(Kind.DAILY, DAY)),
        ("memory/2026-10-20.MD", Place(Kind.DAILY, DAY)),
        ("Memory/2026-10-20.md", Place(Kind.DAILY, DAY)),
        ("memory/2026/10/2026-10-20.md", Place(Kind.DAILY, DAY)),
        ("memory/2026-10-20-varnish-supplier.md", Place(Kind.DAILY, DAY, None, "varnish-supplier")),
        ("memory/2026-10-20_varnish.md", Place(Kind.DAILY, DAY, None, "varnish")),
        ("memory/2026-10-20 varnish.md", Place(Kind.DAILY, DAY, None, "varnish")),
        ("memory/2026-10-20-琴弦.md", Place(Kind.DAILY, DAY, None, "琴弦")),
        ("memory/2026-10-20-0915.md", Place(Kind.DAILY, DAY, time(9, 15))),
        ("memory/2026-10-20-0915-call.md", Place(Kind.DAILY, DAY, time(9, 15), "call")),
        ("memory/2026-10-20-2460.md", Place(Kind.DAILY, DAY, None, "2460")),
        ("memory/2026-10-20-9915-call.md", Place(Kind.DAILY, DAY, None, "9915-call")),
        ("memory/2026-10-20-0915x.md", Place(Kind.DAILY, DAY, None, "0915x")),
        ("memory/2026-02-30.md", Place(Kind.TOPIC)),
        ("memory/2026-10-20notes.md", Place(Kind.TOPIC)),
        ("memory/20261020.md", Place(Kind.TOPIC)),
    ],
)
def test_a_dated_name_gives_its_day_its_time_and_its_slug(path: str, place: Place) -> None:
    assert place_of(path) == place


@pytest.mark.parametrize(
    "path",
    [
        "../MEMORY.md", "memory/../MEMORY.md", "/MEMORY.md", "/etc/passwd", "./MEMORY.md", "memory//.last_dream", "",
        "vault:", "vault:../MEMORY.md", "vault:/ledger.md", "vault:meta/../ledger.md", "vault:./ledger.md",
        "vault:meta\\..\\ledger.md", "memory\\.last_dream", "vault:ledger.md\0", "MEMORY.md\0.txt", "vault:vault:ledger.md",
        "vault:obsidian-index/topics/../../ledger.md", "vault:obsidian-index/topics/a/b.md", "vault:obsidian-index/topics/a\\b.md", "vault:obsidian-index/topics/a\0b.md", "vault:LEDGER.md",
        "vault:ledger.md\n", "vault:meta/review-2026-11.md\n", "MEMORY.md\n", "vault:meta/review-２０２６-11.md",
        "memory/2026-10-20.md", "USER.md", "DREAM.md", "openclaw.json", "reverie.toml", "knowledge/playbook.md",
        "memory/user/profile.md", "memory/.dreams/lock", "memory/.dreams/runs/1/COMMIT", ".learnings/ERRORS.md", "README.md",
        "memory/dream-log-old.md", "memory/DREAM-LOG-2026-11-05.md", "memory/self-improving/errors.jsonl",
    ],
)  # fmt: skip
def test_nothing_but_its_own_files_may_be_written(path: str) -> None:
    assert not may_write(path)


@pytest.mark.parametrize(
    "path",
    [
        "MEMORY.md", "memory.md", "memory/.last_dream", "memory/.dreams/reviewed.json", "vault:ledger.md",
        "vault:ledger-index.json", "vault:meta/removed-entries.json", "vault:meta/active-days.json",
        "vault:meta/last-review.txt", "vault:meta/dream-state.txt", "vault:meta/review-2026-11.md",
        "vault:obsidian-index/_index.md", "vault:obsidian-index/topics/wood.md",
        "memory/dream-log-2026-11-05.md", "memory/self-improving/.last_distill", "vault:meta/questions.json",
    ],
)  # fmt: skip
def test_its_own_files_may_be_written(path: str) -> None:
    assert may_write(path)


PIECES = st.sampled_from((
    "vault:", "ledger.md", "MEMORY.md", "memory", "meta", "/", "..", ".", "\\", "\0", "\n", " ", ".dreams", "reviewed.json",
    "obsidian-index", "topics", "a.md", "review-2026-11.md", "C:", "~", "%2e%2e", "\u2044", "\u0661", "2026-10-20.md", "İ", "ſ",
))  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=8).map("".join)))
@example("vault:ledger.md\n")
def test_whatever_may_be_written_is_a_plain_known_path(path: str) -> None:
    assert not may_write(path) or WRITABLE.fullmatch(path.lower() if not path.startswith("vault:") else path)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=8).map("".join)))
def test_asking_about_any_path_never_fails(path: str) -> None:
    assert isinstance(place_of(path), Place)


def test_what_grows_is_our_own_output_and_the_review_log_is_named_by_its_month() -> None:
    assert GROWS <= OWN_OUTPUT
    assert (review_log(DAY), place_of(review_log(DAY)).kind) == ("vault:meta/review-2026-10.md", Kind.REVIEW_LOG)
