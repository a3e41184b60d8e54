CREATE TABLE IF NOT EXISTS reverie_tenants (
    name text PRIMARY KEY,
    model text NOT NULL DEFAULT '',              -- who leads their nights; none: the rules
    night_cost double precision NOT NULL DEFAULT 0,  -- that a led night may cost, and that is booked for it
    month_cost double precision NOT NULL DEFAULT 0,  -- that a month may cost
    month text NOT NULL DEFAULT '',
    booked double precision NOT NULL DEFAULT 0   -- in this month
);
CREATE TABLE IF NOT EXISTS reverie_providers (
    name text PRIMARY KEY,                       -- a kind of model, as in `anthropic:NAME`
    per_minute double precision NOT NULL,        -- nights that may begin
    room double precision NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS reverie_workspaces (
    name text PRIMARY KEY,
    tenant text NOT NULL REFERENCES reverie_tenants,
    place text NOT NULL UNIQUE,                  -- a folder, or the URL of an object store
    priority integer NOT NULL DEFAULT 0,
    jitter integer NOT NULL DEFAULT 0,           -- seconds after its hour over which nights spread
    is_paused boolean NOT NULL DEFAULT false,
    is_dead boolean NOT NULL DEFAULT false,      -- failed too often; `dream fleet add` revives it
    due_at timestamptz NOT NULL DEFAULT now(),
    looked_at timestamptz,
    dreamt_at timestamptz,
    nights bigint NOT NULL DEFAULT 0,
    refused bigint NOT NULL DEFAULT 0,           -- operations that checks refused
    tries integer NOT NULL DEFAULT 0,            -- failures in a row
    what text NOT NULL DEFAULT '',               -- what the last look came to
    seconds double precision NOT NULL DEFAULT 0,
    late double precision NOT NULL DEFAULT 0     -- seconds after it was due
);
CREATE INDEX IF NOT EXISTS reverie_workspaces_due ON reverie_workspaces (due_at) WHERE NOT is_paused AND NOT is_dead;
CREATE TABLE IF NOT EXISTS reverie_fleet (is_draining boolean NOT NULL, beat timestamptz);
INSERT INTO reverie_fleet (is_draining) SELECT false WHERE NOT EXISTS (SELECT 1 FROM reverie_fleet);
