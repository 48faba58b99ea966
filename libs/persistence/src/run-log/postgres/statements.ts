import { MAX_PAGE_BYTES, POISON, PREVIEW_POINTS } from '@parley/core';
import { type QueryConfig } from 'pg';

/** A prepared statement: named, so that each connection plans it once. */
const prepared =
  (name: string, text: string) =>
  (values: unknown[]): QueryConfig => ({ name, text, values });

export const ADMIT = prepared('admit', 'select n, answer from run_log_admit($1)');
export const POST = prepared('post', 'select n, answer from run_log_post($1)');
export const COMMIT = prepared('commit', 'select n, answer from run_log_commit($1)');
export const LOOK = prepared('look', 'select run_log_situation($1, $2) as answer');
export const CLAIM = prepared('claim', 'select answer from run_log_claim($1, $2)');
export const HEARTBEAT = prepared('heartbeat', 'select run_log_heartbeat($1) as answer');
export const RECLAIM = prepared('reclaim', 'select answer from run_log_reclaim($1, $2)');
/** The row stays for reclaim: an admission may have handed a run over at the last moment. */
export const RETIRE = prepared('retire', 'update executors set lease_until = clock_timestamp() where id = $1');
export const EDIT = prepared('edit', 'select run_log_edit($1, $2, $3, $4) as answer');
export const REMOVE = prepared('remove', 'select run_log_remove($1, $2) as answer');
/** So many blobs a call: each may read the log of its session. */
export const MOST_SWEPT = 20;
export const SWEEP_BLOBS = prepared(
  'sweep_blobs',
  `select run_log_sweep_blobs($1 * interval '1 ms', ${MOST_SWEPT}) as seen`,
);
export const GET_RUN = prepared('get_run', 'select * from runs where tenant = $1 and id = $2');
export const STANDINGS = prepared(
  'standings',
  `select r.tenant, r.id as run, r.state, r.reason, s.next_seq::float8 - 1 as seq
     from jsonb_to_recordset($1) as x(tenant uuid, run uuid)
     join runs r on r.tenant = x.tenant and r.id = x.run
     join sessions s on s.tenant = r.tenant and s.id = r.session`,
);

/** By the index of dead letters; a part is cut before it is joined, so that no more of a long one is copied. */
export const DEAD_LETTERS = prepared(
  'dead_letters',
  `select r.id as run, r.session, r.agent, r.reason, r.ended_at as at,
     coalesce(left((select string_agg(left(p.value->>'text', ${PREVIEW_POINTS}), E'\\n' order by p.place)
                      from jsonb_array_elements(r.parts) with ordinality as p(value, place)), ${PREVIEW_POINTS}), '') as preview
     from runs r
    where r.tenant = $1 and r.state = 'failed' and r.reason like '${POISON}%'
      and (r.ended_at, r.id) < ($2::timestamptz, $3::uuid)
    order by r.ended_at desc, r.id desc limit $4`,
);

/**
 * Pages close at `limit` events or at 512 KiB of what they say and how it was shown, but hold at least one event
 * (DESIGN §6). As Postgres writes it, JSON is a little longer than as it travels.
 */
export const READ = prepared(
  'read',
  `select s.head,
     (select jsonb_build_object('run', r.id, 'state', r.state, 'epoch', r.epoch, 'executor', r.executor)
        from runs r where r.tenant = s.tenant and r.id = s.active_run) as active,
     (select jsonb_agg(jsonb_build_object('seq', p.seq, 'run', p.run, 'kind', p.kind, 'version', p.version,
               'payload', p.payload, 'live', p.live, 'hidden', p.hidden, 'at', p.at) order by p.seq)
        from (select e.*, sum(octet_length(e.payload::text) + coalesce(octet_length(e.live::text), 0))
                       over (order by e.seq) as size,
                     row_number() over (order by e.seq) as place
                from (select * from events
                       where tenant = $1 and session = $2 and seq > $3 order by seq limit $4) e) p
       where p.size <= ${MAX_PAGE_BYTES} or p.place = 1) as events
   from sessions s
  where s.tenant = $1 and s.id = $2`,
);
