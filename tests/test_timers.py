"""Timers: what is written can be read by the systems themselves, and only what is marked as ours is taken away."""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import NOW
from reverie.errors import BadSettings, Unreadable, WriteFailed
from reverie.features.doctor import doctor
from reverie.features.timers import (
    BEGIN,
    END,
    NAME,
    found,
    install,
    installed,
    remove,
    timer,
    with_lines,
    without_lines,
)
from reverie.features.uninstall import uninstall
from reverie.settings import Schedule, Settings
from reverie.store.disk import Disk
from reverie.surfaces.cli import main
from reverie.workspace.layout import MEMORY, Layout, layout_of

COMMAND = ["/opt/it's 100 %/$HOME/dream", "review", "--scheduled", "--workspace", '/home/a "b"\\c']
FOREIGN = "# mine\nMAILTO=me\r\n*/5 * * * * x % y\xff\n\n"
CRONTAB = """#!/bin/sh
echo "$@" >> calls
case $1 in
-l) [ -f "$TABLE" ] && cat "$TABLE" || { echo "$COMPLAINT" >&2; exit 1; } ;;
-) cat > "$TABLE" ;;
esac
"""
OPENCLAW = """#!/bin/sh
printf '%s|' "$@" >> "$TABLE"
[ "$2" = list ] && printf '{"jobs": [{"id": "j1", "name": "other"}, {"id": "j2", "name": "reverie-dream"}]}'
exit 0
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bin").mkdir()
    for name, value in {"HOME": tmp_path, "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "TABLE": tmp_path / "table",
                        "COMPLAINT": "no crontab for me", "XDG_CONFIG_HOME": tmp_path / "config"}.items():  # fmt: skip
        monkeypatch.setenv(name, str(value))
    return tmp_path


def program(home: Path, name: str, text: str) -> None:
    path = home / "bin" / name
    path.write_text(text)
    path.chmod(0o755)


def test_systemd_reads_the_units_and_every_word_arrives(home: Path) -> None:
    made = timer("systemd", COMMAND, Settings())
    program(home, "systemctl", "#!/bin/sh\nexit 0\n")
    assert install(made, Disk()) == [] and installed(made) == [str(path) for path in made.files]
    service, clock = (path.read_text() for path in made.files)
    assert r'''ExecStart="/opt/it's 100 %%/$$HOME/dream" review --scheduled --workspace "/home/a \"b\"\\c"''' in service
    assert "SuccessExitStatus=75" in service and "OnCalendar=*:0/15\nPersistent=true" in clock
    if shutil.which("systemd-analyze"):
        (home / "real").mkdir()
        real = timer("systemd", ["/bin/true", *COMMAND[1:]], Settings())
        for path, text in real.files.items():
            (home / "real" / path.name).write_text(text)
        said = subprocess.run(
            ["systemd-analyze", "--user", "verify", *map(str, (home / "real").iterdir())],
            capture_output=True,
            text=True,
        )
        assert NAME not in said.stderr, said.stderr
    remove(made, Disk())
    assert not any(path.exists() for path in made.files)


def test_a_property_list_holds_every_word(home: Path) -> None:
    made = timer("launchd", [*COMMAND, "a<b>&c"], Settings())
    (text,) = made.files.values()
    found = plistlib.loads(text.encode())
    assert found == {"Label": NAME, "ProgramArguments": [*COMMAND, "a<b>&c"], "StartInterval": 900}
    assert next(iter(made.files)).parent == home / "Library/LaunchAgents"


def test_a_foreign_crontab_stays_to_the_byte(home: Path) -> None:
    program(home, "crontab", CRONTAB)
    made, table = timer("cron", COMMAND, Settings()), home / "table"
    table.write_bytes(FOREIGN.encode("latin-1"))
    for _ in range(2):
        assert install(made, Disk()) == [] and installed(made) == ["lines of the crontab"]
    data = table.read_bytes()
    assert data.startswith(FOREIGN.encode("latin-1")) and data.count(BEGIN.encode()) == 1
    line = data.decode("latin-1").split(BEGIN)[1].split("\n")[0]
    assert shlex.split(line.removeprefix("*/15 * * * * ").replace("\\%", "%")) == COMMAND
    assert remove(made, Disk()) == ["lines of the crontab"] and table.read_bytes() == FOREIGN.encode("latin-1")
    assert remove(made, Disk()) == []


def test_a_crontab_that_cannot_be_read_is_not_taken_for_an_empty_one(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(home, "crontab", CRONTAB)
    made = timer("cron", COMMAND, Settings())
    assert install(made, Disk()) == [] and (home / "table").read_text() == made.crontab
    (home / "table").unlink()
    monkeypatch.setenv("COMPLAINT", "you are not allowed to use this program")
    with pytest.raises(WriteFailed, match="not allowed"):
        install(made, Disk())
    assert not (home / "table").exists()


@pytest.mark.parametrize("before", ["", "a", "a\n", "a\r\n\n", f"x\n{BEGIN}*/15 lost its end\ny\n"])
def test_our_lines_come_and_go(before: str) -> None:
    lines = f"{BEGIN}* dream\n{END}"
    both = with_lines(before, lines)
    assert both == with_lines(both, lines) or BEGIN in before
    assert without_lines(f"{before}\n{lines}b\n") == f"{before}\nb\n" or BEGIN in before
    assert without_lines(before) == before


def test_a_mark_without_its_fellow_takes_no_foreign_job_along() -> None:
    lines, foreign = f"{BEGIN}* dream\n{END}", "5 * * * * mine\n"
    for torn in (f"{BEGIN}* dream\n{foreign}", f"{END}{foreign}"):
        assert without_lines(with_lines(torn, lines)) == torn
        assert without_lines(lines + torn) == torn


def test_a_file_of_our_name_that_is_not_ours_stays(home: Path) -> None:
    made = timer("systemd", COMMAND, Settings())
    first, second = made.files
    first.parent.mkdir(parents=True)
    first.write_text("[Unit]\n")
    second.symlink_to(home / "elsewhere")
    for act in (install, remove):
        with pytest.raises(Unreadable):
            act(made, Disk())
    first.unlink()
    with pytest.raises(Unreadable, match="link"):
        install(made, Disk())
    assert second.is_symlink() and not first.exists()


def test_openclaw_gets_the_expression_and_the_owners_zone(home: Path) -> None:
    program(home, "openclaw", OPENCLAW)
    settings = Settings(schedule=Schedule("30 4 * * *", "Asia/Tokyo"))
    made = timer("openclaw", COMMAND, settings)
    assert made.enable[0][:11] == (
        "openclaw",
        "cron",
        "add",
        "--name",
        NAME,
        "--cron",
        "30 4 * * *",
        "--tz",
        "Asia/Tokyo",
        "--session",
        "isolated",
    )
    assert remove(made, Disk()) == ["openclaw cron rm j2"]
    assert "cron|rm|j2|" in (home / "table").read_text() and "j1" not in (home / "table").read_text()
    with pytest.raises(BadSettings):
        timer("openclaw", COMMAND, Settings(schedule=Schedule("at night")))
    program(home, "openclaw", OPENCLAW.replace(NAME, "nobody"))
    assert install(made, Disk()) == [] and "|--session|isolated|" in (home / "table").read_text()


def test_windows_gets_one_line_and_the_machine_decides_where_nothing_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (words,) = timer("windows", ["C:\\a b\\dream.exe", "review"], Settings()).enable
    assert words == (
        "schtasks",
        "/create",
        "/tn",
        NAME,
        "/sc",
        "minute",
        "/mo",
        "15",
        "/tr",
        '"C:\\a b\\dream.exe" review',
    )
    assert install(timer("windows", COMMAND, Settings()), Disk())[0].startswith("Not done (`schtasks` is not there): ")
    monkeypatch.setenv("PATH", f".:{home}/bin")
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    assert timer("", COMMAND, Settings()).kind == "cron"


def test_one_timer_calls_every_memory_and_each_leaves_alone(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(home, "crontab", CRONTAB)
    program(home, "systemctl", "#!/bin/sh\nexit 0\n")
    layouts = dict[str, Layout]()
    for name in ("the f", "g$%"):
        (home / name / "memory").mkdir(parents=True)
        layouts[name] = layout_of(home / name)
        layouts[name].real(MEMORY).write_text("# Me\n")
    for kind in ("cron", "systemd", "launchd"):
        for name in layouts:
            with pytest.raises(SystemExit):
                main(["schedule", "install", "--yes", "--kind", kind, "-w", str(home / name)])
        (there,) = found("", [kind])
        assert there.workspaces == [str(home / name) for name in layouts]
    uninstall(layouts["g$%"])
    assert not found(f"{home}/g$%") and "no timer" in [sign.word for sign in doctor(layouts["g$%"], NOW)]
    assert {each.kind for each in found(f"{home}/the f")} == {"cron", "systemd"}
    assert uninstall(layouts["the f"]) == [] and not found("", ["cron", "systemd"])


@pytest.mark.parametrize(("kind", "said"), [([], "no `crontab` on this machine"), (["--kind", "openclaw"], "Not done")])
def test_a_timer_that_could_not_be_made_is_no_success(
    home: Path, kind: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "memory").mkdir()
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setenv("PATH", str(home / "bin"))
    with pytest.raises(SystemExit) as stop:
        main(["schedule", "install", "--yes", "-w", str(home), *kind])
    assert stop.value.code == 16 and said in "".join(capsys.readouterr())


def test_openclaw_has_a_job_for_each_memory(home: Path) -> None:
    program(
        home,
        "openclaw",
        OPENCLAW.replace('"name": "reverie-dream"', f'"name": "{NAME}", "x": "`dream brief --workspace=/f`"'),
    )
    made = timer("openclaw", ["dream", "review", "--workspace=/f", "--workspace=/g"], Settings())
    assert install(made, Disk()) == []
    assert "|--message|" in (text := (home / "table").read_text()) and "=/g`" in text and "=/f`" not in text
    assert found("/f", ["openclaw"]) and not found("/g", ["openclaw"])


def test_nothing_is_done_without_a_yes(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program(home, "crontab", CRONTAB)
    (home / "MEMORY.md").write_text("# Me\n")
    (home / "memory").mkdir()
    monkeypatch.setenv("DREAM_VAULT_PATH", f"{home}/the vault")
    words = ["schedule", "install", "--kind", "cron", "-w", str(home)]
    for more, code in (([], 19), (["--yes"], 0)):
        with pytest.raises(SystemExit) as stop:
            main([*words, *more])
        assert (stop.value.code, (home / "table").exists()) == (code, bool(more))
        assert f"--scheduled --workspace={home}" in capsys.readouterr().err
    assert f"/usr/bin/env 'DREAM_VAULT_PATH={home}/the vault' " in (home / "table").read_text()
