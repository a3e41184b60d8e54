"""The rooms behind the first: lines that are pinned, edited and followed, notes opened at their line, runs, settings and trends."""

from __future__ import annotations

import html
import json
import re
from dataclasses import asdict
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from conftest import NIGHT, Build
from reverie.apply.state import put_trial
from reverie.core.layout import PEER_RECALLS
from reverie.core.ports import fixed
from reverie.core.settings import known_keys
from reverie.evidence.attempts import Attempt, Outcome, record
from reverie.evidence.recall_store import mark_promoted
from reverie.features.trial import Row, Trial
from reverie.judge.operation import Question, as_record
from reverie.lang import table
from reverie.lang.messages import say_in
from reverie.night import commands
from reverie.night.commands import edit_line, seen_as
from reverie.night.live_lines import recall_state
from reverie.openclaw.backfill import backfill
from reverie.plan.reports import with_entry
from reverie.surfaces.configure import configured
from reverie.surfaces.web import memory as memory_room
from reverie.surfaces.web.app import ROOMS, WebApp
from reverie.surfaces.web.guard import Guard
from reverie.workspace.settings_files import owners_file
from reverie.workspace.values import Workspace

HOME = "http://127.0.0.1:7337"
MEMORY = """# Memory

## Kitchen

- Green tea is for guests.
- 📌 The gate is locked at ten.
- The studio opens at nine.
- The studio opens at nine.

## People

- Ada signs her letters with A.
"""
NOTE = "# 2026-11-14\n\n- nothing much\n- We decided that glazes are ordered from Limoges from now on.\n"


@pytest.fixture
def workspace(build: Build) -> Workspace:
    asked = as_record(
        Question("5f0c1a77", "Tea is green.", "Tea is black.", "both", "MEMORY.md:5", "memory/2026-11-14.md:4")
    )
    questions = json.dumps([asked])
    return build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": NOTE, "dream-vault/meta/questions.json": questions})


@pytest.fixture
def browser(workspace: Workspace) -> TestClient:
    page = WebApp(workspace, fixed(NIGHT), Guard(7337), NIGHT)
    client = TestClient(page.app(), base_url=HOME, headers={"accept-language": "en"})
    client.get("/enter", params={"key": page.guard.key})
    return client


class Forms(HTMLParser):
    """The forms of a page as a browser without a script sees them, and the controls that stand in none."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[dict[str, str]] = []
        self.outside: list[str] = []
        self._open, self._area = False, ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        its = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = True
            self.forms.append({"action": its["action"], "method": its.get("method", "get")})
        elif tag in ("button", "input", "select", "textarea"):
            if not self._open:
                self.outside.append(self.get_starttag_text() or tag)
            elif its.get("name") and tag != "select":
                self.forms[-1][its["name"]] = its.get("value", "")
            self._area = its.get("name", "") if tag == "textarea" else ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.forms[-1][self._area] += data

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag != "form"
        self._area = "" if tag == "textarea" else self._area


def send(browser: TestClient, room: str, action: str, having: dict[str, str] | None = None, **fields: str) -> str:
    """Send the first form of a room that leads there and holds these fields, as it stands or with other words in it."""
    forms = Forms(browser.get(room).text).forms
    form = next(one for one in forms if one["action"] == action and (having or {}).items() <= one.items())
    answer = browser.post(form.pop("action"), data={**form, **fields}, headers={"origin": HOME})
    assert answer.status_code == 200
    return html.unescape(re.sub(r"<[^>]*>", " ", answer.text))


def the_line(number: int, text: str) -> dict[str, str]:
    return {"line": f"{number} {seen_as(text)}"}


def memory(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text("utf-8")


@pytest.mark.parametrize("room", ROOMS)
def test_no_control_stands_outside_a_form(browser: TestClient, workspace: Workspace, room: str) -> None:
    commands.review(workspace, fixed(NIGHT), force=True)

    page = Forms(browser.get(room, params={"q": "tea", "line": "tea", "what": "MEMORY.md:5"}).text)

    assert page.outside == []


def test_a_line_is_pinned_and_unpinned_by_its_own_button(browser: TestClient, workspace: Workspace) -> None:
    assert "Line 5 is pinned" in send(browser, "/memory", "/pin", the_line(5, "- Green tea is for guests."))
    assert "- 📌 Green tea is for guests.\n" in memory(workspace)

    assert "not pinned any more" in send(browser, "/memory", "/pin", the_line(6, "- 📌 The gate is locked at ten."))
    assert "- The gate is locked at ten.\n" in memory(workspace)
    assert [edit.by for run in commands.list_runs(workspace) for edit in run.plan.edits] == ["owner (page)"] * 2


def test_a_line_is_edited_in_place_and_undone(browser: TestClient, workspace: Workspace) -> None:
    line = the_line(5, "- Green tea is for guests.")
    told = send(
        browser, "/memory", "/edit", line | {"text": "Green tea is for guests."}, text="Black tea is for guests."
    )

    assert "in your words now" in told and "- Black tea is for guests.\n" in memory(workspace)
    send(browser, "/runs", "/undo")
    assert memory(workspace) == MEMORY


def test_a_line_that_moved_while_it_was_edited_stays(browser: TestClient, workspace: Workspace) -> None:
    forms = Forms(browser.get("/memory").text).forms
    form = next(one for one in forms if one["action"] == "/edit")
    (workspace.root / "MEMORY.md").write_text(MEMORY.replace("Green", "White"), "utf-8")

    answer = browser.post("/edit", data={**form, "text": "Black tea"}, headers={"origin": HOME})

    assert "does not say that in line 5 any more" in answer.text and "White tea" in memory(workspace)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"kind": "pinned"}, {6}),
        ({"kind": "own", "section": "People"}, {12}),
        ({"q": "STUDIO"}, {7, 8}),
        ({"kind": "pinned", "q": "studio"}, set()),
    ],
)
def test_lines_are_filtered(browser: TestClient, asked: dict[str, str], shown: set[int]) -> None:
    page = browser.get("/memory", params=asked).text

    assert {int(n) for n in re.findall(r'<details id="L(\d+)"', page)} == shown


def test_what_may_be_outdated_can_be_shown_alone(build: Build) -> None:
    text = "# M\n\n- **Port:** 4010\n- **Port:** 4600\n- tea\n"
    page = WebApp(build({"MEMORY.md": text}), fixed(NIGHT), Guard(7337))
    browser = TestClient(page.app(), base_url=HOME)
    browser.get("/enter", params={"key": page.guard.key})

    shown = browser.get("/memory", params={"kind": "doubtful"}).text

    assert re.findall(r'<details id="L(\d+)"', shown) == ["4"]


def test_the_story_of_a_line_follows_it_through_its_versions(browser: TestClient, workspace: Workspace) -> None:
    clock = fixed(NIGHT)
    edit_line(workspace, clock, 5, seen_as("- Green tea is for guests."), "Black tea is for guests.")
    edit_line(workspace, clock, 5, seen_as("- Black tea is for guests."), "White tea is for guests.")

    page = browser.get("/memory/why", params={"line": "White tea is for guests."}).text

    assert re.findall(r"<del>(\w+)</del> <ins>(\w+)</ins>", page) == [("Green", "Black"), ("Black", "White")]
    assert 'href="/memory?line=5#L5"' in page and page.count("was written anew") == 2


def test_a_source_leads_to_its_line(browser: TestClient) -> None:
    page = browser.get("/questions").text
    address = re.search(r'href="(/notes\?[^"#]*)#L4"', page)
    assert address and 'href="/memory?line=5#L5"' in page

    note = browser.get(html.unescape(address[1])).text

    assert re.findall(r'<div id="L(\d+)" class="at here"', note) == ["4"] and "Limoges" in note


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "reverie.toml", "memory/.dreams/lock", "memory"])
def test_no_other_file_of_the_machine_is_opened(browser: TestClient, workspace: Workspace, path: str) -> None:
    (workspace.root.parent / "secret.txt").write_text("a secret", "utf-8")

    answer = browser.get("/notes", params={"path": path})

    assert answer.status_code == 409 and "is no file that is read here" in answer.text


def test_a_run_says_what_moved_and_begins_with_the_way_back(browser: TestClient, workspace: Workspace) -> None:
    commands.review(workspace, fixed(NIGHT), force=True)
    page = browser.get("/runs").text

    assert "1 line left for the archive" in page
    assert page.index("Undo this run") < page.index("Take this one back")
    assert "The studio opens" in browser.get("/runs", params={"q": "studio"}).text
    assert "No run is like that" in browser.get("/runs", params={"q": "giraffe"}).text
    assert "No run is like that" in browser.get("/runs", params={"kind": "undone"}).text


def test_a_question_can_wait_a_week(browser: TestClient, workspace: Workspace) -> None:
    told = send(browser, "/questions", "/answer", {"choice": "later"})

    assert "1 is for later" in told and memory(workspace) == MEMORY
    assert commands.questions(workspace, today=fixed(NIGHT).now().date()) == ()


def settings_page(workspace: Workspace) -> TestClient:
    page = WebApp(configured(workspace.root, {}), fixed(NIGHT), Guard(7337))
    client = TestClient(page.app(), base_url=HOME, headers={"accept-language": "en"})
    client.get("/enter", params={"key": page.guard.key})
    return client


def test_every_setting_is_explained_in_both_languages(browser: TestClient) -> None:
    page = browser.get("/settings").text

    assert [key for key in known_keys() if f"<code>{key}</code>" not in page] == []
    for language in ("en", "zh"):
        group = {
            key: table(language, f"say.setting.{key}".rpartition(".")[0]).get(key.rpartition(".")[2])
            for key in known_keys()
        }
        assert [key for key, words in group.items() if not words] == []


def test_the_documents_tell_of_a_setting_what_the_page_tells() -> None:
    pages = [path.read_text("utf-8") for path in (Path(__file__).parents[2] / "docs").rglob("settings.md")]
    found = [re.findall(r"^\| `([\w.]+)` \| [^|]* \| (?:anyone|you) \| (.*) \|$", page, re.M) for page in pages]
    rows = dict(max(found, key=len))  # the page with all of them
    plain = {
        key: re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r" \(\[.*?\]\(.*?\)\)|; see \[.*?\]\(.*?\)", "", words))
        for key, words in rows.items()
    }

    assert {key: say_in("en", f"setting.{key}") for key in known_keys()} == plain


def test_a_setting_is_changed_in_the_owners_file_and_taken_back(workspace: Workspace) -> None:
    browser, mine = settings_page(workspace), owners_file({})
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("# mine\n", "utf-8")

    told = send(browser, "/settings", "/settings/change", {"key": "memory.new_lines"}, value="5")

    assert "memory.new_lines was 12 and is 5 now" in told
    assert mine.read_text("utf-8") == "# mine\n\n[memory]\nnew_lines = 5\n"
    assert "was 5 and is 12 now" in send(
        browser, "/settings", "/settings/change", {"key": "memory.new_lines", "reset": "1"}
    )
    assert "new_lines" not in mine.read_text("utf-8") and not (workspace.root / "reverie.toml").exists()


def test_what_the_workspace_decides_and_what_only_the_owner_sets_has_no_form(workspace: Workspace) -> None:
    (workspace.root / "reverie.toml").write_text('[review]\nmode = "propose"\n', "utf-8")
    browser = settings_page(workspace)
    page = browser.get("/settings").text
    keys = {form.get("key") for form in Forms(page).forms}

    assert "reverie.toml:2 has the last word" in page
    hints = [page.partition(f"<code>{key}</code>")[2].partition("</li>")[0] for key in ("dreaming.skip", "search.url")]
    assert ["so no page changes it" in one for one in hints] == [False, True] and "no field for it" in hints[0]
    assert keys.isdisjoint({"review.mode", "model.kind", "model.command", "search.url", "vault", "transcripts"})
    token = {"token": next(form["token"] for form in Forms(page).forms if "token" in form)}
    field = {**token, "key": "search.url", "was": '""', "value": "http://elsewhere"}
    refused = browser.post("/settings/change", data=field, headers={"origin": HOME}).text
    assert "search.url is not changed on this page" in refused and not owners_file({}).exists()


@pytest.mark.parametrize(
    ("key", "value"),
    [("memory.hard", "7"), ("memory.new_lines", "many"), ("schedule.cron", "now"), ("timezone", "Moon")],
)
def test_a_value_that_makes_no_sense_is_refused(workspace: Workspace, key: str, value: str) -> None:
    browser = settings_page(workspace)

    assert "That did not work" in send(browser, "/settings", "/settings/change", {"key": key}, value=value)
    assert not owners_file({}).exists()


def test_charts_come_with_the_fifth_night(browser: TestClient, workspace: Workspace) -> None:
    for night in range(1, 6):
        assert browser.get("/trends").text.count("<svg") == 0 if night < 5 else True
        record(workspace.root, Attempt(f"2026-11-{night:02}T03:00:00", "owner", Outcome.CHANGED, health=60 + night))

    commands.review(workspace, fixed(NIGHT), force=True)
    page = settings_page(workspace).get("/trends").text

    about = re.findall(r'<svg class="chart" role="img" aria-label="([^"]*)"', page)
    assert "65 of 100 after the last night (2026-11-05)" in about[0]
    assert any("1 left for the archive" in words for words in about) and "Nothing was asked" in page


def test_the_trends_show_whether_it_helped(browser: TestClient, workspace: Workspace) -> None:
    assert "`dream trial` asks" in browser.get("/trends").text.replace("&#x27;", "'")

    rows = (Row("never", 3, None, 2), Row("before", 9, 20, 2), Row("now", 18, 21, 0))
    put_trial(workspace, json.dumps(asdict(Trial("2026-11-15T13:00:00", 7, 4, 20, rows, 10, 1))))

    page = browser.get("/trends").text
    assert "It helped: 10 more, 1 fewer (sign test, p = 0.012)." in page
    assert "<td>without the last 7 nights</td>" in page and "<td>18 of 24 (55%–88%)</td>" in page


def test_every_word_of_the_rooms_is_in_both_languages_and_used() -> None:
    english, chinese = table("en", "say.rooms"), table("zh", "say.rooms")
    source = "".join(path.read_text("utf-8") for path in Path(memory_room.__file__).parent.glob("*.py"))
    begun = tuple(re.findall(r'f"rooms\.(\w+_)\{', source))
    ended = tuple(re.findall(r'f"rooms\.\{\w+\}(\w+)"|f"rooms\.no_\{\w+\}(\w+)"', source))

    assert set(english) == set(chinese)
    assert [key for key, words in chinese.items() if not re.search(r"[一-鿿]", str(words))] == []
    unused = [key for key in english if f"rooms.{key}" not in source and not key.startswith(begun)]
    assert [key for key in unused if not key.endswith(tuple(word for pair in ended for word in pair if word))] == []


OLD = {
    "memory/2024-03-01.md": "Decision: from now on all invoices go out in euros, never in dollars.\n\nate soup\n",
    "memory/2024-03-02.md": "- Decision: from now on all invoices go out in euros, never in dollars.\n",
}


@pytest.fixture
def plain() -> None:
    """An owner who wants no vectors: what is looked at here is the page."""
    owners_file({}).parent.mkdir(parents=True, exist_ok=True)
    owners_file({}).write_text('[search]\nembedder = "off"\n', "utf-8")


@pytest.mark.usefixtures("plain")
def test_old_notes_are_looked_back_over_and_that_is_taken_back(build: Build) -> None:
    workspace = build(
        {**OLD, "MEMORY.md": "# Memory\n", "DREAMS.md": with_entry("", "May 1, 2024", "A quiet evening.")}
    )
    browser, before = settings_page(workspace), (workspace.root / "DREAMS.md").read_bytes()

    preview = browser.get("/diary/backfill").text
    assert "2 entries about days past would enter the diary, from 2 notes" in preview and "euros" in preview
    assert (workspace.root / "DREAMS.md").read_bytes() == before, "a look writes nothing"
    told = send(browser, "/diary/backfill", "/diary/backfill", stage="1")
    assert "2 entries written · 1 line staged" in told and "euros" in browser.get("/diary?month=2024-03").text
    assert "1 entry taken out" not in send(browser, "/diary/backfill", "/diary/reset", seen="1")  # two are there by now
    assert "2 entries taken out" in send(browser, "/diary/backfill", "/diary/reset")
    assert (workspace.root / "DREAMS.md").read_bytes() == before


@pytest.mark.usefixtures("plain")
def test_only_what_a_look_back_staged_is_cleared(build: Build) -> None:
    live = {"key": "memory:memory/2024-03-01.md:3:3", "path": "memory/2024-03-01.md", "startLine": 3, "endLine": 3}
    live |= {"source": "memory", "snippet": "ate soup", "recallCount": 1, "totalScore": 1, "maxScore": 1}
    store = json.dumps({"version": 1, "entries": {live["key"]: live}})
    workspace = build({**OLD, "MEMORY.md": "# Memory\n", PEER_RECALLS: store})
    backfill(workspace, fixed(NIGHT), workspace.root / "memory", stage=True)
    browser = settings_page(workspace)

    shown = browser.get("/diary/backfill").text
    assert "1 staged line comes from a look back alone" in shown and "this is no run and cannot be undone" in shown
    token = re.search(r'name="token" value="(\w+)"', shown)
    assert token
    at_once = browser.post("/scene/clear", data={"token": token[1], "seen": "1"}, headers={"origin": HOME}).text
    assert "Tick that you are sure" in at_once and len(recall_state(workspace).recalls) == 2
    assert "1 staged line cleared" in send(browser, "/diary/backfill", "/scene/clear")
    assert list(recall_state(workspace).recalls) == [live["key"]]


@pytest.mark.usefixtures("plain")
def test_what_old_notes_led_into_memory_has_a_lane_of_its_own(build: Build) -> None:
    workspace = build({**OLD, "MEMORY.md": "# Memory\n"})
    backfill(workspace, fixed(NIGHT), workspace.root / "memory", stage=True)
    (staged,) = recall_state(workspace).recalls
    mark_promoted(workspace.root, {staged: "2026-11-14T03:00:00.000Z"}, known=recall_state(workspace).recalls)

    page = settings_page(workspace).get("/scene").text

    lane = page.partition("In memory, led by old notes")[2].partition("</section>")[0]
    assert "euros" in lane and "in memory since 2026-11-14" in lane


@pytest.mark.usefixtures("plain")
def test_the_doctor_tells_each_phase_and_the_first_room_why_nothing_comes(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Memory\n", "memory/2026-11-01.md": "- bought bread\n"})
    record(workspace.root, Attempt("2026-11-02T03:00:00+01:00", "schedule", Outcome.CHANGED, counts={"promoted": 2}))

    browser = settings_page(workspace)

    phases = browser.get("/doctor").text
    assert "Light: 2026-11-02 03:00, 0 lines staged" in phases
    assert "Deep: 2026-11-02 03:00, 2 changes of MEMORY.md" in phases
    assert "blocked: notes wait, and nothing on this machine starts a night" in browser.get("/").text


def test_a_host_file_is_named_and_the_owner_may_overrule_it(workspace: Workspace) -> None:
    table = {"plugins": {"entries": {"memory-core": {"config": {"dreaming": {"frequency": "0 */6 * * *"}}}}}}
    (workspace.root / "openclaw.json").write_text(json.dumps(table))
    browser = settings_page(workspace)

    assert "set in" in (page := browser.get("/settings").text) and "memory-core.config.dreaming.frequency" in page
    told = send(browser, "/settings", "/settings/change", {"key": "schedule.cron"}, value="0 5 * * *")
    assert "schedule.cron was 0 */6 * * * and is 0 5 * * * now" in told
