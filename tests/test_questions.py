"""Two values for one thing and no word on which one holds: both stay, and a person is asked, once."""

from __future__ import annotations

import pytest

from conftest import Build
from reverie.claim import Claim
from reverie.model import Does, Finding, Source
from reverie.phases.both_sides import with_both_sides
from reverie.phases.questions import conflicts, find_questions
from reverie.remember import evidence_of
from reverie.workspace.reader import read_workspace


def said(*lines: str, day: str = "2026-11-14") -> list[Claim]:
    return [Claim(f"memory/{day}.md", n, n, line, day=day) for n, line in enumerate(lines, 2)]


ASKED = [
    ("The ferry timetable shows 14 departures a day.", "Posters at the pier list 12 departures; nobody knows which one is right."),
    ("Ticket office says the pass costs 41 €.", "The website shows 45 € for the same pass."),
    ("Noor says the boiler room is locked at night.", "According to the guard the boiler room is not locked at night."),
    ("仓库盘点显示还剩 340 把椅子。", "财务表里椅子是 310 把，两边对不上。"),
    ("Die Liste zeigt 24 Anmeldungen.", "Laut Kasse sind es 27 Anmeldungen, was stimmt ist unklar."),
    ("En la web pone 18 plazas.", "El cartel pone 22 plazas, nadie sabe cuál de las dos."),
    ("Selon le site, 18 places.", "L'affiche indique 22 places, personne ne sait."),
    ("На сайте указано 18 мест.", "На афише указано 22 места, цифры расходятся."),
]  # fmt: skip
SETTLED = [
    ("The pass costs 41 €.", "From today the pass costs 45 €, says the office."),
    ("Ticket office says the pass costs 41 €.", "Ticket office says the boat costs 45 €."),
    ("日票 41 元。", "月票 450 元。"),
    ("Production listens on port 5432, says Kim.", "Staging listens on port 5433, says Kim."),
    ("The scale shows 80 kg.", "The scale shows 79 kg."),
    ("Noor says the boiler room is locked at night.", "Noor says the boiler room is warm."),
    ("Probe dienstags um 19:30.", "Yoga donnerstags um 18:00."),
]


@pytest.mark.parametrize(("one", "other"), ASKED)
def test_two_sources_with_two_values_are_a_conflict(one: str, other: str) -> None:
    (conflict,) = conflicts(said(one, "bought bread", other))

    assert (conflict.first.text, conflict.second.text) == (one, other)
    assert conflict.id == conflicts(said("something", one, other))[0].id  # known by its words, not by its lines


@pytest.mark.parametrize(("one", "other"), SETTLED)
def test_a_change_a_measure_and_two_things_are_none(one: str, other: str) -> None:
    assert conflicts(said(one, other)) == ()


def test_a_doubt_about_a_line_of_memory_is_a_question_too(build: Build) -> None:
    files = {
        "MEMORY.md": "# Club\n- The hall holds 240 guests\n",
        "memory/2026-11-14.md": "# 2026-11-14\n- The fire office says the hall holds 200 guests, not confirmed\n",
    }
    snapshot = read_workspace(build(dict(files)))

    (flag,) = find_questions(snapshot, evidence_of(snapshot))

    assert (flag.does, flag.tag) == (Does.FLAG, "question")
    assert flag.why.startswith("needs human review: nobody knows which one holds [")
    assert [str(source) for source in flag.sources] == ["MEMORY.md:2", "memory/2026-11-14.md:2"]


def test_what_was_asked_before_is_not_asked_again(build: Build) -> None:
    one, other = ASKED[0]
    snapshot = read_workspace(build({"memory/2026-11-14.md": f"- {one}\n- {other}\n"}))
    (conflict,) = conflicts([one.claim for one in evidence_of(snapshot).fresh])

    assert len(find_questions(snapshot, evidence_of(snapshot))) == 1
    assert find_questions(snapshot, evidence_of(snapshot), frozenset({conflict.id})) == ()


def test_one_side_never_enters_alone_and_replaces_nothing(build: Build) -> None:
    one, other = ASKED[1]
    files = {"MEMORY.md": "# Me\n\n## Prices\n- The pass costs 39 €\n", "memory/2026-11-14.md": f"- {one}\n- {other}\n"}
    snapshot = read_workspace(build(dict(files)))
    target, source = snapshot.files["MEMORY.md"].entries[0], Source("memory/2026-11-14.md", 2, 2)
    added = Finding(Does.ADD, "added", other, "said once", (source,), section="Prices")
    replaced = Finding(Does.REPLACE, "superseded", other, "superseded", (source,), target)
    bread = Finding(Does.ADD, "added", "likes rye bread", "said once", (Source("memory/2026-11-14.md", 9, 9),))

    for finding in (added, replaced):
        after = with_both_sides(snapshot, evidence_of(snapshot), (bread, finding))
        assert [(f.does, f.text, f.section) for f in after[1:]] == [
            (Does.ADD, other, "Prices"),
            (Does.ADD, one, "Prices"),
        ]
    assert with_both_sides(snapshot, evidence_of(snapshot), (bread,)) == (bread,)


def test_quoted_text_asks_nothing(build: Build) -> None:
    one, other = ASKED[1]
    snapshot = read_workspace(build({"memory/2026-11-14.md": f"> - {one}\n> - {other}\n"}))

    assert find_questions(snapshot, evidence_of(snapshot)) == ()
