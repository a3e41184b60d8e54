"""Seed 000, distillation: rows of `requirements.tsv` that no other file holds, with sentences of our own in two languages."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from test_commands import dream, everything, made, said

import reverie
from reverie.archive.ledger import short_hash

NIGHT = datetime(2026, 3, 31, 3, 30)
SEED = "## Current State\n- the orchard fence is being rebuilt\n{}\n## Stable Knowledge\n- prefers short answers\n\n## Relationships & Context\n- Ilka runs the bakery\n\n## Dream\n"
DONE = [("painted the blue gate", "oiled the hinges of the shed"), ("蓝色大门已经刷好", "仓库的铰链上过油了")]
later = [NIGHT + timedelta(days=n) for n in range(40)]
languages = pytest.mark.parametrize("done", DONE, ids=["en", "zh"])


def read(root: Path, path: str) -> str:
    return (root / path).read_text("utf-8") if (root / path).exists() else ""


def kept(root: Path, path: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(read(root, path))
    return found


def ticked(*tasks: str) -> str:
    return "".join(f"- [x] {task}\n" for task in tasks)


@languages
def test_a_night_leaves_every_file_in_the_seeds_form(tmp_path: Path, done: tuple[str, str]) -> None:
    made(tmp_path, {"MEMORY.md": SEED.format(ticked(*done)), "memory/2026-03-30.md": "- ate soup\n"})
    before = len(read(tmp_path, "MEMORY.md"))
    shown = dream(tmp_path, "review", now=NIGHT).out.splitlines()
    ids = [short_hash(f"- [x] {task}") for task in done]
    assert read(tmp_path, "dream-vault/ledger.md") == "".join(
        f"---\nID: {entry}\nArchived: 2026-03-31 03:30\nCategory: [ended]\nContent: - [x] {task}\n"
        f"Source: MEMORY.md:{line}\nNote: its owner ticked it off\n---\n"
        for entry, task, line in zip(ids, done, (3, 4), strict=True)
    )
    index, removed = kept(tmp_path, "dream-vault/ledger-index.json"), kept(tmp_path, "dream-vault/meta/removed-entries.json")
    assert [list(record) for record in index] == [["id", "category", "summary", "first_archived", "last_updated", "status", "events"]] * 2
    assert [list(r) for r in removed] == [["id", "summary", "content_hash", "removed_at", "removed_ts", "reemergence_count"]] * 2
    assert [(r["id"], r["summary"], r["status"]) for r in index] == [(i, t, "active") for i, t in zip(ids, done, strict=True)]
    assert read(tmp_path, "dream-vault/meta/last-review.txt") == "2026-03-31 03:30\n"
    assert read(tmp_path, "dream-vault/meta/dream-state.txt") == "active\n"
    assert kept(tmp_path, "dream-vault/meta/active-days.json") == ["2026-03-31"]
    after = len(read(tmp_path, "MEMORY.md"))
    assert read(tmp_path, "dream-vault/meta/review-2026-03.md") == (
        "### 2026-03-31 03:30\nUpdated: 0 | Added: 0 | Archived: 2 | Re-emerged: 0 | Ignored: 1\n"
        f"MEMORY.md chars: {before} → {after}\n\n"
    )
    assert shown[-5:-1] == [
        "🌙 Distillation complete", f"MEMORY.md: {before} → {after} of 18,000 characters; 1 new lines read",
        "This run: updated 0 | added 0 | archived 2", "Permanent archive total: 2 records",
    ]  # fmt: skip
    notes_and_rest = {str(path.relative_to(tmp_path)) for path in everything(tmp_path)}
    assert not [path for path in notes_and_rest if "cache" in path or "index.sqlite" in path]


@languages
def test_the_dream_list_holds_the_five_that_left_last(tmp_path: Path, done: tuple[str, str]) -> None:
    made(tmp_path, {"MEMORY.md": SEED.format(ticked(*done, "c is done", "d is done"))})
    dream(tmp_path, "review", now=NIGHT)
    made(tmp_path, {"MEMORY.md": read(tmp_path, "MEMORY.md").replace("\n\n## Stable", f"\n{ticked('e is done', 'f is done')}\n## Stable")})
    dream(tmp_path, "review", now=later[1])
    listed = read(tmp_path, "MEMORY.md").partition("## Dream\n")[2].splitlines()
    assert [line.partition(" <!--")[0] for line in listed] == [
        "- 2026-04-01 [ended] e is done", "- 2026-04-01 [ended] f is done", f"- 2026-03-31 [ended] {done[0]}",
        f"- 2026-03-31 [ended] {done[1]}", "- 2026-03-31 [ended] c is done",
    ]  # fmt: skip


PASSING = [
    "uses a Mac", "the screen is in dark mode", "heartbeat ok", "09:12 sent the slides to Bertil", "walked to the ferry", "so tired",
    "I love this song", "正在用深色主题", "10:15 午饭吃了面", "心情不错", "ok", "rain all day", "maybe we should sell the boat?",
]  # fmt: skip
LASTING = [
    "Decision: the harbour office is closed on Fridays", "**Decision**: Noor signs every contract", "决定：合同一律由诺尔签字",
    "Lesson: never ship a kiln without its shelf", "教训：发货前先量箱子", "记住：周五不收货", "From now on: parcels go by rail",
]  # fmt: skip


def test_what_passes_stays_in_its_note_and_what_is_clearly_important_enters_once(tmp_path: Path) -> None:
    said = "".join(f"- {line}\n" for line in (*PASSING, *LASTING))
    made(tmp_path, {"MEMORY.md": SEED.format(""), "memory/2026-03-29.md": said, "memory/2026-03-30.md": said})
    dream(tmp_path, "review", now=NIGHT)
    memory = read(tmp_path, "MEMORY.md")
    assert [line for line in PASSING if line in memory] == [] and [memory.count(line) for line in LASTING] == [1] * len(LASTING)
    made(tmp_path, {"memory/2026-03-31.md": "- Decision: on Fridays the harbour office is closed\n- 决定：以后合同一律由诺尔签字\n"})
    dream(tmp_path, "review", now=later[1])
    assert read(tmp_path, "MEMORY.md") == memory and read(tmp_path, "memory/2026-03-29.md") == said


@pytest.mark.parametrize(
    ("held", "older", "newer"),
    [
        ("Winter storage at Holm costs 80 EUR", "Decision: winter storage at Holm costs 85 EUR", "Decision: winter storage at Holm costs 90 EUR"),
        ("冬季仓库每月租金 80 欧元", "决定：冬季仓库每月租金 85 欧元", "决定：冬季仓库每月租金 90 欧元"),
    ],
)  # fmt: skip
def test_a_line_with_other_figures_is_another_line_and_the_newest_enters(tmp_path: Path, held: str, older: str, newer: str) -> None:
    notes = {"memory/2026-03-25.md": f"- {older}\n", "memory/2026-03-28.md": f"- {newer}\n"}
    made(tmp_path, {"MEMORY.md": f"## A\n- {held}\n", **notes})
    dream(tmp_path, "review", now=NIGHT)
    assert read(tmp_path, "MEMORY.md") == f"## A\n- {held}\n- {newer}\n"  # in doubt both stay, and the owner is asked
    review = read(tmp_path, "memory/dream-log-2026-03-31.md").partition("## Needs Human Review")[2] or read(
        tmp_path, "memory/dream-log-2026-03-31.md").partition("## 需要人工审核")[2]  # fmt: skip
    assert older in review and held in review


CAPTURED = [
    ("No, actually the tide table hangs in the shed", "Stable Knowledge"), ("actually, no: parcels come on Mondays", "Stable Knowledge"),
    ("不对，应该是周三收货", "Stable Knowledge"), ("纠正：仓库在港口", "Stable Knowledge"),
    ("I've decided to rent out the cellar", "Current State"), ("我决定把船卖掉", "Current State"), ("我们决定周五休息", "Current State"),
    ("We started a project called Heron", "Current State"), ("我们开始了一个新项目：苍鹭", "Current State"),
]  # fmt: skip
WAITING = ["I am so glad about the choir", "black tea tastes better", "我很开心", "maybe I decided too early", "我决定不了", "Noor rang"]


def test_what_is_decided_corrected_or_begun_enters_at_once_and_the_rest_waits_for_the_night(tmp_path: Path) -> None:
    for number, (words, section) in enumerate(CAPTURED):
        made(root := tmp_path / str(number), {"MEMORY.md": SEED.format("")})
        assert dream(root, "note", words, typed="", now=NIGHT).code == 0
        assert f"- {words}\n" in read(root, "MEMORY.md").partition(f"## {section}")[2].partition("\n## ")[0], words
        assert f"- 03:30 {words}\n" in read(root, "memory/2026-03-31.md")
    made(tmp_path, {"MEMORY.md": SEED.format("")})
    for words in WAITING:
        assert "the next night decides" in dream(tmp_path, "note", words, typed="", now=NIGHT).out
    assert read(tmp_path, "MEMORY.md") == SEED.format("") and read(tmp_path, "memory/2026-03-31.md").count("\n- ") == 6
    for secret in ("the alarm code is 7781", "api key sk-ant-api03-" + "Zk4" * 30):
        assert dream(tmp_path, "note", secret, typed="").code == 10


AGAIN = [
    ("Bertil likes the blue dory best of all boats", "of all the boats Bertil likes the blue dory best"),
    ("每周五晚上和小林在体育馆打羽毛球", "周五晚上和小林在体育馆打羽毛球"),
]


@pytest.mark.parametrize(("gone", "again"), AGAIN, ids=["en", "zh"])
def test_what_left_and_is_said_again_in_other_words_comes_back_and_stays_longer(tmp_path: Path, gone: str, again: str) -> None:
    full = "".join(f"- seat {n} of the hall was repaired in the spring of 20{n % 26:02}\n" for n in range(330))
    made(tmp_path, {"MEMORY.md": SEED.format(ticked(gone, "b is done"))})
    dream(tmp_path, "review", now=NIGHT)
    made(tmp_path, {"memory/2026-04-02.md": f"- {again}\n- the hall is empty\n"})
    dream(tmp_path, "review", now=later[3])
    (line,) = [line for line in read(tmp_path, "MEMORY.md").splitlines() if line.endswith("[re-emerged]")]
    assert again in line and "Re-emerged: 1" in read(tmp_path, "dream-vault/meta/review-2026-04.md")
    entry = short_hash(f"- [x] {gone}")
    assert f"ID: {entry}\nUpdated: 2026-04-03 03:30\nEvent: re-emerged\n" in read(tmp_path, "dream-vault/ledger.md")
    made(tmp_path, {"MEMORY.md": read(tmp_path, "MEMORY.md").replace("## Stable Knowledge\n", f"## Stable Knowledge\n{full}")})
    for night in later[4:12]:
        dream(tmp_path, "review", now=night)
    memory = read(tmp_path, "MEMORY.md")
    assert line in memory and len(memory) <= 18_000 and memory.count("\n") <= 250
    archive = read(tmp_path, "dream-vault/ledger.md")
    assert all(fact in memory or fact in archive for fact in full.splitlines())


def test_what_was_replaced_does_not_come_back_and_a_second_return_is_counted(tmp_path: Path) -> None:
    made(tmp_path, {"MEMORY.md": "## A\n- Opening hours: 9 to 17\n- [x] the gate is oiled\n- [x] b is done\n- c\n", "memory/2026-03-30.md": "- Opening hours: 10 to 18\n"})
    dream(tmp_path, "review", now=NIGHT)
    assert "superseded" in read(tmp_path, "dream-vault/ledger.md") and "9 to 17" not in read(tmp_path, "dream-vault/meta/removed-entries.json")
    made(tmp_path, {"memory/2026-04-01.md": "- the gate is oiled\n- in the old days: opening hours 9 to 17\n"})
    dream(tmp_path, "review", now=later[2])
    assert "- the gate is oiled [re-emerged]" in read(tmp_path, "MEMORY.md") and "9 to 17" not in read(tmp_path, "MEMORY.md")
    dream(tmp_path, "review", now=later[3])
    made(tmp_path, {"MEMORY.md": read(tmp_path, "MEMORY.md").replace("- the gate is oiled [re-emerged]", "- [x] the gate is oiled\n- [x] d is done")})
    dream(tmp_path, "review", now=later[4])
    (record,) = [r for r in kept(tmp_path, "dream-vault/meta/removed-entries.json") if r["summary"] == "the gate is oiled"]
    assert record["reemergence_count"] == 1


def test_a_memory_over_its_limit_shrinks_to_it_finished_things_first_and_says_so_where_it_cannot(tmp_path: Path) -> None:
    old = "".join(f"- [x] order {n} was delivered\n" for n in range(40))
    facts = "".join(f"- the loom of hall {n} stands beside window {n * 3} and needs a belt of {n} cm\n" for n in range(260))
    made(tmp_path / "w", {"MEMORY.md": SEED.format(old).replace("- prefers short answers\n", f"- prefers short answers\n{facts}")})
    sizes = [len(read(tmp_path / "w", "MEMORY.md"))]
    for night in later[:4]:
        dream(tmp_path / "w", "review", now=night)
        sizes.append(len(read(tmp_path / "w", "MEMORY.md")))
    memory, archive = read(tmp_path / "w", "MEMORY.md"), read(tmp_path / "w", "dream-vault/ledger.md")
    assert sizes[0] > 19_000 >= 18_000 >= sizes[2] and "[x] order" not in memory and sizes == sorted(sizes, reverse=True)
    assert all(line in memory or line in archive for line in (old + facts).splitlines())
    made(tmp_path / "pins", {"MEMORY.md": "## A\n" + "".join(f"- 📌 seat {n} in the hall was repaired in spring, by Kern of Holm\n" for n in range(330))})
    shown = dream(tmp_path / "pins", "review", now=NIGHT).out
    assert "MEMORY.md stays over its limit" in shown and read(tmp_path / "pins", "MEMORY.md").count("📌") == 330


def test_forget_needs_no_yes_from_an_agent_and_init_makes_every_folder(tmp_path: Path) -> None:
    made(tmp_path / "w", {"MEMORY.md": SEED.format(""), "memory/2026-03-30.md": "- the orchard fence cost 400 EUR\n"})
    dream(tmp_path / "w", "review", now=NIGHT)
    ledger = read(tmp_path / "w", "dream-vault/ledger.md")
    said = dream(tmp_path / "w", "forget", "orchard fence", now=NIGHT)
    assert said.code == 0 and said.out.endswith("Removed from memory. The permanent archive is unaffected.\n")
    assert "fence" not in read(tmp_path / "w", "MEMORY.md") + read(tmp_path / "w", "memory/2026-03-30.md")
    records = kept(tmp_path / "w", "dream-vault/meta/removed-entries.json")
    assert len(records) == 2 and all(r["removed_ts"] and r["content_hash"] for r in records)
    assert read(tmp_path / "w", "dream-vault/ledger.md") == ledger and "archive: 0 records" in dream(tmp_path / "w", "status").out
    answers = ["--tools", "GnuCash", "--environment", "a shed", "--project", "tide tables", "--values", "repair first", "--people", "Ilka"]
    dream(tmp_path / "new", "init", *answers)
    sections = [part.strip().splitlines() for part in read(tmp_path / "new", "MEMORY.md").split("## ")[1:]]
    assert [part[0] for part in sections] == ["Current State", "Stable Knowledge", "Relationships & Context", "Dream"]
    assert [part[2:] for part in sections] == [["- tide tables"], ["- GnuCash", "- a shed", "- repair first"], ["- Ilka"], []]
    assert all(part[1].startswith("<!-- ") for part in sections) and read(tmp_path / "new", "dream-vault/meta/dream-state.txt") == "active\n"
    assert all((tmp_path / "new" / folder).is_dir() for folder in ("memory", "dream-vault/meta", "dream-vault/obsidian-index/topics"))


def test_the_lists_are_short_and_search_and_status_know_them(tmp_path: Path) -> None:
    task = "carried the long ladder of the chapel to the mill and back again, twice, with Petra and both of her brothers"
    made(tmp_path, {"MEMORY.md": SEED.format(ticked(task, "把教堂的长梯子搬到磨坊又搬回来")), "memory/2026-03-30.md": "- x\n"})
    dream(tmp_path, "review", now=NIGHT)
    summaries = [str(record["summary"]) for record in kept(tmp_path, "dream-vault/ledger-index.json")]
    assert len(summaries[0]) == 80 and task.startswith(summaries[0][:79]) and f"Content: - [x] {task}\n" in read(tmp_path, "dream-vault/ledger.md")
    dream(tmp_path, "index", "Glaze without cobalt #a1 #b2 #c3 #d4 #e5 #f6 #g7", "--url", "https://example.org/glaze", now=NIGHT)
    topics = sorted(path.stem for path in (tmp_path / "dream-vault/obsidian-index/topics").iterdir())
    assert topics == ["a1", "b2", "c3", "d4", "e5"]
    assert "── Content Index ──\n· " in (found := dream(tmp_path, "search", "cobalt glaze").out) and "https://example.org/glaze" in found and "<!--" not in found
    archived = dream(tmp_path, "search", "梯子搬到磨坊").out
    assert f"· [{short_hash('- [x] 把教堂的长梯子搬到磨坊又搬回来')}] 2026-03-31 [ended]: 把教堂" in archived and "(archive score " in archived
    made(tmp_path, {"memory/2026-04-01.md": "- y\n"})
    shown = dream(tmp_path, "status", now=later[1]).out
    assert "Obsidian index: 1 entries\nPending journals: 1 files\n" in shown and "Permanent archive: 2 records" in shown


def test_the_workspace_is_named_by_the_environment_or_is_openclaws_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("named", "home/.openclaw/workspace", "elsewhere"):
        made(tmp_path / name, {"MEMORY.md": f"## A\n- I am {name}\n", "memory/2026-03-30.md": "- Decision: the yard opens at six\n"} if name != "elsewhere" else {"x": ""})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "I am home" in said(["show"]).out
    monkeypatch.setenv("OPENCLAW_WORKSPACE", str(tmp_path / "named"))
    assert "I am named" in said(["show"]).out
    assert said(["due", "--now", "2026-03-31T03:31"]) == (0, "READY: the night of 2026-03-31 03:30 has come, and 1 lines are new\n", "")
    assert "For SOUL.md or HEARTBEAT.md: Run `" in (shown := said(["schedule"]).out) and "review --scheduled --workspace=" in shown
    texts = [(Path(reverie.__file__).parent / "hosts" / name).read_text("utf-8") for name in ("skill.md", "section.md")]
    assert all(word in text for text in texts for word in ('"dream"', "整理记忆", "consolidate memory"))
    assert "what do you remember about me" in texts[0] and "organize memory" in texts[0]
