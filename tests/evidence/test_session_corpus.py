"""Turns into the corpus: redacted, filed under their day, and there exactly once, whatever happens on the way."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from reverie.core.layout import OWN_CORPUS, SESSION_CURSOR
from reverie.evidence.session_corpus import Ingested, append_turns, identity, read_cursors, rendered
from reverie.evidence.state_files import Steps
from reverie.privacy.redact import holds_mask
from reverie.text.lines import count_units
from reverie.workspace.sessions import find_transcripts
from reverie.workspace.transcripts import Transcript, Turn, read_transcript
from reverie.workspace.values import Origin
from talk import BERLIN, NOON, NOW, corpus, keep, transcript, turn


def write_session(folder: Path, texts: list[str], name: str = "abc.jsonl", mode: str = "wb") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / name).open(mode) as file:
        for n, text in enumerate(texts):
            record = {
                "type": "message",
                "timestamp": f"2026-11-14T11:{n:02d}:00Z",
                "message": {"role": "user", "content": text},
            }
            file.write(json.dumps(record).encode() + b"\n")
    return folder / name


def a_night(root: Path, agents: Path) -> Ingested:
    """What the engine does: read every transcript from its cursor, keep what is new."""
    cursors = read_cursors(root)
    read = [read_transcript(real, path, agent, cursors.get(path)) for path, real, agent in find_transcripts([agents])]
    return append_turns(root, [one for one in read if isinstance(one, Transcript)], BERLIN, now=NOW)


# How a turn stands there


def test_a_turn_stands_in_the_form_of_the_peer() -> None:
    assert rendered(turn(12, "hello there\n  friend")) == "[main/sessions/abc.jsonl#L12] User: hello there friend"


def test_a_message_has_the_id_the_peer_gives_it() -> None:
    at = datetime.fromtimestamp(1775383200, UTC)

    assert identity("main:abc", turn(1, "x", at), "hello there friend") == "4c29538d54a6f9a5b13ccaf2aea00da509f7dcbf"


def test_words_of_others_are_not_called_the_users() -> None:
    assert rendered(turn(1, "send money to me", origin=Origin.QUOTED)).startswith(
        "[main/sessions/abc.jsonl#L1] Guest: "
    )
    assert rendered(turn(1, "of course not", role="assistant", origin=Origin.QUOTED)).endswith(
        "Assistant (guest): of course not"  # it answers a guest, and may repeat one
    )


@pytest.mark.parametrize("text", ["Some words, and more. " * 160, "字" * 3000, "😀" * 1500, "句子。" * 900, "x" * 801])
def test_a_long_turn_is_wrapped_and_nothing_of_it_is_lost(text: str) -> None:
    lines = rendered(turn(3, text)).split("\n")
    prefix = "[main/sessions/abc.jsonl#L3] User: "

    assert len(lines) > 1
    assert all(line.startswith(prefix) and count_units(line) <= 800 for line in lines)
    assert "".join(line.removeprefix(prefix) for line in lines).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    "text", ["my key is ghp_" + "a1B2" * 9, "password:\nhunter22x and more", "db at postgres://kim:s3cretpw@host/x"]
)
def test_a_secret_is_masked_before_it_is_kept(tmp_path: Path, text: str) -> None:
    keep(tmp_path, turn(1, text))

    (line,) = corpus(tmp_path)["2026-11-14"]
    assert holds_mask(line)
    assert not any(secret in line for secret in ("a1B2", "hunter22x", "s3cretpw"))
    assert "a1B2" not in (tmp_path / SESSION_CURSOR).read_text()


@pytest.mark.parametrize(
    "text",
    [
        "line\u2028two and so on",
        "tab\tand\0nul and bell\a",
        "half a pair \ud83d and more",
        "\r\nfull line\r\nmore of it",
    ],
)
def test_no_character_of_a_turn_can_make_a_second_line(tmp_path: Path, text: str) -> None:
    keep(tmp_path, Turn("ma]in\n", "sessions/a\nb.jsonl", 1, "user", text, NOON))

    (file,) = (tmp_path / OWN_CORPUS).iterdir()
    assert file.read_text("utf-8").isprintable() is False  # its one newline
    assert len(file.read_text("utf-8").splitlines()) == 1


# Where it stands


@pytest.mark.parametrize(
    ("zone", "day"),
    [(BERLIN, "2026-11-15"), (UTC, "2026-11-14"), (timezone(timedelta(hours=-9)), "2026-11-14")],
)
def test_the_day_is_the_owners_day(tmp_path: Path, zone: ZoneInfo, day: str) -> None:
    late = datetime(2026, 11, 14, 23, 30, tzinfo=UTC)

    append_turns(tmp_path, [transcript(turn(1, "still up, it seems", late))], zone, now=NOW)

    assert list(corpus(tmp_path)) == [day]


@pytest.mark.parametrize(
    ("known", "days"),
    [({"started": NOON}, ["2026-11-14"]), ({"day": date(2026, 3, 1)}, ["2026-03-01"]), ({}, [])],
)
def test_a_turn_without_a_time_is_filed_under_the_first_day_its_file_knows(
    tmp_path: Path, known: dict[str, object], days: list[str]
) -> None:
    done = append_turns(tmp_path, [transcript(turn(1, "no idea when", None), **known)], BERLIN, now=NOW)

    assert list(corpus(tmp_path)) == days
    assert done.left_out == ({} if days else {"undated": 1})


def test_what_says_too_little_is_left_out_but_short_chinese_is_not(tmp_path: Path) -> None:
    done = keep(tmp_path, turn(1, "ok, thanks"), turn(2, "我对榛子过敏"), turn(3, "好的"))

    assert corpus(tmp_path) == {"2026-11-14": ["[main/sessions/abc.jsonl#L2] User: 我对榛子过敏"]}
    assert done == Ingested(1, 0, {"short": 2}, (date(2026, 11, 14),))


def test_what_the_reader_left_out_is_counted_here_too(tmp_path: Path) -> None:
    done = append_turns(tmp_path, [transcript(left_out={"cron": 3}), transcript(left_out={"cron": 1})], BERLIN, now=NOW)

    assert (done, corpus(tmp_path)) == (Ingested(0, 0, {"cron": 4}), {})


# Exactly once


def test_a_turn_is_kept_once_over_five_nights_and_after_the_cursors_are_lost(tmp_path: Path) -> None:
    agents, root = tmp_path / "agents", tmp_path / "workspace"
    root.mkdir()
    write_session(agents / "main" / "sessions", ["I moved to Bern", "蛋糕里不要放榛子", " ".join(map(str, range(700)))])

    nights = [a_night(root, agents) for _ in range(5)]
    before = corpus(root)
    (root / SESSION_CURSOR).unlink()
    again = a_night(root, agents)

    assert [night.appended for night in nights] == [3, 0, 0, 0, 0]
    assert (again.appended, again.already) == (0, 3)
    assert corpus(root) == before
    assert max(Counter(before["2026-11-14"]).values()) == 1


def test_a_growing_session_adds_only_what_is_new(tmp_path: Path) -> None:
    agents, root = tmp_path / "agents", tmp_path / "workspace"
    root.mkdir()
    write_session(agents / "main" / "sessions", ["the first thing", "the second thing"])
    a_night(root, agents)
    write_session(agents / "main" / "sessions", ["the third thing"], mode="ab")

    assert a_night(root, agents) == Ingested(1, 0, {}, (date(2026, 11, 14),))
    assert [line[-16:].strip() for line in corpus(root)["2026-11-14"]] == [
        "the first thing",
        "the second thing",
        "the third thing",
    ]


def test_a_rewritten_session_does_not_repeat_what_moved_to_another_line(tmp_path: Path) -> None:
    agents, root = tmp_path / "agents", tmp_path / "workspace"
    root.mkdir()
    real = write_session(agents / "main" / "sessions", ["the first thing", "the second thing"])
    a_night(root, agents)
    real.write_bytes(b'{"type": "session", "id": "abc"}\n' + real.read_bytes())

    assert a_night(root, agents) == Ingested(0, 2)


def test_a_quiet_night_writes_nothing_at_all(tmp_path: Path) -> None:
    class Watched(Steps):
        def create(self, path: Path, data: bytes, mode: int) -> None:
            raise AssertionError("nothing had to be written")

    keep(tmp_path, turn(1, "I moved to Bern"))

    assert keep(tmp_path, turn(1, "I moved to Bern"), steps=Watched()) == Ingested(0, 1)
    assert append_turns(tmp_path / "bare", [], BERLIN, now=NOW) == Ingested()
    assert not (tmp_path / "bare").exists()


def test_the_same_sentence_twice_in_a_turn_stays_twice(tmp_path: Path) -> None:
    keep(tmp_path, turn(1, "x" * 3000))
    first = corpus(tmp_path)

    assert keep(tmp_path, turn(1, "x" * 3000)).already == 1
    assert corpus(tmp_path) == first
    assert sum(line.count("x") for line in first["2026-11-14"]) == 3000
