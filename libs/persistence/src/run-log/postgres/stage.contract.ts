import {
  AgentId,
  apply,
  CallId,
  DEFAULT_BUDGET,
  endingEvents,
  FactId,
  InterruptId,
  restorable,
  EMPTY_HEAD,
  RunId,
  SessionId,
  TenantId,
  type EventBody,
  type FactBody,
  type Head,
  type WhenBusy,
  type WhenWaiting,
} from '@parley/core';
import { Client } from 'pg';
import { type Addition, type RunLog } from '../run-log.js';
import { PostgresRunLog } from './postgres-run-log.js';

const id = (letter: string, number: number): string =>
  `${letter.repeat(8)}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

/** The fixed cast of every case, so that two runs of a case can be compared to the letter. */
export const CAST = {
  tenant: TenantId.parse(id('a', 1)),
  agent: AgentId.parse(id('b', 1)),
  session: SessionId.parse(id('c', 1)),
  first: RunId.parse(id('d', 1)),
  second: RunId.parse(id('d', 2)),
  third: RunId.parse(id('d', 3)),
  call: CallId.parse(id('e', 1)),
  interrupt: InterruptId.parse(id('f', 1)),
  /** Executors: `holder` holds what runs. */
  holder: 1,
  other: 2,
};
const REF = { tenant: CAST.tenant, session: CAST.session };
const words = (text: string) => [{ type: 'text' as const, text, origin: 'user' as const }];

/** How a case begins. */
export type Scene = 'idle' | 'queued' | 'running' | 'calling' | 'crowded' | 'waiting';

/** One call of one verb; it may look at the log first, as a real caller would. */
export type Move = (log: RunLog) => Promise<unknown>;

const admit = (run: RunId, whenBusy: WhenBusy, whenWaiting: WhenWaiting, executor?: number): Move => {
  const { tenant, session, agent } = CAST;
  const admission = { tenant, session, agent, version: 1, parts: words(run), budget: DEFAULT_BUDGET };
  return (log) => log.admit({ ...admission, id: run, whenBusy, whenWaiting, executor });
};

const post = (number: number, body: FactBody): Move => {
  const fact = { id: FactId.parse(id('9', number)), run: CAST.first, body };
  return (log) => log.post(REF, fact);
};

const callingReply: EventBody = {
  kind: 'model_replied',
  round: 1,
  parts: [{ type: 'call', id: CAST.call, name: 'look', arguments: '{}', origin: 'model' }],
  usage: { input: 1, cachedInput: 0, output: 1, reasoning: 0, estimated: false },
  model: 'simulator/sim-1-0',
  finish: 'calls',
};

const addition = (head: Head, run: RunId | null, events: EventBody[], taken: FactId[] = []): Addition => ({
  seq: head.seq,
  events: events.map((body) => ({ body })),
  head: events.reduce((now, body) => apply(now, { seq: now.seq + 1, run, body }), head),
  taken,
  left: [],
});

/** Takes what a case left and puts the cast on the stage, in one trip; a crowd stays. */
const ANEW = `
  ${['inbox', 'events', 'runs'].map((table) => `delete from ${table} where session = '${CAST.session}'`).join('; ')};
  delete from sessions where id = '${CAST.session}';
  delete from agents where id = '${CAST.agent}';
  delete from executors;
  insert into executors (id) overriding system value values (${CAST.holder}), (${CAST.other});
  insert into agents (tenant, id, key, version, name, enabled) values ('${CAST.tenant}', '${CAST.agent}', 'a', 1, 'a', true);
  insert into sessions (tenant, id, agent, key, name)
  values ('${CAST.tenant}', '${CAST.session}', '${CAST.agent}', 's', 's');`;

/** Half of them the cast's own tenant's. Nothing of the crowd is due, and its executor is not known, so that no verb of a case takes any of it. */
const CROWD = `
  with n as (select n, (case when n % 2 = 0 then '${CAST.tenant}' else '${id('1', 2)}' end)::uuid as tenant,
                    gen_random_uuid() as session, gen_random_uuid() as run
               from generate_series(1, $1::int) n),
  s as (insert into sessions (tenant, id, key, name, active_run) select tenant, session, session, 's', run from n returning id),
  r as (insert into runs (tenant, id, session, agent, version, state, parts, budget, when_waiting, line, executor, due_at, reason, ended_at)
        select tenant, run, session, '${CAST.agent}', 1, state, '[]', '{}', 'defer', n,
               case when state = 'running' then 99 end, case when state = 'queued' then now() + interval '1 day' end,
               case when state = 'failed' then 'poison: it killed' end, case when state = 'failed' then now() - n * interval '1 ms' end
          from n cross join lateral (select case when n <= 4 then 'running' else
            (array['queued', 'waiting', 'succeeded', 'deferred', 'failed'])[1 + n % 5] end as state) which returning id),
  e as (insert into events (tenant, session, seq, run, kind, version, payload)
        select tenant, session, seq, run, 'input', 1, '{"parts": []}' from n cross join generate_series(1, 3) seq returning seq)
  insert into inbox (tenant, session, id, run, kind, payload) select tenant, session, run, run, 'patch', '{}' from n`;

/**
 * A session on a real database that can be put into a scene again and again, and read back whole. One case at a time:
 * claim and reclaim see everything.
 */
export class Stage {
  /** The head that a caller has read before the case begins: what executors and posters work from. */
  private head: Head = EMPTY_HEAD;

  private constructor(
    private readonly db: Client,
    readonly log: PostgresRunLog,
  ) {}

  static async open(databaseUrl: string): Promise<Stage> {
    const db = new Client({ connectionString: databaseUrl });
    await db.connect();
    return new Stage(db, PostgresRunLog.connect(databaseUrl));
  }

  async close(): Promise<void> {
    await this.log.close();
    await this.db.end();
  }

  /** Everything anew, up to the scene. */
  async set(scene: Scene): Promise<void> {
    await this.db.query(ANEW);
    for (const move of this.opening(scene)) await move(this.log);
    this.head = (await this.log.look(REF))?.head ?? EMPTY_HEAD;
  }

  /** So many more sessions, half of them another tenant's, with runs in every state (few of them running), events and facts. */
  async crowd(sessions: number): Promise<void> {
    await this.db.query(CROWD, [sessions]);
  }

  /** Lets the planner know how large the tables are, which also makes it forget the plans it has. */
  async analyze(): Promise<void> {
    await this.db.query('analyze');
  }

  /** Keeps the server from analyzing on its own: plans that were made on empty tables then stay as they are. */
  async leaveStatistics(): Promise<void> {
    const { rows } = await this.db.query<{ alter: string }>(
      `select format('alter table %s set (autovacuum_enabled = off)', c.oid::regclass) as alter
       from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema::regnamespace`,
    );
    for (const { alter } of rows) await this.db.query(alter);
  }

  /** Every verb that only reads. */
  async readAll(log: RunLog): Promise<void> {
    await log.look(REF);
    await log.read(REF, { after: 0, limit: 10 });
    await log.getRun(CAST.tenant, CAST.first);
    await log.standings([{ tenant: CAST.tenant, run: CAST.first }]);
    await log.deadLetters(CAST.tenant, { limit: 10 });
    await log.heartbeat(CAST.holder);
  }

  /** All that the case left behind, but for times and ids that the database drew. */
  async state(): Promise<unknown> {
    const read = async (query: string): Promise<unknown[]> =>
      (await this.db.query<{ row: unknown }>(query, [CAST.session])).rows.map(({ row }) => row);
    return {
      sessions: await read(
        `select to_jsonb(s) - '{created_at,updated_at}'::text[] as row from sessions s where id = $1`,
      ),
      runs: await read(
        `select to_jsonb(r) - '{created_at,started_at,ended_at,due_at,rest_until,line}'::text[]
             || jsonb_build_object('due', due_at is not null, 'soon', due_at < now() + '3 s', 'urgent', line < 0) as row
           from runs r where session = $1 order by id`,
      ),
      events: await read(`select to_jsonb(e) - 'at' as row from events e where session = $1 order by seq`),
      inbox: await read(
        `select to_jsonb(i) - '{posted_at,n}'::text[] || case when kind = 'patch' then '{"id": 0}'::jsonb else '{}' end as row
           from inbox i where session = $1 order by n`,
      ),
      executors: await read(`select to_jsonb(id) as row from executors where $1::uuid is not null order by id`),
    };
  }

  /** The verbs that write, as somebody might call it in any scene. */
  readonly moves: Record<string, Move> = {
    'admit defer': admit(CAST.third, 'defer', 'defer'),
    'admit steer': admit(CAST.third, 'steer', 'supersede'),
    'admit interrupt': admit(CAST.third, 'interrupt', 'supersede'),
    'admit rollback': admit(CAST.third, 'rollback', 'defer'),
    'admit to an executor': admit(CAST.third, 'defer', 'supersede', CAST.other),
    'post cancel': post(1, { kind: 'cancel', reason: 'asked', rewind: false }),
    'post answer': post(2, { kind: 'answer', interrupt: CAST.interrupt, outcome: 'approved', parts: [] }),
    'post steer': post(3, { kind: 'steer', parts: words('and this') }),
    claim: (log) => log.claim(CAST.other, 2),
    append: (log) => log.append(this.held, addition(this.head, CAST.first, [{ kind: 'restarted', round: 1 }])),
    park: (log) =>
      log.park(this.held, addition(this.head, CAST.first, [this.asked]), { waitingFor: 'person', dueAt: null }),
    release: (log) => log.release(this.held, addition(this.head, CAST.first, [])),
    finish: (log) => log.finish(this.held, this.ending('succeeded'), { state: 'succeeded', reason: null }),
    'write and queue': (log) => log.write({ ...REF, ...this.answering(), run: CAST.first, then: 'queue' }),
    'write the end': (log) =>
      log.write({
        ...REF,
        ...this.ending('cancelled'),
        run: CAST.first,
        then: { end: { state: 'cancelled', reason: null } },
      }),
    rewind: (log) =>
      log.write({
        ...REF,
        ...addition(this.head, null, [{ kind: 'rewound', to: 0, restored: restorable(EMPTY_HEAD) }]),
        run: null,
        then: 'leave',
      }),
    'take over': (log) =>
      log.takeOver({
        ...REF,
        ...this.ending('cancelled'),
        run: CAST.first,
        epoch: 1,
        end: { state: 'cancelled', reason: null },
      }),
    hide: (log) => log.hide({ ...REF, parts: [{ seq: 1, part: 0 }] }),
    erase: (log) => log.erase({ ...REF, parts: [{ seq: 1, part: 0 }] }),
    reclaim: (log) => log.reclaim(CAST.other, 'everyone'),
    remove: (log) => log.remove(REF),
  };

  private opening(scene: Scene): Move[] {
    const start = admit(CAST.first, 'defer', 'defer');
    const hold: Move = (log) => log.claim(CAST.holder, 1);
    const look: Move = async (log) => (this.head = (await log.look(REF))?.head ?? EMPTY_HEAD);
    const call: Move = (log) => log.append(this.held, addition(this.head, CAST.first, [callingReply]));
    const rest: Move = (log) =>
      log.park(this.held, addition(this.head, CAST.first, [this.asked]), { waitingFor: 'person', dueAt: null });
    const behind = admit(CAST.second, 'defer', 'defer');
    switch (scene) {
      case 'idle':
        return [];
      case 'queued':
        return [start];
      case 'running':
        return [start, hold];
      case 'calling':
        return [start, hold, look, call];
      case 'crowded':
        return [start, hold, behind, post(8, { kind: 'steer', parts: words('listen') })];
      case 'waiting':
        return [start, hold, look, call, look, rest, behind];
    }
  }

  private get held() {
    return { ...REF, run: CAST.first, executor: CAST.holder, epoch: 1 };
  }

  private readonly asked: EventBody = { kind: 'asked', interrupt: CAST.interrupt, ask: 'approval', call: CAST.call };

  private answering(): Addition {
    const answered: EventBody = { kind: 'answered', interrupt: CAST.interrupt, outcome: 'approved', parts: [] };
    return addition(this.head, CAST.first, [answered]);
  }

  private ending(state: 'succeeded' | 'cancelled'): Addition {
    const run = this.head.run ?? {
      id: CAST.first,
      first: 1,
      rounds: 0,
      failures: 0,
      tokens: 0,
      base: restorable(EMPTY_HEAD),
    };
    return addition(this.head, CAST.first, endingEvents(this.head, run, { state, reason: null }));
  }
}
