import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { createHotPool } from './hot-pool.js';
import { PostgresRunLog } from './postgres-run-log.js';
import { Stage, type Move, type Scene } from './stage.contract.js';

const SCENES: Scene[] = ['idle', 'queued', 'running', 'calling', 'crowded', 'waiting'];

/**
 * For every scene and every pair of verbs: the first is held uncommitted while the second starts. What comes out, the
 * answers and every row, must be what comes out when the second starts after the first has committed; or, where the second
 * did not have to wait (a claim does not see what is not committed), when it ends before the first starts. So there is no
 * lost fact, no lost promotion, no second writer, and no deadlock that reaches a caller (DESIGN §7.2).
 */
describe.each(postgresServers)('verbs that meet, on $name', (server) => {
  let database: TestDatabase;
  let stage: Stage;
  let watcher: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase(server, { migrated: true });
    stage = await Stage.open(database.url);
    watcher = new pg.Client({ connectionString: database.url });
    await watcher.connect();
  });

  afterAll(async () => {
    await watcher.end();
    await stage.close();
    await database.drop();
  });

  /** True once a statement of this database waits for a lock. */
  const somebodyWaits = async (): Promise<boolean> => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await watcher.query(waiting)).rowCount !== 0;
  };

  const inTurn = async (scene: Scene, first: Move, second: Move): Promise<Outcome> => {
    await stage.set(scene);
    const answers = [await first(stage.log), await second(stage.log)];
    return { answers: answers.map(timeless), state: await stage.state() };
  };

  const atOnce = async (scene: Scene, first: Move, second: Move): Promise<{ outcome: Outcome; waited: boolean }> => {
    await stage.set(scene);
    const pool = createHotPool(database.url, 'first', 1);
    const held = new PostgresRunLog(pool, database.url);
    await pool.query('begin');
    const answer = await first(held);
    let settled = false;
    const meeting = second(stage.log).finally(() => (settled = true));
    let waited = false;
    while (!settled && !waited) waited = await somebodyWaits();
    await pool.query('commit');
    const answers = [answer, await meeting];
    await held.close();
    return { outcome: { answers: answers.map(timeless), state: await stage.state() }, waited };
  };

  test.each(SCENES)(
    'in the scene "%s" each pair gives what it gives one after the other',
    async (scene) => {
      const differing: unknown[] = [];
      for (const [firstName, first] of Object.entries(stage.moves)) {
        for (const [secondName, second] of Object.entries(stage.moves)) {
          const expected = await inTurn(scene, first, second);
          const { outcome, waited } = await atOnce(scene, first, second);
          if (isDeepStrictEqual(outcome, expected)) continue;
          if (!waited && isDeepStrictEqual(outcome, swapped(await inTurn(scene, second, first)))) continue;
          differing.push({ first: firstName, second: secondName, waited, expected, outcome });
        }
      }
      expect(differing).toEqual([]);
    },
    300_000,
  );
});

interface Outcome {
  answers: unknown[];
  state: unknown;
}

const swapped = ({ answers, state }: Outcome): Outcome => ({ answers: answers.toReversed(), state });

/** Answers without times and without ids that the database drew; keys in order, so that they compare as text. */
const timeless = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer, (key, value: unknown) => {
      if (['at', 'now', 'startedAt'].includes(key)) return 'some time';
      if (typeof value === 'object' && value !== null && 'body' in value && isPatch(value.body)) return 'a patch';
      return value;
    }),
  );

const isPatch = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'patch';
