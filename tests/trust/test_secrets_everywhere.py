"""Every command over a workspace with secrets of many kinds in many places: no value is in any byte but its owner's own."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from test_commands import LED, said

JWT = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"9234567890","name":"Mira"}', bytes(range(7, 210, 6))))  # fmt: skip
SAID = {  # what is written, and the value that may stand nowhere else
    "deploy works with {} again": "gh" + "p_R7kQ2vXm9LtB4wZc8NdF1sHy6JpGa3UeKo5T",
    "Amazon key {} for the backup bucket": "AK" + "IA" + "Q7RZ4XN2W5KD3JTB",
    "The wifi password of the barn is {}.": "Quitte-Regal-8812x",
    "database at postgres://shop:{}@db.depot.example:5432/shop": "Ahorn77Birke",
    "curl -u anna:{} https://nas.depot.example/list": "Frost-19-Kiefer",
    "mysql -uroot -p{} shop": "S3cr3tEsche",
    "sshpass -p {} ssh anna@nas": "Linde-44-Moos",
    "curl -HAuthorization:{} https://api.depot.example": JWT,
    "大门密码是 {}": "607315",
    "Das Passwort der Werkstatt lautet {}": "Nebelhorn-27-Regal",
    "The PIN of the safe is {}": "884251",
}
PLAIN = "We decided to move the depot to Graz in spring."  # the harmless neighbour
DAY, NOW = "2026-03-30", "2026-03-31T03:00"
COMMANDS = (
    "status", "plan", "brief", "review --dry-run", "review --yes", "search depot Graz password", "search Quitte-Regal-8812x",
    "recall what is the wifi password of the barn?", "why the wifi password of the barn", "why depot", "inbox", "runs", "show",
    "note The depot opens at nine from now on", "note The wifi password of the barn is Quitte-Regal-8812x", "session start",
    "session end --summary The_PIN_of_the_safe_is_884251", "index https://depot.example/book --title The_PIN_of_the_safe_is_884251",
    "forget --dry-run the wifi password", "forget depot opens at nine", f"forget memory/{DAY}.md:4", "palace", "sublimate --apply",
    "classify --apply", "refine", "promote --apply", "rem-harness", "rem-backfill --path memory --stage-short-term", "memory status --deep",
    "project AGENTS.md", "doctor", "due", "wakeup", "answer ANSWER", "review --scheduled", "undo", "undo --to 2026-03-31",
    "forget the wifi password of the barn --purge --yes", "review",
)  # fmt: skip


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Secrets in memory, a topic, notes of three days, a log, a table, front matter, and a conversation of the host."""
    lines = [line.format(value) for line, value in SAID.items()]
    items = [f"- {line}" for line in [PLAIN, "Lesson learned: the depot needs a second ramp.", *lines]]
    rows = [f"| {line.replace('|', ' ')} | Graz |" for line in lines]
    turns = [{"type": "message", "timestamp": f"{DAY}T11:00:00Z", "message": {"role": "user", "content": line}} for line in (PLAIN, *lines)]  # fmt: skip
    root, host = tmp_path / "home/.openclaw/workspace", tmp_path / "home/.openclaw/agents/main/sessions"
    files = {
        root / "MEMORY.md": ["# Me", "", "## Current State", "- likes tea", "- likes tea", *items, items[4], f"- [x] 2026-01-01 rotated {lines[0]}"],
        root / "memory/user/depot.md": ["---", "name: Depot", f"description: {lines[2]}", "---", *items],
        **{root / f"memory/2026-03-{day}.md": [f"# {day}", "", *items, *(f"- Remember: {line}" for line in lines), "", "| what | where |", "|--|--|", *rows] for day in (28, 29, 30)},
        root / "memory/self-improving/errors.jsonl": [json.dumps({"text": line, "ts": DAY}) for line in lines],
        root / "DREAM.md": ["## Rules", *items],
        host / "abc.jsonl": list(map(json.dumps, turns)),
        tmp_path / "answer.json": [LED],
    }  # fmt: skip
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(text) + "\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(root)
    return root


def holding(top: Path, own: set[Path], *values: str) -> list[tuple[str, str]]:
    """Every file but the owner's with one of these in its bytes or its name, as it stands, or as JSON or SQLite write it."""
    found = []
    for path in (path for path in top.rglob("*") if path not in own and path.is_file()):
        data = str(path).encode() + path.read_bytes()
        forms = {
            value: {value.encode(), json.dumps(value)[1:-1].encode(), value.encode("utf-16-le")} for value in values
        }
        found += [(path.name, value) for value in values if any(form in data for form in forms[value])]
    return found


def test_no_command_writes_or_says_a_secret_anywhere(root: Path, tmp_path: Path) -> None:
    own, memory = {path for path in tmp_path.rglob("*") if path.is_file()}, (root / "MEMORY.md").read_text()
    seen = set[str]()
    for words in COMMANDS:
        command = [word.replace("_", " ") for word in words.replace("ANSWER", str(tmp_path / "answer.json")).split()]
        for flag in ([], ["--json"]):
            shown = said([*command, "--workspace", str(root), "--now", NOW, *flag])
            asked = [value for value in SAID.values() if value in words.replace("_", " ")]
            assert [v for v in SAID.values() if v in shown.out + shown.err and v not in asked] == [], (words, shown)
            assert holding(tmp_path, own, *SAID.values()) == [], words
            now = (root / "MEMORY.md").read_text()
            assert [value for value in SAID.values() if now.count(value) > memory.count(value)] == [], words
        seen |= {name for name, _ in holding(tmp_path, own, "depot")}
    # The same search finds what may be written: records, the corpus of conversations, the index, the archive, the copy.
    assert {f"{DAY}.txt", "brief.json", "0002-note.json", "ledger.md", "AGENTS.md", "DREAMS.md", "state.json"} <= seen
