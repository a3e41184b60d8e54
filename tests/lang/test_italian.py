"""A tenth language is one file. Nothing but `lang/it.toml` speaks Italian, so what works here works by its words alone."""

from __future__ import annotations

from datetime import date

import pytest

from reverie.core.settings import Privacy
from reverie.dates.relative import absolute
from reverie.lang import LANGUAGES, named
from reverie.lang.detect import language_of, line_language
from reverie.lang.messages import say_in
from reverie.privacy.access import speaks_of_access
from reverie.privacy.redact import redacted
from reverie.text.marks import is_current_state, is_done, is_marked
from reverie.text.sections import PEOPLE, STABLE, area_of, name_of
from reverie.text.terms import is_negated, names_weekday, terms

WEDNESDAY = date(2026, 11, 18)


def test_it_is_known_by_its_file() -> None:
    assert "it" in LANGUAGES
    assert named("it") == "Italiano"


@pytest.mark.parametrize(
    ("note", "written"),
    [
        ("Ieri abbiamo scelto il fornitore.", "Il 2026-11-17 abbiamo scelto il fornitore."),
        ("La riunione di ieri è andata bene.", "La riunione del 2026-11-17 è andata bene."),
        ("La caldaia si è rotta tre giorni fa.", "La caldaia si è rotta il 2026-11-15."),
        ("Il contratto scade tra due settimane.", "Il contratto scade il 2026-12-02."),
        ("Il tecnico è venuto lunedì scorso.", "Il tecnico è venuto il 2026-11-16."),
        ("Domani sera arriva Chiara.", "La sera del 2026-11-19 arriva Chiara."),
        ("Da domani il negozio è chiuso.", "Dal 2026-11-19 il negozio è chiuso."),
        ("Il mese scorso abbiamo venduto 40 bici.", "Nel 2026-10 abbiamo venduto 40 bici."),
    ],
)
def test_a_relative_day_becomes_a_date(note: str, written: str) -> None:
    assert absolute(note, WEDNESDAY) == written


@pytest.mark.parametrize(
    "note", ["Ogni lunedì c'è la riunione.", "Il mercoledì il bar è chiuso.", "Enzo ha detto: domani no."]
)
def test_what_means_no_day_stays_as_it_is(note: str) -> None:
    assert absolute(note, WEDNESDAY) == note


@pytest.mark.parametrize(
    "line",
    [
        "Il codice del cancello è 4471",
        "la combinazione del lucchetto è 7-31-12",
        "La password del wifi: tramonto rosso lento",
    ],
)
def test_a_line_that_opens_something_is_held_back(line: str) -> None:
    assert speaks_of_access(line)
    assert redacted(line) != line


@pytest.mark.parametrize("line", ["Il codice postale è 20121", "Il progetto è in ritardo di 12 giorni"])
def test_other_numbers_are_not(line: str) -> None:
    assert not speaks_of_access(line)


def test_a_telephone_is_known_by_the_word_before_it() -> None:
    assert redacted("cellulare di Ada: 3471234567", Privacy().kinds | {"phone"}) == "cellulare di Ada: ⟦phone⟧"


def test_the_language_is_recognised() -> None:
    assert line_language("La caldaia della casa di Enzo è rotta") == "it"
    assert (
        language_of(["Oggi abbiamo ordinato i vetri.", "Il tecnico non è venuto.", "Parlato con Marta del tetto."])
        == "it"
    )


def test_weekdays_and_negations_are_known() -> None:
    assert names_weekday("sempre di giovedì")
    assert is_negated("il tecnico non è venuto")
    assert terms("la porta della cantina") == terms("porta cantina")


def test_marks_and_headings_are_known() -> None:
    assert is_marked("- Regola: niente chiamate dopo le otto")
    assert is_done("Fatto: 2026-11-02", checked=None)
    assert is_current_state("Stato attuale")
    assert area_of("Contatti e clienti") == PEOPLE
    assert area_of(name_of(STABLE, "it")) == STABLE


def test_a_sentence_that_nobody_has_translated_is_said_in_english() -> None:
    assert say_in("it", "projection.title") == "Memoria"
    assert say_in("it", "note.empty") == say_in("en", "note.empty")
