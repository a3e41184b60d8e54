"""What the fleet knows of its workspaces, in PostgreSQL: where each lives, when it is looked at next, what the last look came to.

When a night happens is said by the workspace itself, its settings and its own record; here stands only when to look.
So a look too many does nothing, and a night that was cut off anywhere is finished by the next look.
"""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Status

from reverie.errors import NotFound, ReverieError
from reverie.fleet.night import Result

DEAD_AFTER = 5  # failures in a row
_BACKOFF = 60.0  # seconds after the first failure; each further one doubles it
BATCH = 500  # workspaces that one look at the board puts into the queue
_DAY = 86_400.0

_DUE = """
    SELECT name, priority FROM reverie_workspaces AS w
    WHERE due_at <= now() AND NOT is_paused AND NOT is_dead AND NOT (SELECT is_draining FROM reverie_fleet)
      AND NOT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE lock = w.name AND status IN ('todo', 'doing'))
    ORDER BY priority DESC, due_at LIMIT %(most)s"""
_ONE = """
    SELECT w.*, extract(epoch FROM now() - due_at) AS waited, t.model, t.night_cost, t.month_cost,
      CASE WHEN month = to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') THEN booked ELSE 0 END AS booked
    FROM reverie_workspaces AS w JOIN reverie_tenants AS t ON t.name = w.tenant WHERE w.name = %(name)s"""
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
      what = %(what)s, seconds = %(seconds)s, late = %(late)s, nights = nights + %(dreamt)s, refused = refused + %(refused)s,
      dreamt_at = CASE WHEN %(dreamt)s > 0 THEN now() ELSE dreamt_at END WHERE name = %(name)s"""
_FIGURES = """
    SELECT count(*) AS workspaces, coalesce(sum(nights), 0) AS nights, coalesce(sum(refused), 0) AS refused,
      count(*) FILTER (WHERE due_at <= now() AND NOT is_paused AND NOT is_dead) AS due,
      count(*) FILTER (WHERE due_at < now() - interval '1 hour' AND NOT is_paused AND NOT is_dead) AS late,
      count(*) FILTER (WHERE is_dead) AS dead, count(*) FILTER (WHERE is_paused) AS paused,
      count(*) FILTER (WHERE tries > 0) AS failing,
      count(*) FILTER (WHERE looked_at > now() - interval '1 day') AS looked_at_today,
      count(*) FILTER (WHERE dreamt_at > now() - interval '1 day') AS dreamt_today,
      coalesce(percentile_disc(0.99) WITHIN GROUP (ORDER BY late), 0) AS late_p99,
      coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds), 0) AS seconds_p50,
      coalesce(percentile_disc(0.99) WITHIN GROUP (ORDER BY seconds), 0) AS seconds_p99,
      (SELECT is_draining::int FROM reverie_fleet) AS draining,
      (SELECT coalesce(extract(epoch FROM now() - beat), -1) FROM reverie_fleet) AS beat_age
    FROM reverie_workspaces"""
_TENANTS = """
    SELECT t.name, model, month_cost, CASE WHEN month = to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') THEN booked ELSE 0 END AS booked,
      (SELECT count(*) FROM reverie_workspaces AS w WHERE w.tenant = t.name) AS workspaces
    FROM reverie_tenants AS t ORDER BY booked DESC, t.name LIMIT 200"""
SHOWN = {  # what an operator asks for
    "late": "due_at < now() - interval '1 hour' AND NOT is_paused AND NOT is_dead",
    "failing": "tries > 0 AND NOT is_dead", "dead": "is_dead", "paused": "is_paused",
}  # fmt: skip


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
        found = await self.rows(_DUE, most=BATCH)
        for row in found:
            task = self.app.configure_task(
                "night", lock=row["name"], queueing_lock=row["name"], priority=row["priority"]
            )
            with suppress(AlreadyEnqueued):
                await task.defer_async(name=row["name"])
        return len(found)

    async def free_stalled(self, seconds: float) -> int:
        """Forget the jobs of workers that died: what is still due enters the queue again."""
        stalled = list(await self.app.job_manager.get_stalled_jobs(seconds_since_heartbeat=seconds))
        for job in stalled:
            with suppress(ConnectorException):  # another worker was quicker
                await self.app.job_manager.finish_job(job, Status.FAILED, delete_job=True)
        return len(stalled)

    async def begin(self, name: str) -> dict[str, Any] | None:
        """What a worker has to know of a workspace; None where it is gone, paused or given up."""
        row = await self.one(name)
        return None if not row or row["is_paused"] or row["is_dead"] else row

    async def book(self, tenant: str, cost: float) -> bool:
        """Whether the tenant's month has room for a led night, which is booked."""
        month = f"{datetime.now(UTC):%Y-%m}"
        return bool(await self.rows(_BOOK, name=tenant, cost=cost, month=month))

    async def may_ask(self, provider: str) -> bool:
        """Whether one more night may begin to ask this provider of models now."""
        known = await self.rows("SELECT 1 FROM reverie_providers WHERE name = %(name)s", name=provider)
        return not known or bool(await self.rows(_TAKE, name=provider))

    async def done(self, row: dict[str, Any], result: Result) -> None:
        """Keep what became of a workspace, and when it is looked at next."""
        now, has_failed = datetime.now(UTC), result.do == "failed"
        tries = row["tries"] + has_failed if result.do in ("failed", "defer", "wait") else 0
        due = result.until or now + timedelta(days=1)
        if has_failed:
            due = now + timedelta(seconds=min(_BACKOFF * 2**tries, _DAY))
        elif result.do != "defer" and row["jitter"]:
            due += timedelta(seconds=crc32(row["name"].encode()) % row["jitter"])
        what = result.error or result.do
        values = {
            "seconds": result.seconds,
            "late": max(0.0, float(row["waited"])),
            "dreamt": int(bool(result.run)),
            "refused": result.refused,
        }
        await self.execute(_DONE, name=row["name"], due=due, tries=tries, dead=tries >= DEAD_AFTER, what=what, **values)

    async def figures(self) -> dict[str, float]:
        return {name: float(value) for name, value in (await self.rows(_FIGURES))[0].items()}

    async def one(self, name: str) -> dict[str, Any] | None:
        return next(iter(await self.rows(_ONE, name=name)), None)

    async def tenants(self) -> list[dict[str, Any]]:
        """Each with how many workspaces it has, and its cost in this month."""
        return await self.rows(_TENANTS)

    async def listed(self, show: str = "", tenant: str = "", most: int = 50) -> list[dict[str, Any]]:
        """The workspaces of a kind and of a tenant; without either those that need a look first."""
        sql = f"""SELECT * FROM reverie_workspaces WHERE ({SHOWN.get(show, "true")}) AND %(tenant)s IN ('', tenant)
            ORDER BY is_dead DESC, tries DESC, is_paused, due_at LIMIT %(most)s"""
        return await self.rows(sql, tenant=tenant, most=most)
