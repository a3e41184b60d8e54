"""The first room: last night, what needs you, one button; and what frames every room."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from conftest import NIGHT, Build
from reverie.core.ports import FixedClock, fixed
from reverie.evidence.attempts import Outcome, attempts
from reverie.features.doctor import doctor
from reverie.features.schedule import recorded
from reverie.features.schedule.nightshift import due
from reverie.features.status import glance
from reverie.night import commands
from reverie.surfaces.web.app import WebApp
from reverie.surfaces.web.guard import Guard
from reverie.surfaces.web.plans import known_as
from reverie.workspace.values import Workspace

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
