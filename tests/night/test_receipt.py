"""The receipt: what a model was asked, what it cost and what became of its words, told wherever a night is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from conftest import NIGHT, Build
from reverie.core.model_calls import Ask, Status, Use, use_as_dict
from reverie.core.ports import ScriptedModel, fixed
from reverie.lang.messages import speaking
from reverie.night import commands
from reverie.night.expected_cost import expected_cost
from reverie.plan.dream_log import WHOLE, log_edits, receipt_lines, with_receipt
from reverie.plan.splices import spliced
from reverie.surfaces.cli.nights import night_as_dict, night_lines
from reverie.surfaces.cli.review import estimated
from reverie.surfaces.configure import configured
from reverie.surfaces.web.app import WebApp
from reverie.surfaces.web.guard import Guard
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Edit, Intent, Plan, Snapshot, Source, Workspace
from terminal import call
from wishes import add

CLOCK = fixed(NIGHT)
WISH = "Johann prefers to be called in the morning."
FILES = {
    "MEMORY.md": "# Me\n\n## Workshop\n\n- The lathe runs at 900 rpm.\n",
    "memory/2026-11-13.md": f"## Workshop\n\n- {WISH}\n- Swept the floor and emptied the bins.\n- The second window sticks when it rains.\n",
}
LOG = "memory/dream-log-2026-11-15.md"
SPENT = Use("ollama:qwen", 2, 1, 3_120, 410, 8.42, 0.0019, MappingProxyType({"answered": 2, "answered before": 1}))


@pytest.fixture
def workspace(build: Build, tmp_path: Path) -> Workspace:
    return configured(build(FILES).root, {"HOME": str(tmp_path / "nobody")})


def asked_of(workspace: Workspace, *answers: str | Status | Callable[[Ask], str], **mind: Any) -> Workspace:
    """The workspace with a model that judges only, was let without an exam, and gives these answers."""
    model = replace(workspace.settings.model, kind="openai", write=False, exam=False, **mind)
    settings = replace(workspace.settings, model=model)
    return replace(workspace, settings=settings, model=ScriptedModel(*answers))


def wishes(ask: Ask) -> str:
    """Keeps Johann's line, and says of the window what nobody said, however often it is asked."""
    names = {text.strip(): name for name, text in re.findall(r"\[(n\d+)[^\]]*\] (.*)", ask.user)}
    said = {"Johann": WISH, "window": "The second window was sold to Ottokar for 300 euro."}
    added = [(name, words) for word, words in said.items() for text, name in names.items() if word in text]
    add = {"op": "add", "section": "Workshop"}
    return json.dumps({"operations": [add | {"from": [name], "text": words} for name, words in added]})


def lines(use: Use | None, *, chinese: bool = False) -> list[str]:
    with speaking("zh" if chinese else "en"):
        return list(receipt_lines(use))


def test_a_night_tells_what_its_model_cost_and_what_was_dropped(workspace: Workspace) -> None:
    night = commands.review(asked_of(workspace, wishes, wishes, price_in=2.0, price_out=10.0), CLOCK)

    use = night.plan.use
    assert use and (use.calls, use.accepted, len(use.dropped)) == (2, {"add": 1}, 1)
    assert next(iter(use.dropped)) == "“…” stand in none of the cited lines"  # the receipt repeats no invented word
    words = [line for _, line in night_lines(night)]
    assert any(line.startswith("The model scripted: 2 calls; ") and "; cost 0." in line for line in words)
    assert any(line.startswith("Of what it wanted, accepted: 1 (add); dropped: 1 (“") for line in words)
    assert night_as_dict(night)["model"] == use_as_dict(use)


def test_the_list_of_runs_keeps_the_receipt(workspace: Workspace) -> None:
    night = commands.review(asked_of(workspace, wishes), CLOCK)

    (run,) = json.loads(call("runs", "--json", "--workspace", workspace.root).out)
    listed = call("runs", "--workspace", workspace.root).out

    assert night.plan.use and run["model"] == use_as_dict(night.plan.use)
    assert "  The model scripted: 2 calls" in listed


@pytest.mark.parametrize(
    ("language", "said"), [("en", "The model scripted: 2 calls"), ("zh", "模型 scripted：调用 2 次")]
)
def test_the_page_of_runs_tells_it_in_the_readers_language(workspace: Workspace, language: str, said: str) -> None:
    commands.review(asked_of(workspace, wishes), CLOCK)
    page = WebApp(workspace, CLOCK, Guard(7337), NIGHT)
    browser = TestClient(page.app(), base_url="http://127.0.0.1:7337", cookies={"reverie-7337-language": language})
    browser.get("/enter", params={"key": page.guard.key})

    assert said in browser.get("/runs").text


def test_without_a_model_there_is_no_receipt(workspace: Workspace) -> None:
    night = commands.review(workspace, CLOCK)

    assert night_as_dict(night)["model"] is None
    assert not any("model" in line.lower() for _, line in night_lines(night))
    assert "model" not in call("runs", "--workspace", workspace.root).out
    assert (lines(None), lines(Use("openai:x"))) == ([], [])  # a model that was asked nothing says nothing either


@pytest.mark.parametrize("chinese", [False, True], ids=["English", "Chinese"])
def test_each_way_of_failing_has_a_sentence_of_its_own_that_the_rules_decided(*, chinese: bool) -> None:
    exam = (Status.PASSED, Status.NOT_PASSED, Status.NOT_EXAMINED)
    failures = [one for one in Status if one not in (Status.ANSWERED, Status.CACHED, *exam)]
    said = [lines(Use("m", 1, statuses=MappingProxyType({str(one): 2})), chinese=chinese) for one in failures]

    assert all(len(one) == 2 for one in said)
    assert len({one[1] for one in said}) == len(failures)
    assert all(
        one[1].endswith("由内置评判独自决定。" if chinese else "there the built-in judge decided alone.")
        for one in said
    )


def test_counsel_that_would_have_broken_a_promise_is_told_with_the_promise() -> None:
    use = Use("m", 1, statuses=MappingProxyType({"answered": 1, f"{WHOLE}pins stay": 3}))

    assert "the promise “pins stay”, so all of it was dropped and the built-in judge decided alone" in lines(use)[-1]
    assert "“pins stay”" in lines(use, chinese=True)[-1]


def test_a_text_that_was_not_taken_is_told_with_what_was_wrong() -> None:
    use = Use("m", 1, dropped=MappingProxyType({"diary: wrong language": 1}))

    assert lines(use)[-1].endswith("dropped: 1 (diary: wrong language).")
    assert lines(use, chinese=True)[-1].endswith("舍弃 1 项（日记：语言不对）。")


def test_a_cap_is_told_at_the_end_of_a_real_night(workspace: Workspace) -> None:
    night = commands.review(asked_of(workspace, wishes, max_tokens=10), CLOCK)

    assert "A cap that you set was reached before 1 question; there the built-in judge decided alone." in lines(
        night.plan.use
    )
    assert WISH not in (workspace.root / "MEMORY.md").read_text()


counts = st.dictionaries(st.sampled_from([*map(str, Status), "added", "odd\nword"]), st.integers(0, 10**9), max_size=4)


@given(st.builds(Use, st.text(max_size=9), *[st.integers(0, 10**12)] * 4, st.floats(0, 1e9), st.floats(0, 1e9), counts, counts, counts), st.booleans())  # fmt: skip
def test_any_receipt_can_be_told(use: Use, chinese: bool) -> None:
    said = lines(use, chinese=chinese)

    assert bool(said) == bool(use.statuses or use.accepted or use.dropped)


def logged(snapshot: Snapshot, use: Use | None) -> str:
    """The log of a night that brings one line in."""
    source = (Source("memory/2026-11-13.md", 3, 3),)
    edit = Edit("x", "MEMORY.md", 5, (), (f"- {WISH}\n",), "added", "said once", source)
    refused = {"routine": 1, "model: too long": 2}
    edits = (edit, *log_edits(snapshot, [add(WISH, line=3, path=source[0].path)], (), [edit], refused, CLOCK.now()))
    plan = with_receipt(snapshot, Plan(Intent.DREAM, CLOCK.now().isoformat(), edits=edits, use=use))
    return spliced(snapshot.text_of(LOG), [one for one in plan.edits if one.path == LOG])


def test_the_dream_log_ends_with_the_receipt_and_counts_a_dropped_word_once(build: Build) -> None:
    snapshot = read_workspace(build(FILES))
    use = replace(SPENT, accepted=MappingProxyType({"added": 1}), dropped=MappingProxyType({"too long": 2}))

    assert logged(snapshot, use).endswith(
        "## Skipped\n- 1 line: routine\n\n## Model\n"
        "- The model ollama:qwen: 2 calls, 1 question answered before; 3,120 tokens sent, 410 received; cost 0.0019; 8.4 seconds.\n"
        "- Of what it wanted, accepted: 1 (added); dropped: 2 (too long).\n"
    )
    assert "Model" not in logged(snapshot, None)


def test_a_chinese_log_has_a_chinese_receipt_and_a_second_night_adds_its_own(build: Build) -> None:
    memory = "# 我\n\n## 当前状态\n- 仓库的屋顶正在修\n- 合唱团每周四在老磨坊排练\n"
    snapshot = read_workspace(build({**FILES, "MEMORY.md": memory, LOG: "# 梦境日志 2026-11-15\r\n"}))

    with speaking("zh"):
        text = logged(snapshot, replace(SPENT, dropped=MappingProxyType({"too long": 2})))

    assert "\r\n\r\n## 模型 (03:00)\r\n- 模型 ollama:qwen：调用 2 次，1 个问题已有答案；" in text
    assert text.endswith("- 它的意见：采纳 无；舍弃 2 项（太长）。\r\n")


def test_an_estimate_names_the_most_and_calls_nobody(workspace: Workspace) -> None:
    paid = asked_of(workspace, wishes, wishes, price_in=2.0, price_out=10.0)

    found, (value, said) = expected_cost(paid, CLOCK), estimated(paid, CLOCK)
    night = commands.review(paid, CLOCK)

    assert isinstance(paid.model, ScriptedModel) and len(paid.model.asked) == 2  # the night's own
    assert found.use and night.plan.use and value["estimate"] == use_as_dict(found.use)
    assert found.use.calls == night.plan.use.calls == 2
    assert found.use.tokens_out >= night.plan.use.tokens_out and found.use.cost >= night.plan.use.cost > 0
    assert any("No model was called now" in line for _, line in said)


def test_an_estimate_says_which_cap_would_end_it_and_what_is_answered_already(workspace: Workspace) -> None:
    capped = expected_cost(asked_of(workspace, max_tokens=100), CLOCK)
    slow = expected_cost(asked_of(workspace, timeout=9.0, max_seconds=5.0), CLOCK)
    dear = expected_cost(asked_of(workspace, price_out=1_000_000.0), CLOCK)
    commands.plan_dream(asked_of(workspace, wishes), CLOCK)
    again = expected_cost(asked_of(workspace), CLOCK)

    assert (
        capped.use and (capped.use.calls, capped.capped) == (0, 2) and capped.cap.startswith("model.max_tokens is 100")
    )
    assert slow.use and (slow.use.calls, slow.use.seconds, slow.slow) == (2, 5.0, 1)
    assert dear.cap.startswith("model.max_cost is 1")
    assert again.use and (again.use.calls, again.use.cached) == (1, 1)  # the second chance is never foreseen


def test_the_estimate_of_the_command(workspace: Workspace) -> None:
    here = ("--workspace", workspace.root, "--now", NIGHT)

    nobody = call("review", "--dry-run", "--estimate", *here)
    agent = call("review", "--dry-run", "--estimate", *here, DREAM_MODEL="agent")
    value = json.loads(call("review", "--dry-run", "--estimate", "--json", *here).out)
    alone = call("review", "--estimate", *here)

    assert (nobody.code, nobody.out) == (0, "There is no model: the rules decide alone, and a night costs nothing.\n")
    assert "calls no model and costs nothing" in agent.out and "`dream brief`" in agent.out
    assert (value["estimate"], value["cap"]) == (None, None)
    assert (alone.code, alone.err.count("\n"), "--dry-run --estimate" in alone.err) == (14, 1, True)
    assert not (workspace.root / "memory" / ".dreams" / "model-log.jsonl").exists()
