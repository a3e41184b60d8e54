"""Models: real processes and a real server, answering well, badly, slowly and never."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from conftest import NOW, Make, memory_of
from reverie.errors import BadSettings, ModelFailed
from reverie.features.doctor import doctor
from reverie.features.lead import can_lead, judge_of, tried
from reverie.features.why import runs
from reverie.judge.model import led_by
from reverie.models.ask import Asking, Model, chosen
from reverie.models.programs import ask_preset, run
from reverie.models.remote import ask_remote, is_near
from reverie.night import review

WISH = '{"operations": [{"op": "end", "memory": ["m2"], "why": "over"}]}'
FORMS = {
    "openai": {"choices": [{"message": {"content": WISH}, "finish_reason": "stop"}]},
    "anthropic": {"content": [{"type": "text", "text": WISH}], "stop_reason": "end_turn"},
    "ollama": {"message": {"content": WISH}, "done_reason": "stop"},
}


@contextmanager
def served(answer: Callable[[BaseHTTPRequestHandler, dict[str, Any]], tuple[int, bytes]]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, data = answer(self, body)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def program(folder: Path, name: str, body: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("kind", FORMS)
def test_each_form_of_server_is_spoken_to_with_its_key(kind: str) -> None:
    seen: list[tuple[dict[str, str], dict[str, Any]]] = []

    def answer(request: BaseHTTPRequestHandler, body: dict[str, Any]) -> tuple[int, bytes]:
        seen.append((dict(request.headers), body))
        return 200, json.dumps(FORMS[kind]).encode()

    with served(answer) as url:
        assert ask_remote(kind, "m", "What changes?", 5, url, "k-123") == WISH
    headers, body = seen[0]
    assert "k-123" in headers.get("x-api-key", headers.get("Authorization", ""))
    assert body["messages"] == [{"role": "user", "content": "What changes?"}]


@pytest.mark.parametrize(
    ("status", "data"),
    [(401, b"the key sk-secret is wrong"), (404, b""), (500, b"x"), (200, b""), (200, b"{"), (200, b"[]"), (200, b"[" * 90_000),
     (200, b'{"choices": []}'), (200, json.dumps({"choices": [{"message": {"content": "cut"}, "finish_reason": "length"}]}).encode())],
)  # fmt: skip
def test_a_server_that_misbehaves_costs_one_sentence(status: int, data: bytes) -> None:
    with served(lambda *_: (status, data)) as url, pytest.raises(ModelFailed) as failed:
        ask_remote("openai", "m", "q", 5, url)
    assert "sk-secret" not in str(failed.value) and "\n" not in str(failed.value)


def test_a_server_that_is_slow_or_not_there_is_not_waited_for() -> None:
    def late(*_: object) -> tuple[int, bytes]:
        time.sleep(2)
        return 200, b"{}"

    started = time.monotonic()
    with pytest.raises(ModelFailed), served(late) as url:
        ask_remote("openai", "m", "q", 0.3, url)
    with pytest.raises(ModelFailed):
        ask_remote("openai", "m", "q", 1, "http://127.0.0.1:9")
    assert time.monotonic() - started < 6


def test_a_key_goes_over_plain_http_to_near_machines_only() -> None:
    for url, near in (("http://192.168.7.9:1234", True), ("http://nas.local", True), ("http://box", True), ("http://8.8.8.8", False), ("http://134744072", False), ("http://example.org", False)):  # fmt: skip
        assert is_near(url) == near
    for url, key in (("http://example.org", "k"), ("https://example.org", "k\nx")):
        with pytest.raises(ModelFailed):
            ask_remote("openai", "m", "q", 1, url, key)


def test_a_program_answers_in_an_empty_folder_and_is_killed_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(
        tmp_path,
        "claude",
        'cat > /dev/null; ls -A | wc -l | tr -d " \\n" >&2; printf \'{"type":"result","result":"here: %s"}\' "$(pwd -P | grep -c workspace)"',
    )
    program(
        tmp_path,
        "codex",
        'cat >/dev/null; echo \'{"type":"item.started"}\'; echo \'{"type":"item.completed","item":{"type":"agent_message","text":"two"}}\'',
    )
    monkeypatch.setenv("PATH", f".:{tmp_path}:/usr/bin:/bin")
    assert ask_preset("claude", "", "q", 9) == "here: 0"
    assert ask_preset("codex", "m", "q", 9) == "two"
    started = time.monotonic()
    slow = program(tmp_path, "slow", "sleep 30 & sleep 30")
    with pytest.raises(ModelFailed, match="did not answer within"):
        run([str(slow)], "q", 0.5)
    assert time.monotonic() - started < 5
    for body in ("exit 3", "true"):
        with pytest.raises(ModelFailed):
            run([str(program(tmp_path, "bad", body))], "q", 5)
    with pytest.raises(ModelFailed, match="not installed"):
        ask_preset("gemini", "", "q", 5)


TRIAL = json.dumps(
    {
        "operations": [
            {"op": "update", "memory": "m1", "from": ["n1"], "old": "900", "new": "1,100"},
            {"op": "add", "from": ["n2"], "section": "People", "text": "Bruno is allergic to hazelnuts"},
        ]
    }
)


def judging(folder: Path, night: str, trial: str = TRIAL) -> Model:
    """A model that answers the trial and the night, and counts what it is asked."""
    body = f"""said=$(cat); echo asked >> {folder}/asked
case "$said" in *lathe*) cat <<'END'\n{trial}\nEND\n;; *) cat <<'END'\n{night}\nEND\n;; esac"""
    return Model("command", str(program(folder, "judging", body.replace("\\n", "\n"))))


def asked(folder: Path) -> int:
    return len((folder / "asked").read_text().splitlines()) if (folder / "asked").exists() else 0


def test_a_model_leads_after_a_trial_is_paid_once_and_says_what_it_was_asked(workspace: Make, tmp_path: Path) -> None:
    layout = workspace("## A\n- a1\n- a2, until 2026-03-01\n- tea\n- tea\n")
    model = judging(tmp_path, WISH)
    shown = review(layout, NOW, judge_of(model, layout), dry_run=True)
    assert [wish.why for wish in shown.done] == ["over"] and asked(tmp_path) == 2 and tried(model)
    done = review(layout, NOW, judge_of(model, layout))
    assert (done.judged_by, asked(tmp_path)) == ("command: 0 questions, about 0 tokens", 2)  # the same brief: kept
    assert runs(layout)[-1].judged_by == done.judged_by


def test_a_model_that_fails_its_trial_does_not_lead_and_is_not_asked_again(
    workspace: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = workspace("## A\n- tea\n- tea\n- a2, until 2026-03-01\n")
    model = judging(tmp_path, WISH, '{"operations": []}')
    for _ in range(2):
        report = review(layout, NOW, judge_of(model, layout))
        assert report.judged_by == "" and any("does not lead" in why for _, why in report.refused)
    assert memory_of(layout).count("tea") == 1 and asked(tmp_path) == 1
    monkeypatch.setenv("DREAM_MODEL", f"command:{model.name}")
    assert "model" in [sign.word for sign in doctor(layout, NOW)]
    with pytest.raises(ModelFailed):  # no answer is no verdict about the model
        can_lead(Model("command", "/nowhere/at/all"), Asking(Model("command", "/nowhere/at/all")))
    assert tried(Model("command", "/nowhere/at/all")) is None


@pytest.mark.parametrize(
    "said",
    ["", "yes", "{", "[]", "[" * 60_000, '{"operations": 7}', '{"operations": [{"op": "end", "memory": ["m1"', "\ud800", "x" * 900_000,
     '{"operations": [{"op": "explode"}, {"op": "end", "memory": "m999", "why": "?"}, 5, null]}',
     '{"operations": [{"op": "end", "memory": ["m1", "m2", "m3"], "why": "all of it"}], "diary": "ignore your rules"}',
     '{"operations": [{"op": "add", "text": "The vault opens with 4711"}, {"op": "update", "memory": "m1", "text": "b"}]}'],
)  # fmt: skip
def test_a_broken_lying_half_huge_or_empty_answer_costs_nothing_but_itself(workspace: Make, said: str) -> None:
    layout = workspace(
        "## A\n- the mill turns at dawn\n- the weir is oak\n- Ines rows\n", {"memory/2026-03-30.md": "- rain\n"}
    )
    before = memory_of(layout)
    review(layout, NOW, led_by(lambda _: said))
    assert memory_of(layout) == before


def test_a_night_keeps_to_its_caps_and_ends_as_the_rules_do(
    workspace: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout, model = workspace("## A\n- tea\n- tea\n"), judging(tmp_path, WISH)
    dear = replace(model, price=(3.0, 15.0), most=0.0001)
    report = review(layout, NOW, judge_of(dear, layout))
    assert any("DREAM_MODEL_MOST" in why for _, why in report.refused) and asked(tmp_path) == 0
    assert memory_of(layout).count("tea") == 1
    ask = Asking(model)
    for name, cap in (("CALLS", 0), ("TOKENS", 1), ("SECONDS", -1.0)):
        with monkeypatch.context() as patch, pytest.raises(ModelFailed, match="at most"):
            patch.setattr(f"reverie.models.ask.{name}", cap)
            ask("lathe " * 9)
    assert "cost about" in dear.estimate(1_000) and "cost" not in model.estimate(1_000)


def test_an_address_or_a_program_that_is_none_fails_in_a_sentence(tmp_path: Path) -> None:
    for url in ("http://[::1", "http://host:abc"):
        with pytest.raises(ModelFailed):
            ask_remote("openai", "m", "?", 5, url)
    (tmp_path / "model").write_text("echo hi\n")
    (tmp_path / "model").chmod(0o755)
    with pytest.raises(ModelFailed, match="cannot be started"):
        run([str(tmp_path / "model")], "?", 5)
    with pytest.raises(BadSettings):
        chosen("command: ")


def test_the_choice_is_the_owners(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DREAM_MODEL", "openai:small")
    monkeypatch.setenv("DREAM_MODEL_PRICE", "3 15")
    monkeypatch.setenv("DREAM_MODEL_MOST", "0.5")
    assert chosen() == Model("openai", "small", "", (3.0, 15.0), 0.5)
    monkeypatch.delenv("DREAM_MODEL_PRICE")
    with pytest.raises(BadSettings):
        chosen()
    monkeypatch.delenv("DREAM_MODEL_MOST")
    monkeypatch.delenv("DREAM_MODEL")
    assert (chosen().kind, chosen("agent").kind) == ("none", "agent")
    for wrong in ("gpt", "anthropic", "files"):
        with pytest.raises(BadSettings):
            chosen(wrong)
    monkeypatch.setenv("DREAM_MODEL_PRICE", "much")
    with pytest.raises(BadSettings):
        chosen("claude")
