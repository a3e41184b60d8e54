"""Seed 003: recall before a reply, four types, palace, sublimation, sessions. Sentences of our own in two languages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, Make, answering, memory_of, review
from test_commands import dream, everything, made
from test_when import asked, rules

import reverie
from reverie.features.inbox import inbox
from reverie.features.palace import palace
from reverie.features.when import Do
from reverie.retrieval import recall as room
from reverie.retrieval.recall import Active, recall
from reverie.signals.weigh import open_lane
from reverie.workspace.read import read

MEMORY = """# Me
## House
- The kiln is fired by Okonjo every second Friday
- Winter storage at Holm: 80 EUR
- the loft key hangs behind the /srv/attic/door.png picture
- 烧窑由林师傅在每个周五负责
## Preferences
- Kiln shelves are stacked flat, never leaning
"""
NOTES = {
    "memory/2026-03-24.md": "- 09:00 glazed the jugs with Ilka\n- 11:00 给罐子上了釉\n",
    "memory/2026-03-29.md": "- Winter storage at Holm: 95 EUR\n",
}
QUESTIONS = ["Who fires the kiln on Fridays?", "what does winter storage at Holm cost?", "烧窑由谁负责？"]


def test_a_reply_is_preceded_by_what_memory_says_and_nothing_is_written(workspace: Make) -> None:
    layout = workspace(MEMORY, NOTES)
    os.utime(layout.root / "MEMORY.md", (datetime(2026, 3, 28).timestamp(),) * 2)  # before the newer value was noted
    before = everything(layout.root)
    first = [recall(layout, NOW, question) for question in QUESTIONS]
    assert [answer.lines[0] for answer in first] == [
        "The kiln is fired by Okonjo every second Friday", "2026-03-29: Winter storage at Holm: 95 EUR", "烧窑由林师傅在每个周五负责",
    ]  # fmt: skip
    assert all(answer.text.startswith("Context:\n<active_memory_plugin>\n") and len("".join(answer.lines)) <= 220 for answer in first)
    assert "80 EUR" not in first[1].text and "(path missing)" in recall(layout, NOW, "Where does the loft key hang?").text
    assert [recall(layout, NOW, question) for question in QUESTIONS] == first  # the very same, for 15 seconds
    room._kept.clear()
    assert everything(layout.root) == before


def test_a_day_of_the_week_is_read_from_its_note(workspace: Make) -> None:
    layout = workspace(MEMORY, NOTES)  # it is a Tuesday
    for question in ("What did we do last Tuesday?", "上周二我们做了什么？"):
        assert recall(layout, NOW, question).lines == ("2026-03-24: 09:00 glazed the jugs with Ilka", "2026-03-24: 11:00 给罐子上了釉")


def test_every_setting_of_active_memory_does_something(workspace: Make) -> None:
    layout = workspace(MEMORY, NOTES)
    vague = "so what about stacking, is the kiln something for a rainy long day with visitors?"
    said = {style: recall(layout, NOW, vague, active=Active(prompt_style=style)).lines for style in room._BARS}
    assert said["precision-heavy"] == said["strict"] == () and said["recall-heavy"]
    assert len(said["recall-heavy"]) >= len(said["contextual"]) >= len(said["balanced"]) >= len(said["strict"])
    preferred = recall(layout, NOW, "How are kiln shelves stacked, flat or leaning?", active=Active(prompt_style="preference-only"))
    assert preferred.places == ("MEMORY.md:8",)
    assert not recall(layout, NOW, QUESTIONS[0], active=Active(prompt_style="preference-only")).lines
    turns = [("user", "the kiln is cold"), ("assistant", "shall I ring somebody?"), ("user", "not now"), ("assistant", "fine")]

    def found(**more: Any) -> bool:
        return bool(recall(layout, NOW, "Who does it?", turns=turns, active=Active(**more)).lines)

    assert [found(query_mode=mode) for mode in ("message", "recent", "full")] == [False, True, True]
    assert not found(recent_user_turns=1, recent_assistant_turns=0) and not found(recent_user_turns=0, recent_assistant_turns=2)
    short = recall(layout, NOW, QUESTIONS[0], active=Active(max_summary_chars=20)).lines
    assert len(short) == 1 and len(short[0]) <= 20
    assert recall(layout, NOW, QUESTIONS[0], active=Active(timeout_ms=0)).status == "late"
    assert recall(layout, NOW, QUESTIONS[0], active=Active(enabled=False)).status == "off"


def test_the_hosts_own_config_is_honoured_by_command_and_hook(workspace: Make) -> None:
    layout, config = workspace(MEMORY, NOTES), {"enabled": True, "maxSummaryChars": 25}
    said = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": QUESTIONS[0]})
    hook = [sys.executable, "-c", "from reverie.surfaces.cli import main; main()", "hook", "claude-code", "-w", str(layout.root)]
    for entry, words in ((config, "The kiln is fired by Ok"), (config | {"enabled": False}, "")):
        (layout.root / "openclaw.json").write_text(json.dumps({"plugins": {"entries": {"active-memory": {"config": entry}}}}))
        shown = dream(layout.root, "recall", QUESTIONS[0], now=NOW).out
        assert words in shown and bool(shown) is bool(words) and "second Friday" not in shown
        out = subprocess.run(hook, input=said, capture_output=True, text=True, env=os.environ | {"REVERIE_NOW": f"{NOW}"}).stdout
        assert words in out and "second Friday" not in out


SORTED = {
    "user": ["Preference: tea without sugar", "偏好：早上开会", "Habit: walks at noon"],
    "feedback": ["Correction: name the file first, because the list is long", "反馈：不要用表格", "Rule: ask before deleting"],
    "project": ["Decision: rail instead of road, because it is cheaper", "决定：用铁路运货，因为便宜"],
    "reference": ["https://example.org/tides", "Tool: the label printer answers at printer.lan", "链接：https://example.org/yao"],
    "task": ["[ ] ring the notary", "[ ] 给公证人打电话"],
    "": ["the roof is of slate", "Traceback in src/ship.py:12 ValueError", "commit 3f2a9bc1 moved the build", "user: what is up?", "`run_all()` calls deploy()"],
}  # fmt: skip


def test_memories_are_sorted_by_what_they_say_and_what_others_keep_is_refused(workspace: Make) -> None:
    lines = [line for lines in SORTED.values() for line in lines]
    mixed = "".join(f"- {line}\n" for line in lines if line not in SORTED[""] or line == SORTED[""][0])
    layout = workspace(f"## Mixed\n{mixed}## Links\n" + "".join(f"- {line}\n" for line in SORTED[""][1:]))
    found = {item.text: item for item in reverie.classify(layout, NOW).items}
    for kind, said in SORTED.items():
        assert [found[line.removeprefix("[ ] ")].kind for line in said] == [kind] * len(said)
    assert {found[line].why for line in SORTED[""]} == {"its form does not tell", "the code tells it", "git tells it", "it is raw conversation"}
    before = memory_of(layout)
    reverie.classify(layout, NOW, apply=True)
    assert "- [ ] ring the notary" in (layout.root / "todos.md").read_text()
    index = [line for line in memory_of(layout).splitlines() if re.fullmatch(r"- \[[^\]]+\]\(memory/\w+/[\w.]+\.md\) — .+", line)]
    assert len(index) == 11 and all(len(line) < 150 for line in index) and not any("…]" in line for line in index)
    titles = re.findall(r"^- \[([^\]]+)\]", "\n".join(index), re.M)
    assert {"tea without sugar", "name the file first", "rail instead of road", "example.org/tides", "用铁路运货"} <= set(titles)
    chosen = (layout.root / "memory/project/rail_instead_of_road.md").read_text()
    assert chosen == (
        '---\nname: rail instead of road\ndescription: "Decision: rail instead of road, because it is cheaper"\ntype: project\ncreated: 2026-03-31\n---\n\n'
        "## Rule / Fact\n- Decision: rail instead of road\n\n## Why\n- because it is cheaper\n\n## How to apply\n"
    )
    assert {path.parent.name for path in (layout.root / "memory").glob("*/*.md")} == {"user", "feedback", "project", "reference"}
    reverie.undo(layout, NOW)
    assert memory_of(layout) == before


PROJECTS = {
    "en": "## Projects\n### Heron\n- Status: done since 2026-03-01\n- digitise the maps\n- Decision: scan at 600 dpi\n- the maps lie in the loft\n### Otter\n- Status: blocked by the printer\n- [ ] order ink\n## Net\n- printer at 192.168.7.9:631\n",
    "zh": "## 项目\n### 苍鹭\n- 状态：已完成于 2026-03-01\n- 把地图数字化\n- 用 600 dpi 扫描\n- 地图放在阁楼\n### 水獭\n- 状态：等打印机\n- [ ] 买墨水\n## 网络\n- 打印机在 192.168.7.9:631\n",
}  # fmt: skip


@pytest.mark.parametrize("language", PROJECTS)
def test_palace_shows_memory_by_time_project_and_technique(tmp_path: Path, language: str) -> None:
    views = '[palace]\nviews = ["Loft: loft, 阁楼"]\n'
    made(tmp_path, {"MEMORY.md": PROJECTS[language], "reverie.toml": views, "memory/2026-03-20.md": "- Decision: Otter waits for ink\n"})
    assert dream(tmp_path, "palace").code == 0
    pages = {path.stem: path.read_text() for path in (tmp_path / "memory/palace").glob("*.md")}
    assert set(pages) == {"timeline", "projects", "technology", "custom"}
    done, open_name = ("Heron", "Otter") if language == "en" else ("苍鹭", "水獭")
    assert f"## {done} (Done)\n" in pages["projects"] and f"## {open_name}\n" in pages["projects"] and "### Open" in pages["projects"]
    assert pages["timeline"].index("2026-03-20") < pages["timeline"].index("2026-03-01") and "192.168.7.9:631" in pages["technology"]
    assert pages["custom"].count("\n- ") == 1


def test_what_was_sorted_into_files_makes_no_projects_of_its_own(workspace: Make) -> None:
    layout = workspace(PROJECTS["en"] + "## Decisions\n- Decision: rail instead of road\n")
    reverie.classify(layout, NOW, apply=True)
    palace(layout)
    heads = re.findall(r"^## (.+)$", (layout.root / "memory/palace/projects.md").read_text(), re.M)
    assert heads == ["Heron (Done)", "Otter"]


MATURE = {
    "en": (PROJECTS["en"], "## Feedback\n- no tables in answers\n- answers begin with the result\n- answers are short\n", "## About me\n- data analyst\n- lives by the harbour\n- rises at five\n"),
    "zh": (PROJECTS["zh"], "## 反馈\n- 回答不要表格\n- 回答先说结果\n- 回答要短\n", "## 用户\n- 数据分析师\n- 住在港口边\n- 五点起床\n"),
}  # fmt: skip
PAGES = ["knowledge/project-postmortem.md", "knowledge/user-work-style-guide.md", "knowledge/user-playbook.md"]


@pytest.mark.parametrize("language", MATURE)
def test_mature_memories_are_proposed_as_pages_and_made_with_a_yes(tmp_path: Path, language: str) -> None:
    memory = "".join(MATURE[language])
    made(tmp_path, {"MEMORY.md": memory, "memory/2026-03-30.md": "- x\n"})
    dream(tmp_path, "review", now=NOW)
    cards = json.loads(dream(tmp_path, "inbox --json", now=NOW).out)
    cards = [card for card in cards if "knowledge/" in card["question"]]
    asked_about = [card["question"] for card in cards]
    assert all(any(re.fullmatch(rf"Found \d .+: merge them into {re.escape(page)}\?", said) for said in asked_about) for page in PAGES)
    assert not (tmp_path / "knowledge").exists()
    dream(tmp_path, "inbox --yes " + " ".join(card["id"] for card in cards), now=NOW)
    assert all((tmp_path / page).read_text().count("\n- ") >= 3 for page in PAGES) and (tmp_path / "MEMORY.md").read_text() == memory
    dream(tmp_path, "sublimate --apply", now=NOW)
    assert ("blocked by the printer" if language == "en" else "等打印机") in (tmp_path / "knowledge/project-tracker.md").read_text()
    for few in ("## Feedback\n- no tables\n- short\n", "## Projects\n### Heron\n- Status: done\n- maps\n"):
        made(tmp_path / "few", {"MEMORY.md": few, "memory/2026-03-30.md": "- y\n"})
        assert "Found" not in dream(tmp_path / "few", "sublimate", now=NOW).out


def test_a_session_begins_with_two_notes_and_memory_and_ends_with_what_lasts(tmp_path: Path) -> None:
    made(tmp_path, {"MEMORY.md": "## A\n- dentist on 2026-03-20\n- [x] gate\n- tea\n", "memory/2026-03-30.md": "- sold the van\n",
                    "memory/2026-03-31.md": "- 卖了船\n", "memory/2026-03-20.md": "- too old to show\n"})  # fmt: skip
    started = dream(tmp_path, "session start", now=NOW + timedelta(hours=9)).out
    assert [said for said in ("sold the van", "卖了船", "- tea") if said not in started] == [] and "too old" not in started
    ended = dream(tmp_path, "session", "end", "--summary", "- Decision: Otter waits until May\n- 决定：水獭等到五月\n- talked about rain", now=NOW).out
    assert ended.count("The next night will probably keep") == 2 and "MEMORY.md:2" in ended and "MEMORY.md:3" in ended
    assert "- 03:00 Decision: Otter waits until May\n- 03:00 决定：水獭等到五月\n" in (tmp_path / "memory/2026-03-31.md").read_text()
    dream(tmp_path, "review", now=NOW + timedelta(days=1))
    memory = (tmp_path / "MEMORY.md").read_text()
    assert "Otter waits until May" in memory and "水獭等到五月" in memory and "rain" not in memory


def test_nights_at_noon_and_the_gates_of_the_seed_are_settings(workspace: Make) -> None:
    noon = rules("30 12 * * *")
    assert [asked(f"2026-11-15T{at}", "2026-11-14T12:31", noon).do for at in ("12:29", "12:30")] == [Do.WAIT, Do.DREAM]
    gates = "min_score = 0.5\nmin_recall_count = 3\nmin_unique_queries = 3\nhalf_life_days = 14\nmax_age_days = 30\nlimit = 10\n"
    layout = workspace(files={"reverie.toml": f"[deep]\n{gates}[dream]\nphases = 'separate'\n"})
    profile = open_lane(read(layout), NOW).profile
    found = (profile.min_score, profile.min_recall_count, profile.min_unique_queries, profile.half_life_days, profile.max_age_days, profile.limit)
    assert found == (0.5, 3, 3, 14, 30, 10)


def test_a_led_night_keeps_what_its_owner_confirmed(workspace: Make) -> None:
    notes = {"memory/2026-03-30.md": "- yes exactly, keep the plans that short\n- 就这样，以后计划都用列表\n"}
    layout = workspace("## Feedback\n- x\n", notes)
    adds = [{"op": "add", "from": [name], "section": "Feedback", "text": text} for name, text in (("n1", "plans are short"), ("n2", "计划用列表"))]
    review(layout, NOW, answering(*adds))
    assert memory_of(layout) == "## Feedback\n- x\n- plans are short\n- 计划用列表\n" and not inbox(layout, datetime(2026, 4, 1))
