"""What the page tells somebody who is not a developer: what was done in words, what comes next, and the way to the line."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from conftest import NIGHT, Build
from reverie.apply.lock import held
from reverie.core.ports import FixedClock, fixed
from reverie.core.settings import Settings
from reverie.features.doctor.signs import Chart, NightStarter, did_it_run
from reverie.features.schedule import recorded
from reverie.lang import table
from reverie.night import commands
from reverie.plan.reports import with_entry
from reverie.surfaces.configure import configured
from reverie.surfaces.web import tonight
from reverie.surfaces.web.app import WebApp, name_of
from reverie.surfaces.web.guard import Guard
from reverie.surfaces.web.html import swapped
from reverie.surfaces.web.plans import known_as
from reverie.surfaces.web.reading import told_time
from reverie.surfaces.web.state import Progress
from reverie.workspace.values import Workspace

HOME = "http://127.0.0.1:7337"
MEMORY = "# Memory\n\n## Studio\n\n- **Staging port:** 4010\n- The studio opens at nine.\n- The studio opens at nine.\n"
NOTE = "# 2026-11-14\n\n## Studio\n\n- **Staging port:** 4600\n"
MORNING = FixedClock(fixed(NIGHT).now() + timedelta(hours=6))


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": NOTE})


def opened(workspace: Workspace, language: str = "en") -> tuple[WebApp, TestClient]:
    page = WebApp(workspace, MORNING, Guard(7337), NIGHT)
    browser = TestClient(page.app(), base_url=HOME, headers={"accept-language": language})
    assert browser.get("/enter", params={"key": page.guard.key}).status_code == 200
    return page, browser


def send(browser: TestClient, path: str, **fields: str | list[str]) -> str:
    token = re.search(r'name="token" value="(\w+)"', browser.get("/").text)
    assert token
    answer = browser.post(path, data={"token": token[1], **fields}, headers={"origin": HOME})
    assert answer.status_code == 200, answer.text
    return answer.text


def read(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def toast(page: str) -> str:
    return read(page.partition('class="told done"')[2].partition("</dialog>")[0])


def suggest(workspace: Workspace, count: int = 1, **more: object) -> None:
    one = {
        "op": "add", "why": "said twice", "old": "", "new": "", "memory": [], "section": "Studio", "worth": 0.8, "asked": "2026-11-14",
        "cites": [["memory/2026-11-14.md:5", "**Staging port:** 4600"]],
    }  # fmt: skip
    many = [one | {"id": f"ab12cd{n:02}", "text": f"Glaze number {n} is blue."} | more for n in range(count)]
    (workspace.vault / "meta").mkdir(parents=True, exist_ok=True)
    (workspace.vault / "meta" / "suggestions.json").write_text(json.dumps(many), "utf-8")


def test_a_number_that_changed_is_told_whole() -> None:
    assert "<del>2,150</del> <ins>2,240</ins> €" in swapped("- Rent: 2,150 €", "- Rent: 2,240 €")
    assert "<del>10:00</del> <ins>10:30</ins>" in swapped("- Opens at 10:00", "- Opens at 10:30")


def test_nobody_is_promised_a_night_that_nothing_starts(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded.review(workspace, fixed(NIGHT), force=True)

    first = opened(workspace)[1].get("/").text
    assert "Nothing on this machine starts the nights yet." in read(first) and "dot good" not in first
    assert 'href="/doctor#on"' in first and "Next night" not in read(first)

    monkeypatch.setattr(tonight, "night_starter", lambda *_: NightStarter("cron"))
    assert "Next night: 2026-11-16 03:" in read(opened(workspace)[1].get("/").text)


def test_a_declined_plan_is_told_as_that(workspace: Workspace) -> None:
    page, browser = opened(workspace)
    page.site.preview = commands.plan_dream(workspace, fixed(NIGHT)).plan
    count = len(re.findall('name="item"', browser.get("/plan").text))

    shown = send(browser, "/plan/decide", none="1", plan=known_as(page.site.preview))

    assert f"Last night: you declined {count} change" in read(shown) and f"you declined {count} change" in toast(shown)


def test_whoever_applies_a_plan_is_told_the_deed_in_the_first_room_and_may_take_it_back(workspace: Workspace) -> None:
    page, browser = opened(workspace)
    page.site.preview = commands.plan_dream(workspace, fixed(NIGHT)).plan
    items = re.findall(r'name="item" value="(\w+)"', browser.get("/plan").text)

    shown = send(browser, "/plan/decide", item=items, plan=known_as(page.site.preview))

    assert "<title>Tonight" in shown
    assert "1 line changed" in toast(shown) and "0001-2026" not in toast(shown) and "Take it back" in toast(shown)
    run = commands.list_runs(workspace)[-1].id
    assert "Taken back: " in toast(send(browser, "/undo", run=run)) and f"/runs?run={run}#R{run}" in shown


@pytest.mark.parametrize(
    ("word", "told"), [("yes", "1 line entered"), ("no", "no later night suggests it"), ("later", "Put off for a week")]
)
def test_an_answer_is_told_in_words(workspace: Workspace, word: str, told: str) -> None:
    suggest(workspace, text="**Staging port of the kiln:** 4600", section="Studio")

    assert told in toast(send(opened(workspace)[1], "/suggestion", id="ab12cd00", answer=word, back="/"))


def test_a_plan_that_a_night_proposed_is_told_in_words(workspace: Workspace) -> None:
    page, browser = opened(workspace)

    page._dream_ended(name_of(workspace.folder), Progress("review", ended={"proposed": "MEMORY.md.proposed"}))

    assert toast(browser.get("/").text).startswith(">A plan waits for your decision.")


def test_no_preview_is_offered_while_somebody_dreams(workspace: Workspace) -> None:
    page, browser = opened(workspace)
    with held(workspace.root, "review", "03:00", 0.0):
        assert 'class="main" disabled' in browser.get("/").text

    page.site.dream.progress = Progress("plan", running=True, step="judge")
    shown = browser.get("/plan").text
    assert "The plan is shown here when it is made." in read(shown) and "No plan waits" not in read(shown)
    assert "<span hidden><span" in shown  # nothing is said of files before one has been read


def test_all_that_waits_can_be_reached(workspace: Workspace) -> None:
    suggest(workspace, 50)
    _, browser = opened(workspace)

    first = browser.get("/questions").text
    further = re.search(r'href="([^"]+)">30 more wait behind these', first)
    assert further and "Glaze number 45" not in first
    assert read(browser.get(html.unescape(further[1])).text).count("Glaze number") == 40


def test_a_chinese_reader_meets_no_english_date_author_or_dead_end(build: Build) -> None:
    diary = with_entry("", "November 14, 2026 at 3:05 PM GMT+1", "窑炉响了一夜。")
    workspace = build({"MEMORY.md": "# 记忆\n\n- 窑炉每年春天保养一次。\n", "DREAMS.md": diary})
    _, browser = opened(workspace)
    line = re.search(r'name="line" value="(3 \w+)"', browser.get("/memory").text)
    assert line

    send(browser, "/pin", line=line[1])

    assert "<h2>2026-11-14 15:05</h2>" in browser.get("/diary").text
    assert "你（页面）" in read(browser.get("/memory").text)
    lost = browser.get("/nowhere")
    assert lost.status_code == 404 and "没有这个房间" in lost.text and "<nav" in lost.text
    assert told_time("someday") == "someday"


@pytest.mark.parametrize("words", ["page", "front", "rooms", "claws", "authority"])
def test_the_chinese_page_calls_its_reader_by_one_name(words: str) -> None:
    assert [key for key, said in table("zh", f"say.{words}").items() if "您" in str(said)] == []


def test_a_chinese_memory_is_counted_in_characters_before_any_night(build: Build) -> None:
    workspace = build({"MEMORY.md": f"# 记忆\n\n- {'窑' * 1000}\n"})

    first = opened(workspace)[1].get("/").text

    assert "1,009 / 18,000" in first and "<b>6 %</b>" in first


def test_a_line_that_a_night_changed_is_one_from_dreams(workspace: Workspace) -> None:
    recorded.review(workspace, fixed(NIGHT), force=True)
    _, browser = opened(workspace)

    assert "4600" in read(browser.get("/memory", params={"kind": "dreams"}).text)
    assert "4600" not in read(browser.get("/memory", params={"kind": "own"}).text)


def test_a_line_that_may_be_outdated_is_decided_where_it_stands(workspace: Workspace) -> None:
    suggest(workspace, op="update", memory=["- **Staging port:** 4010"], old="4010", new="4600", text="")
    _, browser = opened(workspace)

    shown = browser.get("/memory", params={"kind": "doubtful"}).text
    assert "/notes?path=memory%2F2026-11-14.md&amp;line=5" in shown and 'name="answer" value="yes"' in shown
    assert "<del>4010</del> <ins>4600</ins>" in shown

    send(browser, "/suggestion", id="ab12cd00", answer="yes", back="/memory")
    assert "4600" in (workspace.root / "MEMORY.md").read_text("utf-8")


def test_the_doctor_leads_to_the_rooms_of_the_page(workspace: Workspace) -> None:
    shown = opened(workspace)[1].get("/doctor").text

    assert ' → <a href="/">Tonight</a>' in html.unescape(shown) and "<code>dream review</code>" not in shown


def test_a_language_that_the_page_does_not_speak_says_so(workspace: Workspace) -> None:
    browser = opened(configured(workspace.root, {}))[1]

    assert "Italiano (diary and files only)" in read(browser.get("/settings").text)
    told = toast(send(browser, "/settings/change", key="language", value="de", was='""'))
    assert "the page speaks English and Chinese" in told


def test_whoever_leaves_is_told_goodbye(workspace: Workspace) -> None:
    left = send(opened(workspace)[1], "/leave")

    assert "Goodbye" in left and "does not open" not in left


def test_an_empty_folder_asks_for_a_first_note(build: Build) -> None:
    _, browser = opened(build({}))

    first = browser.get("/").text
    assert "Write a first note" in first and "Preview tonight" not in first and first.count('action="/note"') == 1

    send(browser, "/note", text="The gate is green.")
    assert "Preview tonight" in browser.get("/").text


def test_a_night_that_only_proposes_promises_no_writing(build: Build) -> None:
    settings = Settings()
    workspace = build({"MEMORY.md": MEMORY}, replace(settings, review=replace(settings.review, mode="propose")))
    recorded.review(workspace, fixed(NIGHT), force=True)

    assert "Nothing is written until you say yes." in read(opened(workspace)[1].get("/").text)


def test_a_clock_that_was_wrong_is_told_in_the_owners_time() -> None:
    now = fixed(NIGHT).now()
    later = (now + timedelta(days=1)).astimezone(fixed("2026-11-15T02:00:00+00:00").now().tzinfo)

    assert "2026-11-16 03:00" in next(did_it_run(Chart(now=now, last_dream=later))).says


def test_the_page_is_told_where_every_word_of_a_surface_comes_from() -> None:
    source = "".join(path.read_text("utf-8") for path in Path(tonight.__file__).parents[1].rglob("*.py"))

    assert set(table("en", "say.surfaces")) == set(table("zh", "say.surfaces"))
    assert set(re.findall(r'Author\("\w+", "(\w+)"\)', source)) <= set(table("en", "say.surfaces"))
