"""Two messy workspaces, as people have them: one night, undo to the byte, and a second night that is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import NOW, answering
from reverie.judge.brief import Judge
from reverie.judge.rules import decide
from reverie.night import run_night
from reverie.store.undo import undo
from reverie.workspace.layout import layout_of

MEMORY = (
    "\ufeff# 我的记忆\r\n\r\n## 供应商\r\n- **泵阀:** 12 个，来自 Kern\r\n- 喝黑茶\r\n- 喝黑茶\r\n  - 不加糖\r\n\r\n"
    "| 房间 | 开门 |\r\n|---|---|\r\n| 仓库 | 07:30 |\r\n| 商店 | 09:00 |\r\n\r\n## Notes\r\n- [x] slip greased\n- [ ] insurance\r\n"
    "- House\r\n  - keys are with Ilka\r\n    - the blue ones\r\n- 📌 never on a Friday\r\n- likes tea\u2028and milk\r\n- likes tea\u2028and milk\r\n"
    "```sh\r\nrm -rf /tmp/x\r\n\r\n## People\r\n- Ilka has a boat\r\n- Ilka has a boat\r\n\r\n## Dream\r\n"
)
NOTE = (
    "# 2026-03-30\r\n\r\n## 供应商\r\n- **泵阀:** 31 个\r\n- 决定：明天开始周五不发货\r\n## Light Sleep\r\n<!-- openclaw:dreaming:light:start -->\r\n"
    "- Candidate: lentil soup\r\n  - confidence: 0.6\r\n\r\n## Evening\r\n- Decision: the dory is called Ilka\r\n- the password of the scanner is Moorhuhn-88\r\n"
)
TOPIC = "\ufeff---\r\nname: testing\r\ndescription: how we test\r\ntype: feedback\r\n---\r\n\r\n- use pytest\r\n- [x] try nose\r\n- [ ] try tox\r\n- use pytest\r\n"
LOG = "2026-03-30T10:00:00 INFO worker: heartbeat ok\n" * 6_000


def openclaw(root: Path) -> None:
    (root / "memory/self-improving").mkdir(parents=True)
    (root / "MEMORY.md").write_bytes(MEMORY.encode())
    (root / "memory/2026-03-30.md").write_bytes(NOTE.encode())
    (root / "memory/2026-03-29-1204.md").write_text(
        "# Session: 2026-03-29\n\n- **Session Key**: agent:main\n\nuser: ok\nassistant: sure\n"
    )
    (root / "memory/2026-03-28.md").write_text(LOG)
    (root / "memory/2026-03-27.md").write_bytes(b"- caf\xe9 with Ilka\n" + b"x" * 5_000 + b"\n")
    log = "".join(f'{{"ts": "2026-03-{day}", "text": "run the tests first"}}\n' for day in (21, 28))
    (root / "memory/self-improving/errors.jsonl").write_text(log + '{"torn": ')


def claude(root: Path) -> None:
    root.mkdir(parents=True)
    (root / "MEMORY.md").write_bytes(
        "- [testing](feedback_testing.md) — how we test\r\n- [x] a\n- [ ] b\n- likes tea\n- likes tea\n".encode()
    )
    (root / "feedback_testing.md").write_bytes(TOPIC.encode())
    (root / "notes.md").write_text("no front matter: nobody's memory\n")


def led() -> Judge:
    return answering(
        {"op": "update", "memory": "m1", "from": ["n1"], "text": "told anew"},
        {"op": "merge", "memory": ["m2", "m3"]},
        {"op": "end", "memory": ["m8"], "from": ["n1"]},
        {"op": "add", "from": ["n1"], "section": "new: Boats", "text": "the dory is called Ilka"},
    )


@pytest.mark.parametrize("judge", [decide, led()], ids=["rules", "led"])
@pytest.mark.parametrize(
    ("name", "make"), [("workspace", openclaw), (".claude/projects/-x/memory", claude)], ids=["openclaw", "claude"]
)
def test_one_night_undo_to_the_byte_and_a_silent_second_night(tmp_path: Path, name: str, make, judge: Judge) -> None:  # type: ignore[no-untyped-def]
    root = tmp_path / name
    make(root)
    layout = layout_of(root)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}

    night = run_night(layout, NOW, judge, accept=True)
    assert night.run and night.plan.done
    after = {path: path.read_bytes() for path in before if path.exists()}
    if judge is decide:
        assert run_night(layout, NOW, judge, accept=True).run is None
    assert {path: path.read_bytes() for path in before if path.exists()} == after
    if layout.is_hosted:
        assert {path.name for path in root.iterdir()} <= {"MEMORY.md", "feedback_testing.md", "notes.md", "boats.md"}

    undo(layout, NOW)
    assert {path: path.read_bytes() for path in before if path.exists()} == before
    own = {"2026-03-30.md"}
    for path in (*root.rglob("*"), *(tmp_path / "state").rglob("*")):
        assert path.is_dir() or path.name in own or b"Moorhuhn" not in path.read_bytes()


def test_a_night_over_the_messy_memory_does_what_it_should(tmp_path: Path) -> None:
    openclaw(tmp_path / "workspace")
    run_night(layout_of(tmp_path / "workspace"), NOW)
    memory = (tmp_path / "workspace/MEMORY.md").read_bytes().decode()
    assert memory.startswith("\ufeff# 我的记忆\r\n") and "- **泵阀:** 31 个，来自 Kern\r\n" in memory
    assert memory.count("likes tea") == 1 and memory.count("Ilka has a boat") == 1 and "[x] slip greased" not in memory
    assert "- 喝黑茶\r\n- 喝黑茶\r\n  - 不加糖\r\n" in memory  # only one of them has something under it
    assert "the dory is called Ilka\r\n" in memory and "lentil" not in memory and "heartbeat" not in memory
    assert memory.index("## Dream") > memory.index("Ilka has a boat") and "<!-- dream:" in memory.split("## Dream")[1]


def test_an_index_of_claude_code_stays_within_what_its_host_reads(tmp_path: Path) -> None:
    root = tmp_path / ".claude/projects/-home-kim-app/memory"
    root.mkdir(parents=True)
    facts = "".join(f"- fact {n} about the harbour and its boats\n" for n in range(230))
    (root / "MEMORY.md").write_text(f"# Memory\n\n{facts}")
    layout = layout_of(root)
    before = (root / "MEMORY.md").read_bytes()
    for _ in range(3):
        run_night(layout, NOW, accept=True)
    text = (root / "MEMORY.md").read_text()
    assert text.count("\n") <= 200 and len(text) <= 25_000
    assert [path.name for path in root.rglob("*")] == ["MEMORY.md"]
    undo(layout, NOW)
    assert (root / "MEMORY.md").read_bytes() == before
