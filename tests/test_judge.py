"""The judge ranks what lasts above what passes, in nine languages, and never takes a changed value for the same thing."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.evidence.static import StaticEmbedder
from reverie.phases import judge
from reverie.phases.judge import (
    DONE_SURE,
    LIKELY,
    RELATIONS,
    SAME_SURE,
    SURE,
    UPDATE_SURE,
    Line,
    Related,
    judge_lines,
    judge_pairs,
    trained_on,
)

WEIGHTS = Path(str(resources.files("reverie.phases") / "data" / "judge.npz"))
EMBED = StaticEmbedder().embed

# language, what lasts, what passes: invented for this test.
TWINS = [
    ("en", "Rent is 940 a month from July on, paid by standing order", "Paid the rent this morning"),
    ("en", "Never restart the gateway before the queue is empty, it loses orders", "Restarted the gateway at 14:20, fine again"),
    ("en", "Olga prefers short answers without greetings", "Olga: thanks, that was great!"),
    ("zh", "从下个月起房租每月3200，押一付三", "今天早上把房租转过去了"),
    ("zh", "小雯对芒果过敏，聚餐点菜要避开", "中午和小雯吃了面，聊得很开心"),
    ("zh", "决定日志保留90天，超过的自动清理", "日志备份成功，用时12秒"),
    ("de", "Die Miete beträgt ab Juli 940 Euro im Monat", "Heute Morgen die Miete überwiesen"),
    ("de", "Vor jedem Update immer zuerst ein Backup ziehen", "Backup lief heute Nacht durch, alles gut"),
    ("es", "Lola es alérgica al marisco, nunca pedir paella con gambas", "Hoy comimos paella con Lola, qué rica"),
    ("es", "Decidimos usar siempre facturas en PDF para este cliente", "Enviada la factura esta mañana"),
    ("fr", "Le bail est de 870 euros par mois depuis mars", "Loyer payé ce matin"),
    ("fr", "Amélie préfère les rendez-vous le matin, jamais après 16 h", "Vu Amélie ce matin, elle va bien"),
    ("pt", "A senha do portão muda todo ano em janeiro, quem cuida é o Rui", "Hoje o portão emperrou de novo"),
    ("pt", "Decidimos que os relatórios saem sempre na sexta", "Mandei o relatório agora há pouco"),
    ("ru", "Аренда теперь 45 000 в месяц, платим до пятого числа", "Сегодня утром заплатил за аренду"),
    ("ru", "Ира не ест мясо, на ужин всегда готовить рыбу", "Поужинали с Ирой, было весело"),
    ("ja", "家賃は4月から月8万2千円、毎月27日に引き落とし", "今朝、家賃を払った"),
    ("ja", "田中さんはエビアレルギーなので店選びに注意", "田中さんと昼ごはんを食べた、楽しかった"),
    ("ko", "월세는 7월부터 매달 65만 원, 5일에 자동이체", "오늘 아침에 월세 보냈음"),
    ("ko", "수진은 땅콩 알레르기가 있어서 간식 고를 때 꼭 확인", "수진이랑 점심 먹음, 기분 좋다"),
]  # fmt: skip
UPDATES = [
    ("The gate code is 4410", "The gate code is 7725"),
    ("Staging runs on port 8080", "Staging runs on port 9090 now"),
    ("会议室在三楼", "会议室改到五楼"),
    ("每月预算8000元", "每月预算9500元"),
    ("Der Kurs kostet 120 Euro", "Der Kurs kostet 145 Euro"),
    ("El bus sale a las 7:15", "El bus sale a las 7:40"),
]
NEGATED = [
    ("The printer may be used by guests", "The printer may not be used by guests"),
    ("Ben eats fish", "Ben does not eat fish"),
    ("小雯吃辣", "小雯不吃辣"),
    ("周末可以打电话", "周末不可以打电话"),
    ("Der Hof ist abends offen", "Der Hof ist abends nicht offen"),
    ("Rui bebe café", "Rui não bebe café"),
    ("Склад работает в субботу", "Склад не работает в субботу"),
]
# Lines of one notebook that have nothing to do with each other, invented for this test: every one beside every other.
NOTEBOOK = {
    "en": ["The ferry to the island needs a booking in summer", "Olga prefers short answers without greetings", "Backups go to the cellar disk at 02:30",
           "**Tax adviser:** Hollis & Sons", "The blue kiln fires at 1220 degrees", "Never water the orchids with tap water"],
    "zh": ["小雯对芒果过敏", "每周三晚上练合唱", "备份放在地下室的硬盘上", "车险十一月到期", "回复用中文，不要太长", "阳台的门锁换过钥匙"],
    "de": ["Der Schlüssel zum Keller liegt beim Hausmeister", "Ina trinkt keinen Kaffee", "Rechnungen immer als PDF verschicken", "Die Heizung wird im Oktober gewartet"],
    "es": ["El gimnasio abre a las seis", "Marta no come cerdo", "La copia de seguridad va al disco externo", "El seguro del coche vence en mayo"],
    "ru": ["Ключ от подвала у дворника", "Ира не пьёт кофе", "Счета отправлять только в PDF", "Отопление проверяют в октябре"],
    "ja": ["地下室の鍵は管理人が持っている", "田中さんはコーヒーを飲まない", "請求書はPDFで送る", "暖房の点検は十月"],
}  # fmt: skip
STRANGERS = [(old, new) for lines in NOTEBOOK.values() for old in lines for new in lines if old != new]
KIN = [  # the same thing in other words, each with a stranger of the same notebook
    (
        "The choir rehearses on Wednesday evenings",
        "Choir rehearsal: Wed, evenings",
        "The boiler is serviced every October",
    ),
    ("Invoices are always sent as PDF", "Send each invoice as a PDF file", "Ben is afraid of dogs"),
    ("合唱团每周三晚上排练", "周三晚上是合唱团排练时间", "车险十一月到期"),
    ("Rechnungen gehen immer als PDF raus", "Jede Rechnung als PDF verschicken", "Ina trinkt keinen Kaffee"),
]


def test_the_weights_are_small_and_name_what_they_learnt_from() -> None:
    assert WEIGHTS.stat().st_size < 1_000_000
    assert re.fullmatch("[0-9a-f]{64}", trained_on())


def test_the_bars_are_those_the_training_found() -> None:
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        assert stored["thresholds"].tolist() == pytest.approx([SURE, LIKELY])


@pytest.mark.parametrize(("lang", "lasts", "passes"), TWINS)
def test_what_lasts_is_worth_more_than_what_passes(lang: str, lasts: str, passes: str) -> None:
    kept, left = judge_lines([Line(lasts), Line(passes)], EMBED)

    assert kept.keep > left.keep + 0.05
    assert left.keep < 0.2


def test_kinds_are_probabilities_of_all_kinds() -> None:
    (judged,) = judge_lines([Line("We decided to use the blue paint for the fence")], EMBED)

    assert set(judged.kinds) == {*judge.KEPT, *judge.PASSING}
    assert sum(judged.kinds.values()) == pytest.approx(1)
    assert judged.kind == "decision"


@pytest.mark.parametrize(("old", "new"), UPDATES)
def test_another_value_is_not_the_same(old: str, new: str) -> None:
    (related,) = judge_pairs([(old, new)], EMBED)

    assert related.relation != "same"
    assert related.relations["same"] < 0.3


@pytest.mark.parametrize(("old", "new"), NEGATED)
def test_a_negation_is_never_the_same(old: str, new: str) -> None:
    (related,) = judge_pairs([(old, new)], EMBED)

    assert related.relations["same"] < 0.001
    assert related.relation != "richer" and set(related.relations) == set(RELATIONS)


@pytest.mark.parametrize("embed", [EMBED, None], ids=["vectors", "no vectors"])
def test_strangers_are_not_related(embed: judge.Embed | None) -> None:
    for (old, new), related in zip(STRANGERS, judge_pairs(STRANGERS, embed), strict=True):
        assert related.relation in ("unrelated", "coexist"), f"{old} / {new}: {related.relation}"
        assert again(related) < SAME_SURE and changes(related) < UPDATE_SURE and ends(related) < DONE_SURE
        assert related.relations["same"] < 0.2


@pytest.mark.parametrize(("old", "new", "stranger"), KIN)
def test_the_same_in_other_words_is_nearer_than_a_stranger(old: str, new: str, stranger: str) -> None:
    kin, other = judge_pairs([(old, new), (old, stranger)], EMBED)

    assert kin.relations["unrelated"] + 0.3 < other.relations["unrelated"]
    assert again(kin) > 5 * again(other)


@pytest.mark.parametrize(("old", "new"), [("Ada owes Ben 50", "Ben owes Ada 50"), ("阿青教师弟", "师弟教阿青")])
def test_the_same_words_turned_around_are_not_the_same(old: str, new: str) -> None:
    (related,) = judge_pairs([(old, new)], EMBED)

    assert related.relations["same"] < 0.1


def again(related: Related) -> float:
    return related.relations["same"] + related.relations["richer"]


def changes(related: Related) -> float:
    return related.relations["update"] + related.relations["correction"]


def ends(related: Related) -> float:
    return related.relations["done"] + related.relations["retraction"]


def test_an_embedder_of_another_width_is_left_out_rather_than_misread() -> None:
    line = [Line("Deliveries only through the back door", "Shop")]

    assert judge_lines(line, lambda texts: np.ones((len(texts), 7))) == judge_lines(line, None)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=60), st.text(max_size=20)), max_size=5))
def test_any_text_is_judged_alike_in_any_company(rows: list[tuple[str, str]]) -> None:
    lines = [Line(text, context) for text, context in rows]

    together = judge_lines(lines, EMBED)
    backwards = judge_lines(lines[::-1], EMBED)[::-1]
    alone = [judge_lines([line], EMBED)[0] for line in lines]

    assert [j.keep for j in together] == pytest.approx([j.keep for j in backwards], abs=1e-5)
    assert [j.keep for j in together] == pytest.approx([j.keep for j in alone], abs=1e-5)
    assert all(0 <= j.keep <= 1 for j in together)


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_pair_is_judged_and_twice_alike(old: str, new: str) -> None:
    assert judge_pairs([(old, new)], EMBED) == judge_pairs([(old, new)], EMBED)


def test_nothing_is_judged_to_be_nothing() -> None:
    assert judge_lines([], EMBED) == [] and judge_pairs([], EMBED) == []
    assert len(judge_lines([Line(""), Line("\ud800 \x00"), Line("x" * 100_000)], EMBED)) == 3
