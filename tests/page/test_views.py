"""What the page shows, and that each of its buttons does what its command does, to the line that was seen."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

import reverie
from conftest import NOW, Make, answering, end, memory_of, review, write
from page.served import VIEWS, Page, said
from reverie.features.document import document
from reverie.night import run_night
from reverie.plan import diary
from reverie.store import journal
from reverie.store.disk import Disk
from reverie.store.logs import write_diary
from reverie.workspace.layout import Layout, layout_of
from reverie.workspace.read import read
from test_models import WISH, judging

Serve = Callable[..., Page]
MEMORY = "# Kim\n\n## House\n- The boiler is serviced by Okafor\n- [ ] black tea\n  - loose\n- gone tomorrow\n\n| what | opens |\n|---|---|\n| shop | 09:00 |\n"
NOTES = {
    "memory/2026-03-30.md": "- Correction: the shop opens at 08:00, not 09:00\n- Decision: invoices go out on the first\n- the tea is over\n"
}
WISHES = (
    {"op": "update", "memory": ["m5"], "from": ["n1"], "old": "09:00", "new": "08:00", "why": "corrected"},
    {"op": "add", "from": ["n2"], "section": "House", "text": "Invoices go out on the first", "why": "decided"},
    {"op": "end", "memory": ["m4"], "from": ["n3"], "why": "over"},
)  # fmt: skip


def slept(workspace: Make, *wishes: dict[str, object]) -> Layout:
    layout = workspace(MEMORY, NOTES)
    review(layout, NOW, answering(*(wishes or WISHES)))
    return layout


def doubtful(layout: Layout) -> None:
    """A night whose wishes wait for a word."""
    wishes = ({"op": "end", "memory": [f"m{n}"], "from": ["n1"], "why": f"why {n}"} for n in (1, 2, 4))
    run_night(layout, NOW, answering(*wishes))


def test_the_last_night_stands_in_the_document_with_day_reason_and_source(workspace: Make, page: Serve) -> None:
    view = page(slept(workspace)).enter().get("/")
    assert "<td><del>09</del> <ins>08</ins>:00</td>" in view or "<del>09:00</del> <ins>08:00</ins>" in view
    assert "<ins>Invoices go out on the first</ins>" in view and "<del>gone tomorrow</del>" in view
    assert "decided" in view and '<time datetime="2026-03-30">30 Mar' in view
    assert "Decision: invoices go out on the first</q>" in view
    assert view.index("loose") < view.index("gone tomorrow") < view.index("<table")
    assert re.search(r"<b>\d+</b> of 18,000 characters", view) and "of 250 lines" in view


@pytest.mark.parametrize(
    "case", sorted((Path(__file__).parents[2] / "evals/nights").iterdir()), ids=lambda case: case.name
)
def test_every_line_of_memory_stands_in_the_document_once_and_in_its_order(case: Path) -> None:
    layout = layout_of(case / "workspace")
    sections = [section for chapter in document(layout, NOW).chapters for section in chapter.sections]
    places = [line.place for section in sections for part in section.parts for line in part.lines]
    assert places == [line.place for line in read(layout).memory if "<!-- dream:" not in line.raw]


def test_a_decision_is_taken_back_alone_and_the_night_as_a_whole(workspace: Make, page: Serve) -> None:
    open_page = page(slept(workspace)).enter()
    after = memory_of(open_page.layout)
    one = [button for button in open_page.buttons("/", "take-back") if button.count(" ") == 2]
    assert len(set(one)) == 3
    for button in sorted(set(one)):
        assert "Taken back" in said(open_page.do(button))
    assert memory_of(open_page.layout) == MEMORY
    assert "no decision" in said(open_page.do(one[0])) or "undone already" in said(open_page.do(one[0]))
    for run in ("4", "3", "2"):
        open_page.do(f"take-back {run}")
    assert memory_of(open_page.layout) == after
    assert "Taken back" in said(open_page.do("take-back 0001"))
    assert memory_of(open_page.layout) == MEMORY


def test_a_line_is_pinned_edited_and_forgotten_and_each_comes_back_to_the_byte(workspace: Make, page: Serve) -> None:
    layout = workspace(MEMORY.replace("\n", "\r\n"))
    open_page, before = page(layout).enter(), memory_of(layout)
    pin, forget = (open_page.buttons("/", verb)[1] for verb in ("pin", "forget"))
    open_page.do(pin)
    assert "- [ ] black tea 📌\r\n" in memory_of(layout)
    assert "protected" in said(open_page.do(open_page.buttons("/", "forget")[1])) and "tea 📌" in memory_of(layout)
    open_page.do(open_page.buttons("/", "pin")[1])
    assert memory_of(layout) == before
    story = open_page.get("/line?at=MEMORY.md:4&mark=" + open_page.buttons("/", "pin")[0].split(" ")[1])
    assert "The story of a line" in story and "your words" in story.lower()
    edit = open_page.buttons("/", "pin")[0].replace("pin", "edit", 1)
    open_page.do(edit, words="The boiler is serviced by Mallory,\nin May")
    assert "- The boiler is serviced by Mallory, in May\r\n" in memory_of(layout)
    assert "a secret" in said(
        open_page.do(open_page.buttons("/", "pin")[0].replace("pin", "edit", 1), words="the password is Moorhuhn-88")
    )
    open_page.do(forget)
    assert "black tea" not in memory_of(layout) and "loose" not in memory_of(layout)
    for run in reversed(reverie.runs(layout)):
        open_page.do(f"take-back {run.id}") if run.command in ("edit", "forget") else None
    assert memory_of(layout) == before


def test_what_was_done_is_done_to_the_line_that_was_seen(workspace: Make, page: Serve) -> None:
    open_page = page(workspace(MEMORY)).enter()
    pin, forget = (open_page.buttons("/", verb)[0] for verb in ("pin", "forget"))
    write(open_page.layout, "MEMORY.md", moved := "- above\n" + MEMORY)
    open_page.do(pin)  # it moved, and is the same line
    assert memory_of(open_page.layout) == moved.replace("Okafor", "Okafor 📌")
    write(open_page.layout, "MEMORY.md", changed := MEMORY.replace("Okafor", "Mallory"))
    for button in (pin, forget, pin.replace("pin", "edit", 1)):
        answer = open_page.do(button, words="something else")
        assert "This is how memory stands now" in said(answer) and "Mallory" in answer
    assert memory_of(open_page.layout) == changed


def test_the_inbox_is_answered_one_by_one_and_several_at_once(workspace: Make, page: Serve) -> None:
    layout = workspace(MEMORY, NOTES)
    doubtful(layout)
    open_page = page(layout).enter()
    ids = [button.split(" ")[1] for button in open_page.buttons("/inbox", "yes") if button != "yes picked"]
    assert len(ids) == 3 and set(ids) == {button.split(" ")[1] for button in open_page.buttons("/", "yes")}
    assert '<b class="count">3' in open_page.get("/inbox")
    assert "Nothing was chosen" in said(open_page.do("yes picked"))
    first = [card.id for card in reverie.inbox(layout, NOW) if "black" not in card.before[0]]
    answer = open_page.client.post("/act", data={"token": open_page.guard.token, "do": "yes picked", "pick": first})
    assert "2 written" in said(answer.text) and "Okafor" not in memory_of(layout)
    assert "no night asks again" in said(open_page.do(f"no {next(iter(set(ids) - set(first)))}"))
    assert reverie.inbox(layout, NOW) == []
    assert "No card" in said(open_page.do(f"yes {ids[0]}")), "it was answered meanwhile"
    assert "Nothing waits" in open_page.get("/inbox")


def test_the_slider_shows_memory_as_it_was_on_a_night(workspace: Make, page: Serve) -> None:
    layout, texts = workspace("## A\n- a1\n- a2\n", {"memory/2026-03-30.md": "- b0\n"}), {}
    for night in range(4):
        now = NOW - timedelta(days=3 - night)
        write(layout, f"memory/{now.date() - timedelta(days=1)}.md", f"- note {night} about the harbour\n")
        review(layout, now, answering({"op": "add", "from": ["n1"], "section": "A", "text": f"line {night}"}))
        texts[29 - (3 - night)] = memory_of(layout)
    write(layout, "MEMORY.md", memory_of(layout).replace("a1", "a1, said by hand"))
    open_page = page(layout).enter()
    for number, text in texts.items():
        view = open_page.get(f"/?night={number}")
        shown = re.findall(r"line \d", view.split("<main")[1].split("</main>")[0])
        assert set(shown) == set(re.findall(r"line \d", text)), number
        assert ("As it stood after" in view) == (number < 29)
        assert f"<ins>line {number - 26}</ins>" in view
    assert "line 0" not in open_page.get("/?night=4").split("<main")[1].split("</main>")[0]
    assert open_page.client.get("/?night=999999999999").status_code == 200


def test_a_preview_writes_nothing_and_only_what_was_seen_happens(workspace: Make, page: Serve) -> None:
    layout = workspace(MEMORY, NOTES)
    open_page = page(layout).enter()
    button = open_page.buttons("/night?preview=1", "preview")[0]
    assert memory_of(layout) == MEMORY and not reverie.runs(layout)
    write(layout, "memory/2026-03-30.md", NOTES["memory/2026-03-30.md"] + "- Decision: the kiln is lit on Mondays\n")
    assert "changed since the preview" in said(open_page.do(button)) and memory_of(layout) == MEMORY
    open_page.do(open_page.buttons("/night?preview=1", "preview")[0])
    assert "kiln" in memory_of(layout) and "the night of" in open_page.get("/night").lower()


def test_a_night_runs_in_the_background_and_says_when_it_is_over(workspace: Make, page: Serve) -> None:
    open_page = page(workspace(MEMORY, NOTES)).enter()
    assert "The night changed" in said(whole_night(open_page)) and "invoices" in memory_of(open_page.layout).lower()


def test_a_model_leads_the_night_that_the_page_begins(workspace: Make, page: Serve, tmp_path: Path) -> None:
    layout = workspace("## A\n- a1\n- a2, until 2026-03-01\n- tea\n")
    open_page = page(layout, model=f"command:{judging(tmp_path, WISH).name}").enter()
    view = whole_night(open_page)
    assert "The night changed 1" in said(view) and "<dd>command: 2 questions" in view
    assert "a2" not in memory_of(layout)


def whole_night(open_page: Page) -> str:
    """The view of the night that was begun on the page, when it has ended."""
    open_page.do("run", back="/night")
    until = time.monotonic() + 20
    while open_page.client.get("/live").json()["running"] and time.monotonic() < until:
        time.sleep(0.02)
    return open_page.get("/night")


def test_pause_backfill_and_the_archive(workspace: Make, page: Serve) -> None:
    layout = slept(workspace)
    write_diary(layout, lambda text: diary.with_entry(text, "January 2, 2026", "An old night."), Disk())
    open_page = page(layout).enter()
    open_page.do("switch off")
    assert reverie.status(layout, NOW).state == "off" and "paused" in open_page.get("/night")
    open_page.do("switch on")
    for action, words in (("stage", "staged"), ("write", "entries"), ("promote", "entered"), ("reset", "taken back")):
        assert words in said(open_page.do(f"backfill {action}", back="/night")), action
    assert "An old night." in open_page.get("/night")
    assert "gone tomorrow" not in memory_of(layout)
    brought = open_page.buttons("/", "bring-back")
    assert any("Brought back" in said(open_page.do(button)) for button in brought) and "gone tomorrow" in memory_of(
        layout
    )
    assert "knows no such button" in said(open_page.do("format disk"))


def test_search_finds_everywhere_and_leaves_no_trace(workspace: Make, page: Serve) -> None:
    layout = slept(workspace)
    open_page, before = page(layout).enter(), sorted(layout.root.rglob("*"))
    view = open_page.get("/search?q=invoices")
    assert 'id="in-memory"' in view and 'id="in-notes"' in view and "<mark>" in view
    assert "superseded by" in open_page.get("/search?q=shop+opens") or "09:00" in open_page.get("/search?q=shop+opens")
    assert "black tea" in open_page.get("/search?view=projects") or "nothing yet" in open_page.get(
        "/search?view=projects"
    )
    assert sorted(layout.root.rglob("*")) == before


@pytest.mark.parametrize(("memory", "shows"), [(None, "Look at a first night"), ("", "Look at a first night"), ("## A\n" + "- a line of memory that is long\n" * 700, "over its limit"), (b"\xff\xfe broken", "was not read")])  # fmt: skip
def test_trouble_is_said_and_every_view_opens(
    workspace: Make, page: Serve, memory: str | bytes | None, shows: str
) -> None:
    open_page = page(workspace(memory)).enter()
    assert shows in open_page.get("/")
    for path in VIEWS:
        assert open_page.client.get(path).status_code == 200 or memory == b"\xff\xfe broken", path


def test_an_empty_folder_gets_its_first_line(workspace: Make, page: Serve) -> None:
    layout = workspace(None)
    (layout.root / "memory/2026-03-30.md").unlink()
    open_page = page(layout).enter()
    assert "Nothing is remembered yet" in open_page.get("/")
    assert "Written down" in said(open_page.do("note", words="Kim builds kilns in Bergen"))
    assert "Kim builds kilns in Bergen" in memory_of(layout) and "Kim builds kilns" in open_page.get("/")


def test_a_run_that_a_crash_left_is_shown_and_finished(
    workspace: Make, page: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = workspace(MEMORY, NOTES)
    with monkeypatch.context() as patch:
        patch.setattr(journal, "_finish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            review(layout, NOW, answering(end("m1")))
    open_page = page(layout).enter()
    assert "was interrupted" in open_page.get("/") and memory_of(layout) == MEMORY
    assert "Finished the run 0001-review" in said(open_page.do("finish")) and "Okafor" not in memory_of(layout)


def test_topic_files_are_chapters(workspace: Make, page: Serve) -> None:
    topic = "---\nname: The kiln\ndescription: fired in May\ntype: project\n---\n\n- it burns gas\n"
    layout = workspace(MEMORY, {"memory/project/kiln.md": topic})
    open_page = page(layout).enter()
    view = open_page.get("/")
    assert "The kiln</b>" in view and "it burns gas" in view and "fired in May" not in view
    open_page.do(open_page.buttons("/", "pin")[-1])
    assert (layout.root / "memory/project/kiln.md").read_text("utf-8") == topic.replace("gas", "gas 📌")


def test_a_chinese_memory_is_told_with_its_language(workspace: Make, page: Serve) -> None:
    layout = workspace(
        "# 记忆\n\n## 家\n- 水电费每月五号交\n- 锅炉由王师傅维修\n", {"memory/2026-03-30.md": "- 锅炉改由李师傅维修\n"}
    )
    review(
        layout,
        NOW,
        answering({"op": "update", "memory": ["m2"], "from": ["n1"], "old": "王", "new": "李", "why": "改了"}),
    )
    view = page(layout).enter().get("/")
    assert "锅炉由<del>王</del> <ins>李</ins>师傅维修" in view and 'lang="zh-Hans">家</h2>' in view


def test_the_command_prints_its_link_and_serves(workspace: Make) -> None:
    layout = workspace(MEMORY)
    code = "from reverie.surfaces.cli import main; main()"
    words = [sys.executable, "-c", code, "serve", "-w", str(layout.root), "--json", "--now", f"{NOW:%Y-%m-%d}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ.copy()) as process:
        assert process.stdout
        link = json.loads(process.stdout.readline())["link"]
        with httpx.Client(trust_env=False) as client:
            assert client.get(link).status_code == 200
            assert "Okafor" in client.get(link.partition("/enter")[0]).text
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
