"""Seed 001, consolidation: rows of `requirements.tsv` that no other file holds, with sentences of our own in two languages."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from place import LOG, NIGHT, VAULT, Place, here, items

from conftest import Make, answering, memory_of, review
from reverie.features.schedule import due, scheduled
from reverie.features.when import Do
from reverie.workspace.layout import layout_of

__all__ = ["here"]
DATED = [  # a note of 2026-03-25, a Wednesday
    ("Decision: yesterday we chose slate for the roof", "Decision: 2026-03-24 we chose slate for the roof"),
    ("Decision: from last week on Ilka does the books", "Decision: from the week of 2026-03-16 on Ilka does the books"),
    ("Lesson: the pump froze yesterday because the tap was open", "Lesson: the pump froze on 2026-03-24 because the tap was open"),
    ("决定：昨天我们选了石板屋顶", "决定：2026-03-24我们选了石板屋顶"), ("教训：上周水泵冻住了", "教训：2026-03-16那周水泵冻住了"),
    ("决定：刚才把仓库租给了苍鹭", "决定：2026-03-25把仓库租给了苍鹭"),
]  # fmt: skip


def test_relative_days_are_written_out_and_the_log_says_so(here: Place) -> None:
    note = items(*(noted for noted, _ in DATED))
    here.put("## A\n- x\n").note("03-25", note).night()
    assert [wanted for _, wanted in DATED if f"- {wanted}\n" not in here.memory] == []
    assert len(re.findall(r"\[(?:date-fix|日期修复)\]", here.log)) == len(DATED)
    assert here.read("memory/2026-03-25.md") == note


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
    layout = workspace(f"## A\n{items(*HELD)}", {"memory/2026-03-30.md": items(*NOTED)})
    review(layout, NIGHT, answering(*LED))
    assert memory_of(layout) == (
        "## A\n- the API uses Fastify\n- build with `make ship`, then tag it\n- roof of the kiln house: done on 2026-03-29\n"
        "- the office closes at four\n- Noor signs every contract\n"
    )
    log = (layout.root / LOG).read_text()
    assert log.startswith("# Dream Log 2026-03-31\n\n## Changes Made\n- [contradiction] ")
    tags = re.findall(r"^- \[([\w-]+)\]", log, re.M)
    assert tags == ["contradiction", "duplicate", "contradiction", "stale", "promote"]
    assert "## Needs Human Review\n- Does the office close at four or at five?" in log
    assert "## MEMORY.md Stats\n- Lines: 7 → 6\n- Sections: 1 (unchanged)\n" in log
    assert log.endswith("## Skipped\n- 1 new lines stay in their notes\n")


def test_what_notes_say_on_two_days_enters_once_with_its_first_day(here: Place) -> None:
    note = items("Decision: Noor signs every contract", "决定：合同由诺尔签字")
    here.put("## A\n- x\n", note).note("03-20", note).night()
    first = (
        "Decision: Noor signs every contract (first noted 2026-03-20)",
        "决定：合同由诺尔签字（首次记录于 2026-03-20）",
    )
    assert here.memory == f"## A\n{items('x', *first)}"
    here.note("03-31", note).night(1)
    assert here.memory == f"## A\n{items('x', *first)}"


ZH = "## 船坞\n- 仓库在港口的北边\n- 会计每月五号对账\n- [x] 租约到期\n- [x] 围栏完成\n- 苍鹭公司租了仓库\n- 苍鹭公司租了仓库\n\n*最后更新：2026-03-01*\n"  # fmt: skip


def test_a_chinese_memory_gets_a_chinese_log(here: Place) -> None:
    log = "".join(
        f'{{"type": "error", "message": "部署前忘记迁移数据库", "ts": "2026-03-{day}"}}\n' for day in (20, 22)
    )
    here.put(ZH, "- 决定：昨天起周五休息\n- 吃了面\n", {"memory/self-improving/log.jsonl": log}).night()
    heads = ("# 梦境日志 2026-03-31", "## 所做更改", "## MEMORY.md 统计", "- 行数", "## 已跳过")
    assert [said for said in (*heads, "[日期修复]", "[重复]", "[过时]", "[提炼]") if said not in here.log] == []
    assert "## 经验教训\n- 部署前忘记迁移数据库\n" in here.memory and here.memory.endswith("*最后更新：2026-03-31*\n")
    assert here.memory.index("2026-03-29起周五休息") < here.memory.index("*最后更新")
    assert "新增 " in here.read("DREAMS.md")


RULES = "# DREAM.md\n## {}\n- {}: 30\n- {}: 3\n- {}: 48\n- lookback_dayz: 9\n## {}\n- {}\n## {}\n- {}\n- {}\n- {}\n"
DREAM_MD = {
    "en": ("Settings", "max_memory_lines", "lookback_days", "min_hours_between_dreams", "Protected Sections", "House rules", "Custom Rules",
           "Always keep invoice/tax related entries", "Never store medical details", "Merge duplicate API endpoint references"),
    "zh": ("设置", "maxmemorylines", "lookbackdays", "minhoursbetweendreams", "受保护章节", "家规", "自定义规则",
           "始终保留发票/税务相关条目", "不要存储医疗信息", "合并重复的 API 端点引用"),
}  # fmt: skip
LINES = {  # two in the protected section, what is kept, what ends, and notes: never stored, too old, new
    "en": ("shoes off", "lights out", "the tax of the boat is paid", "the fence is painted",
           "Decision: medical details of Ilka go to Dr Holm", "Decision: old rope is sold", "Decision: the van is blue"),
    "zh": ("进门脱鞋", "十点熄灯", "船的税务已办完", "围栏刷好了", "决定：医疗信息交给霍尔姆", "决定：旧绳子卖掉", "决定：货车漆成蓝色"),
}  # fmt: skip


@pytest.mark.parametrize("language", DREAM_MD)
def test_the_owners_dream_md_is_kept_and_what_is_not_understood_is_told(here: Place, language: str) -> None:
    rules, (*closed, tax, fence, medical, old, new) = DREAM_MD[language], LINES[language]
    memory = f"## {rules[5]}\n{items(*closed, box='[x] ')}## A\n{items(tax, fence, box='[x] ')}- b\n"
    here.put(memory, files={"DREAM.md": RULES.format(*rules), "memory/2026-03-27.md": items(old)})
    here.note("03-29", items(medical, new))
    shown = here.night()
    assert here.memory == memory.replace(f"- [x] {fence}\n", "") + f"- {new}\n"
    assert rules[-1] in shown and "“- lookback_dayz: 9” was not understood" in shown
    here.note("03-31", items(old))
    assert [due(layout_of(here.root), NIGHT + timedelta(days=n)).do for n in (1, 2)] == [Do.WAIT, Do.DREAM]
    assert scheduled(here.root, NIGHT + timedelta(days=1, hours=4)).due.do is Do.WAIT


def test_a_memory_near_its_most_lines_is_told_and_over_them_it_shrinks(tmp_path: Path) -> None:
    for number, is_warned in ((180, False), (226, True), (400, True)):
        seats = items(*(f"seat {n} of row {n * 7} is mended" for n in range(number)))
        place = Place(tmp_path / str(number)).put(f"## A\n{seats}", "- Decision: the hall opens at six\n")
        told = ("of at most 250 lines" if number < 400 else "stays over its limit") in place.night()
        assert [told, "/250" in place.log, "of at most 250 lines." in place.run("status").out] == [is_warned] * 3
        place.night(1)
        assert place.memory.count("\n") <= 250 and place.memory.count("seat") >= min(number, 240)
    own = Place(tmp_path / "own").put(f"## A\n{seats[:1_500]}", files={"DREAM.md": "## 设置\n- max_memory_lines：40\n"})
    assert own.memory.count("\n") > 45 and own.night() and own.memory.count("\n") == 40


def test_logs_only_grow_also_when_a_night_is_taken_back(here: Place) -> None:
    pins, logs = items("📌 tide table: shed") * 2, (LOG, f"{VAULT}/meta/review-2026-03.md", f"{VAULT}/ledger.md")
    here.put(f"## A\n{pins}{items('gate', 'fence', box='[x] ')}", files={"src/deploy.sh": "echo\n", "SOUL.md": "me\n"})
    others = ("memory/2026-03-30.md", "src/deploy.sh", "SOUL.md")
    mine = [here.read(path) for path in others]
    here.night()
    assert here.memory == f"## A\n{pins}"
    first = {path: here.read(path) for path in logs}
    here.run("undo")
    here.run("review --again", days=0.25)
    assert all(text and here.read(path).startswith(text) for path, text in first.items())
    assert "## Changes Made (09:30)" in here.log and here.memory == f"## A\n{pins}"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n", here.read("memory/.last_dream"))
    assert [here.read(path) for path in others] == mine


@pytest.mark.parametrize("line", ["deploy: `tools/ship.sh`", "部署脚本是 `tools/ship.sh`", "taxes: tools/tax-2025.md"])
def test_a_file_that_is_gone_is_asked_about_and_one_that_is_there_is_not(here: Place, line: str) -> None:
    here.put(f"## A\n- {line}\n- see `tools/keep.txt`\n", files={"tools/keep.txt": ""}).night()
    (card,) = here.value("inbox")
    assert "is not there any more" in card["why"] and line in here.memory
    here.run(f"inbox --yes {card['id']}")
    assert here.memory == "## A\n- see `tools/keep.txt`\n" and line in here.ledger


def test_what_is_logged_twice_becomes_a_rule_once_and_the_stamp_moves(here: Place) -> None:
    records = [{"type": "correction", "text": "User: always answer in German", "date": "2026-03-20"}] * 2
    sleeps = {"category": "Error", "error": "the label printer sleeps", "lesson": "wake it first"}
    records += [sleeps | {"timestamp": moment} for moment in (1_774_008_000, 1_774_180_800_000)]
    records += [
        {"error": "seen once only"},
        {"decision": "The archive is kept in Git"},
        {"type": "决定", "text": "货走铁路"},
    ]
    log = "".join(f"{json.dumps(record)}\n" for record in records)
    here.put("## A\n- x\n\n## Lessons Learned\n- ask first\n", files={"memory/self-improving/log.jsonl": log})
    assert here.night() and here.night(1) and here.night(2)
    assert here.memory == (
        "## A\n- x\n- The archive is kept in Git\n- 货走铁路\n\n## Lessons Learned\n- ask first\n- User: always answer in German\n"
        "- the label printer sleeps → wake it first\n"
    )
    assert here.read("memory/self-improving/.last_distill") == "2026-03-31T03:30:00Z\n"


WISHES = [
    ("Never delete allergies", "allergy of Noor is walnuts", ""), ("Please always keep recipes", "the recipe for rye is written", ""),
    ("请保留过敏信息", "诺尔过敏：核桃", ""), ("不要归档食谱", "食谱：黑麦面包", ""),
    ("Please never store anything about my salary", "", "Decision: my salary is paid on the fifth"),
    ("Don't write down medical details", "", "Decision: medical results go to Dr Holm"),
    ("请不要记住工资", "", "决定：工资五号发"), ("绝不写入健康信息", "", "决定：健康检查在五月"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "kept", "refused"), WISHES)
def test_a_wish_in_its_owners_words_is_kept(here: Place, rule: str, kept: str, refused: str) -> None:
    memory = f"## A\n{items(kept or 'the fence is painted', 'the gate is oiled', box='[x] ')}- b\n"
    here.put(
        memory, items(refused or "x", "Decision: parcels go by rail"), {"DREAM.md": f"## Custom Rules\n- {rule}\n"}
    )
    assert "needs a model" not in here.night()
    assert here.memory == f"## A\n{items(kept, box='[x] ') if kept else ''}{items('b', 'Decision: parcels go by rail')}"


def test_a_section_that_stands_behind_the_list_of_the_archive_is_found(here: Place) -> None:
    memory = "## B\n- a\n\n## Dream\n\n## Suppliers\n- Holm sends clay\n\n## 供应商\n- 霍尔姆送陶土\n\n*Last updated: 2026-03-01*\n"
    here.put(memory, "## Suppliers\n- Decision: Kern sends glaze\n## 供应商\n- 决定：克恩送釉料\n").night()
    wanted = memory.replace("clay\n", "clay\n- Decision: Kern sends glaze\n").replace("03-01*", "03-31*")
    assert here.memory == wanted.replace("陶土\n", "陶土\n- 决定：克恩送釉料\n")


OTHERS = [("Decision: {} signs every contract of the mill from May on", "Noor", "Petra"),
          ("决定：磨坊的合同从五月起每月五号在公证处由{}来签字盖章", "诺尔", "佩特")]  # fmt: skip


@pytest.mark.parametrize(("form", "held", "noted"), OTHERS)
def test_the_same_words_about_somebody_else_are_asked_about_and_never_dropped(here: Place, form: str, held: str, noted: str) -> None:  # fmt: skip
    here.put(f"## A\n- {form.format(held)}\n", items(form.format(noted), form.format(held))).night()
    assert here.memory == f"## A\n- {form.format(held)}\n"
    assert [card["after"] for card in here.value("inbox")] == [f"- {form.format(noted)}"]
