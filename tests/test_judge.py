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
from reverie.phases.judge import LIKELY, RELATIONS, SURE, Line, judge_lines, judge_pairs, trained_on

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
