"""One odd file blocks nothing: whatever stands at one of our paths is named or passed over, and the rest goes on.

Real files, real commands, each in a child with a time limit. A command may end with a sentence where it cannot do its work without
the path (a night without a memory, a note without a folder for notes); it never hangs, and nobody sees a traceback.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import oddities as odd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

LIMIT = 20.0  # seconds; the slowest takes two alone, and a busy machine is no bug
DEADLINE = 8.0  # of a recall: its own is a second or two, and a child must start besides
# Where these stand odd, a command that writes has nowhere to write: it says so and writes nothing.
NEEDED = ("MEMORY.md", "memory.md", "openclaw.json", "reverie.toml", "DREAM.md", "memory", "memory/.dreams", "RUN")
READING = ("status", "search", "recall", "session start", "palace")


@pytest.fixture(scope="module")
def dreamt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace that has dreamt once; made once, copied for each case."""
    kept = {name: os.environ.get(name) for name in ("HOME", "TZ")}
    home = tmp_path_factory.mktemp("home")
    (home / ".config" / "reverie").mkdir(parents=True)
    (home / ".config" / "reverie" / "reverie.toml").write_text('[search]\nembedder = "off"\n')
    os.environ |= {"HOME": str(home), "TZ": "Europe/Berlin"}
    base = tmp_path_factory.mktemp("odd")
    odd.warm(base / "warm")
    yield odd.dreamt(base / "dreamt")
    for name, value in kept.items():
        os.environ.pop(name) if value is None else os.environ.update({name: value})


@pytest.fixture
def quiet_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    (home / ".config" / "reverie").mkdir(parents=True)
    (home / ".config" / "reverie" / "reverie.toml").write_text('[search]\nembedder = "off"\n')
    monkeypatch.setenv("HOME", str(home))
    return home


def wrong(ended: odd.Ended, command: str) -> str:
    """What no command may do, in a word; empty where all is well."""
    if ended.code is None:
        return "hangs"
    if ended.crashed:
        return f"traceback: {ended.err.strip().splitlines()[-1]}"
    if command == "recall" and ended.seconds > DEADLINE:
        return f"missed its deadline: {ended.seconds:.1f} s"
    if ended.code not in (0, 16) and not ended.err.startswith("dream: "):
        return f"ended with {ended.code} and no sentence: {ended.err!r}"
    return ""


def tried(source: Path, target: Path, place: str, kind: str, command: str) -> odd.Ended:
    root = odd.copy(source, target)
    try:
        odd.KINDS[kind](odd.place_in(root, place))
        return odd.run(root, *odd.COMMANDS[command], limit=LIMIT)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def every_case() -> list[tuple[str, str, str]]:
    return [(place, kind, command) for place in odd.PLACES for kind in odd.KINDS for command in odd.COMMANDS]


def told(cases: list[tuple[str, str, str]], dreamt: Path, tmp_path: Path) -> list[str]:
    said = []
    for number, (place, kind, command) in enumerate(cases):
        ended = tried(dreamt, tmp_path / f"case-{number}", place, kind, command)
        if why := wrong(ended, command):
            said.append(f"{command} with a {kind} at {place}: {why}")
        if ended.code != 0 and command in READING and not place.startswith(NEEDED):
            said.append(f"{command} with a {kind} at {place} stopped: {ended.err.strip()}")
    return said


EXPLORE = (
    "EXPLORE" in os.environ
)  # `make explore`: every place, and 2,000 workspaces; CI has twenty minutes for everything


def test_a_sample_of_odd_places_hangs_and_crashes_no_command(dreamt: Path, quiet_home: Path, tmp_path: Path) -> None:
    sample = random.Random(18).sample(every_case(), 24)

    assert told(sample, dreamt, tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("kind", odd.KINDS)
def test_nothing_at_any_place_hangs_or_crashes_a_command(
    kind: str, dreamt: Path, quiet_home: Path, tmp_path: Path
) -> None:
    cases = [case for case in every_case() if case[1] == kind]
    chosen = cases if EXPLORE else random.Random(kind).sample(cases, 20)

    assert told(chosen, dreamt, tmp_path) == []


# The ones that hung or crashed before this file was written.
SEEN = [
    ("DREAM.md", "fifo", "review"), ("openclaw.json", "fifo", "status"), ("memory/.last_dream", "fifo", "recall"),
    ("memory/.dreams/events.jsonl", "fifo", "review"),
    ("memory/.dreams/reviewed.json", "fifo", "plan"), ("memory/.dreams/watched.json", "deep_json", "doctor"),
    ("memory/2026-11-14.md", "loop", "review"), ("memory/self-improving", "loop", "session start"),
    ("memory/.dreams/reviewed.json", "deep_json", "status"), ("RUN/plan.json", "fifo", "undo"), ("RUN/DONE", "fifo", "plan"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "kind", "command"), SEEN)
def test_what_once_stopped_a_command_does_so_no_more(
    place: str, kind: str, command: str, dreamt: Path, quiet_home: Path, tmp_path: Path
) -> None:
    assert wrong(tried(dreamt, tmp_path / "case", place, kind, command), command) == ""


def test_the_rest_of_the_notes_is_dreamt_of_beside_a_pipe_and_the_pipe_is_named(
    quiet_home: Path, tmp_path: Path
) -> None:
    root = odd.write(tmp_path / "workspace")
    odd.fifo(root / "memory" / "2026-11-11.md")
    odd.loop(root / "memory" / "2026-11-10.md")

    night, asked = odd.run(root, "review"), odd.run(root, "search", "dentist")

    assert night.code == 0 and "number 31" in (root / "MEMORY.md").read_text()
    assert "2026-11-11.md" in night.out and "2026-11-10.md" in night.out
    assert "Holtenauer" in asked.out


def test_a_pipe_where_settings_should_be_is_named_by_the_doctor(quiet_home: Path, tmp_path: Path) -> None:
    root = odd.write(tmp_path / "workspace")
    odd.fifo(root / "DREAM.md")

    assert "DREAM.md" in odd.run(root, "doctor").out


def test_a_name_that_is_no_text_costs_nothing(quiet_home: Path, tmp_path: Path) -> None:
    root = odd.write(tmp_path / "workspace")
    for name in (b"2026-11-11-\xff\xfe.md", b"\xe9t\xe9.md", b"2026-11-10-a\nb.md"):
        Path(os.fsdecode(bytes(root / "memory") + b"/" + name)).write_text("- The boiler is a Vaillant\n")

    assert [wrong(odd.run(root, *args), name) for name, args in odd.COMMANDS.items()] == [""] * len(odd.COMMANDS)


def test_a_note_of_the_year_9999_is_a_note(quiet_home: Path, tmp_path: Path) -> None:
    root = odd.write(tmp_path / "workspace")
    for name in ("9999-12-31", "0001-01-01", "2026-13-45"):
        (root / "memory" / f"{name}.md").write_text(
            "- Next week and tomorrow and in 3 days we meet\n- last month too\n"
        )

    assert [wrong(odd.run(root, *args), name) for name, args in odd.COMMANDS.items()] == [""] * len(odd.COMMANDS)


def test_folders_that_may_not_be_written_give_a_sentence(quiet_home: Path, tmp_path: Path) -> None:
    root = odd.write(tmp_path / "workspace")
    for path in (root / "memory", root):
        path.chmod(0o555)

    ended = {name: odd.run(root, *args, plain_user=True) for name, args in odd.COMMANDS.items()}

    for path in (root, root / "memory"):
        path.chmod(0o755)
    assert {name: why for name, one in ended.items() if (why := wrong(one, name))} == {}
    assert "Mara" in ended["search"].out


BYTES = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=120).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(
        [b"", b"\0" * 50, b"[" * 3000, b'{"a":' * 2000, b"- " + b"a" * 9000, b"---\n" * 40, b"\xff\xfe- x\n"]
    ),
    st.sampled_from([b"- tomorrow we meet\n", b"## Open\n- [x] paint the door\n", b"- **Pump valve:** number 40\n"]),
)
FILE_NAMES = st.sampled_from([place for place in odd.PLACES if not place.startswith("RUN")]) | st.from_regex(
    r"memory/[0-9]{4}-[01][0-9]-[0-3][0-9](-[a-z]{1,4})?\.md", fullmatch=True
)
WORKSPACES = st.lists(
    st.tuples(FILE_NAMES, st.sampled_from([*odd.KINDS, "bytes", "bytes", "bytes"]), BYTES), min_size=1, max_size=5
)


def planted(root: Path, oddities: list[tuple[str, str, bytes]]) -> None:
    for place, kind, data in oddities:
        path = root / place
        if any(
            above.is_symlink() or (above.exists() and not above.is_dir())
            for above in path.parents
            if root in above.parents
        ):
            continue  # an oddity stands above it already
        if kind == "bytes":
            odd.cleared(path).write_bytes(data)
        else:
            odd.KINDS[kind](path)


def lawful(dreamt: Path, folder: Path, oddities: list[tuple[str, str, bytes]], command: str) -> None:
    root = odd.copy(dreamt, folder / "law")
    try:
        planted(root, oddities)
        ended = odd.run(root, *odd.COMMANDS[command], limit=LIMIT)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    assert wrong(ended, command) == ""


@settings(max_examples=24)
@given(WORKSPACES, st.sampled_from(sorted(odd.COMMANDS)))
def test_no_workspace_hangs_or_crashes_a_command(
    dreamt: Path, tmp_path_factory: pytest.TempPathFactory, oddities: list[tuple[str, str, bytes]], command: str
) -> None:
    lawful(dreamt, tmp_path_factory.mktemp("law"), oddities, command)


@pytest.mark.long
@settings(max_examples=2_000 if EXPLORE else 60)
@given(WORKSPACES, st.sampled_from(sorted(odd.COMMANDS)))
def test_hundreds_of_workspaces_hang_and_crash_no_command(
    dreamt: Path, tmp_path_factory: pytest.TempPathFactory, oddities: list[tuple[str, str, bytes]], command: str
) -> None:
    lawful(dreamt, tmp_path_factory.mktemp("law"), oddities, command)
