"""The Dreams page as a browser meets it: every room, every act, and nothing of a note that becomes markup."""

from __future__ import annotations

import asyncio
import html
import json
import os
import re
import time
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from conftest import NIGHT, Build
from reverie.apply.state import read_proposal
from reverie.core.ports import FixedClock, fixed
from reverie.judge import proposals, worth
from reverie.judge.operation import Question, as_record, words_after
from reverie.lang import table
from reverie.night import commands
from reverie.night.commands import seen_as
from reverie.night.proposing import propose
from reverie.surfaces.configure import configured
from reverie.surfaces.web import memory as memory_room
from reverie.surfaces.web import plans, reading
from reverie.surfaces.web.app import ROOMS, WebApp
from reverie.surfaces.web.guard import Guard
from reverie.surfaces.web.plans import known_as
from reverie.workspace.values import Workspace

HOME = "http://127.0.0.1:7337"
EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"
MEMORY = f"""# Memory

## Stable Knowledge

- **Staging port:** 4010
- The tea of the house is sencha, bought at the corner shop.
- The kiln is serviced every spring by the man from Aachen. {EVIL}
- [x] Done: 2026-01-04 the old kiln was sold
- 📌 The gate code is kept in the safe.
- The studio opens at nine.
- The studio opens at nine.
"""
NOTE = f"""# 2026-11-14

- **Decision:** from today on the staging port is 4600, not 4010 any more.
- We decided that glazes are ordered from Limoges from now on, because the old supplier closed.
- {EVIL} is what the mail said.
"""


@pytest.fixture
def workspace(build: Build, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Two certain changes: a line stands twice, and the judge is sure of what is said of Limoges."""

    def sure(lines: Sequence[worth.LineToWeigh], embed: object, *, quick: bool = False) -> list[worth.Worth]:
        return [worth.Worth(float("Limoges" in line.text), "fact") for line in lines]

    monkeypatch.setattr(proposals, "worth_of", sure)
    return build(
        {
            "MEMORY.md": MEMORY,
            "memory/2026-11-13.md": NOTE.replace("2026-11-14", "2026-11-13"),
            "memory/2026-11-14.md": NOTE,
            "DREAMS.md": _diary("November 14, 2026 at 3:00 AM UTC"),
        }
    )


def _diary(*stamps: str) -> str:
    entries = "".join(f"---\n\n*{stamp}*\n\nA kiln hummed. {EVIL}\n\n" for stamp in stamps)
    return f"# Dream Diary\n\n<!-- openclaw:dreaming:diary:start -->\n{entries}<!-- openclaw:dreaming:diary:end -->\n"


@pytest.fixture
def page(workspace: Workspace) -> WebApp:
    return WebApp(workspace, fixed(NIGHT), Guard(7337), NIGHT)


@pytest.fixture
def browser(page: WebApp) -> TestClient:
    """Somebody who opened the link, and follows where the page leads."""
    client = TestClient(page.app(), base_url=HOME, headers={"accept-language": "en"})
    assert client.get("/enter", params={"key": page.guard.key}).status_code == 200
    return client


def send(browser: TestClient, path: str, room: str = "/", **fields: str | list[str]) -> str:
    """Press a button: the token is the one that the room's own form carries."""
    token = re.search(r'name="token" value="(\w+)"', browser.get(room).text)
    assert token
    answer = browser.post(path, data={"token": token[1], **fields}, headers={"origin": HOME})
    assert answer.status_code == 200, answer.text
    return answer.text


def text_of(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def attributes_of(page: str) -> set[str]:
    names: set[str] = set()
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, attrs: names.update(name for name, _ in attrs)  # type: ignore[method-assign]
    reader.feed(page)
    return names


def a_plan_waits(workspace: Workspace) -> plans.PlanView:
    night = commands.plan_dream(workspace, fixed(NIGHT))
    propose(night.snapshot, night.plan)
    return plans.plan_view(workspace, night.plan)


@pytest.mark.parametrize("language", ["en", "zh-CN,zh;q=0.9"])
@pytest.mark.parametrize("room", ROOMS)
def test_every_room_opens_and_no_note_becomes_markup(
    browser: TestClient, workspace: Workspace, room: str, language: str
) -> None:
    a_plan_waits(workspace)

    asked = {
        "q": "kiln mail",
        "line": EVIL,
        "what": "MEMORY.md:7",
        "key": "glazes",
        "month": EVIL,
        "view": EVIL,
        "run": EVIL,
        "path": "memory/2026-11-14.md",
    }
    answer = browser.get(room, params=asked, headers={"accept-language": language})

    assert answer.status_code == 200 or (room == "/scene/explain" and answer.status_code == 409)
    assert "<script>alert" not in answer.text and "<img src=x" not in answer.text
    assert [name for name in attributes_of(answer.text) if name == "style" or name.startswith("on")] == []
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "script-src 'self'" in policy
    assert answer.headers["cache-control"] == "no-store" and answer.headers["x-frame-options"] == "DENY"


def test_a_script_in_memory_is_shown_as_the_words_it_is(browser: TestClient) -> None:
    assert EVIL in text_of(browser.get("/memory").text)


def test_secrets_are_hidden_as_in_every_command(build: Build) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    page = WebApp(
        build({"MEMORY.md": f"# Memory\n\n- The token is {secret} for the mirror.\n"}), fixed(NIGHT), Guard(7337)
    )
    browser = TestClient(page.app(), base_url=HOME)
    browser.get("/enter", params={"key": page.guard.key})

    assert secret not in browser.get("/memory").text


def test_a_plan_is_approved_by_item_and_undone(browser: TestClient, workspace: Workspace) -> None:
    before = (workspace.root / "MEMORY.md").read_bytes()
    laid = a_plan_waits(workspace)
    wanted = next(item for item in laid.items if "Limoges" in item.operation.text)
    others = [item for item in laid.items if item.id != wanted.id]
    assert others

    assert wanted.id in browser.get("/plan").text
    send(browser, "/plan/decide", "/plan", item=[wanted.id], plan=known_as(laid.plan))

    memory = (workspace.root / "MEMORY.md").read_text("utf-8")
    assert "Limoges" in memory and memory.count("The studio opens at nine.") == 2
    run = commands.list_runs(workspace)[-1].id
    assert run in browser.get("/runs").text
    send(browser, "/undo", "/runs", run=run)
    assert (workspace.root / "MEMORY.md").read_bytes() == before


def test_one_decision_of_a_run_is_taken_back(browser: TestClient, workspace: Workspace, clock: FixedClock) -> None:
    commands.review(workspace, clock, force=True)
    line = next(line for line in memory_room.memory_view(workspace).lines if "Limoges" in line.text)
    run = commands.list_runs(workspace)[0].id

    assert f'name="item" value="{line.id}"' in browser.get("/runs").text
    send(browser, "/undo", "/runs", run=run, item=line.id)

    memory = (workspace.root / "MEMORY.md").read_text("utf-8")
    assert "Limoges" not in memory and memory.count("The studio opens at nine.") == 1


def test_a_plan_that_is_declined_changes_nothing_and_is_not_asked_again(
    browser: TestClient, workspace: Workspace
) -> None:
    laid = a_plan_waits(workspace)

    send(browser, "/plan/decide", "/plan", none="1", plan=known_as(laid.plan))

    assert (workspace.root / "MEMORY.md").read_text("utf-8") == MEMORY
    again = commands.plan_dream(workspace, fixed(NIGHT))
    assert plans.plan_view(workspace, again.plan).items == ()


def test_another_plan_than_the_one_that_was_seen_is_not_applied(browser: TestClient, workspace: Workspace) -> None:
    laid = a_plan_waits(workspace)

    told = send(browser, "/plan/decide", "/plan", item=[laid.items[0].id], plan="00000000")

    assert "The plan changed since you saw it" in text_of(told)
    assert commands.list_runs(workspace) == ()


def test_a_plan_whose_files_moved_on_says_so(browser: TestClient, workspace: Workspace) -> None:
    a_plan_waits(workspace)
    (workspace.root / "MEMORY.md").write_text(MEMORY + "- One more line of the owner's.\n", "utf-8")

    assert "Files changed since this plan was made" in text_of(browser.get("/plan").text)


def test_a_line_is_pinned_and_the_pin_can_be_taken_back(browser: TestClient, workspace: Workspace) -> None:
    line = "- The tea of the house is sencha, bought at the corner shop."
    number = MEMORY.split("\n").index(line) + 1

    send(browser, "/pin", "/memory", line=f"{number} {seen_as(line)}")

    memory = (workspace.root / "MEMORY.md").read_text("utf-8")
    assert memory == MEMORY.replace("- The tea", "- 📌 The tea")
    send(browser, "/undo", "/runs", run=commands.list_runs(workspace)[-1].id)
    assert (workspace.root / "MEMORY.md").read_text("utf-8") == MEMORY


@pytest.mark.parametrize(
    "line",
    ["5 00000000", f"1 {seen_as('# Memory')}", f"9 {seen_as('- 📌 The gate code is kept in the safe.')}", "x", "999 y"],
)
def test_a_pin_that_does_not_fit_changes_nothing(browser: TestClient, workspace: Workspace, line: str) -> None:
    told = send(browser, "/pin", "/memory", line=line)

    assert 'class="told trouble"' in told
    assert (workspace.root / "MEMORY.md").read_text("utf-8") == MEMORY


def test_what_would_be_forgotten_is_shown_first(browser: TestClient, workspace: Workspace) -> None:
    number = MEMORY.split("\n").index("- The tea of the house is sencha, bought at the corner shop.") + 1

    first = browser.get("/forget", params={"what": f"MEMORY.md:{number}"}).text
    seen = re.search(r'name="seen" value="([^"]+)"', first)
    assert "sencha" in first and seen
    assert (workspace.root / "MEMORY.md").read_text("utf-8") == MEMORY

    send(browser, "/forget", "/memory", what=f"MEMORY.md:{number}", seen="another")
    assert (workspace.root / "MEMORY.md").read_text("utf-8") == MEMORY
    send(browser, "/forget", "/memory", what=f"MEMORY.md:{number}", seen=seen[1])
    assert "sencha" not in (workspace.root / "MEMORY.md").read_text("utf-8")


def test_a_question_is_answered(browser: TestClient, workspace: Workspace) -> None:
    port, other = "**Staging port:** 4010", "**Staging port:** 4600"
    question = Question(
        "abcd1234", port, other, "the same key", "MEMORY.md:5", "memory/2026-11-14.md:3", "2026-11-14 03:00"
    )
    (workspace.vault / "meta").mkdir(parents=True)
    (workspace.vault / "meta" / "questions.json").write_text(json.dumps([as_record(question)]), "utf-8")

    assert "4600" in browser.get("/questions").text
    send(browser, "/answer", "/questions", id="abcd1234", choice="edit", text="**Staging port:** 4700")

    assert "4700" in (workspace.root / "MEMORY.md").read_text("utf-8")
    assert "Nothing waits for you." in text_of(browser.get("/questions").text)


def suggested(workspace: Workspace, **more: object) -> None:
    """One thing is likely and waits for a yes."""
    one = {"id": "ab12cd34", "op": "update", "why": "“4600” since 2026-11-14", "old": "4010", "new": "4600", "memory": ["**Staging port:** 4010"], "cites": [["memory/2026-11-14.md:3", "**Decision:** from today on the staging port is 4600, not 4010 any more."]], "worth": 0.8, "asked": "2026-11-14"}  # fmt: skip
    (workspace.vault / "meta").mkdir(parents=True)
    (workspace.vault / "meta" / "suggestions.json").write_text(json.dumps([one | more]), "utf-8")


def test_a_suggestion_shows_the_swap_inside_its_line_and_a_yes_makes_it(
    browser: TestClient, workspace: Workspace
) -> None:
    suggested(workspace)

    assert "<del>4010</del> <ins>4600</ins>" in browser.get("/").text
    assert "<del>4010</del> <ins>4600</ins>" in browser.get("/questions").text
    told = send(browser, "/suggestion", "/questions", id="ab12cd34", answer="yes")

    assert "0001-2026-11-15" in told and "ab12cd34" not in told
    assert "- **Staging port:** 4600\n" in (workspace.root / "MEMORY.md").read_text("utf-8")


@pytest.mark.parametrize("answer", ["no", "later"])
def test_a_no_or_a_later_takes_the_card_away_and_changes_no_memory(
    browser: TestClient, workspace: Workspace, answer: str
) -> None:
    suggested(workspace)

    page = send(browser, "/suggestion", "/questions", id="ab12cd34", answer=answer)

    assert "ab12cd34" not in page.partition("for later</summary>")[0]
    assert ("ab12cd34" in page) is (answer == "later")
    assert (workspace.root / "MEMORY.md").read_text("utf-8") == MEMORY


def test_a_suggestion_that_fits_no_more_says_so(browser: TestClient, workspace: Workspace) -> None:
    suggested(workspace, memory=["**Staging port:** 4009"])

    assert "have changed since" in text_of(send(browser, "/suggestion", "/questions", id="ab12cd34", answer="yes"))


def test_no_words_of_a_suggestion_become_markup(browser: TestClient, workspace: Workspace) -> None:
    suggested(workspace, why=EVIL, new=EVIL)

    assert "<script>alert" not in browser.get("/questions").text


def test_a_question_about_one_line_asks_whether_it_belongs_in_memory(workspace: Workspace, browser: TestClient) -> None:
    line = "The tea of the house is sencha, bought at the corner shop."
    asked = Question("abcd1234", line, "", "a model takes it for passing", "MEMORY.md:6", "", "2026-11-14")
    (workspace.vault / "meta").mkdir(parents=True, exist_ok=True)
    (workspace.vault / "meta" / "questions.json").write_text(json.dumps([as_record(asked)]), "utf-8")

    assert "Does this belong in memory?" in text_of(browser.get("/questions").text)
    send(browser, "/answer", "/questions", id="abcd1234", choice="keep-second")
    assert "sencha" not in (workspace.root / "MEMORY.md").read_text("utf-8")
    assert line in (workspace.vault / "ledger.md").read_text("utf-8")


def test_the_diary_is_read_by_month(browser: TestClient, workspace: Workspace) -> None:
    stamps = ("October 30, 2026 at 3:00 AM GMT+1", "2026年11月3日 03:00")
    (workspace.root / "DREAMS.md").write_text(_diary(*stamps), "utf-8")

    november, october = (
        text_of(browser.get("/diary", params={"month": month}).text) for month in ("2026-11", "2026-10")
    )

    assert "11月3日" in november and "October 30" not in november
    assert "October 30" in october and "A kiln hummed." in october


def test_a_note_and_the_switch(browser: TestClient, workspace: Workspace) -> None:
    send(browser, "/note", text="The glaze oven is booked on Friday.")
    assert "glaze oven" in (workspace.root / "memory" / "2026-11-15.md").read_text("utf-8")

    assert "Dreaming is off" in text_of(send(browser, "/switch"))
    assert "Nothing on this machine starts the nights yet." in text_of(send(browser, "/switch"))


def test_a_dream_runs_in_a_process_of_its_own_and_tells_how_far_it_has_come(build: Build, workspace: Workspace) -> None:
    _without_embedder()
    page = WebApp(configured(workspace.root, os.environ), fixed(NIGHT), Guard(7337), NIGHT)
    browser = TestClient(page.app(), base_url=HOME)
    browser.get("/enter", params={"key": page.guard.key})

    send(browser, "/plan/make", "/plan")
    _wait(page)
    assert "The studio opens at nine." in browser.get("/plan").text
    assert commands.list_runs(workspace) == ()

    assert "A dream is running" in text_of(send(browser, "/dream"))
    events = [line for line in browser.get("/live").text.split("\n") if line]
    assert json.loads(events[-1].removeprefix("data: "))["running"] is False
    assert len(commands.list_runs(workspace)) == 1 or read_proposal(workspace)


def test_fifty_readers_while_a_dream_runs(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    _without_embedder()
    page = WebApp(configured(workspace.root, os.environ), fixed(NIGHT), Guard(7337), NIGHT)
    session = page.guard.enter(page.guard.key, "test")
    rooms = [room for room in ROOMS if room not in ("/memory/why", "/forget", "/scene/explain")]

    async def read(client: httpx.AsyncClient, n: int) -> tuple[int, float]:
        began = time.perf_counter()
        answer = await client.get(rooms[n % len(rooms)])
        return answer.status_code, time.perf_counter() - began

    async def everybody() -> list[tuple[int, float]]:
        door = httpx.ASGITransport(page.app())
        async with httpx.AsyncClient(transport=door, base_url=HOME, cookies={page.guard.cookie: session}) as client:
            assert page.site.dream.start("review")
            seen: list[tuple[int, float]] = []
            for start in range(3):
                seen += await asyncio.gather(*(read(client, start + n) for n in range(50)))
            return seen

    seen = asyncio.run(everybody())
    _wait(page)

    assert {status for status, _ in seen} == {200}
    with capsys.disabled():
        print(f" [150 pages for 50 readers: p95 {sorted(took for _, took in seen)[142] * 1000:.0f} ms] ", end="")


def _without_embedder() -> None:
    settings = Path(os.environ["HOME"]) / ".config" / "reverie"
    settings.mkdir(parents=True)
    (settings / "reverie.toml").write_text('[search]\nembedder = "off"\n')


def _wait(page: WebApp) -> None:
    until = time.monotonic() + 60
    while page.site.dream.progress.running and time.monotonic() < until:
        time.sleep(0.05)
    assert not page.site.dream.progress.running


def test_the_page_speaks_the_language_that_was_chosen(browser: TestClient) -> None:
    assert "今夜" in send(browser, "/language", language="zh")
    assert 'lang="zh-Hans"' in browser.get("/doctor").text


@pytest.mark.parametrize("words", ["page", "front"])
def test_every_word_of_the_page_is_in_both_languages_and_used(words: str) -> None:
    english, chinese = table("en", f"say.{words}"), table("zh", f"say.{words}")
    source = "".join(path.read_text("utf-8") for path in Path(memory_room.__file__).parent.glob("*.py"))
    named = r"""['"]front\.(\w+)['"]""" if words == "front" else r"""(?:['"]page\.|button\(")(\w+)['"]"""
    asked = set(re.findall(named, source)) - {"js"}  # page.js is a file
    begun = tuple(re.findall(rf'f"(?:{words}\.)?(\w+)\{{', source))

    assert set(english) == set(chinese) and asked <= set(english)
    assert [key for key, words in chinese.items() if not re.search(r"[一-鿿/]", str(words))] == []
    assert [key for key in english if key not in asked and f'"{key}"' not in source and not key.startswith(begun)] == []


def test_months_are_read_in_english_and_in_figures() -> None:
    stamps = ["November 3, 2026 at 3:00 AM GMT+1", "2026-02-28 03:00", "2026年7月1日", "some night", "March 2025"]

    assert [reading.month_of(stamp) for stamp in stamps] == ["2026-11", "2026-02", "2026-07", "", "2025-03"]


def test_a_line_knows_the_run_that_wrote_it(browser: TestClient, workspace: Workspace, clock: FixedClock) -> None:
    run = commands.review(workspace, clock, force=True).run

    line = next(line for line in memory_room.memory_view(workspace).lines if "Limoges" in line.text)

    assert run and line.author and line.author.run == run.id
    assert line.author.sources == ("memory/2026-11-14.md:4",)
    assert run.id in browser.get("/memory").text


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"MEMORY.md": ""},
        {
            "MEMORY.md": b"\xff\xfe not utf-8 \x80\n- caf\xe9\n",
            "DREAMS.md": b"\xff",
            "memory/2026-11-14.md": b"- \xe9\n",
        },
        {
            "memory.md": "- an old name\n",
            "memory/.dreams/attempts.jsonl": "{}\nnonsense\n",
            "memory/.dreams/proposal.json": "[]",
        },
        {
            "MEMORY.md": "# M\n" + "- a line that is said\n" * 400,
            "DREAMS.md": "<!-- openclaw:dreaming:diary:start -->\n",
        },
    ],
    ids=["nothing", "empty", "bytes", "damaged", "far too large"],
)
def test_every_room_opens_whatever_the_workspace_is_like(build: Build, files: dict[str, str | bytes]) -> None:
    page = WebApp(build(files), fixed(NIGHT), Guard(7337))
    browser = TestClient(page.app(), base_url=HOME)
    browser.get("/enter", params={"key": page.guard.key})

    seen = {
        room: browser.get(room, params={"q": "line", "line": "line", "what": "line", "key": "line"}) for room in ROOMS
    }

    assert {room: answer.status_code for room, answer in seen.items() if answer.status_code not in (200, 409)} == {}
    refused = {"/scene/explain", "/forget", "/diary/backfill"}  # nothing is meant, or a diary that is damaged
    assert {room for room, answer in seen.items() if answer.status_code == 409} <= refused


def test_a_new_plan_takes_the_place_of_the_one_that_waits(
    browser: TestClient, page: WebApp, workspace: Workspace
) -> None:
    a_plan_waits(workspace)
    (workspace.root / "MEMORY.md").write_text(MEMORY + "- The gate is green.\n- The gate is green.\n", "utf-8")
    page.site.preview = commands.plan_dream(workspace, fixed(NIGHT)).plan

    items = plans.plan_view(workspace, page.site.preview).items
    item = next(item for item in items if "gate is green" in words_after(item.operation))
    assert "A preview" in text_of(browser.get("/plan").text)
    send(browser, "/plan/decide", "/plan", item=[item.id], plan=known_as(page.site.preview))

    assert (workspace.root / "MEMORY.md").read_text("utf-8").count("The gate is green.") == 1
    assert page.site.preview is None
