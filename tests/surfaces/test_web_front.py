"""The first room: last night, what needs you, one button; and what frames every room."""

from __future__ import annotations

import html
import json
import re
from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from conftest import NIGHT, Build
from reverie.apply.lock import held
from reverie.core.ports import FixedClock, fixed
from reverie.core.progress import STEPS, following
from reverie.evidence.attempts import Attempt, Outcome, attempts, record
from reverie.features.doctor import doctor
from reverie.features.schedule import recorded
from reverie.features.schedule.nightshift import due
from reverie.features.status import glance
from reverie.night import commands
from reverie.night.workspaces import FoundWorkspace
from reverie.surfaces.web.app import WebApp, name_of
from reverie.surfaces.web.guard import Guard
from reverie.surfaces.web.html import swapped
from reverie.surfaces.web.plans import known_as
from reverie.surfaces.web.state import Progress
from reverie.workspace.values import Run, Workspace

HOME = "http://127.0.0.1:7337"
MEMORY = """# Memory

## Stable Knowledge

- **Staging port:** 4010
- The studio opens at nine.
- The studio opens at nine.
"""
NOTE = "# 2026-11-14\n\n- **Staging port:** 4600\n"
MORNING = FixedClock(fixed(NIGHT).now() + timedelta(hours=6, minutes=12))


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": NOTE})


def opened(workspace: Workspace, clock: FixedClock = MORNING) -> tuple[WebApp, TestClient]:
    page = WebApp(workspace, clock, Guard(7337), NIGHT)
    browser = TestClient(page.app(), base_url=HOME, headers={"accept-language": "en"})
    assert browser.get("/enter", params={"key": page.guard.key}).status_code == 200
    return page, browser


def send(browser: TestClient, path: str, **fields: str | list[str]) -> str:
    token = re.search(r'name="token" value="(\w+)"', browser.get("/").text)
    assert token
    answer = browser.post(path, data={"token": token[1], **fields}, headers={"origin": HOME})
    assert answer.status_code == 200, answer.text
    return answer.text


def test_a_plan_that_is_approved_on_the_page_is_a_night_everywhere(workspace: Workspace) -> None:
    page, browser = opened(workspace)
    page.site.preview = commands.plan_dream(workspace, fixed(NIGHT)).plan  # made at three, approved at twelve past nine
    items = re.findall(r'name="item" value="(\w+)"', browser.get("/plan").text)

    send(browser, "/plan/decide", item=items, plan=known_as(page.site.preview))

    night = attempts(workspace.root)[-1]
    assert (night.outcome, night.at, night.by) == (Outcome.CHANGED, "2026-11-15T09:12:00+01:00", recorded.OWNER)
    assert night.run == commands.list_runs(workspace)[-1].id
    assert glance(workspace.root, workspace.vault, workspace.settings, MORNING.now()).last_review == "2026-11-15 09:12"
    assert due(workspace, MORNING).checks == ("CHECK: the last dream was 0 hours ago",)
    assert "changed" in {sign.status for sign in doctor.examine(workspace, MORNING, None)[1]}


def test_a_plan_that_is_declined_waits_no_more(workspace: Workspace) -> None:
    page, browser = opened(workspace)
    page.site.preview = commands.plan_dream(workspace, fixed(NIGHT)).plan

    send(browser, "/plan/decide", none="1", plan=known_as(page.site.preview))

    assert attempts(workspace.root)[-1].outcome is Outcome.KEPT_NOTHING
    assert (workspace.root / "MEMORY.md").read_text("utf-8") == MEMORY


def text_of(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def a_night(workspace: Workspace) -> Run:
    """A night that ends one of two lines that say the same."""
    run = recorded.review(workspace, fixed(NIGHT), force=True).run
    assert run
    return run


def suggested(workspace: Workspace, count: int) -> None:
    """So many new lines are likely and wait for a yes."""
    (workspace.vault / "meta").mkdir(parents=True, exist_ok=True)
    one = {"op": "add", "why": "said twice", "old": "", "new": "", "memory": [], "section": "Stable Knowledge", "worth": 0.8, "asked": "2026-11-14"}  # fmt: skip
    said = [f"Glaze number {n} is blue." for n in range(count)]
    (workspace.root / "memory/2026-11-12.md").write_text("".join(f"- {text}\n" for text in said), "utf-8")
    many = [
        one | {"id": f"ab12cd3{n}", "text": text, "cites": [[f"memory/2026-11-12.md:{n + 1}", text]]}
        for n, text in enumerate(said)
    ]
    (workspace.vault / "meta" / "suggestions.json").write_text(json.dumps(many), "utf-8")


def test_the_page_opens_with_last_night_in_one_sentence_and_each_change_can_be_taken_back(workspace: Workspace) -> None:
    a_night(workspace)
    _, browser = opened(workspace)

    first = browser.get("/").text
    assert "Last night: 1 was archived; 6 h 12 min ago." in text_of(first)
    item = re.search(r'name="item" value="(\w+)"', first)
    run = re.search(r'name="run" value="([\w-]+)"', first)
    assert item and run and f"/memory/why?line={item[1]}" in first
    assert "<del>The studio opens at nine.</del>" in first and "because the same words stand" in text_of(first)

    again = send(browser, "/undo", run=run[1], item=item[1], back="/")
    assert (workspace.root / "MEMORY.md").read_text("utf-8") == MEMORY
    assert "taken back" in text_of(again) and f'name="item" value="{item[1]}"' not in again


def test_a_value_that_changed_is_told_inside_its_line() -> None:
    assert swapped("- **Port:** 4010, inside", "- **Port:** 4600, inside") == (
        '<span class="swap"><strong>Port:</strong> <del>4010</del> <ins>4600</ins>, inside</span>'
    )
    assert swapped("- 开门九点", "- 开门十点") == '<span class="swap">开门<del>九</del> <ins>十</ins>点</span>'
    assert swapped("- ab", "- ab cd") == '<span class="swap">ab<ins> cd</ins></span>'


@pytest.mark.parametrize(
    ("came", "told"),
    [
        (Attempt("2026-11-15T03:00:00+01:00", "schedule", Outcome.NOTHING_NEW), "Last night: nothing had to change;"),
        (
            Attempt("2026-11-15T03:00:00+01:00", "schedule", Outcome.KEPT_NOTHING, fresh=1),
            "Last night: 1 note was read",
        ),
        (Attempt("2026-11-12T03:00:00+01:00", "owner", Outcome.PROPOSED), "2026-11-12: a plan was made that waits"),
        (
            Attempt("2026-11-15T08:12:00+01:00", "owner", Outcome.FAILED, message="The disk is full."),
            "The disk is full.",
        ),
    ],
)
def test_a_night_without_a_change_is_told_too(workspace: Workspace, came: Attempt, told: str) -> None:
    record(workspace.root, came)

    assert told in text_of(opened(workspace)[1].get("/").text)


def test_a_night_that_was_taken_back_is_told_as_that(workspace: Workspace) -> None:
    commands.undo(workspace, MORNING, a_night(workspace).id)

    assert "Last night: 1 was archived, and you took it back" in text_of(opened(workspace)[1].get("/").text)


def test_the_first_three_that_wait_are_answered_where_they_are_told(workspace: Workspace) -> None:
    suggested(workspace, 7)
    _, browser = opened(workspace)

    first = browser.get("/").text
    assert first.count('name="answer" value="yes"') == first.count('name="answer" value="later"') == 3
    assert (
        "All 7 that wait" in text_of(first)
        and 'class="count" aria-label="7 things wait">7<' in browser.get("/memory").text
    )

    again = send(browser, "/suggestion", id="ab12cd30", answer="no", back="/#needs")
    assert "All 6 that wait" in text_of(again) and "Glaze number 0" not in text_of(again)


def test_nobody_is_led_back_to_another_place_than_a_room(workspace: Workspace) -> None:
    _, browser = opened(workspace)
    token = re.search(r'name="token" value="(\w+)"', browser.get("/").text)
    assert token

    for back in ("//elsewhere.example/", "https://elsewhere.example/", "/static/page.js", "/#a<b"):
        form = {"token": token[1], "back": back}
        answer = browser.post("/switch", data=form, headers={"origin": HOME}, follow_redirects=False)
        assert answer.headers["location"] == "/"


@pytest.mark.parametrize("nights", [0, 1])
def test_every_room_has_one_button_that_leads_on_at_most(workspace: Workspace, nights: int) -> None:
    suggested(workspace, 2)
    if nights:
        a_night(workspace)
    page, browser = opened(workspace)

    assert browser.get("/").text.count('class="main"') == 1
    page.site.preview = commands.plan_dream(workspace, fixed(NIGHT)).plan
    assert browser.get("/").text.count('class="button main"') == 1
    assert {
        room: n
        for room in ("/", "/plan", "/memory", "/runs")
        if (n := browser.get(room).text.count('class="main"')) > 1
    } == {}


def test_who_comes_for_the_first_time_is_shown_three_steps(workspace: Workspace) -> None:
    _, browser = opened(workspace)

    first = browser.get("/").text
    assert "Found here: 1 note that no night has read, and 3 lines in MEMORY.md." in text_of(first)
    assert first.count("<h2>") >= 3 and "dream schedule install" in first and "claude-code" in first
    a_night(workspace)
    assert "Found here" not in opened(workspace)[1].get("/").text


def test_every_figure_leads_to_the_very_lines_it_counts(build: Build) -> None:
    twice = "- The studio opens at nine.\n- The studio opens at nine.\n- Port: 4010\n- Port: 4600\n- Trial of the scanner until 2026-02-28\n"
    workspace = build({"MEMORY.md": f"# Memory\n\n## House\n\n{twice}", "memory/2026-11-14.md": NOTE})
    _, browser = opened(workspace)

    first = browser.get("/").text
    figures = dict(re.findall(r'<a href="/lines\?of=([\w-]+)"><span>[^<]*</span><b>(\d+)</b>', first))
    assert figures["duplicates"] == figures["contradictions"] == figures["stale"] == figures["pending"] == "1"
    for name, count in figures.items():
        room = browser.get("/lines", params={"of": name}).text
        listed = room.partition('class="hits list"')[2].partition("</ul>")[0]
        assert listed.count("<li") == int(count), name
    assert "4010" in text_of(browser.get("/lines", params={"of": "contradictions"}).text)


def test_charts_come_with_the_fifth_night(workspace: Workspace) -> None:
    for day in range(10, 14):
        record(workspace.root, Attempt(f"2026-11-{day}T03:00:00+01:00", "schedule", Outcome.NOTHING_NEW))
    assert "see-trends" not in opened(workspace)[1].get("/").text

    record(workspace.root, Attempt("2026-11-14T03:00:00+01:00", "schedule", Outcome.NOTHING_NEW))
    assert "see-trends" in opened(workspace)[1].get("/").text


def test_the_theme_is_kept_in_a_cookie_and_needs_no_script(workspace: Workspace) -> None:
    _, browser = opened(workspace)
    assert '<html lang="en">' in browser.get("/").text

    assert '<html lang="en" class="dark">' in send(browser, "/theme", theme="dark")
    assert '<html lang="en" class="dark">' in browser.get("/memory").text
    assert '<html lang="en" class="dark">' in send(browser, "/theme", theme="<b>")
    assert '<html lang="en">' in send(browser, "/theme", theme="system")


def two_workspaces(build: Build) -> tuple[Workspace, Workspace, WebApp, TestClient]:
    one, other = (build({"MEMORY.md": f"# Memory\n\n- This is the {name} house.\n"}) for name in ("first", "second"))
    known = [FoundWorkspace(each.root, label, "settings") for each, label in ((one, "first"), (other, "second"))]
    page = WebApp(one, MORNING, Guard(7337), NIGHT, lambda: known)
    browser = TestClient(page.app(), base_url=HOME, headers={"accept-language": "en"})
    browser.get("/enter", params={"key": page.guard.key})
    return one, other, page, browser


def test_a_visitor_changes_between_the_workspaces_that_are_known(build: Build) -> None:
    _, other, _, browser = two_workspaces(build)
    assert "the first house" in browser.get("/memory").text

    send(browser, "/workspace", to=name_of(other.root))

    assert "the second house" in browser.get("/memory").text and str(other.root) not in browser.get("/memory").url.path
    send(browser, "/note", text="The gate is green.")
    assert "gate is green" in next((other.root / "memory").glob("2026-*.md")).read_text("utf-8")


def test_no_path_of_a_request_opens_a_workspace(build: Build) -> None:
    one, _, _, browser = two_workspaces(build)
    stranger = build({"MEMORY.md": "# Memory\n\n- This is the stranger's house.\n"})

    for name in (str(stranger.root), name_of(stranger.root), "", "../.."):
        assert "is not known here" in text_of(send(browser, "/workspace", to=name))
        assert "the first house" in browser.get("/memory").text
    assert one.root.name in browser.get("/").text


def test_a_form_of_one_workspace_does_nothing_in_another(build: Build) -> None:
    """Two tabs: the second went to another workspace, the first still shows the old one."""
    one, other, _, browser = two_workspaces(build)
    old = re.search(r'name="token" value="(\w+)"', browser.get("/").text)
    assert old
    send(browser, "/workspace", to=name_of(other.root))

    answer = browser.post("/note", data={"token": old[1], "text": "For the first house."}, headers={"origin": HOME})

    assert answer.status_code == 403
    assert not any((each.root / "memory").exists() for each in (one, other))


def test_a_night_tells_its_steps_while_it_runs(workspace: Workspace) -> None:
    heard: list[str] = []
    with following(heard.append):
        commands.plan_dream(workspace, fixed(NIGHT))
        assert heard == ["read", "remember", "judge", "check"]
        heard.clear()
        commands.review(workspace, fixed(NIGHT), force=True)
    assert heard[-1] == "write" and set(heard) == set(STEPS)

    page, browser = opened(workspace)
    page.site.dream.progress = Progress("review", running=True, step="judge", read=3)
    shown = browser.get("/memory").text
    assert '<li data-step="remember" class="done">' in shown and '<li data-step="judge" class="now">' in shown
    assert 'data-live="/live"' in shown


def test_a_night_that_somebody_else_began_is_told_and_followed(workspace: Workspace) -> None:
    _, browser = opened(workspace)

    with held(workspace.root, "review", "03:00", 0.0):
        shown = browser.get("/").text
    assert "A dream is running here: " in text_of(shown) and 'data-live="/live"' in shown
    assert 'data-live="/live"' not in browser.get("/").text
