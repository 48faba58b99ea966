-- Agents, sessions and the run log. Tenant first in every key (DESIGN §9).
--
-- Two roles, no logins of their own: `parley_store` sees one tenant at a time (FORCE ROW LEVEL SECURITY, the tenant is
-- set per transaction); `parley_run_log` sees all, keys every statement by tenant, and alone writes the log.

do $$
declare
  wanted text;
begin
  foreach wanted in array array['parley_store', 'parley_run_log'] loop
    begin
      execute format('create role %I nologin', wanted);
    exception
      when duplicate_object or unique_violation then null; -- roles belong to the server: another database made it
    end;
    execute format('grant %I to current_user', wanted);
  end loop;
end $$;

create table agents (
  tenant uuid not null,
  id uuid not null,
  key text not null,
  version int not null, -- the newest one
  name text not null,
  description text,
  enabled boolean not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant, id)
);
create unique index agents_key on agents (tenant, key);
create index agents_by_time on agents (tenant, created_at desc, id desc);

create table agent_versions (
  tenant uuid not null,
  agent uuid not null,
  version int not null,
  definition jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant, agent, version),
  foreign key (tenant, agent) references agents (tenant, id) on delete cascade
);

-- fillfactor: the log's columns change with every append; the room keeps those updates within the page (HOT).
create table sessions (
  tenant uuid not null,
  id uuid not null,
  agent uuid,
  key text not null,
  name text not null,
  description text,
  metadata jsonb not null default '{}',
  facets jsonb not null default '{}',
  enabled boolean not null default true,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  -- of the run log alone:
  next_seq bigint not null default 1,
  head jsonb not null default '{"seq": 0, "spans": [[1, null]], "run": null, "calls": {}, "asks": {}, "usage": null}',
  active_run uuid, -- the run that has the turn
  edits int not null default 0, -- how often parts were hidden, shown or erased
  primary key (tenant, id),
  foreign key (tenant, agent) references agents (tenant, id)
) with (fillfactor = 60);
-- Only primary keys start with the tenant: a plan that is made while the tables are empty, and kept, would as soon read a
-- whole tenant by any other index that does (measured: six times the work of a turn).
create unique index sessions_key on sessions (agent, key, tenant);
create index sessions_by_time on sessions (agent, created_at desc, id desc);

create table runs (
  tenant uuid not null,
  id uuid not null,
  session uuid not null,
  agent uuid not null,
  version int not null,
  state text not null check (state in
    ('deferred', 'queued', 'running', 'waiting', 'succeeded', 'failed', 'timed_out', 'cancelled')),
  waiting_for text check (waiting_for in ('person', 'client', 'timer', 'child')),
  reason text,
  parts jsonb not null,
  budget jsonb not null,
  when_waiting text not null check (when_waiting in ('reject', 'defer', 'supersede')),
  line bigint not null, -- place among the deferred runs of the session: microseconds; negative: pushed in first
  epoch int not null default 0,
  executor int, -- not null exactly while it runs
  deaths int not null default 0,
  due_at timestamptz, -- what claim looks at; not null only while queued, or waiting with something to wake for
  rest_until timestamptz, -- what due_at was when the run parked, in case a poster brings it forward for nothing
  first_seq bigint,
  last_seq bigint,
  created_at timestamptz(3) not null default clock_timestamp(),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  primary key (tenant, id),
  check ((state = 'running') = (executor is not null)),
  check (due_at is null or state in ('queued', 'waiting'))
) with (fillfactor = 60);
create index runs_due on runs (tenant, due_at) where due_at is not null;
create index runs_held on runs (executor, tenant) where executor is not null;
create index runs_deferred on runs (session, line) where state = 'deferred';
create unique index runs_one_active on runs (session, tenant) where state in ('queued', 'running', 'waiting');
create index runs_by_session on runs (session, created_at);

create table events (
  tenant uuid not null,
  session uuid not null,
  seq bigint not null,
  run uuid,
  kind text not null,
  version int not null,
  payload jsonb not null,
  live jsonb,
  hidden int[] not null default '{}',
  at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant, session, seq)
);

create table inbox (
  tenant uuid not null,
  session uuid not null,
  id uuid not null,
  run uuid not null,
  kind text not null,
  payload jsonb not null,
  n bigint not null generated always as identity, -- order of posting
  posted_at timestamptz not null default clock_timestamp(),
  seq bigint, -- null: unread; 0: void; else the log's last event when it was taken
  primary key (tenant, session, id)
);
create index inbox_unread on inbox (tenant, session, n) where seq is null;
create index inbox_cancels on inbox (posted_at) where seq is null and kind = 'cancel';

-- One row a living executor; whoever finds it dead deletes it.
create table executors (
  id int primary key generated always as identity,
  boot timestamptz not null default pg_postmaster_start_time(),
  lease_until timestamptz not null default clock_timestamp() + interval '15 s',
  started_at timestamptz(3) not null default clock_timestamp()
);

do $$
declare
  tbl text;
begin
  foreach tbl in array array['agents', 'agent_versions', 'sessions', 'runs', 'events', 'inbox'] loop
    execute format('alter table %I enable row level security', tbl);
    execute format('alter table %I force row level security', tbl);
    execute format('create policy run_log on %I to parley_run_log using (true) with check (true)', tbl);
  end loop;
  foreach tbl in array array['agents', 'agent_versions', 'sessions'] loop
    execute format(
      'create policy one_tenant on %I to parley_store '
      'using (tenant = nullif(current_setting(''parley.tenant'', true), '''')::uuid) '
      'with check (tenant = nullif(current_setting(''parley.tenant'', true), '''')::uuid)', tbl);
  end loop;
end $$;

grant select, insert, update, delete on agents, agent_versions to parley_store;
grant select on sessions to parley_store;
grant insert (tenant, id, agent, key, name, description, metadata, facets, enabled) on sessions to parley_store;
grant update (name, description, metadata, facets, enabled, updated_at) on sessions to parley_store;
grant select on agents, agent_versions to parley_run_log;
grant select, delete, update (agent, next_seq, head, active_run, edits) on sessions to parley_run_log;
grant select, insert, update, delete on runs, events, inbox, executors to parley_run_log;
