"""The page of somebody who writes Chinese: no room of it holds an English sentence."""

from __future__ import annotations

import html
import json
import re

import pytest
from starlette.testclient import TestClient

from conftest import NIGHT, Build
from reverie.core.ports import fixed
from reverie.core.settings import Settings
from reverie.evidence.attempts import Attempt, Outcome, record
from reverie.features.schedule import recorded
from reverie.judge.operation import Question, as_record
from reverie.lang.messages import speaking
from reverie.night import commands
from reverie.night.workspaces import FoundWorkspace
from reverie.surfaces.web.app import ROOMS, WebApp
from reverie.surfaces.web.guard import Guard
from reverie.surfaces.web.state import Progress
from reverie.workspace.values import Workspace

MEMORY = """# 记忆

## 稳定的知识

- **测试端口：** 4010
- 家里喝的茶是煎茶，在街角的店里买。
- 窑炉每年春天由亚琛来的师傅保养。
- [x] 完成：2026-01-04 旧窑炉卖掉了
- 📌 大门的备用钥匙放在保险箱里。
- 工作室九点开门。
- 工作室九点开门。
"""
NOTE = """# 2026-11-{day}

- **决定：** 从今天起测试端口改为 4600，不再用 4010。
- 我们决定以后釉料都从利摩日订购，因为老供应商关门了。
- 我每天早上都先检查窑炉的温度再开门。
"""
ASKED = {
    "path": "memory/2026-11-14.md",
    "q": "窑炉",
    "line": "工作室九点开门",
    "what": "MEMORY.md:6",
    "key": "x",
    "view": "timeline",
}
WORDS = re.compile(r"[A-Za-z][A-Za-z'’]*(?:[ ,;:()]+[A-Za-z][A-Za-z'’]*)+")  # not MEMORY.md, no path


def opened(workspace: Workspace, *, first: bool = False) -> TestClient:
    """Somebody whose browser asks for English, in a workspace that dreamt once, asks, suggests, and has a plan to look at.

    `first`: nothing of that yet, and a night runs."""
    page = WebApp(workspace, fixed(NIGHT), Guard(7337), NIGHT, lambda: [FoundWorkspace(workspace.vault, "另一个", "")])
    if first:
        page.site.dream.progress = Progress("review", running=True, step="judge")
    else:
        _lived_in(page, workspace)
    browser = TestClient(page.app(), base_url="http://127.0.0.1:7337", headers={"accept-language": "en"})
    browser.get("/enter", params={"key": page.guard.key})
    return browser


def _lived_in(page: WebApp, workspace: Workspace) -> None:
    with speaking("zh"):
        for _ in range(5):  # nights enough for charts
            recorded.review(workspace, fixed(NIGHT), force=True)
        memory = workspace.root / "MEMORY.md"
        memory.write_text(memory.read_text("utf-8") + "- 釉料放在二楼。\n- 釉料放在二楼。\n", "utf-8")
        page.site.preview = commands.plan_dream(workspace, fixed(NIGHT)).plan
    for n, day in enumerate(range(10, 14)):
        outcome = (Outcome.FAILED, Outcome.PROPOSED, Outcome.NOTHING_NEW, Outcome.KEPT_NOTHING)[n]
        record(workspace.root, Attempt(f"2026-11-{day}T03:00:00+01:00", "schedule", outcome, fresh=n))
    asked = Question(
        "abcd1234",
        "**测试端口：** 4010",
        "**测试端口：** 4600",
        "同一个键",
        "MEMORY.md:5",
        "memory/2026-11-14.md:3",
        "2026-11-14",
    )
    (workspace.vault / "meta" / "questions.json").write_text(json.dumps([as_record(asked)]), "utf-8")
    one = {"id": "ab12cd34", "op": "add", "why": "说了两次", "old": "", "new": "", "text": "釉料是蓝色的。", "memory": [], "section": "stable", "cites": [["memory/2026-11-14.md:5", "我每天早上都先检查窑炉的温度再开门。"]], "worth": 0.8, "asked": "2026-11-14"}  # fmt: skip
    (workspace.vault / "meta" / "suggestions.json").write_text(json.dumps([one]), "utf-8")


def sentences(page: str) -> list[str]:
    """Two or more English words in a row that somebody reads or hears; neither code nor commands."""
    text = re.sub(r"<(code|kbd)\b.*?</\1>", "\n", page, flags=re.S)
    heard = re.findall(r'(?:title|aria-label|placeholder|alt)="([^"]*)"', text)
    words = html.unescape("\n".join([re.sub(r"<[^>]*>", "\n", text), *heard]))
    return WORDS.findall(re.sub(r"`[^`]*`", "", words))


@pytest.mark.parametrize(
    ("settings", "first"),
    [(Settings(language="zh"), False), (Settings(), False), (Settings(), True)],
    ids=["set", "automatic", "first night"],
)
def test_a_chinese_page_holds_no_english_sentence(build: Build, settings: Settings, *, first: bool) -> None:
    notes = {f"memory/2026-11-{day}.md": NOTE.format(day=day) for day in (13, 14)}
    browser = opened(build({"MEMORY.md": MEMORY, **notes}, settings), first=first)

    figures = [f"/lines?of={name}" for name in ("junk", "stale", "duplicates", "contradictions", "archive", "pending")]
    pages = {room: browser.get(room, params=ASKED) for room in ROOMS} | {one: browser.get(one) for one in figures}

    assert [room for room, page in pages.items() if 'lang="zh-Hans"' not in page.text] == []
    assert {room: found for room, page in pages.items() if (found := sentences(page.text))} == {}


def test_the_visitors_choice_goes_before_the_owners_setting(build: Build) -> None:
    browser = opened(build({"MEMORY.md": MEMORY}, Settings(language="zh")))
    token = re.search(r'name="token" value="(\w+)"', browser.get("/").text)
    assert token

    browser.post("/language", data={"token": token[1], "language": "en"}, headers={"origin": "http://127.0.0.1:7337"})

    assert 'lang="en"' in browser.get("/").text
