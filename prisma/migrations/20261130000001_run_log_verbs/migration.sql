-- The verbs of RunLog: one call each (DESIGN §7.2).
--
-- Every function first locks the sessions that it touches, in key order, and only then reads anything else: each later
-- statement of a volatile function has a snapshot of its own, so what others committed while this one waited is seen.
-- The session's lock protects its runs and its inbox too; nothing changes those without it. Order of locks, everywhere:
-- the claim lock (advisory), executors, sessions.
--
-- Batches: `items` is a JSON array, one element a session, `n` its number in the batch; an item whose session does not
-- exist gets no answer. Items do not fail each other: a refusal is an answer, never an exception.

-- Microseconds since 1970, the order of deferred runs.
create function run_log_line() returns bigint language sql volatile as
  $$ select (extract(epoch from clock_timestamp()) * 1000000)::bigint $$;

-- apply(head, input of a new run) of libs/core, for the calls that give a run its turn. A test holds the two together.
-- (plpgsql: a function in SQL that cannot be inlined is planned anew at each call, which took longer than all else here.)
create function run_log_head_with_input(head jsonb, run uuid, seq bigint) returns jsonb language plpgsql stable as $$
begin
  return head || jsonb_build_object(
    'seq', seq, 'calls', '{}'::jsonb, 'asks', '{}'::jsonb,
    'run', jsonb_build_object('id', run, 'first', seq, 'rounds', 0, 'failures', 0, 'tokens', 0,
      'base', jsonb_build_object('spans', head->'spans', 'usage', head->'usage')));
end $$;

-- Unread facts that the caller does not know, oldest first. (plpgsql, since it keeps its plan; so do the others below.)
create function run_log_unread(in_tenant uuid, in_session uuid, known uuid[]) returns jsonb language plpgsql as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
             'id', i.id, 'run', i.run, 'body', i.payload || jsonb_build_object('kind', i.kind)) order by i.n), '[]')
      from inbox i
     where i.tenant = in_tenant and i.session = in_session and i.seq is null and not (i.id = any (known)));
end $$;

-- What a poster has to know to write where nobody holds the run.
create function run_log_situation(in_tenant uuid, in_session uuid) returns jsonb language plpgsql as $$
begin
  return (select jsonb_build_object(
    'head', s.head,
    'active', (select jsonb_build_object('run', r.id, 'state', r.state, 'waitingFor', r.waiting_for, 'epoch', r.epoch,
                 'executor', r.executor) from runs r where r.tenant = s.tenant and r.id = s.active_run),
    'facts', run_log_unread(s.tenant, s.id, '{}'))
    from sessions s
   where s.tenant = in_tenant and s.id = in_session);
end $$;

-- A run as its executor gets it. `r` is held already.
create function run_log_claimed(r runs, head jsonb, edits int, facts jsonb) returns jsonb language plpgsql as $$
begin
  return jsonb_build_object(
    'tenant', r.tenant, 'session', r.session, 'run', r.id, 'epoch', r.epoch, 'agent', r.agent, 'version', r.version,
    'parts', r.parts, 'budget', r.budget, 'head', head, 'facts', facts, 'edits', edits,
    'startedAt', r.started_at, 'now', clock_timestamp(), 'deaths', r.deaths);
end $$;

-- A waiting run got a fact: should the poster die before it writes, an executor looks at the run in 2 s.
create function run_log_wake(in_tenant uuid, in_run uuid) returns void language plpgsql as $$
begin
  update runs r set due_at = least(r.due_at, clock_timestamp() + interval '2 s')
   where r.tenant = in_tenant and r.id = in_run and r.state = 'waiting';
end $$;

create function run_log_admit(items jsonb) returns table (n int, answer jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  item record;
  known record;
  active record;
  policy text;
  live_executors int[];
  taker int;
  made runs;
  moment timestamptz(3); -- as the row keeps it, so that what is told equals what is read
begin
  select array_agg(id) into live_executors from (
    select e.id from executors e
     where e.id in (select (x->>'executor')::int from jsonb_array_elements(items) x where x ? 'executor')
       and e.lease_until > clock_timestamp()
     order by e.id for share) live;

  for item in
    select x.*, s.agent as bound, s.enabled as open, s.active_run, s.next_seq, s.head, s.edits
      from jsonb_to_recordset(items) as x(n int, tenant uuid, session uuid, run uuid, agent uuid, version int, parts jsonb,
             budget jsonb, busy text, waiting text, executor int)
      join sessions s on s.tenant = x.tenant and s.id = x.session
     order by s.tenant, s.id for update of s
  loop
    n := item.n;
    select a.version as version, a.enabled as enabled, r.id as run, r.session, r.first_seq, i.run as steered
      into known
      from (select 1) one
      left join agents a on a.tenant = item.tenant and a.id = item.agent
      left join runs r on r.tenant = item.tenant and r.id = item.run
      left join inbox i on i.tenant = item.tenant and i.session = item.session and i.id = item.run;

    -- asking twice gives the first answer
    if known.run is not null then
      answer := case
        when known.session <> item.session then jsonb_build_object('outcome', 'id_taken')
        when known.first_seq is null
        then jsonb_build_object('outcome', 'deferred', 'run', item.run, 'seq', item.next_seq - 1, 'unheld', false)
        else jsonb_build_object('outcome', 'queued', 'run', item.run, 'seq', known.first_seq, 'claimed', null,
          'at', (select e.at from events e where e.tenant = item.tenant and e.session = item.session and e.seq = known.first_seq)) end;
      return next; continue;
    elsif known.steered is not null then
      answer := jsonb_build_object('outcome', 'steered', 'run', known.steered, 'seq', item.next_seq - 1, 'unheld', false);
      return next; continue;
    end if;

    answer := case
      when known.version is null then jsonb_build_object('outcome', 'not_found', 'noun', 'agent')
      when item.bound <> item.agent then jsonb_build_object('outcome', 'other_agent', 'agent', item.bound)
      when not item.open then jsonb_build_object('outcome', 'disabled', 'noun', 'session')
      when not known.enabled then jsonb_build_object('outcome', 'disabled', 'noun', 'agent')
      when known.version <> item.version then jsonb_build_object('outcome', 'stale_version', 'version', known.version)
    end;
    if answer is not null then return next; continue; end if;

    if item.active_run is null then
      taker := case when item.executor = any (live_executors) then item.executor end;
      insert into runs (tenant, id, session, agent, version, state, parts, budget, when_waiting, line, epoch, executor,
                        due_at, first_seq, started_at)
      values (item.tenant, item.run, item.session, item.agent, item.version,
              case when taker is null then 'queued' else 'running' end, item.parts, item.budget, item.waiting,
              run_log_line(), case when taker is null then 0 else 1 end, taker,
              case when taker is null then clock_timestamp() end, item.next_seq,
              case when taker is not null then clock_timestamp() end)
      returning * into made;
      moment := clock_timestamp();
      insert into events (tenant, session, seq, run, kind, version, payload, at)
      values (item.tenant, item.session, item.next_seq, item.run, 'input', 1, jsonb_build_object('parts', item.parts), moment);
      item.head := run_log_head_with_input(item.head, item.run, item.next_seq);
      update sessions s set next_seq = item.next_seq + 1, active_run = item.run, head = item.head, agent = item.agent
       where s.tenant = item.tenant and s.id = item.session;
      answer := jsonb_build_object('outcome', 'queued', 'run', item.run, 'seq', item.next_seq, 'at', moment, 'claimed',
        case when taker is not null then run_log_claimed(made, item.head, item.edits, '[]') end);
      return next; continue;
    end if;

    select r.state, r.waiting_for into active from runs r where r.tenant = item.tenant and r.id = item.active_run;
    policy := case when active.state = 'waiting' and active.waiting_for in ('person', 'client')
      then item.waiting else item.busy end;

    if policy = 'reject' then
      answer := jsonb_build_object('outcome', 'busy', 'run', item.active_run, 'state', active.state);
      return next; continue;
    end if;

    if policy <> 'steer' then
      insert into runs (tenant, id, session, agent, version, state, parts, budget, when_waiting, line)
      values (item.tenant, item.run, item.session, item.agent, item.version, 'deferred', item.parts, item.budget,
              item.waiting, case when policy = 'defer' then run_log_line() else -run_log_line() end);
    end if;
    if policy <> 'defer' then
      insert into inbox (tenant, session, id, run, kind, payload)
      values (item.tenant, item.session, item.run, item.active_run,
              case when policy = 'steer' then 'steer' else 'cancel' end,
              case policy
                when 'steer' then jsonb_build_object('parts', item.parts)
                when 'rollback' then '{"reason": "rolled_back", "rewind": true}'
                when 'interrupt' then '{"reason": "interrupted", "rewind": false}'
                when 'supersede' then '{"reason": "superseded", "rewind": false}' end);
      perform run_log_wake(item.tenant, item.active_run);
    end if;
    answer := jsonb_build_object(
      'outcome', case when policy = 'steer' then 'steered' else 'deferred' end,
      'run', case when policy = 'steer' then item.active_run else item.run end,
      'seq', item.next_seq - 1,
      'unheld', policy <> 'defer' and active.state <> 'running');
    return next;
  end loop;
end $$;

create function run_log_post(items jsonb) returns table (n int, answer jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  item record;
  run record;
  known record;
begin
  for item in
    select x.* from jsonb_to_recordset(items)
             as x(n int, tenant uuid, session uuid, run uuid, id uuid, kind text, payload jsonb)
      join sessions s on s.tenant = x.tenant and s.id = x.session
     order by s.tenant, s.id for update of s
  loop
    n := item.n;
    select r.state, r.executor into run from runs r
     where r.tenant = item.tenant and r.id = item.run and r.session = item.session;
    if not found then
      answer := '{"outcome": "not_found"}';
      return next; continue;
    end if;
    select i.seq into known from inbox i where i.tenant = item.tenant and i.session = item.session and i.id = item.id;
    if found and known.seq is not null then
      answer := '{"outcome": "taken"}';
      return next; continue;
    elsif not found then
      if run.state = 'deferred' and item.kind = 'cancel' then
        update runs r set state = 'cancelled', reason = item.payload->>'reason', ended_at = clock_timestamp()
         where r.tenant = item.tenant and r.id = item.run;
        answer := '{"outcome": "ended"}';
        return next; continue;
      elsif run.state not in ('queued', 'running', 'waiting') then
        answer := jsonb_build_object('outcome', 'void', 'state', run.state);
        return next; continue;
      end if;
      insert into inbox (tenant, session, id, run, kind, payload)
      values (item.tenant, item.session, item.id, item.run, item.kind, item.payload);
    end if;
    if run.state = 'running' then
      answer := jsonb_build_object('outcome', 'held', 'executor', run.executor);
    else
      perform run_log_wake(item.tenant, item.run);
      answer := jsonb_build_object('outcome', 'unheld', 'situation', run_log_situation(item.tenant, item.session));
    end if;
    return next;
  end loop;
end $$;

-- append, park, finish, release (by the holder), write (where nobody holds the run), take_over (from the holder).
create function run_log_commit(items jsonb) returns table (n int, answer jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  item record;
  run record;
  heir uuid;
  heir_parts jsonb;
  refusal text;
  unread jsonb;
  moment timestamptz(3);
  last bigint;
  ends boolean;
begin
  for item in
    select x.*, s.next_seq, s.active_run
      from jsonb_to_recordset(items) as x(n int, verb text, tenant uuid, session uuid, run uuid, executor int, epoch int,
             seq bigint, events jsonb, head jsonb, taken uuid[], "left" uuid[], state text, reason text,
             waiting_for text, due_at timestamptz)
      join sessions s on s.tenant = x.tenant and s.id = x.session
     order by s.tenant, s.id for update of s
  loop
    n := item.n;
    select r.state, r.epoch, r.executor, r.deaths into run from runs r where r.tenant = item.tenant and r.id = item.run;
    refusal := case
      when item.verb in ('append', 'park', 'finish', 'release') then
        case when run.executor is distinct from item.executor or run.epoch <> item.epoch then 'fenced' end
      when item.verb = 'take_over' then
        case when run.state is distinct from 'running' or run.epoch <> item.epoch then 'fenced' end
      when item.active_run is distinct from item.run or run.state = 'running' then 'moved'
    end;
    if refusal is null and item.next_seq <> item.seq + 1 then refusal := 'moved'; end if;
    if refusal is not null then
      answer := jsonb_build_object('outcome', refusal);
      return next; continue;
    end if;

    unread := run_log_unread(item.tenant, item.session, item.taken || item."left");
    if item.verb = 'park' and unread = '[]' and item.waiting_for in ('person', 'client') then
      perform run_log_meet_waiting(item.tenant, item.session, item.run);
      unread := run_log_unread(item.tenant, item.session, item.taken || item."left");
    end if;
    if item.verb in ('park', 'finish') and unread <> '[]' then
      answer := jsonb_build_object('outcome', 'unread', 'facts', unread);
      return next; continue;
    end if;

    moment := clock_timestamp();
    last := item.seq + jsonb_array_length(item.events);
    insert into events (tenant, session, seq, run, kind, version, payload, live, at)
    select item.tenant, item.session, item.seq + e.ord, item.run, e.value->>'kind', (e.value->>'version')::int,
           e.value->'payload', e.value->'live', moment
      from jsonb_array_elements(item.events) with ordinality as e(value, ord);
    if cardinality(item.taken) > 0 then
      update inbox i set seq = last, payload = '{}' -- what it said is in the log now, and is hidden or erased there
       where i.tenant = item.tenant and i.session = item.session and i.id = any (item.taken) and i.seq is null;
    end if;

    ends := item.verb in ('finish', 'take_over') or (item.verb = 'write' and item.state not in ('leave', 'queue'));
    heir := null;
    if ends then
      update runs r
         set state = item.state, reason = item.reason, executor = null, due_at = null, rest_until = null,
             waiting_for = null, last_seq = last, ended_at = moment,
             epoch = r.epoch + case when item.verb = 'take_over' then 1 else 0 end
       where r.tenant = item.tenant and r.id = item.run;
      if run_log_unread(item.tenant, item.session, '{}') <> '[]' then
        perform run_log_settle_inbox(item.tenant, item.session, item.run, last);
      end if;
      select r.id, r.parts into heir, heir_parts from runs r
       where r.tenant = item.tenant and r.session = item.session and r.state = 'deferred'
       order by r.line, r.id limit 1;
      if found then
        last := last + 1;
        insert into events (tenant, session, seq, run, kind, version, payload, at)
        values (item.tenant, item.session, last, heir, 'input', 1, jsonb_build_object('parts', heir_parts), moment);
        update runs r set state = 'queued', due_at = clock_timestamp(), first_seq = last
         where r.tenant = item.tenant and r.id = heir;
        item.head := run_log_head_with_input(item.head, heir, last);
      end if;
    elsif item.verb = 'park' then
      update runs r set state = 'waiting', executor = null, waiting_for = item.waiting_for, due_at = item.due_at,
                        rest_until = item.due_at, deaths = 0
       where r.tenant = item.tenant and r.id = item.run;
    elsif item.verb = 'release' or (item.verb = 'write' and item.state = 'queue') then
      update runs r set state = 'queued', executor = null, waiting_for = null, rest_until = null,
                        due_at = case when r.state = 'queued' then r.due_at else clock_timestamp() end
       where r.tenant = item.tenant and r.id = item.run;
    elsif item.verb = 'write' and unread = '[]' then -- else another poster may have died after it brought due_at forward
      update runs r set due_at = r.rest_until
       where r.tenant = item.tenant and r.id = item.run and r.state = 'waiting';
    elsif item.verb = 'append' and run.deaths > 0 and item.events @? '$[*] ? (@.kind != "restarted")' then
      update runs r set deaths = 0 where r.tenant = item.tenant and r.id = item.run;
    end if;

    update sessions s
       set next_seq = last + 1, head = item.head,
           active_run = case when ends then heir else s.active_run end
     where s.tenant = item.tenant and s.id = item.session;
    answer := jsonb_build_object('outcome', 'written', 'at', moment, 'facts', unread, 'promoted',
      case when heir is not null then jsonb_build_object('run', heir, 'seq', last, 'parts', heir_parts) end);
    return next;
  end loop;
end $$;

-- A run goes to wait for a person or a client: what do the runs behind it say to that?
create function run_log_meet_waiting(in_tenant uuid, in_session uuid, in_run uuid) returns void language plpgsql as $$
declare
  behind record;
begin
  loop
    select r.id, r.when_waiting into behind from runs r
     where r.tenant = in_tenant and r.session = in_session and r.state = 'deferred' order by r.line, r.id limit 1;
    exit when not found or behind.when_waiting = 'defer';
    if behind.when_waiting = 'supersede' then
      insert into inbox (tenant, session, id, run, kind, payload)
      values (in_tenant, in_session, behind.id, in_run, 'cancel', '{"reason": "superseded", "rewind": false}')
      on conflict do nothing;
      exit;
    end if;
    update runs r set state = 'failed', reason = 'session_waiting', ended_at = clock_timestamp()
     where r.tenant = in_tenant and r.id = behind.id;
  end loop;
end $$;

-- What is unread when a run ends: its steers become one deferred run, named by the first of them; the rest is void. They
-- were accepted, so that run waits its turn whatever the session waits for. (A
-- caller may have used that id for a run of another session too: no run may be kept from ending by that.)
create function run_log_settle_inbox(in_tenant uuid, in_session uuid, in_run uuid, last bigint) returns void
language plpgsql as $$
begin
  insert into runs (tenant, id, session, agent, version, state, parts, budget, when_waiting, line)
  select r.tenant,
         case when exists (select from runs x where x.tenant = in_tenant and x.id = steers.ids[1])
           then gen_random_uuid() else steers.ids[1] end,
         r.session, r.agent, r.version, 'deferred', steers.parts, r.budget, 'defer', steers.line
    from (select array_agg(i.id order by i.n) as ids, jsonb_agg(p.part order by i.n, p.ord) as parts,
                 (extract(epoch from min(i.posted_at)) * 1000000)::bigint as line
            from inbox i cross join lateral jsonb_array_elements(i.payload->'parts') with ordinality as p(part, ord)
           where i.tenant = in_tenant and i.session = in_session and i.seq is null and i.kind = 'steer') steers
    join runs r on r.tenant = in_tenant and r.id = in_run
   where steers.ids is not null;
  update inbox i set seq = case when i.kind = 'steer' then last else 0 end, payload = '{}'
   where i.tenant = in_tenant and i.session = in_session and i.seq is null;
end $$;

-- One claim at a time: claims are short, so they queue instead of skipping each other's rows (briefs: empty permits).
-- Planned at each call: what is best here turns with the number of runs, and a plan made for none would read all of them.
create function run_log_claim(slots int, taker int) returns table (answer jsonb) language plpgsql
set plan_cache_mode = 'force_custom_plan' as $$
#variable_conflict use_column
declare
  cutoff timestamptz;
  pick record;
  ses record;
  held runs;
begin
  perform pg_advisory_xact_lock(7002, 0);
  perform 1 from executors e where e.id = taker for share;
  if not found then return; end if;
  cutoff := clock_timestamp();
  for pick in
    with recursive t(tenant) as (
      (select r.tenant from runs r where r.due_at is not null order by r.tenant limit 1)
      union all
      select (select r.tenant from runs r where r.due_at is not null and r.tenant > t.tenant order by r.tenant limit 1)
        from t where t.tenant is not null),
    busy as (select r.tenant, count(*) as n from runs r where r.executor is not null group by r.tenant),
    ranked as (
      select t.tenant, c.session, c.id, c.due_at, coalesce(busy.n, 0) + c.place as rank
        from t left join busy on busy.tenant = t.tenant
       cross join lateral (
         select q.session, q.id, q.due_at, row_number() over (order by q.due_at, q.session) as place
           from (select r.session, r.id, r.due_at from runs r
                  where r.due_at is not null and r.tenant = t.tenant and r.due_at <= cutoff
                  order by r.due_at, r.session limit slots) q) c
       where t.tenant is not null)
    select p.tenant, p.session, p.id from (select * from ranked order by rank, due_at, tenant, session limit slots) p
     order by p.tenant, p.session
  loop
    select s.head, s.edits into ses from sessions s where s.tenant = pick.tenant and s.id = pick.session for update;
    update runs r
       set state = 'running', epoch = r.epoch + 1, executor = taker, due_at = null, rest_until = null, waiting_for = null,
           started_at = coalesce(r.started_at, clock_timestamp())
     where r.tenant = pick.tenant and r.id = pick.id and r.due_at <= cutoff
    returning * into held;
    if found then
      answer := run_log_claimed(held, ses.head, ses.edits, run_log_unread(pick.tenant, pick.session, '{}'));
      return next;
    end if;
  end loop;
end $$;

-- Called on the connection whose end is to mean this executor's death: the lock lives as long as the connection.
create function run_log_register() returns int language plpgsql as $$
declare
  made int;
begin
  insert into executors default values returning id into made;
  perform pg_advisory_lock(7001, made);
  return made;
end $$;

create function run_log_heartbeat(caller int) returns jsonb language plpgsql as $$
declare
  still boolean;
begin
  update executors e set lease_until = clock_timestamp() + interval '15 s' where e.id = caller
  returning true into still;
  return jsonb_build_object('alive', still is true, 'now', clock_timestamp(), 'held', coalesce((
    select jsonb_agg(jsonb_build_object('tenant', r.tenant, 'session', r.session, 'run', r.id, 'epoch', r.epoch, 'unread',
             exists (select from inbox i where i.tenant = r.tenant and i.session = r.session and i.seq is null)))
      from runs r where r.executor = caller), '[]'),
    'overdue', coalesce((
    select jsonb_agg(jsonb_build_object('tenant', r.tenant, 'session', r.session, 'run', r.id))
      from inbox i join runs r on r.tenant = i.tenant and r.id = i.run
     where i.seq is null and i.kind = 'cancel' and i.posted_at <= clock_timestamp() - interval '2 s'
       and r.state || '' = 'running'), '[]'));
end $$;

-- Dead is whose lease has run out, or whose lock is free although the server has not restarted since it took it (a
-- restart frees all locks and kills nobody). `everyone`: the caller knows that no other executor can be alive.
create function run_log_reclaim(caller int, everyone boolean) returns table (answer jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  dead int[];
  held record;
  ses record;
  moment timestamptz(3);
begin
  with suspects as materialized (
    select e.id, everyone or e.lease_until < clock_timestamp() as expired, e.boot = pg_postmaster_start_time() as today
      from executors e where e.id <> caller order by e.id),
  gone as (
    delete from executors e using suspects s
     where e.id = s.id and (s.expired or (s.today and pg_try_advisory_xact_lock(7001, e.id)))
    returning e.id)
  select array_agg(id) into dead from gone;
  if dead is null then return; end if;
  for held in
    select r.tenant, r.session, r.id from runs r where r.executor = any (dead) order by r.tenant, r.session
  loop
    select s.next_seq, s.head into ses from sessions s where s.tenant = held.tenant and s.id = held.session for update;
    update runs r
       set state = 'queued', executor = null, epoch = r.epoch + 1, deaths = r.deaths + 1, due_at = r.started_at
     where r.tenant = held.tenant and r.id = held.id and r.executor = any (dead);
    continue when not found;
    moment := clock_timestamp();
    insert into events (tenant, session, seq, run, kind, version, payload, at)
    values (held.tenant, held.session, ses.next_seq, held.id, 'restarted', 1,
            jsonb_build_object('round', (ses.head->'run'->>'rounds')::int + 1), moment);
    update sessions s set next_seq = ses.next_seq + 1, head = ses.head || jsonb_build_object('seq', ses.next_seq)
     where s.tenant = held.tenant and s.id = held.session;
    answer := jsonb_build_object('tenant', held.tenant, 'session', held.session, 'run', held.id, 'restarted',
      jsonb_build_object('seq', ses.next_seq, 'at', moment, 'round', (ses.head->'run'->>'rounds')::int + 1));
    return next;
  end loop;
end $$;

-- A call and its result go together: the parts that were asked for, the call of each result, and all of each call's
-- result.
create function run_log_with_partners(in_tenant uuid, in_session uuid, asked jsonb) returns table (seq bigint, part int)
language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with a as (
    select x.seq, e.kind, coalesce(e.payload->>'call', e.payload->'parts'->x.part->>'id') as call
      from jsonb_to_recordset(asked) as x(seq bigint, part int)
      join events e on e.tenant = in_tenant and e.session = in_session and e.seq = x.seq
     where e.kind in ('model_replied', 'call_settled'))
  select x.seq, x.part from jsonb_to_recordset(asked) as x(seq bigint, part int)
  union
  select c.seq, c.part from a cross join lateral (
    select e.seq, (p.place - 1)::int as part
      from events e cross join lateral jsonb_array_elements(e.payload->'parts') with ordinality as p(part, place)
     where e.tenant = in_tenant and e.session = in_session and e.seq < a.seq and e.kind = 'model_replied'
       and p.part->>'id' = a.call
     order by e.seq desc limit 1) c
   where a.kind = 'call_settled'
  union
  select r.seq, each.part from a cross join lateral (
    select e.seq, jsonb_array_length(e.payload->'parts') as parts from events e
     where e.tenant = in_tenant and e.session = in_session and e.seq >= a.seq and e.kind = 'call_settled'
       and e.payload->>'call' = a.call
     order by e.seq limit 1) r
  cross join lateral generate_series(0, greatest(r.parts, 1) - 1) as each(part);
end $$;

-- hide, unhide, erase: acts on parts at once, whoever holds the run, and appends nothing. A part of an open call group
-- cannot be touched: its call is in the head, unsettled or beside one that is.
create function run_log_edit(in_tenant uuid, in_session uuid, verb text, parts jsonb) returns text language plpgsql as $$
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

create function run_log_erased(part jsonb) returns jsonb language sql immutable as $$
  select case when part ? 'arguments' then part || '{"arguments": null}' else part || '{"text": null}' end
$$;

create function run_log_remove(in_tenant uuid, in_session uuid) returns text language plpgsql as $$
declare
  ses record;
begin
  select s.active_run into ses from sessions s where s.tenant = in_tenant and s.id = in_session for update;
  if not found then return 'not_found'; end if;
  perform 1 from runs r where r.tenant = in_tenant and r.id = ses.active_run and r.state = 'running';
  if found then return 'busy'; end if;
  delete from events e where e.tenant = in_tenant and e.session = in_session;
  delete from inbox i where i.tenant = in_tenant and i.session = in_session;
  delete from runs r where r.tenant = in_tenant and r.session = in_session;
  delete from sessions s where s.tenant = in_tenant and s.id = in_session;
  return 'removed';
end $$;
