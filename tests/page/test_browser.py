"""The page in a real browser: every control by mouse and by keyboard, both themes, both widths, with pictures of each view.

Runs where Debian's Chromium is. `AXE=…/axe.min.js` also looks for what shuts people out; `PICTURES=docs/pictures` keeps pictures.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from conftest import answering, memory_of
from page.served import Page
from reverie.judge.model import ScriptedModel, model_judge
from reverie.night import review, run_night
from reverie.workspace.layout import Layout, layout_of

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no Chromium here")
EXAMPLES = Path(__file__).parents[2] / "examples"
NOW = datetime(2026, 11, 15, 9)
CHINESE = "# 记忆\n\n## 家\n- 水电费每月五号交\n- 锅炉由王师傅维修\n- 📌 猫对虾过敏\n\n## 工作\n- [ ] 给苏州的工厂写信\n- 合同在二月到期\n"
KEPT = ("memory-light-1280", "inbox-dark-1280", "night-light-1280", "memory-light-390", "chinese-light-1280")
Serve = Callable[..., Page]


@pytest.fixture(autouse=True)
def _nobodys_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # pictures show no agent of this machine


@pytest.fixture
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def lived(tmp_path: Path) -> Layout:
    """The example's workspace after a night that a model led, and that asks."""
    root = tmp_path / "boatyard"
    shutil.copytree(EXAMPLES / "workspace", root)
    layout, answer = layout_of(root), json.loads((EXAMPLES / "answer.json").read_text("utf-8"))
    asked: list[dict[str, object]] = [
        {
            "op": "ask",
            "memory": ["m5"],
            "question": "Is it still 8 m/s for the new crane?",
            "why": "the new crane stands since October",
        },
        {
            "op": "ask",
            "memory": ["m10"],
            "question": "Does the paint store still open at 07:30?",
            "why": "it was closed",
        },
    ]
    run_night(layout, datetime(2026, 11, 15, 3), model_judge(ScriptedModel([*answer["operations"], *asked])))
    return layout


def opened(browser: Any, served: Page, width: int = 1280, scheme: str = "light") -> Any:
    """A window that came in by the link; whatever the page complains about fails the test."""
    window = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme).new_page()
    window.set_default_timeout(8_000)
    window.on("pageerror", lambda error: pytest.fail(str(error)))
    window.on("console", lambda told: pytest.fail(told.text) if told.type == "error" else None)
    window.on("request", lambda asked: asked.url.startswith(served.address) or pytest.fail(asked.url))
    served.guard.key = served.link.partition("key=")[2]  # the link opens once; each window here has its own
    window.goto(served.link)
    window.wait_for_url(f"{served.address}/")
    return window


def examined(window: Any, name: str) -> None:
    """Nothing lies outside the window; and where axe is, nothing serious shuts anybody out."""
    assert window.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is wider than its window"
    if axe := os.environ.get("AXE"):
        window.evaluate(Path(axe).read_text("utf-8"))
        found = window.evaluate(
            "axe.run().then(r => r.violations.map(v => [v.impact, v.id, v.nodes.map(n => n.html.slice(0, 200))]))"
        )
        serious = [violation for violation in found if violation[0] in ("serious", "critical")]
        assert not serious, f"{name}: {json.dumps(serious, indent=1)}"
    if (folder := os.environ.get("PICTURES")) and name in KEPT:
        window.screenshot(path=str(Path(folder) / f"{name}.png"))


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_every_view_fits_and_shuts_nobody_out(
    browser: Any, page: Serve, lived: Layout, width: int, scheme: str
) -> None:
    served = page(lived, f"{NOW}").enter()
    window = opened(browser, served, width, scheme)
    views = {"memory": "/", "past": "/?night=27", "inbox": "/inbox", "night": "/night?preview=1", "search": "/search?q=resin",
             "views": "/search?view=timeline", "file": "/file?path=memory/2026-11-10.md&line=4"}  # fmt: skip
    views["line"] = window.locator(".about a").first.get_attribute("href")
    for name, path in views.items():
        window.goto(served.address + path)
        examined(window, f"{name}-{scheme}-{width}")
    window.keyboard.press("a")
    window.wait_for_selector(".drawer[open] aside")
    examined(window, f"archive-{scheme}-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_trouble_and_a_chinese_memory_fit(browser: Any, page: Serve, tmp_path: Path, width: int) -> None:
    root = tmp_path / "empty"
    (root / "memory").mkdir(parents=True)
    (root / "memory/2026-11-14.md").write_text("- 锅炉改由李师傅维修\n", "utf-8")
    window = opened(browser, page(layout_of(root), f"{NOW}"), width)
    examined(window, f"first-light-{width}")
    (root / "MEMORY.md").write_text(CHINESE, "utf-8")
    review(
        layout_of(root),
        NOW,
        answering({"op": "update", "memory": ["m2"], "from": ["n1"], "old": "王", "new": "李", "why": "师傅换了"}),
    )
    window.reload()
    assert window.locator("ins", has_text="李").is_visible()
    examined(window, f"chinese-light-{width}")
    window.emulate_media(media="print")
    assert not window.locator(".foot").is_visible() and window.locator("h1").is_visible()


def test_the_mouse_reaches_every_control(browser: Any, page: Serve, lived: Layout) -> None:
    served = page(lived, f"{NOW}")
    window, before = opened(browser, served), memory_of(lived)
    window.locator("[data-undo]").first.click()
    assert "Taken back" in window.locator("#said").inner_text() and memory_of(lived) != before
    window.locator("#said button").click()
    assert memory_of(lived) == before
    line = window.locator(".line", has_text="Insurance")
    for button, then in (("Pin", "📌"), ("Unpin", "Insurance")):
        line.hover()
        line.locator("summary").click()
        line.get_by_role("button", name=button, exact=True).click()
        assert then in window.locator(".line", has_text="Insurance").inner_text()
    line.hover()
    line.locator("summary").click()
    line.get_by_role("link", name="Story, edit").click()
    window.get_by_label("Its words").fill("Insurance: the new sum is agreed")
    window.get_by_role("button", name="Write it anew").click()
    assert "- [ ] Insurance: the new sum is agreed\n" in memory_of(lived)
    window.get_by_label("Only what changed").check()
    assert not window.locator(".line", has_text="the new sum is agreed").is_visible()
    window.get_by_label("Only what changed").uncheck()
    window.get_by_label("A line for memory").fill("The crane was oiled in November")
    window.get_by_role("button", name="Write it down").click()
    assert "The crane was oiled" in memory_of(lived)
    window.get_by_role("slider").evaluate("slider => { slider.value = 27; slider.dispatchEvent(new Event('change')) }")
    window.wait_for_url("**/?night=27")
    assert window.locator(".past").is_visible()
    window.get_by_role("link", name="Back to now").click()
    window.get_by_role("link", name="Inbox").click()
    window.wait_for_selector(".asks > li")
    assert window.locator(".asks > li").count() == 2
    for box in window.locator("input[name=pick]").all():
        box.check()
    window.get_by_role("button", name="No to all").click()
    assert "Nothing waits" in window.locator(".lead").inner_text()
    window.get_by_role("link", name="Night").click()
    for button in ("Pause", "Resume"):
        window.get_by_role("button", name=button).click()
    window.get_by_role("button", name="Run now").click()
    window.wait_for_selector("#said:has-text('The night changed'), #said:has-text('Nothing was new')")
    window.locator(".drawer summary").click()
    window.get_by_role("button", name="Bring back").first.click()
    assert "Brought back" in window.locator("#said").inner_text() or "stays" in window.locator("#said").inner_text()


def test_the_keyboard_alone_is_enough(browser: Any, page: Serve, lived: Layout) -> None:
    served = page(lived, f"{NOW}")
    window = opened(browser, served)
    press, focus = window.keyboard.press, "document.activeElement"
    press("j")
    assert window.evaluate(f"{focus}.matches('[data-item]')") and "1 of" in window.locator(".where").text_content()
    while not window.evaluate(f"!!{focus}.querySelector('[data-undo]')"):
        press("j")
    press("u")
    window.wait_for_selector("#said p")
    assert "Taken back" in window.locator("#said").inner_text()
    press("2")
    window.wait_for_url("**/inbox")
    count = window.locator(".asks > li").count()
    press("j")
    press("k")
    press("n")
    window.wait_for_selector("#said p")
    assert window.locator(".asks > li").count() == count - 1
    press("j")
    press("y")
    window.wait_for_selector(f".asks:not(:has(li:nth-child({count - 1})))", state="attached")
    press("1")
    window.wait_for_url(f"{served.address}/")
    press("h")
    window.wait_for_url("**/?night=28")
    press("l")
    window.wait_for_url("**/?night=29")
    press("c")
    assert window.get_by_label("Only what changed").is_checked()
    press("a")
    assert window.locator("#archive").get_attribute("open") is not None
    press("Escape")
    press("?")
    assert window.locator("#help").is_visible()
    press("Escape")
    press("/")
    window.keyboard.type("resin j")
    press("Enter")
    window.wait_for_url("**/search?q=resin+j")
    press("j")
    press("Enter")
    window.wait_for_url("**#l*")
    press("?")
    window.get_by_label("Single keys are on").uncheck()
    press("Escape")
    press("2")
    assert window.url.startswith(f"{served.address}/#"), "who dictates or types with help switches the keys off"
    for _ in range(60):  # Tab alone reaches what a line offers
        press("Tab")
        if window.evaluate(f"{focus}.matches('.about > summary')"):
            break
    press("Enter")
    press("Tab")
    assert window.evaluate(f"{focus}.textContent") == "Story, edit"


def test_reading_and_answering_work_without_script(browser: Any, page: Serve, lived: Layout) -> None:
    served = page(lived, f"{NOW}")
    window = browser.new_context(java_script_enabled=False).new_page()
    window.goto(served.link)
    window.wait_for_url(f"{served.address}/")
    before = memory_of(lived)
    window.locator("[data-undo]").first.click()
    assert memory_of(lived) != before
    window.get_by_role("button", name="Show this night").click()
    window.get_by_role("link", name="Inbox").click()
    window.locator(".asks").get_by_role("button", name="Later").first.click()
    assert "put off" in window.locator("#said").inner_text()


def test_no_other_page_may_hold_it_in_a_frame(browser: Any, page: Serve, lived: Layout, tmp_path: Path) -> None:
    served = page(lived, f"{NOW}").enter()
    (tmp_path / "frame.html").write_text(f"<iframe src='{served.address}/'></iframe>", "utf-8")
    window = browser.new_page()
    window.goto(f"file://{tmp_path}/frame.html")
    assert "Resin" not in "".join(frame.content() for frame in window.frames)
