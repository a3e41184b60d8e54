"""Seed 001, consolidation: rows of `requirements.tsv` that no other file holds, with sentences of our own in two languages."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from conftest import NOW, Make, answering, memory_of, review
from test_commands import dream, made

from reverie.features.when import Do
from reverie.features.schedule import due, scheduled
from reverie.store.undo import undo
from reverie.workspace.layout import layout_of

NIGHT = datetime(2026, 3, 31, 3, 30)
ZH = "## 船坞\n- 仓库在港口的北边\n- 会计每月五号对账\n"


def read(root: Path, path: str) -> str:
    return (root / path).read_text("utf-8") if (root / path).exists() else ""


def log_of(root: Path) -> str:
    return read(root, "memory/dream-log-2026-03-31.md")


DATED = [  # a note of 2026-03-25, a Wednesday
    ("Decision: yesterday we chose slate for the roof", "Decision: 2026-03-24 we chose slate for the roof"),
    ("Decision: from last week on Ilka does the books", "Decision: from the week of 2026-03-16 on Ilka does the books"),
    ("Lesson: the pump froze yesterday because the tap was open", "Lesson: the pump froze on 2026-03-24 because the tap was open"),
    ("决定：昨天我们选了石板屋顶", "决定：2026-03-24我们选了石板屋顶"), ("教训：上周水泵冻住了", "教训：2026-03-16那周水泵冻住了"),
    ("决定：刚才把仓库租给了苍鹭", "决定：2026-03-25把仓库租给了苍鹭"),
]  # fmt: skip


def test_relative_days_are_written_out_and_the_log_says_so(tmp_path: Path) -> None:
    note = "".join(f"- {said}\n" for said, _ in DATED)
    made(tmp_path, {"MEMORY.md": "## A\n- x\n", "memory/2026-03-25.md": note})
    dream(tmp_path, "review", now=NIGHT)
    assert [wanted for _, wanted in DATED if f"- {wanted}\n" not in read(tmp_path, "MEMORY.md")] == []
    assert log_of(tmp_path).count("[date-fix]") == len(DATED) and read(tmp_path, "memory/2026-03-25.md") == note


LED = [
    {"op": "update", "memory": "m1", "from": ["n1"], "old": "Express", "new": "Fastify"},
    {"op": "merge", "memory": ["m2", "m3"], "text": "build with `make ship`, then tag it"},
    {"op": "update", "memory": "m4", "from": ["n2"], "text": "roof of the kiln house: done on 2026-03-29"},
    {"op": "end", "memory": ["m5"], "from": ["n3"], "why": "the leak is mended"},
    {"op": "add", "from": ["n4"], "section": "A", "text": "Noor signs every contract"},
    {"op": "ask", "memory": ["m6"], "from": ["n5"], "question": "Does the office close at four or at five?"},
]
HELD = ["the API uses Express", "build with `make ship`", "`make ship` builds, then tag it", "the roof of the kiln house is under way",
        "open: the leak below the tank", "the office closes at four"]  # fmt: skip
NOTED = ["the API runs on Fastify since the migration", "the roof of the kiln house is finished, 2026-03-29", "the leak below the tank is mended",
         "from now on Noor signs every contract", "somebody said the office closes at five"]  # fmt: skip


def test_a_led_night_consolidates_every_kind_and_the_log_names_each(workspace: Make) -> None:
    layout = workspace("## A\n" + "".join(f"- {line}\n" for line in HELD), {"memory/2026-03-30.md": "".join(f"- {line}\n" for line in NOTED)})
    review(layout, NIGHT, answering(*LED))
    assert memory_of(layout) == (
        "## A\n- the API uses Fastify\n- build with `make ship`, then tag it\n- roof of the kiln house: done on 2026-03-29\n"
        "- the office closes at four\n- Noor signs every contract\n"
    )
    log = log_of(layout.root)
    assert log.startswith("# Dream Log 2026-03-31\n\n## Changes Made\n- [contradiction] ")
    assert re.findall(r"^- \[([\w-]+)\]", log, re.M) == ["contradiction", "duplicate", "contradiction", "stale", "promote"]
    assert "## Needs Human Review\n- Does the office close at four or at five?" in log
    assert "## MEMORY.md Stats\n- Lines: 7 → 6\n- Sections: 1 (unchanged)\n" in log
    assert log.endswith("## Skipped\n- 1 new lines stay in their notes\n")


def test_what_notes_say_on_two_days_enters_once_with_its_first_day(tmp_path: Path) -> None:
    lines = ["Decision: Noor signs every contract", "决定：合同由诺尔签字"]
    notes = {f"memory/2026-03-{day}.md": "".join(f"- {line}\n" for line in lines) for day in (20, 24, 28)}
    made(tmp_path, {"MEMORY.md": "## A\n- x\n", **notes})
    dream(tmp_path, "review", now=NIGHT)
    assert read(tmp_path, "MEMORY.md") == (
        "## A\n- x\n- Decision: Noor signs every contract (first noted 2026-03-20)\n- 决定：合同由诺尔签字（首次记录于 2026-03-20）\n"
    )
    made(tmp_path, {"memory/2026-03-31.md": notes["memory/2026-03-20.md"]})
    before = read(tmp_path, "MEMORY.md")
    dream(tmp_path, "review", now=NIGHT + timedelta(days=1))
    assert read(tmp_path, "MEMORY.md") == before


def test_a_chinese_memory_gets_a_chinese_log(tmp_path: Path) -> None:
    log = "".join(json.dumps({"type": "error", "message": "部署前忘记迁移数据库", "ts": f"2026-03-{day}"}, ensure_ascii=False) + "\n" for day in (20, 22))
    made(tmp_path, {"MEMORY.md": f"{ZH}- [x] 租约到期\n- [x] 围栏完成\n- 苍鹭公司租了仓库\n- 苍鹭公司租了仓库\n\n*最后更新：2026-03-01*\n",
                    "memory/2026-03-30.md": "- 决定：昨天起周五休息\n- 吃了面\n- **会计：** 汉娜\n", "memory/self-improving/errors.jsonl": log})  # fmt: skip
    dream(tmp_path, "review", now=NIGHT)
    text, memory = log_of(tmp_path), read(tmp_path, "MEMORY.md")
    assert [head for head in ("# 梦境日志 2026-03-31", "## 所做更改", "## MEMORY.md 统计", "- 行数：", "## 已跳过") if head.replace("：", "") not in text] == []
    assert {tag for tag in ("日期修复", "重复", "过时", "提炼") if f"[{tag}]" not in text} == set()
    assert "## 经验教训\n- 部署前忘记迁移数据库\n" in memory and memory.endswith("*最后更新：2026-03-31*\n")
    assert memory.index("2026-03-29起周五休息") < memory.index("*最后更新")
    assert "新增 " in read(tmp_path, "DREAMS.md")


RULES = """# DREAM.md
## {settings}
- {lines}: 30
- {days}: 3
- {hours}: 48
## {protected}
- {heading}
## {rules}
- {keep}
- {never}
- {model}
"""
DREAM_MD = {
    "en": dict(settings="Settings", lines="max_memory_lines", days="lookback_days", hours="min_hours_between_dreams", protected="Protected Sections",
               heading="House rules", rules="Custom Rules", keep="Always keep invoice/tax related entries", never="Never store medical details",
               model="Merge duplicate API endpoint references"),
    "zh": dict(settings="设置", lines="maxmemorylines", days="lookbackdays", hours="minhoursbetweendreams", protected="受保护章节", heading="家规",
               rules="自定义规则", keep="始终保留发票/税务相关条目", never="不要存储医疗信息", model="合并重复的 API 端点引用"),
}  # fmt: skip
LINES = {
    "en": (["shoes off", "lights out"], ["the tax of the boat is paid", "the fence is painted"], "Decision: medical details of Ilka go to Dr Holm", "Decision: old rope is sold", "Decision: the van is blue"),
    "zh": (["进门脱鞋", "十点熄灯"], ["船的税务已办完", "围栏刷好了"], "决定：医疗信息交给霍尔姆", "决定：旧绳子卖掉", "决定：货车漆成蓝色"),
}  # fmt: skip


@pytest.mark.parametrize("language", DREAM_MD)
def test_the_owners_dream_md_is_kept_and_what_is_not_understood_is_told(tmp_path: Path, language: str) -> None:
    closed, (tax, fence), medical, old, new = LINES[language]
    memory = f"## {DREAM_MD[language]['heading']}\n- [x] {closed[0]}\n- [x] {closed[1]}\n## A\n- [x] {tax}\n- [x] {fence}\n- b\n"
    made(tmp_path, {"MEMORY.md": memory, "DREAM.md": RULES.format(**DREAM_MD[language]) + "## Settings\n- lookback_dayz: 9\n",
                    "memory/2026-03-27.md": f"- {old}\n", "memory/2026-03-29.md": f"- {medical}\n- {new}\n"})  # fmt: skip
    shown = dream(tmp_path, "review", now=NIGHT).out
    assert read(tmp_path, "MEMORY.md") == memory.replace(f"- [x] {fence}\n", "") + f"- {new}\n"
    assert DREAM_MD[language]["model"] in shown and "lookback_dayz" in shown and "was not understood" in shown
    layout = layout_of(tmp_path)
    made(tmp_path, {"memory/2026-03-31.md": f"- {old}\n"})
    assert [due(layout, NIGHT + timedelta(days=n)).do for n in (1, 2)] == [Do.WAIT, Do.DREAM]
    assert scheduled(tmp_path, NIGHT + timedelta(days=1, hours=4)).due.do is Do.WAIT


def test_a_memory_near_its_most_lines_is_told_and_over_them_it_shrinks(tmp_path: Path) -> None:
    for lines, warned in ((180, False), (226, True), (400, True)):
        root = tmp_path / str(lines)
        made(root, {"MEMORY.md": "## A\n" + "".join(f"- seat {n} of row {n * 7} is mended\n" for n in range(lines)), "memory/2026-03-30.md": "- Decision: the hall opens at six\n"})
        shown = dream(root, "review", now=NIGHT).out
        assert ("of at most 250 lines" in shown or "stays over its limit" in shown or lines == 400) is warned
        assert ("/250" in log_of(root)) is warned and ("of at most 250 lines." in dream(root, "status", now=NIGHT).out) is warned
        dream(root, "review", now=NIGHT + timedelta(days=1))
        assert read(root, "MEMORY.md").count("\n") <= 250
    assert read(tmp_path / "226", "MEMORY.md").count("seat") == 226
    own = {"DREAM.md": "## 设置\n- max_memory_lines：40\n", "MEMORY.md": "## A\n" + "".join(f"- seat {n} of row {n * 7} is mended\n" for n in range(55))}
    made(tmp_path / "own", own)
    dream(tmp_path / "own", "review", now=NIGHT)
    assert read(tmp_path / "own", "MEMORY.md").count("\n") == 40


def test_logs_only_grow_also_when_a_night_is_taken_back(tmp_path: Path) -> None:
    made(tmp_path, {"MEMORY.md": "## A\n- 📌 tide table: shed\n- [x] gate\n- [x] fence\n- 📌 tide table: shed\n", "memory/2026-03-30.md": "- x\n", "src/deploy.sh": "echo\n", "SOUL.md": "me\n"})
    mine = {path: read(tmp_path, path) for path in ("memory/2026-03-30.md", "src/deploy.sh", "SOUL.md")}
    before, logs = read(tmp_path, "MEMORY.md"), ("memory/dream-log-2026-03-31.md", "dream-vault/meta/review-2026-03.md", "dream-vault/ledger.md")
    dream(tmp_path, "review", now=NIGHT)
    assert read(tmp_path, "MEMORY.md") == "## A\n- 📌 tide table: shed\n- 📌 tide table: shed\n"
    first = {path: read(tmp_path, path) for path in logs}
    undo(layout_of(tmp_path), NIGHT + timedelta(hours=5))
    dream(tmp_path, "review --again", now=NIGHT + timedelta(hours=6))
    assert all(text and read(tmp_path, path).startswith(text) for path, text in first.items())
    assert "## Changes Made (09:30)" in log_of(tmp_path) and before != read(tmp_path, "MEMORY.md")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n", read(tmp_path, "memory/.last_dream"))
    assert {path: read(tmp_path, path) for path in mine} == mine


GONE = [("deploys go through `tools/ship.sh`", "tools/keep.txt"), ("部署脚本是 `tools/ship.sh`", "tools/keep.txt"), ("notes on taxes: papers/tax-2025.md", "papers/x.md")]


@pytest.mark.parametrize(("line", "beside"), GONE)
def test_a_file_that_is_gone_is_asked_about_and_one_that_is_there_is_not(tmp_path: Path, line: str, beside: str) -> None:
    made(tmp_path, {"MEMORY.md": f"## A\n- {line}\n- see `{beside}`\n", beside: "", "memory/2026-03-30.md": "- x\n"})
    dream(tmp_path, "review", now=NIGHT)
    cards = json.loads(dream(tmp_path, "inbox --json", now=NIGHT).out)
    assert len(cards) == 1 and "is not there any more" in cards[0]["why"] and line in read(tmp_path, "MEMORY.md")
    dream(tmp_path, f"inbox --yes {cards[0]['id']}", now=NIGHT)
    assert read(tmp_path, "MEMORY.md") == f"## A\n- see `{beside}`\n" and line in read(tmp_path, "dream-vault/ledger.md")


def test_what_is_logged_twice_becomes_a_rule_once_and_the_stamp_moves(tmp_path: Path) -> None:
    records = [{"type": "correction", "text": "User: always answer in German", "date": "2026-03-20"}] * 2
    records += [{"type": "error", "message": "the label printer sleeps", "fix": "wake it first", "ts": f"2026-03-{day}"} for day in (20, 22)]
    records += [{"type": "error", "message": "seen once only", "ts": "2026-03-22"}, {"type": "decision", "decision": "The archive is kept in Git", "ts": "2026-03-22"}]
    made(tmp_path, {"MEMORY.md": "## A\n- x\n\n## Lessons Learned\n- ask first\n", "memory/self-improving/log.jsonl": "".join(json.dumps(r) + "\n" for r in records)})
    for night in range(3):
        dream(tmp_path, "review", now=NOW + timedelta(days=night))
    assert read(tmp_path, "MEMORY.md") == (
        "## A\n- x\n- The archive is kept in Git\n\n## Lessons Learned\n- ask first\n- User: always answer in German\n- the label printer sleeps → wake it first\n"
    )
    assert read(tmp_path, "memory/self-improving/.last_distill") == "2026-03-31T03:00:00Z\n"


WISHES = [
    ("Never delete allergies", "allergy of Noor is walnuts", ""), ("Please always keep recipes", "the recipe for rye is written down", ""),
    ("请保留过敏信息", "诺尔过敏：核桃", ""), ("不要归档食谱", "食谱：黑麦面包", ""),
    ("Please never store anything about my salary", "", "Decision: my salary is paid on the fifth"),
    ("Don't write down medical details", "", "Decision: medical results go to Dr Holm"),
    ("请不要记住工资", "", "决定：工资五号发"), ("绝不写入健康信息", "", "决定：健康检查在五月"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "kept", "refused"), WISHES)
def test_a_wish_in_its_owners_words_is_kept(tmp_path: Path, rule: str, kept: str, refused: str) -> None:
    memory = f"## A\n- [x] {kept or 'the fence is painted'}\n- [x] the gate is oiled\n- b\n"
    made(tmp_path, {"MEMORY.md": memory, "DREAM.md": f"## Custom Rules\n- {rule}\n", "memory/2026-03-30.md": f"- {refused or 'x'}\n- Decision: parcels go by rail\n"})
    shown = dream(tmp_path, "review", now=NIGHT).out
    wanted = f"- [x] {kept}\n- b\n" if kept else "- b\n"
    assert read(tmp_path, "MEMORY.md") == f"## A\n{wanted}- Decision: parcels go by rail\n" and "needs a model" not in shown


def test_a_section_that_stands_behind_the_list_of_the_archive_is_found(tmp_path: Path) -> None:
    memory = "## Current State\n- a\n\n## Dream\n\n## Suppliers\n- Holm sends clay\n\n## 供应商\n- 霍尔姆送陶土\n\n*Last updated: 2026-03-01*\n"
    made(tmp_path, {"MEMORY.md": memory, "memory/2026-03-30.md": "## Suppliers\n- Decision: Kern sends glaze\n## 供应商\n- 决定：克恩送釉料\n"})
    dream(tmp_path, "review", now=NIGHT)
    assert read(tmp_path, "MEMORY.md") == memory.replace("clay\n", "clay\n- Decision: Kern sends glaze\n").replace("陶土\n", "陶土\n- 决定：克恩送釉料\n").replace("03-01*", "03-31*")


@pytest.mark.parametrize(
    ("held", "noted"),
    [
        ("Decision: Noor signs every contract of the mill from May on", "Decision: Petra signs every contract of the mill from May on"),
        ("决定：磨坊的合同从五月起每月五号在公证处由诺尔来签字盖章", "决定：磨坊的合同从五月起每月五号在公证处由佩特来签字盖章"),
    ],
)  # fmt: skip
def test_the_same_words_about_somebody_else_are_asked_about_and_never_dropped(tmp_path: Path, held: str, noted: str) -> None:
    made(tmp_path, {"MEMORY.md": f"## A\n- {held}\n", "memory/2026-03-30.md": f"- {noted}\n- {held}\n"})
    dream(tmp_path, "review", now=NIGHT)
    assert read(tmp_path, "MEMORY.md") == f"## A\n- {held}\n"
    assert [card["after"] for card in json.loads(dream(tmp_path, "inbox --json", now=NIGHT).out)] == [noted]
