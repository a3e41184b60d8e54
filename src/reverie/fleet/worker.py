"""A worker of the fleet: looks at the board, takes one workspace after the other, and runs each night in a process of its own.

A worker that is killed loses nothing: its jobs go to others when its heart has not beaten for a while, and a night that its
orphan still writes is kept apart by the lock of the workspace, or by the conditions of the store.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from reverie.errors import ReverieError
from reverie.fleet.board import Board
from reverie.fleet.night import Result

LOOK, STALLED, LONGEST = 3.0, 15.0, 3_600.0  # seconds: between looks, without a heartbeat, of one night
_HANDED_ON = ("PATH", "LANG", "TZ", "SSL_CERT_FILE", "PYTHONPATH", "REVERIE_NOW")  # of our environment to a night
_RULES = "none"
_NO_ROOM = 60.0  # seconds until a provider of models is asked again whether it has room


class Worker(NamedTuple):
    board: Board
    scratch: Path
    secrets: Path | None = None  # a folder with TENANT.env, lines of NAME=VALUE
    concurrency: int = 1
    stalled: float = STALLED

    async def run(self, *, wait: bool = True) -> None:
        """Work until it is stopped; without `wait` until nothing is due."""

        @self.board.app.task(name="night", pass_context=False)
        async def night(name: str) -> None:
            await self.look(name)

        async with self.board.app.open_async():
            looking = asyncio.create_task(self._look())
            try:
                if not wait:
                    await self.board.queue_due()
                await self.board.app.run_worker_async(
                    concurrency=self.concurrency, wait=wait, delete_jobs="always", fetch_job_polling_interval=LOOK,
                    update_heartbeat_interval=self.stalled / 3, stalled_worker_timeout=self.stalled,
                )  # fmt: skip
            finally:
                looking.cancel()

    async def look(self, name: str) -> None:
        """One look at one workspace, a span of a trace where somebody traces."""
        if row := await self.board.begin(name):
            with span("night", workspace=name, tenant=row["tenant"]) as seen:
                result = await self._look_at(row)
                seen({"do": result.do, "error": result.error, "is_led": result.is_led})
            log("night", workspace=name, tenant=row["tenant"], **msgspec.to_builtins(result))

    async def _look_at(self, row: dict[str, Any]) -> Result:
        model = await self._model(row)
        if model is None:  # its provider has no room now
            result = Result("defer", datetime.now(UTC) + timedelta(seconds=_NO_ROOM))
        else:
            result = await self._night(row, model)
        if model not in (None, _RULES) and result.is_unasked:
            await self.board.book(row["tenant"], -row["night_cost"])
        await self.board.done(row, result)
        return result

    async def _model(self, row: dict[str, Any]) -> str | None:
        """Who leads: the tenant's model, the rules where the month has no room left; None: not now."""
        if not row["model"] or row["model"] == _RULES:
            return _RULES
        if not await self.board.may_ask(row["model"].partition(":")[0]):
            return None
        return row["model"] if await self.board.book(row["tenant"], row["night_cost"]) else _RULES

    async def _night(self, row: dict[str, Any], model: str) -> Result:
        folder = self.scratch / sha256(row["name"].encode()).hexdigest()[:24]
        (folder / "home").mkdir(parents=True, exist_ok=True, mode=0o700)
        words = (sys.executable, "-P", "-m", "reverie.fleet.night", row["place"], str(folder))
        child = await asyncio.create_subprocess_exec(
            *words, env=self._environment(row, model, folder), cwd=folder, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            out, _ = await asyncio.wait_for(child.communicate(), LONGEST)
            return msgspec.json.decode(out, type=Result)
        except TimeoutError:
            return Result("failed", error="TimeoutError", seconds=LONGEST)
        except msgspec.DecodeError:
            return Result("failed", error=f"Exit {child.returncode}")
        finally:
            with suppress(ProcessLookupError):
                child.kill()

    def _environment(self, row: dict[str, Any], model: str, folder: Path) -> dict[str, str]:
        """A home of its own, what every program needs, and the secrets of this tenant."""
        known = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
        path = self.secrets / f"{row['tenant']}.env" if self.secrets and _is_name(row["tenant"]) else None
        lines = path.read_text("utf-8").splitlines() if path and path.is_file() else []
        pairs = (line.partition("=") for line in lines if "=" in line and not line.startswith("#"))
        secrets = {name.strip(): value.strip() for name, _, value in pairs}
        return known | {"HOME": str(folder / "home")} | secrets | {"DREAM_MODEL": model} | _most(row, model, secrets)

    async def _look(self) -> None:
        """Put what is due into the queue, and give away what dead workers held; a database that is away comes back."""
        while True:
            try:
                await self.board.free_stalled(self.stalled)
                await self.board.queue_due()
            except Exception as error:  # noqa: BLE001
                log("look failed", error=type(error).__name__)
            await asyncio.sleep(LOOK)


def _most(row: dict[str, Any], model: str, secrets: dict[str, str]) -> dict[str, str]:
    """What a night may cost, where a price is known."""
    is_priced = model != _RULES and row["night_cost"] and "DREAM_MODEL_PRICE" in secrets
    return {"DREAM_MODEL_MOST": str(row["night_cost"])} if is_priced else {}


def _is_name(tenant: str) -> bool:
    return bool(tenant) and all(sign.isalnum() or sign in "-_" for sign in tenant)


@contextmanager
def span(name: str, **values: str) -> Iterator[Callable[[dict[str, Any]], None]]:
    """A span for OpenTelemetry where that is installed (`opentelemetry-instrument dream fleet worker` sends them)."""
    try:
        from opentelemetry import trace
    except ImportError:
        yield lambda _: None
        return
    with trace.get_tracer("reverie").start_as_current_span(name, attributes=values) as opened:
        yield lambda more: opened.set_attributes(more)


def log(what: str, **values: Any) -> None:
    """One line of JSON, without a word of any memory."""
    sys.stderr.write(json.dumps({"event": what, **values}, default=str) + "\n")


def database() -> str:
    """Where the board is; with its password, so it stands in the environment alone."""
    if found := os.environ.get("DREAM_FLEET_DATABASE", ""):
        return found
    raise ReverieError("Set DREAM_FLEET_DATABASE to the address of a PostgreSQL database, as postgresql://host/name.")
