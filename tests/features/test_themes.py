"""What returns is named as a person would; what only repeats is not named at all."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.features.diary.themes import ThemeLine, find_themes, reflect, repeats
from reverie.lang.detect import language_of

FIRST = date(2026, 5, 1)
STORIES = {
    "en": (
        ("Called the builder about the kitchen renovation, quote soon", "Tiles for the kitchen renovation arrive late",
         "We put money aside for the kitchen renovation", "Mila fell on the stairs, the doctor saw her", "Rain",
         "Visited Mila, she walks again", "Bought soup for Mila"),
        {"kitchen renovation", "Mila"},
    ),
    "zh": (
        ("和师傅谈了厨房改造的报价", "厨房改造要等瓷砖到货", "给厨房改造留了三万预算", "奶奶摔了一跤，去医院拍了片子", "下雨",
         "去看奶奶，她能走路了", "给奶奶买了拐杖"),
        {"厨房改造", "奶奶"},
    ),
    "de": (
        ("Mit dem Handwerker über die Küchenrenovierung gesprochen", "Fliesen für die Küchenrenovierung kommen spät",
         "Geld für die Küchenrenovierung zurückgelegt", "Auto gewaschen", "Es regnet"),
        {"Küchenrenovierung"},
    ),
    "es": (
        ("Hablé con el albañil sobre la reforma", "Los azulejos de la reforma llegan tarde",
         "Mi hermano pagó la reforma", "Llovió mucho", "Lavé el coche"),
        {"reforma"},
    ),
    "fr": (
        ("Appelé l'artisan pour la rénovation", "Le carrelage de la rénovation arrive tard",
         "On a mis de l'argent dans la rénovation", "Il pleut", "La voiture est propre"),
        {"rénovation"},
    ),
    "pt": (
        ("Falei com o pedreiro sobre a reforma", "Os azulejos da reforma chegam tarde", "Guardei dinheiro para a reforma",
         "Choveu muito", "Lavei o carro"),
        {"reforma"},
    ),
    "ru": (
        ("Говорил с мастером про ремонт", "Плитку для ремонта привезут поздно", "Отложили деньги на ремонт", "Дождь",
         "Помыл машину"),
        {"ремонт"},
    ),
    "ja": (
        ("職人と改装について話した", "改装のタイルは遅れるそうだ", "改装に予算を残した", "雨だった", "車を洗った"),
        {"改装"},
    ),
    "ko": (
        ("기술자와 주방 공사에 대해 이야기했다", "주방 공사는 타일을 기다린다", "주방 공사에 예산을 남겼다", "비가 왔다", "차를 닦았다"),
        {"주방 공사"},
    ),
}  # fmt: skip
MACHINE = (
    "Pulse {n} of the {job}: fine", "Cron job {job} took {n} s", "Session {id} compacted, {n} left",
    "Backup of {job} completed, {n} files", "Queue worker {id} picked up {job} and retried {n} times",
    "Container {job} restarted by the watchdog after {n} s", "assistant: polled the {job} feed and found {n} rows",
    "The {job} container reported {n} healthy probes", "Synced {n} contacts from the calendar provider",
    "第 {n} 轮抓取 {job} 网页，没有变化", "网关探测第 {n} 次，延迟平稳", "清理了 {n} 份过期快照，腾出 {n} GB",
    "2026-05-02T03:00:00Z INFO worker {id} flushed the cache", '{{"job": "{job}", "took": {n}}}',
)  # fmt: skip


def daily(texts: Sequence[str], *, context: str = "") -> list[ThemeLine]:
    """One note a day, one line in each."""
    days = [FIRST + timedelta(days=nth) for nth in range(len(texts))]
    return [ThemeLine(text, f"memory/{day}.md", day, context) for text, day in zip(texts, days, strict=True)]


def phrases(lines: Sequence[ThemeLine]) -> set[str]:
    return {theme.phrase for theme in find_themes(lines)}


def noise(lines: int, seed: int) -> list[ThemeLine]:
    chance = random.Random(seed)
    found = []
    for _ in range(lines):
        day = FIRST + timedelta(days=chance.randrange(20))
        text = chance.choice(MACHINE).format(
            n=chance.randrange(90),
            id=f"{chance.getrandbits(32):08x}",
            job=chance.choice(("mail digest", "index", "relay")),
        )
        found.append(ThemeLine(text, f"memory/{day}.md", day))
    return found


@pytest.mark.parametrize("language", STORIES)
def test_what_returns_is_named_in_the_owners_language(language: str) -> None:
    texts, expected = STORIES[language]

    assert (language_of(texts), phrases(daily(texts))) == (language, expected)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_a_corpus_of_machine_noise_has_no_theme_but_the_human_one(seed: int) -> None:
    machine, human = noise(300, seed), daily(STORIES["en"][0])

    assert phrases(machine) == set()
    assert phrases(machine + human) <= STORIES["en"][1]


def test_ninety_per_cent_noise_does_not_hide_what_people_return_to() -> None:
    assert phrases(noise(100, 7) + daily(STORIES["en"][0])) == STORIES["en"][1]


def test_a_line_that_only_repeats_is_no_theme() -> None:
    verbatim = ["Watered the garden", "Watered the garden", "Watered the garden"]
    slots = [f"Moved the {thing} invoice to the accounting folder" for thing in ("April", "Zurich", "gas", "phone")]

    assert phrases(daily(verbatim)) == phrases(daily(slots)) == set()


def test_a_word_that_lives_in_several_templates_is_no_theme() -> None:
    kinds = ("Level {} at the pump", "Oil for the pump: {} litres left", "{} turns of the pump since dawn")
    texts = [kind.format(10 + n) for n in range(3) for kind in kinds]

    assert phrases(daily(texts)) == set()
    assert phrases(daily([kind.format(7) for kind in kinds])) == {"pump"}


def test_one_document_or_one_day_is_not_returning() -> None:
    texts = STORIES["en"][0][:3]

    assert find_themes([ThemeLine(text, "memory/2026-05-01.md", FIRST) for text in texts]) == ()
    assert find_themes([ThemeLine(text, f"memory/{n}.md", FIRST) for n, text in enumerate(texts)]) == ()


@pytest.mark.parametrize(
    "texts",
    [
        ("user: the session ran", "A note about the session", "The agent has a memory of the session", "The task is done"),
        ("Fixed `deploy.sh` and src/app/main.py", "Read src/app/main.py for the bug", "Opened src/app/main.py again"),
        ("Paid 450 at the shop", "450 is too much", "She wants 450 back"),
        ("今天的任务已经完成", "昨天的任务没有完成", "用户说任务可以继续", "系统提醒任务"),
        ("⟦secret⟧ is the key of the door", "She sent ⟦secret⟧ twice", "Threw ⟦secret⟧ away"),
    ],
)  # fmt: skip
def test_roles_numbers_files_masks_and_our_own_vocabulary_are_no_themes(texts: tuple[str, ...]) -> None:
    assert phrases(daily(texts)) == set()


def test_overlapping_phrases_are_one_theme() -> None:
    (theme,) = find_themes(daily(STORIES["en"][0][:3]))

    assert (theme.phrase, theme.days, theme.documents) == ("kitchen renovation", 3, 3)
    assert theme.sources == tuple((f"memory/2026-05-0{n + 1}.md", n) for n in range(3))


def test_a_heading_supports_a_theme_but_makes_none() -> None:
    said = daily(("The choir sang at the church", "We joined the choir in Bern", "Notes for the choir were lost"))
    below = ThemeLine("New scores were bought", "memory/2026-05-09.md", date(2026, 5, 9), "Choir")

    assert [theme.documents for theme in find_themes([*said, below])] == [4]
    assert phrases(daily(("Sang well", "Bought scores", "Slept late"), context="Choir")) == set()


def test_the_order_of_the_lines_does_not_matter() -> None:
    lines = daily(STORIES["en"][0]) + daily(STORIES["zh"][0]) + noise(60, 1)
    shuffled = random.Random(5).sample(lines, len(lines))

    assert [(t.phrase, t.strength) for t in find_themes(lines)] == [
        (t.phrase, t.strength) for t in find_themes(shuffled)
    ]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=12))
def test_any_text_is_survived(texts: list[str]) -> None:
    assert all(theme.documents >= 2 and theme.days >= 2 for theme in find_themes(daily(texts)))


def test_a_reflection_names_its_evidence_and_says_when_nothing_is_new() -> None:
    themes = find_themes(daily(STORIES["zh"][0]))
    first = reflect(themes, (), language="zh")
    second = reflect(themes, first, language="zh")

    assert "“奶奶”在3天、3份文档里反复出现" in "".join(first) and "memory/2026-05-04.md" in "".join(first)
    assert len(second) == 1 and second[0].startswith("和昨晚相比没有新的内容") and "厨房改造" in second[0]
    assert reflect(themes, second, language="zh") == second
    assert not repeats(find_themes(daily((*STORIES["zh"][0], "奶奶打来电话聊天"))), second, language="zh")


def test_no_theme_no_sentence() -> None:
    assert reflect((), ()) == ()


@pytest.mark.parametrize(
    ("texts", "language"),
    [((), "en"), (("12:30", "…"), "en"), (("用 Postgres 数据库 migration 今天 deploy", "review the PR"), "zh"),
     (("会議資料", "今日は雨です"), "ja"), (("Treffen mit der Gruppe", "the one English line"), "de")],
)  # fmt: skip
def test_the_language_is_the_owners(texts: tuple[str, ...], language: str) -> None:
    assert language_of(texts) == language
