"""Every command that writes, over a workspace with secrets of every class that is surely known: no value is in any byte we write."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Build, tree
from reverie.core.ports import fixed
from reverie.night import commands
from reverie.surfaces.configure import configured
from terminal import call

NIGHT = "2026-11-15T03:00:00+01:00"
_JWT = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=")
    for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890","name":"Mira"}', bytes(range(7, 210, 6)))
)
SAID = {  # what is written, with the value that may stand nowhere else
    "deploy works with {} again": "gh" + "p_R7kQ2vXm9LtB4wZc8NdF1sHy6JpGa3UeKo5T",
    "Amazon key {} for the backup bucket": "AK" + "IA" + "Q7RZ4XN2W5KD3JTB",
    "The wifi password of the barn is {}.": "Quitte-Regal-8812x",
    "database at postgres://shop:{}@db.depot.example:5432/shop": "Ahorn77Birke",
    "curl -u anna:{} https://nas.depot.example/list": "Frost-19-Kiefer",
    "mysql -uroot -p{} shop": "S3cr3tEsche",
    "sshpass -p {} ssh anna@nas": "Linde-44-Moos",
    "curl -HAuthorization:{} https://api.depot.example": _JWT,
    "大门密码是 {}": "607315",
    "Das Passwort der Werkstatt lautet {}": "Nebelhorn-27-Regal",
    "The PIN of the safe is {}": "884251",
    "unzip -P {} archive.zip": "Weide-83-Farn",
}
NAMES = ("memory/2026-11-09-wifi-pw-Tulip77.md", "memory/nas-password-Mohn4412/list.md")
VALUES = (*SAID.values(), "Tulip77", "Mohn4412")
PLAIN = "We decided to move the depot to Graz in spring."  # the harmless neighbour
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("plan", "--json"),
    ("review",),
    ("review", "--force"),
    ("note", "The depot opens at nine from now on."),
    ("note", "The wifi password of the barn is Quitte-Regal-8812x."),
    ("session", "start"),
    ("session", "end", "--summary", "We talked about the depot.\nThe PIN of the safe is 884251"),
    ("search", "depot Graz"),
    ("search", "password Quitte-Regal-8812x"),
    ("recall", "what is the wifi password of the barn?"),
    ("reindex",),
    ("classify", "--apply"),
    ("palace", "--rebuild"),
    ("refine",),
    ("trial",),
    ("sublimate", "--apply"),
    ("promote",),
    ("rem-harness",),
    ("rem-backfill", "--path", "{root}/memory"),
    ("index", "https://depot.example/book", "--title", "A book; the PIN of the safe is 884251"),
    ("brief",),
    ("why-not", "the wifi password of the barn"),
    ("status", "--deep"),
    ("doctor",),
    ("review", "--now", "2026-11-16T03:00:00+01:00"),
    ("undo",),
)


@pytest.fixture
def root(build: Build) -> Path:
    lines = [line.format(value) for line, value in SAID.items()]
    memory = [
        "# Me",
        "",
        "## Current State",
        f"- {PLAIN}",
        "- likes tea",
        "- likes tea",
        *(f"- {line}" for line in lines),
    ]
    memory += [f"- {lines[2]}", "- [x] 2026-01-01 rotated " + lines[0]]  # a duplicate, and something finished
    note = [f"- {PLAIN}", "- Lesson learned: the depot needs a second ramp.", *(f"- {line}" for line in lines)]
    note += [f"- Remember from now on: {line}" for line in lines]
    days = {f"memory/2026-11-{day}.md": f"# 2026-11-{day}\n\n" + "\n".join(note) + "\n" for day in (12, 13, 14)}
    named = dict.fromkeys(NAMES, f"- {PLAIN}\n- The ramp of the depot is steep.\n")
    return build({"MEMORY.md": "\n".join(memory) + "\n", **days, **named}).root


def holding(root: Path, mine: set[str], *values: str) -> list[tuple[str, str]]:
    """Every file but the owner's with one of these, by its bytes or in its name; as it stands, or as JSON or SQLite writes it."""
    found = []
    for name, data in tree(root, without=()).items():
        if name not in mine:
            forms = {one: {one.encode(), json.dumps(one)[1:-1].encode(), one.encode("utf-16-le")} for one in values}
            found += [(name, one) for one in values if one in name or any(form in data for form in forms[one])]
    return found


def entered(root: Path, before: str) -> list[str]:
    """The values that MEMORY.md holds more often than its owner wrote them."""
    now = (root / "MEMORY.md").read_text("utf-8")
    return [value for value in VALUES if now.count(value) > before.count(value)]


def test_no_command_writes_a_secret_anywhere(root: Path, tmp_path: Path) -> None:
    mine = {*tree(root, without=())}
    memory = (root / "MEMORY.md").read_text("utf-8")
    talk = tmp_path / "agents" / "main" / "sessions" / "abc.jsonl"
    talk.parent.mkdir(parents=True)
    turns = [
        {"type": "message", "timestamp": "2026-11-14T11:00:00Z", "message": {"role": "user", "content": said}}
        for said in (PLAIN, *(line.format(value) for line, value in SAID.items()))
    ]
    talk.write_text("\n".join(map(json.dumps, turns)) + "\n", "utf-8")
    heard = configured(root, {})
    commands.review(
        replace(heard, settings=replace(heard.settings, transcripts=(str(talk.parents[2]),))),
        fixed("2026-11-14T23:00:00+01:00"),
    )
    shown = ""
    for words in COMMANDS:
        now = () if "--now" in words else ("--now", NIGHT)
        done = call(*(word.format(root=root) for word in words), "--workspace", root, *now)
        shown += done.out + done.err
        assert holding(root, mine, *VALUES) == [], words
        assert entered(root, memory) == [], words

    written = {name for name, _ in holding(root, mine, PLAIN)}  # the same search finds what may be written
    assert {name.split("/")[-1] for name in written} >= {"plan.json", "2026-11-14.txt"}
    assert [value for value in VALUES if value in shown and value != "Quitte-Regal-8812x"] == []
    looked = json.loads(call("scrub", "--json", "--workspace", root).out)
    assert looked["files"] == [] and looked["read"]["files"] > 30
    assert "memory/2026-11-09-⟦secret⟧.md has a secret in its name" in shown  # and is named by doctor
