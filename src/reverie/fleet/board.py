"""What the fleet knows of its workspaces, in PostgreSQL: where each lives, when it is looked at next, what the last look came to.

When a night happens is said by the workspace itself, its settings and its own record; here stands only when to look.
So a look too many does nothing, and a night that was cut off anywhere is finished by the next look.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued

from reverie.errors import NotFound, ReverieError
from reverie.fleet.night import Told

DEAD_AFTER = 5  # failures in a row
_BACKOFF = 60.0  # seconds after the first failure; each further one doubles it
_BATCH = 500  # workspaces that one look at the board puts into the queue
_DAY = 86_400.0

_DUE = """
    SELECT name, priority FROM reverie_workspaces AS w
    WHERE due_at <= now() AND NOT is_paused AND NOT is_dead AND NOT (SELECT is_draining FROM reverie_fleet)
      AND NOT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE lock = w.name AND status IN ('todo', 'doing'))
    ORDER BY priority DESC, due_at LIMIT %(most)s"""
_BEGUN = """
    SELECT w.*, extract(epoch FROM now() - due_at) AS waited, t.model, t.night_cost FROM reverie_workspaces AS w
    JOIN reverie_tenants AS t ON t.name = w.tenant WHERE w.name = %(name)s AND NOT is_paused AND NOT is_dead"""
_BOOK = """
    UPDATE reverie_tenants SET month = %(month)s,
      booked = CASE WHEN month = %(month)s THEN booked ELSE 0 END + %(cost)s
    WHERE name = %(name)s AND CASE WHEN month = %(month)s THEN booked ELSE 0 END + %(cost)s <= month_cost RETURNING 1"""
_TAKE = """
    UPDATE reverie_providers SET at = now(),
      room = least(per_minute, room + extract(epoch FROM now() - at) * per_minute / 60) - 1
    WHERE name = %(name)s AND least(per_minute, room + extract(epoch FROM now() - at) * per_minute / 60) >= 1 RETURNING 1"""
_DONE = """
    UPDATE reverie_workspaces SET due_at = %(due)s, looked_at = now(), tries = %(tries)s, is_dead = %(dead)s,
      what = %(what)s, seconds = %(seconds)s, late = %(late)s, nights = nights + %(dreamt)s,
      dreamt_at = CASE WHEN %(dreamt)s > 0 THEN now() ELSE dreamt_at END WHERE name = %(name)s"""
_FIGURES = """
    SELECT count(*) AS workspaces, coalesce(sum(nights), 0) AS nights,
      count(*) FILTER (WHERE due_at <= now() AND NOT is_paused AND NOT is_dead) AS due,
      count(*) FILTER (WHERE is_dead) AS dead, count(*) FILTER (WHERE is_paused) AS paused,
      count(*) FILTER (WHERE tries > 0) AS failing,
      count(*) FILTER (WHERE looked_at > now() - interval '1 day') AS looked_at_today,
      count(*) FILTER (WHERE dreamt_at > now() - interval '1 day') AS dreamt_today,
      coalesce(percentile_disc(0.99) WITHIN GROUP (ORDER BY late), 0) AS late_p99,
      coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds), 0) AS seconds_p50,
      coalesce(percentile_disc(0.99) WITHIN GROUP (ORDER BY seconds), 0) AS seconds_p99,
      (SELECT coalesce(sum(booked), 0) FROM reverie_tenants) AS booked,
      (SELECT is_draining::int FROM reverie_fleet) AS draining,
      (SELECT coalesce(extract(epoch FROM now() - beat), -1) FROM reverie_fleet) AS beat_age
    FROM reverie_workspaces"""


class Board:
    """The tables, over the connections of procrastinate's own pool."""

    def __init__(self, database: str) -> None:
        self.app = App(connector=PsycopgConnector(conninfo=database), import_paths=[])

    async def execute(self, sql: str, **values: Any) -> None:
        await self.app.connector.execute_query_async(sql, **values)

    async def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        return await self.app.connector.execute_query_all_async(sql, **values)

    async def make(self) -> None:
        """The tables, where they are not there."""
        if not (await self.rows("SELECT to_regclass('procrastinate_jobs') IS NOT NULL AS there"))[0]["there"]:
            await self.app.schema_manager.apply_schema_async()
        await self.execute(Path(__file__).with_name("schema.sql").read_text("utf-8"))

    async def add(self, name: str, place: str, tenant: str = "", *, priority: int = 0, jitter: int = 0) -> None:
        """A workspace, or a new place, tenant or priority for it; one that was given up is looked at again."""
        if "://" not in place and not Path(place).is_absolute():
            raise ReverieError(f"{place} is no absolute path and no URL of an object store.")
        await self.execute("INSERT INTO reverie_tenants (name) VALUES (%(t)s) ON CONFLICT DO NOTHING", t=tenant)
        sql = """INSERT INTO reverie_workspaces (name, place, tenant, priority, jitter) VALUES (%(n)s, %(p)s, %(t)s, %(o)s, %(j)s)
            ON CONFLICT (name) DO UPDATE SET place = %(p)s, tenant = %(t)s, priority = %(o)s, jitter = %(j)s, tries = 0,
            is_dead = false, due_at = now()"""
        await self.execute(sql, n=name, p=place, t=tenant, o=priority, j=jitter)

    async def change(self, name: str, sql: str, **values: Any) -> None:
        """One workspace, by its name."""
        if not await self.rows(f"{sql} WHERE name = %(name)s RETURNING 1", name=name, **values):
            raise NotFound(f"{name!r} is no workspace of this fleet; `dream fleet status` lists them.")

    async def queue_due(self) -> int:
        """Put what is due into the queue: one job for each workspace, whoever else does the same."""
        await self.execute("UPDATE reverie_fleet SET beat = now()")
        found = await self.rows(_DUE, most=_BATCH)
        for row in found:
            task = self.app.configure_task(
                "night", lock=row["name"], queueing_lock=row["name"], priority=row["priority"]
            )
            with suppress(AlreadyEnqueued):
                await task.defer_async(name=row["name"])
        return len(found)

    async def free_stalled(self, seconds: float) -> int:
        """Give the jobs of workers that died to others."""
        stalled = await self.app.job_manager.get_stalled_jobs(seconds_since_heartbeat=seconds)
        for job in stalled:
            await self.app.job_manager.retry_job(job)
        return len(list(stalled))

    async def begin(self, name: str) -> dict[str, Any] | None:
        """What a worker has to know of a workspace; None where it is gone, paused or given up."""
        return next(iter(await self.rows(_BEGUN, name=name)), None)

    async def book(self, tenant: str, cost: float) -> bool:
        """Whether the tenant's month has room for a led night, which is booked."""
        month = f"{datetime.now(UTC):%Y-%m}"
        return bool(await self.rows(_BOOK, name=tenant, cost=cost, month=month))

    async def may_ask(self, provider: str) -> bool:
        """Whether one more night may begin to ask this provider of models now."""
        known = await self.rows("SELECT 1 FROM reverie_providers WHERE name = %(name)s", name=provider)
        return not known or bool(await self.rows(_TAKE, name=provider))

    async def done(self, row: dict[str, Any], told: Told) -> None:
        """Keep what became of a workspace, and when it is looked at next."""
        now, has_failed = datetime.now(UTC), told.do == "failed"
        tries = row["tries"] + has_failed if told.do in ("failed", "defer", "wait") else 0
        due = told.until or now + timedelta(days=1)
        if has_failed:
            due = now + timedelta(seconds=min(_BACKOFF * 2**tries, _DAY))
        elif told.do != "defer" and row["jitter"]:
            due += timedelta(seconds=crc32(row["name"].encode()) % row["jitter"])
        what = told.error or told.do
        values = {"seconds": told.seconds, "late": max(0.0, float(row["waited"])), "dreamt": int(bool(told.run))}
        await self.execute(_DONE, name=row["name"], due=due, tries=tries, dead=tries >= DEAD_AFTER, what=what, **values)

    async def figures(self) -> dict[str, float]:
        return {name: float(value) for name, value in (await self.rows(_FIGURES))[0].items()}

    async def troubled(self, most: int = 50) -> Sequence[dict[str, Any]]:
        """The workspaces that need a look: given up, failing, late."""
        sql = """SELECT name, tenant, what, tries, is_dead, is_paused, due_at, dreamt_at, seconds, late FROM reverie_workspaces
            ORDER BY is_dead DESC, tries DESC, is_paused, due_at LIMIT %(most)s"""
        return await self.rows(sql, most=most)
