"""Until when a line holds: nothing that is over, or still to come, is given as current, and the night takes out what is over."""

from __future__ import annotations

from datetime import date

import pytest

from conftest import Build
from reverie.core.errors import BadInput
from reverie.core.ports import fixed
from reverie.evidence.search import Scanned
from reverie.features.note import note
from reverie.features.recall.facts import Query, facts_for
from reverie.features.search import ask
from reverie.features.sessions import begin
from reverie.judge.leaving import end_of, find_expired, holds, start_of
from reverie.lang.messages import speaking
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import stated
from terminal import call

NOW = fixed("2026-11-15T09:00:00+01:00")
LATER = fixed("2027-02-01T09:00:00+01:00")
PASS = "- the guest pass for the harbour hangs in the office (valid until 2026-12-31)"
RUNNING = [
    ("Parkausweis gültig bis 31.12.2026", None, date(2026, 12, 31)),
    ("停车证有效期至2026年12月31日", None, date(2026, 12, 31)),
    ("The mooring is paid until the end of February 2027", None, date(2027, 2, 28)),
    ("Liegeplatz bezahlt bis Ende Februar 2027", None, date(2027, 2, 28)),
    ("Place payée jusqu'à la fin du mois de février 2027", None, date(2027, 2, 28)),
    ("Amarre pagado hasta finales de febrero de 2027", None, date(2027, 2, 28)),
    ("Posto pagato fino alla fine di febbraio 2027", None, date(2027, 2, 28)),
    ("Причал оплачен до конца февраля 2027", None, date(2027, 2, 28)),
    ("係留料は2027年2月末まで支払い済み", None, date(2027, 2, 28)),
    ("The mooring is paid until the middle of February 2027", None, None),
    ("Preisliste (gültig ab 01.12.2026)", date(2026, 12, 1), None),
    ("新价格2026年12月1日起生效", date(2026, 12, 1), None),
    ("割引コード（2026年12月1日から有効）", date(2026, 12, 1), None),
]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_written_behind_a_note_is_read_back(build: Build, language: str) -> None:
    workspace = build({})

    with speaking(language):
        note(workspace, NOW, "the harbour office opens at ten", first="2026-12-01", last="2026-12-31")

    line = (workspace.root / "memory/2026-11-15.md").read_text().strip().rpartition("\n")[2]
    assert (start_of(line), end_of(line)) == (date(2026, 12, 1), date(2026, 12, 31))
    assert [holds(line, (), date(2026, 11 + n, 15)) for n in (0, 1)] == [False, True]


@pytest.mark.parametrize(("line", "first", "last"), RUNNING)
def test_people_say_it_in_their_own_words(line: str, first: date | None, last: date | None) -> None:
    assert (start_of(line), end_of(line)) == (first, last)


@pytest.mark.parametrize(("first", "last"), [("soon", ""), ("2026-12-02", "2026-12-01"), ("", "2026-11-14")])
def test_days_that_make_no_sense_are_refused_and_nothing_is_noted(build: Build, first: str, last: str) -> None:
    workspace = build({})

    with pytest.raises(BadInput):
        note(workspace, NOW, "the office opens at ten", first=first, last=last)

    assert not (workspace.root / "memory").exists()


def test_an_expired_line_is_marked_before_any_night_and_then_leaves(build: Build) -> None:
    workspace = build({"MEMORY.md": f"# Me\n\n## Stable Knowledge\n{PASS}\n- keeps bees\n"})

    (before, *_), (after, *_) = (ask(workspace, None, now, "guest pass harbour").hits for now in (NOW, LATER))

    assert (before.current, before.expired) == (None, "")
    assert (after.current, after.expired) == (False, "2026-12-31") and "2026-12-31" in after.why
    memory = read_workspace(workspace).files["MEMORY.md"]
    assert [len(find_expired(memory, now.now().date())) for now in (NOW, LATER)] == [0, 1]


def test_a_tale_of_the_past_stays_and_is_no_less_true(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Me\n- the old licence was valid until 2019-05-01\n"})

    (hit,) = ask(workspace, None, NOW, "old licence").hits

    assert hit.current is None and not find_expired(read_workspace(workspace).files["MEMORY.md"], NOW.now().date())


def test_what_holds_for_a_while_takes_the_place_of_nothing_before_or_after(build: Build) -> None:
    rule, notes = "- Office: opens at 9:00", "- Office: opens at 10:00 (valid from 2026-12-01 until 2026-12-31)"
    claims = [stated("MEMORY.md", 1, 1, rule[2:]), stated("memory/2026-11-14.md", 1, 1, notes[2:], day="2026-11-14")]

    told = [
        facts_for(Scanned(claims, ""), Query("When does the office open?"), None, "balanced", "always", "", day)
        .facts[0]
        .text
        for day in (date(2026, 11, 15), date(2026, 12, 15), date(2027, 1, 15))
    ]

    assert ["9:00" in one for one in told] == [True, False, True]
    first = ask(build({"MEMORY.md": f"{rule}\n", "memory/2026-11-14.md": f"{notes}\n"}), None, NOW, "office opens").hits
    assert "9:00" in first[0].claim.text and first[1].valid_from == "2026-12-01"


def test_a_denial_that_is_over_denies_nothing() -> None:
    claims = [
        stated("MEMORY.md", 1, 1, "The lift in the tower works"),
        stated(
            "memory/2026-11-14.md",
            1,
            1,
            "The lift in the tower does not work (valid until 2026-12-31)",
            day="2026-11-14",
        ),
    ]

    told = [
        facts_for(
            Scanned(claims, ""), Query("Does the lift in the tower work?"), None, "balanced", "always", "", day
        ).facts
        for day in (date(2026, 12, 15), date(2027, 1, 15))
    ]

    assert ["contradicted" in " ".join(fact.text for fact in one) for one in told] == [True, False]


def test_the_command_takes_both_days(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Me\n"})

    told = call(
        "note",
        "the lift is blocked",
        "--until",
        "2026-12-24",
        "--workspace",
        str(workspace.root),
        "--now",
        "2026-11-15",
    )
    wrong = call("note", "the lift is blocked", "--until", "Christmas", "--workspace", str(workspace.root))

    assert told.code == 0 and "(valid until 2026-12-24)" in (workspace.root / "memory/2026-11-15.md").read_text()
    assert wrong.code == 14 and "YYYY-MM-DD" in wrong.err


def test_a_session_marks_what_is_over_and_what_is_still_to_come_and_no_tale_of_the_past(build: Build) -> None:
    lines = "- the annex opens (valid from 2026-12-01)", "- the old licence was valid until 2019-05-01", "- keeps bees"
    workspace = build({"MEMORY.md": "# Me\n" + "\n".join((*lines, PASS)) + "\n"})

    told = [begin(workspace, now).pages[-1].text.split("\n")[1:] for now in (NOW, LATER)]

    assert [[line != bare for line, bare in zip(one, (*lines, PASS), strict=True)] for one in told] == [
        [True, False, False, False],
        [False, False, False, True],
    ]
    assert "2026-12-01)" in told[0][0] and told[1][3].endswith("2026-12-31)")
