"""Seed 000, distillation: rows of `requirements.tsv` that no other file holds, with sentences of our own in two languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from place import VAULT, Place, here, items

import reverie
from reverie.archive.ledger import short_hash
from test_commands import everything, made, said

__all__ = ["here"]
SEED = (
    "## Current State\n- the orchard fence is being rebuilt\n{}\n## Stable Knowledge\n- prefers short answers\n\n"
    "## Relationships & Context\n- Ilka runs the bakery\n\n## Dream\n"
)
DONE = [("painted the blue gate", "oiled the hinges of the shed"), ("蓝色大门已经刷好", "仓库的铰链上过油了")]
languages = pytest.mark.parametrize("done", DONE, ids=["en", "zh"])
INDEX, REMOVED = "ledger-index.json", "meta/removed-entries.json"


def ticked(*tasks: str) -> str:
    return items(*tasks, box="[x] ")


@languages
def test_a_night_leaves_every_file_in_the_seeds_form(here: Place, done: tuple[str, str]) -> None:
    here.put(SEED.format(ticked(*done)), "- ate soup\n")
    before, shown = len(here.memory), here.night().splitlines()
    ids = [short_hash(f"- [x] {task}") for task in done]
    assert here.ledger == "".join(
        f"---\nID: {entry}\nArchived: 2026-03-31 03:30\nCategory: [ended]\nContent: - [x] {task}\n"
        f"Source: MEMORY.md:{line}\nNote: its owner ticked it off\n---\n"
        for entry, task, line in zip(ids, done, (3, 4), strict=True)
    )
    index, removed = here.listed(INDEX), here.listed(REMOVED)
    assert [" ".join(r) for r in index] == ["id category summary first_archived last_updated status events"] * 2
    assert [" ".join(r) for r in removed] == ["id summary content_hash removed_at removed_ts reemergence_count"] * 2
    assert [(r["id"], r["summary"]) for r in index] == list(zip(ids, done, strict=True))
    small = [here.read(f"{VAULT}/meta/{name}") for name in ("last-review.txt", "dream-state.txt", "active-days.json")]
    assert small == ["2026-03-31 03:30\n", "active\n", '[\n  "2026-03-31"\n]\n']
    after = len(here.memory)
    assert here.read(f"{VAULT}/meta/review-2026-03.md") == (
        "### 2026-03-31 03:30\nUpdated: 0 | Added: 0 | Archived: 2 | Re-emerged: 0 | Ignored: 1\n"
        f"MEMORY.md chars: {before} → {after}\n\n"
    )
    assert shown[-5:-1] == [
        "🌙 Distillation complete", f"MEMORY.md: {before} → {after} of 18,000 characters; 1 new lines read",
        "This run: updated 0 | added 0 | archived 2", "Permanent archive total: 2 records",
    ]  # fmt: skip
    assert not [path for path in everything(here.root) if "cache" in path.name or path.suffix in (".sqlite", ".index")]


@languages
def test_the_dream_list_holds_the_five_that_left_last(here: Place, done: tuple[str, str]) -> None:
    here.put(SEED.format(ticked(*done, "c is done", "d is done"))).night()
    here.put(here.memory.replace("\n\n## Stable", f"\n{ticked('e is done', 'f is done')}\n## Stable")).night(1)
    listed = here.memory.partition("## Dream\n")[2].splitlines()
    assert [line.partition(" <!--")[0] for line in listed] == [
        "- 2026-04-01 [ended] e is done", "- 2026-04-01 [ended] f is done", f"- 2026-03-31 [ended] {done[0]}",
        f"- 2026-03-31 [ended] {done[1]}", "- 2026-03-31 [ended] c is done",
    ]  # fmt: skip
    assert here.run("undo").code == 0 and here.memory.count("[ended]") == 4 and "[ended] e is" not in here.memory


PASSING = [
    "uses a Mac", "the screen is in dark mode", "heartbeat ok", "09:12 sent the slides to Bertil", "walked to the ferry", "so tired",
    "I love this song", "正在用深色主题", "10:15 午饭吃了面", "心情不错", "ok", "rain all day", "maybe we should sell the boat?",
]  # fmt: skip
LASTING = [
    "Decision: the harbour office is closed on Fridays", "**Decision**: Noor signs every contract", "决定：合同一律由诺尔签字",
    "Lesson: never ship a kiln without its shelf", "教训：发货前先量箱子", "记住：周五不收货", "From now on parcels go by rail",
]  # fmt: skip


def test_what_passes_stays_in_its_note_and_what_is_clearly_important_enters_once(here: Place) -> None:
    note = items(*PASSING, *LASTING)
    here.put(SEED.format(""), note).note("03-29", note).night()
    memory = here.memory
    assert [line for line in PASSING if line in memory] + [line for line in LASTING if memory.count(line) != 1] == []
    here.note(
        "03-31", items("Decision: on Fridays the harbour office is closed", "决定：以后合同一律由诺尔签字")
    ).night(1)
    assert (here.memory, here.read("memory/2026-03-30.md")) == (memory, note)


FIGURES = [("Winter storage at Holm costs 80 EUR", "Decision: winter storage at Holm costs {} EUR"),
           ("冬季在Holm的存仓库每月的租金 80 欧元", "决定：冬季在Holm的存仓库每月的租金 {} 欧元")]  # fmt: skip


@pytest.mark.parametrize(("held", "noted"), FIGURES)
def test_a_line_with_other_figures_is_another_line_and_the_newest_enters(here: Place, held: str, noted: str) -> None:
    memory = items(held, held.replace("Holm", "Kern").replace("80", "70"))
    here.put(f"## A\n{memory}", items(noted.format(90))).note("03-25", items(noted.format(85))).night()
    assert here.memory == f"## A\n{memory}{items(noted.format(90))}"  # in doubt both stay, and the owner is asked
    review = here.log[max(map(here.log.find, ("## Needs Human Review", "## 需要人工审核"))) :]
    assert review.startswith("## ") and noted.format(85) in review and held in review and "Kern" not in review


CAPTURED = {
    "Stable Knowledge": ["No, actually the tide table hangs in the shed", "actually, no: parcels come on Mondays", "不对，应该是周三收货", "纠正：仓库在港口"],
    "Current State": ["I've decided to rent out the cellar", "我决定把船卖掉", "我们决定周五休息", "We started a project called Heron", "我们开始了一个新项目：苍鹭"],
}  # fmt: skip
WAITING = ["so glad about the choir", "black tea tastes better", "我很开心", "maybe I decided too early", "我决定不了", "Noor rang"]  # fmt: skip


def test_what_is_decided_corrected_or_begun_enters_at_once_and_the_rest_waits(tmp_path: Path) -> None:
    for section, words in ((name, line) for name, lines in CAPTURED.items() for line in lines):
        place = Place(tmp_path / words).put(SEED.format(""))
        assert place.run("note", words, typed="").code == 0
        assert f"- {words}\n" in place.memory.partition(f"## {section}")[2].partition("\n## ")[0]
        assert f"- 03:30 {words}\n" in place.read("memory/2026-03-31.md")
    place = Place(tmp_path / "waiting").put(SEED.format(""))
    assert all("the next night decides" in place.run("note", words, typed="").out for words in WAITING)
    assert (place.memory, place.read("memory/2026-03-31.md").count("\n- ")) == (SEED.format(""), len(WAITING))
    for secret in ("the alarm code is 7781", "api key sk-ant-api03-" + "Zk4" * 30):
        assert place.run("note", secret, typed="").code == 10


AGAIN = [("Bertil likes the blue dory best of all boats", "of all the boats Bertil likes the blue dory best"),
         ("每周五晚上和小林在体育馆打羽毛球", "周五晚上和小林在体育馆打羽毛球")]  # fmt: skip


@pytest.mark.parametrize(("gone", "again"), AGAIN, ids=["en", "zh"])
def test_what_left_and_is_said_again_in_other_words_comes_back_and_stays(here: Place, gone: str, again: str) -> None:
    full = items(*(f"seat {n} of the hall was repaired in the spring of 20{n % 26:02}" for n in range(330)))
    here.put(SEED.format(ticked(gone, "b is done"))).night()
    here.note("04-02", items(again, "the hall is empty")).night(3)
    (line,) = [line for line in here.memory.splitlines() if line.endswith("[re-emerged]")]
    assert again in line and "Re-emerged: 1" in here.read(f"{VAULT}/meta/review-2026-04.md")
    assert f"ID: {short_hash(f'- [x] {gone}')}\nUpdated: 2026-04-03 03:30\nEvent: re-emerged\n" in here.ledger
    here.put(here.memory.replace("## Stable Knowledge\n", f"## Stable Knowledge\n{full}"))
    for night in range(4, 12):
        here.night(night)
    assert line in here.memory and len(here.memory) <= 18_000 and here.memory.count("\n") <= 250
    assert all(fact in here.memory or fact in here.ledger for fact in full.splitlines())


def test_what_was_replaced_does_not_come_back_and_a_second_return_is_counted(here: Place) -> None:
    here.put(
        f"- Opening hours: 9 to 17\n{ticked('the gate is oiled', 'b')}- c\n", "- Opening hours: 10 to 18\n"
    ).night()
    assert "superseded" in here.ledger and "9 to 17" not in here.read(f"{VAULT}/{REMOVED}")
    here.note("04-01", items("the gate is oiled", "in the old days: opening hours 9 to 17")).night(2)
    assert "- the gate is oiled [re-emerged]" in here.memory and "9 to 17" not in here.memory
    here.put(here.memory.replace("- the gate is oiled [re-emerged]\n", ticked("the gate is oiled", "d"))).night(4)
    (record,) = [record for record in here.listed(REMOVED) if record["summary"] == "the gate is oiled"]
    assert record["reemergence_count"] == 1


def test_a_memory_over_its_limit_shrinks_finished_things_first_and_says_where_it_cannot(tmp_path: Path) -> None:
    old = ticked(*(f"order {n} was delivered" for n in range(40)))
    facts = items(
        *(f"the loom of hall {n} stands beside window {n * 3} and needs a belt of {n} cm" for n in range(260))
    )
    place = Place(tmp_path / "w").put(SEED.format(old).replace("- prefers short answers\n", facts))
    sizes = [len(place.memory), *(len(place.memory) for night in range(4) if place.night(night))]
    assert sizes[0] > 19_000 >= 18_000 >= sizes[2] and "[x]" not in place.memory and sizes == sorted(sizes)[::-1]
    assert all(line in place.memory or line in place.ledger for line in (old + facts).splitlines())
    pins = Place(tmp_path / "pins").put(
        items(*(f"📌 seat {n} was repaired in spring, by Kern of Holm" for n in range(430)))
    )
    assert "MEMORY.md stays over its limit" in pins.night() and pins.memory.count("📌") == 430


def test_forget_needs_no_yes_from_an_agent_and_init_makes_every_folder(here: Place, tmp_path: Path) -> None:
    here.put(SEED.format(""), "- the orchard fence cost 400 EUR\n").night()
    ledger, shown = here.ledger, here.run("forget", "orchard fence")
    assert (shown.code, shown.out.splitlines()[-1]) == (0, "Removed from memory. The permanent archive is unaffected.")
    assert "fence" not in here.memory + here.read("memory/2026-03-30.md") and here.ledger == ledger
    assert len(records := here.listed(REMOVED)) == 2 and all(r["removed_ts"] and r["content_hash"] for r in records)
    new = Place(tmp_path / "new")
    new.run("init --tools GnuCash --environment shed --project tides --values honesty --people Ilka")
    sections = [part.strip().splitlines() for part in new.memory.split("## ")[1:]]
    assert [part[0] for part in sections] == ["Current State", "Stable Knowledge", "Relationships & Context", "Dream"]
    assert [part[2:] for part in sections] == [["- tides"], ["- GnuCash", "- shed", "- honesty"], ["- Ilka"], []]
    assert all(part[1].startswith("<!-- ") for part in sections)
    assert new.read(f"{VAULT}/meta/dream-state.txt") == "active\n"
    assert all((new.root / folder).is_dir() for folder in ("memory", f"{VAULT}/meta", f"{VAULT}/obsidian-index/topics"))


def test_the_lists_are_short_and_search_and_status_know_them(here: Place) -> None:
    task = (
        "carried the long ladder of the chapel to the mill and back again, twice, with Petra and both of her brothers"
    )
    here.put(SEED.format(ticked(task, "把教堂的长梯子搬到磨坊又搬回来"))).night()
    short = str(here.listed(INDEX)[0]["summary"])
    assert len(short) == 80 and task.startswith(short[:79]) and f"Content: - [x] {task}\n" in here.ledger
    here.run("index", "Glaze without cobalt #a1 #b2 #c3 #d4 #e5 #f6 #g7", "--url", "https://example.org/glaze")
    topics = sorted(path.stem for path in (here.root / VAULT / "obsidian-index/topics").iterdir())
    assert topics == ["a1", "b2", "c3", "d4", "e5"]
    found = here.run("search", "cobalt glaze").out
    assert "── Content Index ──\n· " in found and "https://example.org/glaze" in found and "<!--" not in found
    archived, entry = here.run("search", "梯子搬到磨坊").out, short_hash("- [x] 把教堂的长梯子搬到磨坊又搬回来")
    assert f"· [{entry}] 2026-03-31 [ended]: 把教堂" in archived and "(archive score " in archived
    here.note("04-01", "- y\n")
    shown = here.run("status", days=1).out
    assert "Obsidian index: 1 entries\nPending journals: 1 files\n" in shown and "archive: 2 records" in shown


def test_the_workspace_is_named_by_the_environment_or_is_openclaws_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("named", "home/.openclaw/workspace"):
        Place(tmp_path / name).put(f"- I am {name}\n", "- Decision: the yard opens at six\n")
    made(tmp_path / "elsewhere", {"x": ""})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "I am home" in said(["show"]).out
    monkeypatch.setenv("OPENCLAW_WORKSPACE", str(tmp_path / "named"))
    assert "I am named" in said(["show"]).out
    ready = "READY: the night of 2026-03-31 03:30 has come, and 1 lines are new\n"
    assert said(["due", "--now", "2026-03-31T03:31"]) == (0, ready, "")
    shown = said(["schedule"]).out
    assert "For SOUL.md or HEARTBEAT.md: Run `" in shown and "review --scheduled --workspace=" in shown
    hosts = Path(reverie.__file__).parent / "hosts"
    skill, section = ((hosts / name).read_text("utf-8") for name in ("skill.md", "section.md"))
    assert all(word in text for text in (skill, section) for word in ('"dream"', "整理记忆", "consolidate memory"))
    assert "what do you remember about me" in skill and "organize memory" in skill
