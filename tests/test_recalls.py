"""The recall recalls: what was recalled often enough enters memory, everything else stays out with its reason."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from conftest import NOW, Make, answering, memory_of, review, write
from reverie.errors import Busy, NotFound
from reverie.features import backfill
from reverie.features import promote as recalls
from reverie.features.why import why
from reverie.judge.brief import brief_text
from reverie.night import brief_of, read_memory
from reverie.signals import peer, phases, score
from reverie.signals.journal import record
from reverie.signals.score import Entry, Signal, changed, with_phase
from reverie.signals.store import MOST_ENTRIES, Store, counted, load, save
from reverie.signals.tags import concept_tags
from reverie.signals.weigh import open_recalls
from reverie.store.disk import Disk
from reverie.store.state import read_state
from reverie.store.undo import undo
from reverie.surfaces.cli import main
from reverie.workspace.layout import RECALL_JOURNAL, RECALLS, Layout, layout_of

PEER = Path(__file__).parent / "peer"
PRINTED = json.loads((PEER / "printed.json").read_text("utf-8"))
PORT = "The gateway listens on port 8443"
NOTE = "memory/2026-03-28.md"
QUESTIONS = ("gateway port", "where does the gateway listen", "what is behind 8443")
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def no_openclaw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "openclaw"))


def ask(layout: Layout, *questions: str, words: str = PORT, path: str = NOTE, line: int = 1, days: int = 3) -> None:
    """Questions that were answered with one line, each on a day of its own."""
    for number, question in enumerate(questions or QUESTIONS):
        record(layout, question, [(path, line, words, 0.9)], NOW - timedelta(days=days - number % days, hours=8))


def asked_workspace(workspace: Make, note: str = f"- {PORT}\n", **files: str) -> Layout:
    layout = workspace(files={NOTE: note, **files})
    ask(layout)
    return layout


def entering(found: dict[str, Any]) -> list[str]:
    return [candidate["enters"] for candidate in found["candidates"] if candidate["enters"]]


def reasons(layout: Layout) -> list[str]:
    return [candidate["refusedFor"] for candidate in recalls.promote(layout, NOW)["candidates"]]


def bytes_below(layout: Layout) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in layout.root.rglob("*") if path.is_file() and path.name != "lock" and path.parent.name != "late"}  # fmt: skip


def test_three_questions_on_three_days_let_a_line_in_and_promote_says_so_before(workspace: Make) -> None:
    layout = asked_workspace(workspace)
    before = bytes_below(layout)

    listed = recalls.promote(layout, NOW)
    assert entering(listed) == [PORT] and bytes_below(layout) == before
    night = review(layout)

    (operation,) = (wish for wish in night.plan.done if wish.judge == "signals")
    assert (operation.op, operation.text, [ref.place for ref in operation.cites]) == ("add", PORT, [f"{NOTE}:1"])
    assert f"- {PORT}\n" in memory_of(layout)
    assert entering(recalls.promote(layout, NOW + DAY)) == []


def test_applying_what_promote_lists_is_what_the_night_does_and_undo_gives_every_byte_back(
    workspace: Make, tmp_path: Path
) -> None:
    layout = asked_workspace(workspace)
    other = layout_of(shutil.copytree(layout.root, tmp_path / "other"))
    before = memory_of(layout)
    review(other, judge=answering())

    applied = recalls.promote(layout, NOW, apply=True)
    assert applied["apply"]["applied"] == 1 and memory_of(layout) == memory_of(other) != before
    again = recalls.promote(layout, NOW, apply=True)
    assert (again["apply"]["applied"], again["candidates"]) == (0, [])

    undo(layout, NOW)
    assert memory_of(layout) == before
    assert reasons(layout) == ["declined"] and recalls.promote(layout, NOW, apply=True)["apply"]["applied"] == 0


def test_what_notes_say_on_three_days_returns_if_it_is_worth_keeping(workspace: Make) -> None:
    fact, noise = "Decision: invoices go out on the first of the month", "soup again"
    layout = workspace(files={f"memory/2026-03-{day}.md": f"- {fact}\n- {noise}\n" for day in (25, 27, 29)})
    record(layout, "anything", [(NOTE, 9, "a line that is not there", 0.5)], NOW)
    assert entering(recalls.promote(layout, NOW)) == [fact]
    assert "nobody asked for it" in reasons(layout)


def test_thirty_quiet_nights_change_nothing(workspace: Make) -> None:
    layout = workspace(files={f"memory/2026-03-{day}.md": f"- {PORT}\n- walked {day} km\n" for day in (28, 29)})
    ask(layout, "gateway port")
    review(layout)
    memory = memory_of(layout)
    for night in range(1, 31):
        review(layout, NOW + night * DAY)
    assert memory_of(layout) == memory


def test_a_question_repeated_all_day_is_no_habit(workspace: Make) -> None:
    layout = workspace(files={NOTE: f"- {PORT}\n"})
    for _ in range(20):
        record(layout, "Gateway port ", [(NOTE, 1, PORT, 0.9)], NOW)
    (entry,) = load(layout).entries.values()
    assert (entry.recalls, len(entry.queries)) == (1, 1)


def test_a_line_is_found_again_where_it_moved_and_by_its_owners_words_today(workspace: Make) -> None:
    layout = asked_workspace(workspace, f"# Log\n\n- tea\n- **{PORT}**.\n")
    (found,) = recalls.promote(layout, NOW)["candidates"]
    assert found["enters"] == f"**{PORT}**."
    write(layout, NOTE, "- The gateway is gone\n")
    assert reasons(layout) == ["gone"]


def test_what_is_foreign_known_or_a_dreams_own_stays_out(workspace: Make) -> None:
    hearsay = "Only lines that are quoted, an agent's or machine-made are cited; they support nothing."
    block = f"<!-- openclaw:dreaming:light:start -->\n- {PORT}\n<!-- openclaw:dreaming:light:end -->\n"
    layout = asked_workspace(workspace)
    for note, reason in ((f"> {PORT}\n", [hearsay]), (block, ["gone"])):
        write(layout, NOTE, note)
        assert reasons(layout) == reason
    write(layout, NOTE, f"- {PORT}\n")
    write(layout, "MEMORY.md", f"## A\n- {PORT}\n")
    assert recalls.promote(layout, NOW)["candidates"] == []


def test_the_journal_holds_hashes_and_no_words(workspace: Make) -> None:
    words = "The wifi password is kX9-plum-77"
    layout = workspace(files={NOTE: f"- {words}\n"})
    ask(layout, words=words)
    assert b"plum" not in layout.real(RECALL_JOURNAL).read_bytes()
    assert review(layout).plan.done == ()


def test_a_secret_that_its_heading_tells_of_is_shown_nowhere(workspace: Make) -> None:
    layout = asked_workspace(
        workspace, "## Passwords\n- kettle42Moor\n", **{"reverie.toml": '[dream]\nphases = "both"\n'}
    )
    ask(layout, words="kettle42Moor", line=2)
    assert "secret" in reasons(layout)
    told = json.dumps(
        [recalls.promote(layout, NOW), backfill.rehearse(layout, NOW), recalls.memory_status(layout, NOW)], default=str
    )
    review(layout)
    written = [data for path, data in bytes_below(layout).items() if not path.endswith(NOTE)]
    assert "kettle" not in told and not any(b"kettle" in data for data in written)


def test_what_a_night_archived_comes_back_only_when_said_again(workspace: Make) -> None:
    layout = workspace(f"## A\n- a1\n- {PORT}\n", files={NOTE: f"- {PORT}\n"})
    review(layout, judge=answering({"op": "end", "memory": ["m2"], "why": "over"}))
    assert PORT not in memory_of(layout).partition("## Dream")[0]
    ask(layout)
    assert reasons(layout) == ["archived"]


def test_at_most_so_many_enter_a_night_best_first(workspace: Make) -> None:
    facts = [f"Decision: room {n} belongs to the {name}" for n, name in enumerate(("press", "kiln", "loom"))]
    layout = workspace(files={NOTE: "".join(f"- {fact}\n" for fact in facts)})
    for fact in facts:
        ask(layout, words=fact)
    ask(layout, "who has the kiln", words=facts[1])
    limited = recalls.promote(layout, NOW, limit=1)
    assert entering(limited) == [facts[1]] and [c["refusedFor"] for c in limited["candidates"]] == ["", "limit", "limit"]  # fmt: skip
    assert entering(recalls.promote(layout, NOW, min_unique_queries=4)) == [facts[1]]


def test_why_tells_what_the_night_would_do(workspace: Make) -> None:
    layout = asked_workspace(workspace)
    assert f"{NOTE}:1-1 was recalled: it enters with the next night." in why(layout, PORT, NOW).reasons


def test_a_line_that_the_judge_speaks_for_is_not_added_twice(workspace: Make) -> None:
    layout = asked_workspace(workspace)
    night = review(layout, judge=answering({"op": "add", "text": "Gateway: port 8443", "from": ["n1"], "section": "A"}))
    assert [wish.judge for wish in night.plan.done] == ["model"]


def test_a_leading_model_sees_how_often_a_line_was_recalled(workspace: Make) -> None:
    layout = asked_workspace(workspace)
    text = brief_text(brief_of(read_memory(layout), read_state(layout), NOW.date(), is_led=True))
    assert f"[n1] {PORT} (recalled 3×, 3 days)" in text


def test_the_journal_is_folded_once_and_a_torn_line_costs_one_line(workspace: Make) -> None:
    layout = workspace(files={NOTE: f"- {PORT}\n"})
    ask(layout, *(f"question {number}" for number in range(40)))  # more than a store remembers
    for _ in range(3):
        save(layout, load(layout), Disk())
    with open(layout.real(RECALL_JOURNAL), "ab") as file:
        file.write(b'{"timestamp":"2026-')
    ask(layout, QUESTIONS[2])
    save(layout, load(layout), Disk())
    (entry,) = load(layout).entries.values()
    assert (entry.recalls, len(entry.asked), PORT.encode() in layout.real(RECALLS).read_bytes()) == (41, 32, False)


def test_a_full_journal_makes_room_and_counts_nothing_twice(workspace: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reverie.signals.store._FULL", 100)
    layout = workspace(files={NOTE: f"- {PORT}\n"})
    for number in range(6):
        ask(layout, f"question {number}")
        save(layout, load(layout), Disk())
    assert [entry.recalls for entry in load(layout).entries.values()] == [6]
    assert not layout.real(RECALL_JOURNAL).exists()


def test_what_was_never_recalled_leaves_first(workspace: Make) -> None:
    layout = workspace()
    staged = [counted(NOTE, 1, f"memory:grounded:{n}", NOW.astimezone(), [], 0.9, grounded=1, claim=str(n)) for n in range(MOST_ENTRIES)]  # fmt: skip
    save(layout, Store(entries={entry.key: entry for entry in staged}), Disk())
    ask(layout)
    entries = load(layout).entries
    assert len(entries) == MOST_ENTRIES and sum(entry.recalls == 3 for entry in entries.values()) == 1


def test_a_damaged_store_begins_anew_and_a_linked_one_is_not_followed(workspace: Make, tmp_path: Path) -> None:
    layout = asked_workspace(workspace)
    layout.real(RECALLS).write_text("{broken")
    assert entering(recalls.promote(layout, NOW)) == [PORT]
    layout.real(RECALLS).unlink()
    layout.real(RECALLS).symlink_to(tmp_path / "foreign")
    assert entering(recalls.promote(layout, NOW)) == [PORT]


def worded(key: str, snippet: str, *days: int, recalls: int = 0, value: float = 0.62) -> Entry:
    said = [date(2026, 3, day) for day in days or (30,)]
    last = datetime(2026, 3, said[-1].day, 20, tzinfo=UTC)
    entry = counted("memory/2026-03-30.md", 1, key, last, said, value, snippet=snippet, recalls=recalls, daily=0 if recalls else len(said))  # fmt: skip
    return changed(entry, tags=("one", "two", "three"))


def test_light_stages_each_thing_once_in_every_language_and_again_only_after_news() -> None:
    now = NOW.astimezone(UTC)
    same = {"The hedge is cut in June.": "the hedge is cut in june", "篱笆六月修剪。": "篱笆六月修剪"}
    for words, others in same.items():
        assert len(phases.staged([worded("a", words), worded("b", others)], {}, score.DEFAULT, now)) == 1
    entry, seen = worded("a", "Tea at four", recalls=1), {"a": Signal("a", 1, 0, now)}
    assert phases.staged([entry], seen, score.DEFAULT, now) == []
    assert phases.staged([changed(entry, last_recalled=now + DAY)], seen, score.DEFAULT, now + DAY) != []


def test_rem_looks_first_at_what_light_staged_and_asks_for_more_than_one_day() -> None:
    now = NOW.astimezone(UTC)
    new, old = worded("a", "Tea at four"), worded("b", "The hedge is cut in June", 27, 28, 29, recalls=3, value=0.8)
    signals = {"a": Signal("a", 1, 0, now), "b": Signal("b", 1, 1, now, now)}
    assert phases.considered([new, old], signals, score.DEFAULT, now) == [new]
    assert [entry.key for _, entry in phases.truths([new, old])] == ["b"]
    assert with_phase(with_phase(None, "a", "light", now), "a", "light", now + timedelta(hours=3)).light == 1


@pytest.mark.parametrize("mode", ["none", "separate", "inline", "both"])
def test_reports_are_written_as_their_owner_wants_and_are_no_evidence(workspace: Make, mode: str) -> None:
    layout = asked_workspace(workspace, **{"reverie.toml": f'[dream]\nphases = "{mode}"\n', "memory/2026-03-31.md": "- typed today\n"})  # fmt: skip
    review(layout)

    reports = {path.parent.name for path in (layout.root / "memory/dreaming").glob("*/2026-03-31.md")}
    assert reports == ({"light", "rem", "deep"} if mode in {"separate", "both"} else set())
    note = (layout.root / "memory/2026-03-31.md").read_text()
    assert note.startswith("- typed today\n") and ("## Light Sleep" in note) == (mode in {"inline", "both"})
    assert "- Promoted 1 candidate(s) into MEMORY.md." in (layout.root / "DREAMS.md").read_text()
    stated = [line.text for line in read_memory(layout).file("memory/2026-03-31.md").statements if line.origin == "owner"]  # fmt: skip
    assert stated == ["typed today"]


def test_a_boost_changes_the_order_and_lets_nothing_in() -> None:
    entry, now = worded("a", "Tea at four", 28, 29), NOW.astimezone(UTC)
    plain, boosted = (score.scored(entry, signal, score.DEFAULT, now) for signal in (None, Signal("a", 9, 9, now, now)))
    assert boosted.score > plain.score and boosted.gates == plain.gates  # fmt: skip


def live(version: str, tmp_path: Path) -> tuple[peer.Peer, score.Profile]:
    if version == "2026.5.7":  # it ranks as 2026.4 did, and leaves out what is contaminated
        layout = layout_of(shutil.copytree(PEER / "2026.5.7-backfilled", tmp_path / "peer"))
        return peer.read_peer(layout), score.OPENCLAW_2026_4
    database = Path(shutil.copy(PEER / "2026.9.6-state/openclaw.sqlite", tmp_path))
    return peer.read_peer(Layout(Path("/home/user/ws"), tmp_path, tmp_path), database), score.OPENCLAW_2026_9


@pytest.mark.parametrize("nth", range(4))
@pytest.mark.parametrize("version", ["2026.5.7", "2026.9.6"])
def test_two_real_stores_give_the_candidates_that_openclaw_printed(version: str, nth: int, tmp_path: Path) -> None:
    found, profile = live(version, tmp_path)
    printed, before = PRINTED[version]["promote"][nth], sorted(tmp_path.iterdir())
    if not printed["gates"]:
        profile = profile.with_gates(min_score=0, min_recall_count=0, min_unique_queries=0)
    entries = [e for e in found.entries.values() if e.promoted is None or not printed["promotedLeftOut"]]
    rated = [r for r in score.ranked(entries, found.signals, profile, datetime.fromisoformat(printed["now"])) if r.passes]  # fmt: skip
    assert [r.entry.key for r in rated] == [candidate["key"] for candidate in printed["candidates"]]
    assert [(r.score, *r.components) for r in rated] == [pytest.approx((c["score"], *c["components"].values())) for c in printed["candidates"]]  # fmt: skip
    assert (found.skipped, found.doubts, sorted(tmp_path.iterdir())) == (0, [], before)  # no -wal or -shm beside it


@pytest.mark.parametrize("version", ["2026.5.7", "2026.9.6"])
def test_rem_finds_their_themes_and_their_truths(version: str, tmp_path: Path) -> None:
    found, _ = live(version, tmp_path)
    entries, wanted = [changed(e, promoted=None) for e in found.entries.values()], PRINTED[version]["rem"]
    assert [line for line in phases.theme_lines(entries) if "evidence" not in line] == wanted["themes"]
    assert [[e.place, pytest.approx(sure)] for sure, e in phases.truths(entries)] == wanted["truths"]


def test_a_strangers_store_is_read_entry_by_entry_and_what_fails_is_counted(workspace: Make) -> None:
    good = {"path": NOTE, "startLine": 1, "endLine": 1, "source": "memory", "snippet": PORT, "recallCount": 2}
    bad: list[Any] = [{**good, "path": "../../etc/passwd"}, {**good, "recallCount": 1e300}, {**good, "recallCount": -1}, {**good, "lastRecalledAt": "x"}, [], 7,
           {**good, "conceptTags": ["t"] * 99}, {**good, "path": "/etc/passwd"}, {**good, "startLine": 0}]  # fmt: skip
    entries = {"good": good, "foreign": {**good, "source": "wiki"}, **{f"bad {n}": value for n, value in enumerate(bad)}}  # fmt: skip
    layout = workspace(files={"memory/.dreams/short-term-recall.json": json.dumps({"entries": entries})})
    found = peer.read_peer(layout)
    assert (list(found.entries), found.skipped) == (["good"], len(bad))
    for damaged in ("{", "[]", '{"entries": 3}', "\x00", "[" * 50_000):
        write(layout, "memory/.dreams/short-term-recall.json", damaged)
        assert peer.read_peer(layout).entries == {} and peer.read_peer(layout).doubts


def test_a_page_that_openclaw_recalled_is_no_fact_and_one_line_of_its_is(workspace: Make) -> None:
    layout = workspace(files={NOTE: f"# Log\n## Net\n- {PORT}\n- Cameras are on VLAN 20\n"})
    days = ["2026-03-26", "2026-03-27", "2026-03-28"]
    entry = {"path": NOTE, "startLine": 1, "endLine": 4, "source": "memory", "recallCount": 6, "totalScore": 5.4, "maxScore": 1,
             "lastRecalledAt": "2026-03-30T08:00:00Z", "queryHashes": ["a", "b", "c"], "recallDays": days}  # fmt: skip
    texts = {"page": f"# Log ## Net - {PORT} - Cameras are on VLAN 20", "line": f"Net: {PORT}"}
    store = {"entries": {name: {**entry, "snippet": text} for name, text in texts.items()}}
    (layout.root / "memory/.dreams").mkdir()
    write(layout, "memory/.dreams/short-term-recall.json", json.dumps(store))
    found = {c["key"]: (c["enters"], c["refusedFor"]) for c in recalls.promote(layout, NOW)["candidates"]}
    assert found == {"line": (PORT, ""), "page": ("", "a page of several lines")}


def dreamt(phase: str, at: datetime) -> str:
    return (json.dumps({"type": "memory.dream.completed", "timestamp": at.astimezone(UTC).isoformat(), "phase": phase}) + "\n")  # fmt: skip


def test_where_openclaw_dreams_itself_nothing_is_promoted_unless_told(workspace: Make) -> None:
    layout = asked_workspace(workspace, **{"memory/.dreams/events.jsonl": dreamt("deep", NOW - DAY)})
    assert review(layout).plan.done == () and entering(recalls.promote(layout, NOW)) == [PORT]
    write(layout, "reverie.toml", "[deep]\nbeside_openclaw = true\n")
    assert [wish.text for wish in review(layout).plan.done] == [PORT]


def test_promote_waits_while_openclaw_sweeps(workspace: Make) -> None:
    layout = asked_workspace(workspace, **{"memory/.dreams/events.jsonl": dreamt("light", NOW - timedelta(minutes=2))})
    with pytest.raises(Busy):
        recalls.promote(layout, NOW, apply=True)


def test_a_lock_in_openclaws_database_is_seen_and_nothing_is_written_beside_it(workspace: Make, tmp_path: Path) -> None:
    layout = workspace()
    path = tmp_path / "openclaw/state/openclaw.sqlite"
    path.parent.mkdir(parents=True)
    shutil.copy(PEER / "2026.9.6-state/openclaw.sqlite", path)
    key = sha256(layout.root.resolve().as_posix().encode()).hexdigest()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode=WAL")
        taken = json.dumps({"owner": "1:x", "acquiredAt": datetime.now().timestamp() * 1000})
        database.execute("INSERT INTO plugin_state_entries VALUES ('memory-core', 'short-term-locks', ?, ?, 0, NULL)", (key, taken))  # fmt: skip
    database.close()
    before = sorted(path.parent.iterdir())
    assert peer.read_peer(layout).is_locked and sorted(path.parent.iterdir()) == before


def test_gates_of_openclaw_json_and_of_ours_are_kept(workspace: Make) -> None:
    config = {"plugins": {"entries": {"memory-core": {"config": {"dreaming": {"phases": {"deep": {"minScore": 0.9, "limit": 3}}}}}}}}  # fmt: skip
    layout = asked_workspace(workspace, **{"openclaw.json": json.dumps(config)})
    profile = open_recalls(read_memory(layout), NOW).profile
    assert (profile.min_score, profile.limit, profile.min_recall_count) == (0.9, 3, 3)
    assert entering(recalls.promote(layout, NOW)) == []
    write(layout, "reverie.toml", "[deep]\nmin_score = 0.5\n")
    assert entering(recalls.promote(layout, NOW)) == [PORT]


def test_a_backfill_is_reversible_and_its_rollback_takes_only_its_own(workspace: Make) -> None:
    layout = asked_workspace(workspace, **{"memory/2025-11-02.md": "- Decision: invoices go out on the first\n- soup\n- the wifi password is kX9-plum-77\n"})  # fmt: skip
    review(layout)
    before = bytes_below(layout)

    first = backfill.backfill(layout, NOW, str(layout.root / "memory"), stage=True)
    text = (layout.root / "DREAMS.md").read_text()
    assert "1. Decision: invoices go out on the first [memory/2025-11-02.md:1]" in text and "plum" not in text
    second = backfill.backfill(layout, NOW, str(layout.root / "memory"), stage=True)
    assert second["replacedEntries"] == second["writtenEntries"] == first["writtenEntries"] > 0
    assert second["stagedShortTermEntries"] == first["stagedShortTermEntries"] > 0
    assert (layout.root / "DREAMS.md").read_text() == text

    backfill.roll_back(layout, entries=True, short_term=True)
    assert bytes_below(layout) == before


def test_lines_outside_the_workspace_are_told_and_never_staged(workspace: Make, tmp_path: Path) -> None:
    layout = workspace()
    (tmp_path / "old").mkdir()
    (tmp_path / "old/2024-01-02.md").write_text("- Decision: the boiler is serviced in October\n")
    done = backfill.backfill(layout, NOW, str(tmp_path / "old"), stage=True)
    assert (done["writtenEntries"], done["stagedShortTermEntries"]) == (1, 0)
    backfill.roll_back(layout, entries=True, short_term=True)
    assert not (layout.root / "DREAMS.md").exists() and not layout.real(RECALLS).exists()


def test_a_staged_line_counts_once_it_is_recalled_too(workspace: Make) -> None:
    layout = workspace(files={NOTE: f"- Decision: {PORT}\n"})
    backfill.backfill(layout, NOW, str(layout.root / NOTE), stage=True)
    assert entering(recalls.promote(layout, NOW)) == []
    ask(layout, *QUESTIONS[:2], words=f"Decision: {PORT}")
    (found,) = recalls.promote(layout, NOW)["candidates"]
    assert (found["groundedCount"] > 0, found["recallCount"]) == (True, 2)


def test_a_rehearsal_shows_all_of_it_and_writes_nothing(workspace: Make) -> None:
    layout = asked_workspace(workspace)
    before = bytes_below(layout)
    found = backfill.rehearse(layout, NOW, str(layout.root / "memory"), with_grounded=True)
    assert found["sourceFiles"] == [NOTE, "memory/2026-03-30.md"] and found["rem"]["bodyLines"]
    assert [c["enters"] for c in backfill.rehearse(layout, NOW)["deep"]["candidates"]] == [PORT]
    with pytest.raises(NotFound):
        backfill.rehearse(layout, NOW, str(layout.root / "nowhere"))
    assert bytes_below(layout) == before


@pytest.fixture
def dream(workspace: Make, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    layout = asked_workspace(workspace)

    def run(*words: str) -> Any:
        with pytest.raises(SystemExit) as stopped:
            main([*words, "-w", str(layout.root), "--now", f"{NOW:%Y-%m-%dT%H:%M}"])
        shown = capsys.readouterr().out
        return json.loads(shown) if "--json" in words else (stopped.value.code, shown)

    return run


def test_openclaws_spelling_and_ours_say_the_same(dream: Callable[..., Any]) -> None:
    assert dream("memory", "promote", "--json") == dream("promote", "--json")
    assert dream("memory", "status", "--deep")[0] == dream("memory", "dream", "--dry-run")[0] == 0
    assert "Enters: " + PORT in dream("memory", "promote-explain", "gateway", "listens")[1]
    assert dream("promote-explain", "zebra")[0] == NotFound.exit_code
    assert dream("rem-backfill")[0] == 10 and dream("memory")[0] == 2


def test_an_explanation_adds_up(dream: Callable[..., Any]) -> None:
    told = dream("promote-explain", NOTE, "--json")
    candidate = told["candidate"]
    fields = "key path startLine endLine source snippet recallCount dailyCount groundedCount signalCount avgScore maxScore uniqueQueries"
    assert {*fields.split(), "lastRecalledAt", "ageDays", "score", "recallDays", "conceptTags"} <= candidate.keys()
    base = sum(value * weight for value, weight in zip(candidate["components"].values(), score.WEIGHTS, strict=True))
    assert candidate["score"] == pytest.approx(base + candidate["phaseBoost"])
    assert told["passes"] == {"score": True, "recallCount": True, "uniqueQueries": True, "maxAge": True}


def test_tags_of_a_very_long_line_come_quickly() -> None:
    for words in ("a" * 1_000_000, "a-" * 500_000, "1." * 500_000, "<!--" * 250_000):
        assert len(concept_tags("memory/2026-03-30.md", words)) <= 8
