-- Values that are too large for a row or a message (DESIGN §6). A blob belongs to a session and goes with it. The role
-- `parley_blob` sees nothing but blobs, one tenant at a time: the gateway needs no more of the database than that.

do $$
begin
  begin
    create role parley_blob nologin;
  exception
    when duplicate_object or unique_violation then null; -- roles belong to the server: another database made it
  end;
  grant parley_blob to current_user;
end $$;

create table blobs (
  tenant uuid not null,
  session uuid not null,
  id uuid not null,
  size int, -- bytes; null while it is being written
  sha256 bytea,
  kept boolean not null default false, -- the sweep has seen that the log names it
  stored_at timestamptz(3) not null default clock_timestamp(), -- when somebody last stored it
  primary key (tenant, session, id),
  foreign key (tenant, session) references sessions (tenant, id) on delete cascade
);
create index blobs_unseen on blobs (stored_at) where not kept;

create table blob_chunks (
  tenant uuid not null,
  session uuid not null,
  blob uuid not null,
  n int not null, -- from 0
  bytes bytea not null,
  primary key (tenant, session, blob, n),
  foreign key (tenant, session, blob) references blobs (tenant, session, id) on delete cascade
);

do $$
declare
  tbl text;
begin
  foreach tbl in array array['blobs', 'blob_chunks'] loop
    execute format('alter table %I enable row level security', tbl);
    execute format('alter table %I force row level security', tbl);
    execute format(
      'create policy one_tenant on %I to parley_blob '
      'using (tenant = nullif(current_setting(''parley.tenant'', true), '''')::uuid) '
      'with check (tenant = nullif(current_setting(''parley.tenant'', true), '''')::uuid)', tbl);
  end loop;
end $$;
create policy run_log on blobs to parley_run_log using (true) with check (true);

grant select, insert, update on blobs to parley_blob;
grant select, insert, update, delete on blob_chunks to parley_blob;
grant select, delete, update (kept) on blobs to parley_run_log;

-- As before; and erasing words takes the blob with it that they stand in.
create or replace function run_log_edit(in_tenant uuid, in_session uuid, verb text, parts jsonb) returns text
language plpgsql as $$
declare
  ses record;
  spot record;
begin
  select s.head, s.active_run into ses from sessions s where s.tenant = in_tenant and s.id = in_session for update;
  if not found then return 'not_found'; end if;
  perform 1 from jsonb_to_recordset(parts) as x(seq bigint, part int)
   where not exists (select from events e where e.tenant = in_tenant and e.session = in_session and e.seq = x.seq
                        and x.part >= 0 and x.part < greatest(jsonb_array_length(e.payload->'parts'), 1));
  if found then return 'not_found'; end if;
  parts := coalesce((select jsonb_agg(jsonb_build_object('seq', p.seq, 'part', p.part))
                       from run_log_with_partners(in_tenant, in_session, parts) p), '[]');
  if ses.head->'calls' @? '$.* ? (@.stage != "settled")' then
    perform 1 from jsonb_to_recordset(parts) as x(seq bigint, part int)
      join events e on e.tenant = in_tenant and e.session = in_session and e.seq = x.seq
     where ses.head->'calls' ? (e.payload->>'call') or ses.head->'calls' ? (e.payload->'parts'->x.part->>'id');
    if found then return 'open_call'; end if;
  end if;
  for spot in select x.seq, x.part from jsonb_to_recordset(parts) as x(seq bigint, part int) loop
    if verb = 'erase' then
      delete from blobs b where b.tenant = in_tenant and b.session = in_session and b.id = (
        select (e.payload->'parts'->spot.part->'blob'->>'id')::uuid from events e
         where e.tenant = in_tenant and e.session = in_session and e.seq = spot.seq);
    end if;
    update events e set
      hidden = case verb
        when 'hide' then (select array_agg(distinct h order by h) from unnest(e.hidden || spot.part) h)
        when 'unhide' then array_remove(e.hidden, spot.part)
        else e.hidden end,
      payload = case when verb = 'erase' and e.payload->'parts'->spot.part is not null
        then jsonb_set(e.payload, array['parts', spot.part::text], run_log_erased(e.payload->'parts'->spot.part))
        else e.payload end,
      live = case when verb = 'erase' and e.live is not null
        then jsonb_set(e.live, '{cuts}', coalesce(
          (select jsonb_agg(c order by o) from jsonb_array_elements(e.live->'cuts') with ordinality as l(c, o)
            where (c->>1)::int <> spot.part), '[]'))
        else e.live end
    where e.tenant = in_tenant and e.session = in_session and e.seq = spot.seq;
    if verb = 'erase' then
      update runs r set parts = jsonb_set(r.parts, array[spot.part::text], run_log_erased(r.parts->spot.part))
       where r.tenant = in_tenant and r.session = in_session and r.first_seq = spot.seq and r.parts->spot.part is not null;
    end if;
  end loop;
  update sessions s set edits = s.edits + 1 where s.tenant = in_tenant and s.id = in_session;
  insert into inbox (tenant, session, id, run, kind, payload)
  select in_tenant, in_session, gen_random_uuid(), r.id, 'patch', '{}' from runs r
   where r.tenant = in_tenant and r.id = ses.active_run and r.state = 'running';
  return 'edited';
end $$;

create or replace function run_log_erased(part jsonb) returns jsonb language sql immutable as $$
  select case when part ? 'arguments' then part - 'blob' || '{"arguments": null}' else part - 'blob' || '{"text": null}' end
$$;

-- Removes blobs that were stored for words that then did not come into the log: stored longer ago than `age`, and named
-- neither by an event, nor by a run that waits, nor by a fact. What is found named is never looked at again, so the log
-- is read once for each blob in its life. At most `most` blobs a call; answers how many it looked at.
create function run_log_sweep_blobs(age interval, most int) returns int language plpgsql as $$
declare
  spot record;
  seen int := 0;
begin
  for spot in select b.tenant, b.session, b.id, jsonb_build_object('id', b.id) as wanted from blobs b
               where not b.kept and b.stored_at < clock_timestamp() - age order by b.stored_at limit most loop
    seen := seen + 1;
    if exists (select from events e where e.tenant = spot.tenant and e.session = spot.session
                  and jsonb_path_exists(e.payload, '$.parts[*].blob.id ? (@ == $id)', spot.wanted))
      or exists (select from runs r where r.tenant = spot.tenant and r.session = spot.session
                    and jsonb_path_exists(r.parts, '$[*].blob.id ? (@ == $id)', spot.wanted))
      or exists (select from inbox i where i.tenant = spot.tenant and i.session = spot.session
                    and jsonb_path_exists(i.payload, '$.parts[*].blob.id ? (@ == $id)', spot.wanted))
    then
      update blobs b set kept = true where b.tenant = spot.tenant and b.session = spot.session and b.id = spot.id;
    else -- unless somebody stores it again right now
      delete from blobs b where b.tenant = spot.tenant and b.session = spot.session and b.id = spot.id
        and b.stored_at < clock_timestamp() - age;
    end if;
  end loop;
  return seen;
end $$;
