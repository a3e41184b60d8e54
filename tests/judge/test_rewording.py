"""What a wording may not turn round: values with each other's things, small words with their opposites, and what was denied."""

from __future__ import annotations

import pytest

from reverie.judge.figures import figures_in
from reverie.judge.rewording import changed_negation, dropped_doubt, exchanged_values, find_opposite


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Remote work costs 60 and visits 45.", "45 remote, 60 for a visit"),
        ("Der Kurs kostet 20 pro Stunde und am Sonntag 30.", "Kurs: 30/h, Sonntag 20"),
        ("Logs are in /srv/b and dumps in /srv/a.", "logs under /srv/a, dumps in /srv/b"),
        ("Otto macht den Keller und Ruth den Garten.", "Ruth Keller, Otto Garten"),
        ("碎了两个、补了四个", "碎了 4 个，补了 2 个"),
    ],
)
def test_two_values_that_changed_places_are_named(text: str, said: str) -> None:
    assert exchanged_values(text, [said])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Visits cost 60 and remote work 45.", "45 remote, 60 for a visit"),
        ("The dump runs at 03:30 instead of 02:00.", "dump moved from 02:00 to 03:30"),
        ("Ruth: Keller; Otto: Garten", "im Keller Ruth, im Garten Otto"),
        ("Rent is 915 now, 35 more.", "rent goes up by 35 to 915"),
    ],
)
def test_another_order_is_no_exchange(text: str, said: str) -> None:
    assert exchanged_values(text, [said]) is None


def test_what_a_second_source_binds_anew_is_no_exchange() -> None:
    assert (
        exchanged_values("Bin 1 active, bin 2 resting", ["bin 1 resting, bin 2 active", "bin 1 takes all, bin 2 rests"])
        is None
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("At least three cups of tea", "tea: max 3 cups"),
        ("Deletes what is younger than 7 days", "deletes files older than 7 days"),
        ("The backup runs daily.", "backup weekly"),
        ("Höchstens 6 g Salz und maximal zwei Liter.", "max. 6 g Salz, mind. 2 Liter"),
        ("药早饭后吃", "药改成晚饭后吃"),
        ("限流每秒 100", "限流每分钟 100"),
    ],
)
def test_an_opposite_word_is_found_with_the_one_it_replaces(text: str, said: str) -> None:
    assert find_opposite(text, [said])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("No more than three cups of tea", "tea: max 3 cups"),
        ("Delete only after asking.", "ask before deleting"),
        ("The tea is drunk in the morning; walks in the evening.", "tea each morning, evening walks"),
        ("人均不超过800元", "人均 800 以内"),
        ("The backup runs every week.", "weekly backup, daily report"),
    ],
)
def test_the_same_side_in_other_words_passes(text: str, said: str) -> None:
    assert find_opposite(text, [said]) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The hotel is booked with breakfast.", "hotel booked, no breakfast"),
        ("The job runs on alder.", "job runs on birch, NOT on alder"),
        ("存储扩到 320T 并已开放", "存储扩到 320T，先不开放"),
        ("Java 21 ist nicht nötig, 17 genügt.", "braucht Java 21, mit 17 läuft es schlecht, Java 21 nötig"),
    ],
)
def test_what_is_denied_stays_denied_and_nothing_else(text: str, said: str) -> None:
    assert changed_negation(text, [said])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The key is not under the pot any more.", "key no longer under the pot"),
        ("Choir has moved from Wednesday to Thursday.", "choir now thursdays, not wednesdays"),
        ("Die Prüfung verlief mängelfrei.", "Prüfung ohne Mängel"),
        ("The paint has no. 12.", "paint no. 12"),
        ("Backend stays REST, no GraphQL.", "backend stays REST, Marek closed the GraphQL tab"),
        ("一句不超过四十个字", "一句别超过四十个字"),
    ],
)
def test_a_denial_in_other_words_passes(text: str, said: str) -> None:
    assert changed_negation(text, [said]) == ""


@pytest.mark.parametrize(
    ("text", "said", "word"),
    [
        ("The deal with the mill was closed in June.", "deal with the mill probably closes in june", "probably"),
        ("老葛确认是漏入账", "老葛说可能没入账", "可能"),
        ("Daten dürfen nie mit der Mail verschickt werden.", "Daten nie per Mail, außer an die Kanzlei", "außer"),
        ("The deal with the mill is expected in June.", "deal with the mill probably closes in june", ""),
        ("Daten gehen nur an die Kanzlei per Mail.", "Daten nie per Mail, außer an die Kanzlei", ""),
    ],
)
def test_a_guess_stays_a_guess_and_an_exception_an_exception(text: str, said: str, word: str) -> None:
    assert dropped_doubt(text, [said]) == word


@pytest.mark.parametrize("text", ["The abstract is due on Friday.", "Otto calls on Monday.", "Non è dovuto."])
def test_a_number_word_of_one_language_counts_nothing_where_it_is_a_word_of_another(text: str) -> None:
    assert figures_in(text) == ()
