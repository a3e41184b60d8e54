"""Seed 003: recall before a reply, four types, palace, sublimation, sessions. Sentences of our own in two languages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from datetime import datetime
from typing import Any

import pytest
from place import Place, here, items

import reverie
from conftest import NOW, Make, answering, memory_of, review
from reverie.features.when import Do
from reverie.retrieval import recall as room
from reverie.retrieval.recall import Active, recall
from reverie.signals.weigh import open_recalls
from reverie.workspace.layout import Layout
from reverie.workspace.read import read
from test_commands import everything
from test_when import asked, rules

__all__ = ["here"]
MEMORY = """# Me
## House
- The kiln is fired by Okonjo every second Friday
- Winter storage at Holm: 80 EUR
- the loft key hangs behind the /srv/attic/door.png picture
- 烧窑由林师傅在每个周五负责
## Preferences
- Kiln shelves are stacked flat, never leaning
"""
GLAZED = ["09:00 glazed the jugs with Ilka", "11:00 给罐子上了釉"]
QUESTIONS = {
    "Who fires the kiln on Fridays?": "The kiln is fired by Okonjo every second Friday",
    "what does winter storage at Holm cost?": "2026-03-29: Winter storage at Holm: 95 EUR",
    "烧窑由谁负责？": "烧窑由林师傅在每个周五负责",
}
KILN = next(iter(QUESTIONS))


@pytest.fixture
def asking(workspace: Make) -> Layout:
    notes = {"memory/2026-03-24.md": items(*GLAZED), "memory/2026-03-29.md": "- Winter storage at Holm: 95 EUR\n"}
    layout = workspace(MEMORY, notes)
    os.utime(layout.root / "MEMORY.md", (datetime(2026, 3, 28).timestamp(),) * 2)  # before the newer value was noted
    return layout


def test_a_reply_is_preceded_by_what_memory_says_and_nothing_is_written(asking: Layout) -> None:
    before = everything(asking.root)
    first = [recall(asking, NOW, question) for question in QUESTIONS]
    assert [answer.lines[0] for answer in first] == list(QUESTIONS.values())
    assert all(answer.text.startswith("Context:\n<active_memory_plugin>\n") for answer in first)
    assert max(len("".join(answer.lines)) for answer in first) <= 220 and "80 EUR" not in first[1].text
    assert "(path missing)" in recall(asking, NOW, "Where does the loft key hang?").text
    assert [recall(asking, NOW, question) for question in QUESTIONS] == first  # the very same, for 15 seconds
    room._kept.clear()
    assert everything(asking.root) == before


@pytest.mark.parametrize("question", ["What did we do last Tuesday?", "上周二我们做了什么？"])
def test_a_day_of_the_week_is_read_from_its_note(asking: Layout, question: str) -> None:  # it is a Tuesday
    assert recall(asking, NOW, question).lines == tuple(f"2026-03-24: {line}" for line in GLAZED)


def test_every_setting_of_active_memory_does_something(asking: Layout) -> None:
    def lines(question: str, turns: Any = (), **more: Any) -> tuple[str, ...]:
        return recall(asking, NOW, question, turns=turns, active=Active(**more)).lines

    vague = "so what about stacking, is the kiln something for a rainy long day with visitors?"
    said = {style: len(lines(vague, prompt_style=style)) for style in room._BARS}
    assert said["precision-heavy"] == said["strict"] == 0 < said["recall-heavy"]
    assert said["recall-heavy"] >= said["contextual"] >= said["balanced"] >= said["strict"]
    preferred = "How are kiln shelves stacked, flat or leaning?"
    assert [len(lines(text, prompt_style="preference-only")) for text in (preferred, KILN)] == [1, 0]
    roles = [
        ("user", "the kiln is cold"),
        ("assistant", "shall I ring somebody?"),
        ("user", "no"),
        ("assistant", "fine"),
    ]
    found = [len(lines("Who does it?", roles, query_mode=mode)) > 0 for mode in ("message", "recent", "full")]
    less = [lines("Who does it?", roles, recent_user_turns=n, recent_assistant_turns=1 - n) for n in (0, 1)]
    assert (found, less) == ([False, True, True], [(), ()])
    assert [len(line) <= 20 for line in lines(KILN, max_summary_chars=20)] == [True]
    slow: Any = type("Slow", (), {"search": lambda *_, **__: time.sleep(0.5)})()
    assert recall(asking, NOW, KILN, active=Active(timeout_ms=20), searcher=slow).status == "late"


def test_the_hosts_own_config_is_honoured_by_command_and_hook(asking: Layout) -> None:
    main, place = "from reverie.surfaces.cli import main; main()", Place(asking.root)
    hook = [sys.executable, "-c", main, "hook", "claude-code", "-w", str(asking.root)]
    asks = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": KILN})
    for config, words in (({"maxSummaryChars": 25}, "The kiln is fired by Ok"), ({"enabled": False}, "")):
        text = json.dumps({"plugins": {"entries": {"active-memory": {"config": config}}}})
        (asking.root / "openclaw.json").write_text(text)
        shown = place.run("recall", KILN).out
        env = os.environ | {"REVERIE_NOW": f"{NOW}"}
        out = subprocess.run(hook, input=asks, capture_output=True, text=True, env=env).stdout
        assert words in shown and words in out and bool(shown) is bool(words) and "second Friday" not in shown + out


SORTED = {
    "user": ["Preference: tea without sugar", "偏好：早上开会", "Habit: walks at noon"],
    "feedback": ["Correction: name the file first, because the list is long", "反馈：不要用表格", "Rule: ask before deleting"],
    "project": ["Decision: rail instead of road, because it is cheaper", "决定：用铁路运货，因为便宜"],
    "reference": ["https://example.org/tides", "Tool: the label printer answers at printer.lan", "链接：https://example.org/yao"],
}  # fmt: skip
TASKS = ["ring the notary", "给公证人打电话"]
KEPT_ELSEWHERE = {
    "Traceback in src/ship.py:12 ValueError": "the code tells it", "`run_all()` calls deploy()": "the code tells it",
    "commit 3f2a9bc1 moved the build": "git tells it", "user: what is up?": "it is raw conversation",
}  # fmt: skip
TITLES = {"tea without sugar", "name the file first", "rail instead of road", "example.org/tides", "用铁路运货"}
RAIL = (
    '---\nname: rail instead of road\ndescription: "Decision: rail instead of road, because it is cheaper"\ntype: project\n'
    "created: 2026-03-31\n---\n\n## Rule / Fact\n- Decision: rail instead of road\n\n## Why\n- because it is cheaper\n\n"
    "## How to apply\n"
)  # fmt: skip


def test_memories_are_sorted_by_what_they_say_and_what_others_keep_is_refused(workspace: Make) -> None:
    mixed = items("the roof is of slate", *(line for lines in SORTED.values() for line in lines))
    layout = workspace(f"## Mixed\n{mixed}{items(*TASKS, box='[ ] ')}## Links\n{items(*KEPT_ELSEWHERE)}")
    before, found = memory_of(layout), {item.text: item for item in reverie.classify(layout, NOW).items}
    assert {kind: [line for line in found if found[line].kind == kind] for kind in SORTED} == SORTED
    assert [found[task].kind for task in TASKS] == ["task", "task"] and not found["the roof is of slate"].kind
    assert {line: found[line].why for line in KEPT_ELSEWHERE} == KEPT_ELSEWHERE
    reverie.classify(layout, NOW, apply=True)
    assert items(*TASKS, box="[ ] ") in (layout.root / "todos.md").read_text()
    index = re.findall(r"^- \[([^\]]+)\]\(memory/(\w+)/[\w.]+\.md\) — .+$", memory_of(layout), re.M)
    assert len(index) == 11 and max(map(len, memory_of(layout).splitlines())) < 150
    assert {title for title, _ in index} >= TITLES and {kind for _, kind in index} == set(SORTED)
    assert (layout.root / "memory/project/rail_instead_of_road.md").read_text() == RAIL
    reverie.undo(layout, NOW)
    assert memory_of(layout) == before


PROJECTS = {
    "en": "## Projects\n### Heron\n- Status: done since 2026-03-01\n- digitise the maps\n- Decision: scan at 600 dpi\n- the maps lie in the loft\n"
    "### Otter\n- Status: blocked by the printer\n- [ ] order ink\n## Net\n- printer at 192.168.7.9:631\n",
    "zh": "## 项目\n### 苍鹭\n- 状态：已完成于 2026-03-01\n- 把地图数字化\n- 用 600 dpi 扫描\n- 地图放在阁楼\n"
    "### 水獭\n- 状态：等打印机\n- [ ] 买墨水\n## 网络\n- 打印机在 192.168.7.9:631\n",
}  # fmt: skip
VIEWS = {"reverie.toml": '[palace]\nviews = ["Loft: loft, 阁楼"]\n'}


@pytest.mark.parametrize(("language", "done", "other"), [("en", "Heron", "Otter"), ("zh", "苍鹭", "水獭")])
def test_palace_shows_memory_by_time_project_and_technique(here: Place, language: str, done: str, other: str) -> None:
    here.put(PROJECTS[language], "- Decision: the ink comes by rail\n", VIEWS).run("palace")
    pages = {path.stem: path.read_text() for path in (here.root / "memory/palace").glob("*.md")}
    assert set(pages) == {"timeline", "projects", "technology", "custom"} and pages["custom"].count("\n- ") == 1
    heads = re.findall(r"^##+ .+$", pages["projects"], re.M)
    assert heads == [f"## {done} (Done)", f"## {other}", "### Open"] and "192.168.7.9:631" in pages["technology"]
    assert pages["timeline"].index("2026-03-30") < pages["timeline"].index("2026-03-01")


def test_what_was_sorted_into_files_makes_no_projects_of_its_own(here: Place) -> None:
    here.put(PROJECTS["en"] + "## Decisions\n- Decision: rail instead of road\n").run("classify --apply")
    here.run("palace")
    heads = re.findall(r"^## (.+)$", here.read("memory/palace/projects.md"), re.M)
    assert heads == ["Heron (Done)", "Otter"] and "600 dpi" in here.read("memory/palace/projects.md")


MATURE = {
    "en": "## Feedback\n- no tables in answers\n- answers begin with the result\n- answers are short\n## About me\n- analyst\n- lives by the harbour\n- rises at five\n",
    "zh": "## 反馈\n- 回答不要表格\n- 回答先说结果\n- 回答要短\n## 用户\n- 数据分析师\n- 住在港口边\n- 五点起床\n",
}  # fmt: skip
PAGES = [f"knowledge/{name}.md" for name in ("project-postmortem", "user-playbook", "user-work-style-guide")]


@pytest.mark.parametrize(("language", "state"), [("en", "blocked by the printer"), ("zh", "等打印机")])
def test_mature_memories_are_proposed_as_pages_and_made_with_a_yes(here: Place, language: str, state: str) -> None:
    memory = PROJECTS[language] + MATURE[language]
    here.put(memory).night()
    cards = {card["question"]: card["id"] for card in here.value("inbox") if "knowledge/" in card["question"]}
    proposed = [re.fullmatch(r"Found \d [\w ]+: merge them into (\S+)\?", question) for question in cards]
    assert sorted(match[1] for match in proposed if match) == PAGES and not (here.root / "knowledge").exists()
    here.run(f"inbox --yes {' '.join(cards.values())}")
    assert min(here.read(page).count("\n- ") for page in PAGES) >= 3 and here.memory == memory
    here.run("sublimate --apply")
    assert state in here.read("knowledge/project-tracker.md")
    for few in ("## Feedback\n- no tables\n- short\n", "## Projects\n### Heron\n- Status: done\n- maps\n"):
        assert "Found" not in Place(here.root / "few").put(few).run("sublimate").out


def test_a_session_begins_with_two_notes_and_memory_and_ends_with_what_lasts(here: Place) -> None:
    here.put("## A\n- dentist on 2026-03-20\n- [x] gate\n- tea\n", "- sold the van\n").note("03-31", "- 卖了船\n")
    here.note("03-20", "- too old to show\n")
    started = here.run("session start", days=0.3).out
    assert [said in started for said in ("sold the van", "卖了船", "- tea", "too old")] == [True, True, True, False]
    lasting = items("Decision: Otter waits until May", "决定：水獭等到五月")
    ended = here.run("session", "end", "--summary", f"{lasting}- talked about rain").out
    assert ended.count("The next night will probably keep") == 2 and "MEMORY.md:2" in ended and "MEMORY.md:3" in ended
    assert lasting.replace("- ", "- 03:30 ") in here.read("memory/2026-03-31.md")
    assert here.night(1) and lasting in here.memory and "rain" not in here.memory


def test_nights_at_noon_and_the_gates_of_the_seed_are_settings(workspace: Make) -> None:
    noon = rules("30 12 * * *")
    assert [asked(f"2026-11-15T{at}", "2026-11-14T12:31", noon).do for at in ("12:29", "12:30")] == [Do.WAIT, Do.DREAM]
    gates = {"min_score": 0.5, "min_recall_count": 3, "min_unique_queries": 3, "half_life_days": 14, "max_age_days": 30}
    toml = "\n".join(f"{name} = {value}" for name, value in (gates | {"limit": 10}).items())
    profile = open_recalls(read(workspace(files={"reverie.toml": f"[deep]\n{toml}\n"})), NOW).profile
    assert {name: getattr(profile, name) for name in gates} == gates and profile.limit == 10


def test_a_led_night_keeps_what_its_owner_confirmed(workspace: Make) -> None:
    note = items("yes exactly, keep the plans that short", "就这样，以后计划都用列表")
    layout, kept = (
        workspace("## Feedback\n- x\n", {"memory/2026-03-30.md": note}),
        {"n1": "plans are short", "n2": "计划用列表"},
    )
    adds = [{"op": "add", "from": [name], "section": "Feedback", "text": text} for name, text in kept.items()]
    review(layout, NOW, answering(*adds))
    assert memory_of(layout) == f"## Feedback\n{items('x', *kept.values())}"
