import { newId, TenantId } from '@parley/core';
import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { type RunLog } from '../run-log.js';
import { type PostgresRunLog } from './postgres-run-log.js';
import { CAST, Stage, type Scene } from './stage.contract.js';

const SCENES: Scene[] = ['idle', 'queued', 'running', 'calling', 'crowded', 'waiting'];

/** Verbs that belong to an executor, not to a tenant. */
const EXECUTORS = new Set(['claim', 'reclaim', 'heartbeat', 'register', 'retire', 'lockLost', 'close']);

/** What a verb answers to a tenant for whom what it names does not exist. */
const UNKNOWN: unknown[] = [
  undefined,
  [],
  'not_found',
  { outcome: 'not_found' },
  { outcome: 'not_found', noun: 'session' },
  { outcome: 'fenced' },
  { items: [], next: null },
];

/**
 * The same log as another tenant sees it: every verb is called with that tenant and the ids of the first one. Generated:
 * a verb that is new in `Stage` is tried as it is.
 */
const asTenant = (log: PostgresRunLog, tenant: TenantId, heard: (verb: string, answer: unknown) => void): RunLog =>
  new Proxy(log, {
    get(target, verb) {
      const value: unknown = Reflect.get(target, verb, target);
      if (typeof value !== 'function' || typeof verb !== 'string') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        const foreign = args.map((arg) => (arg === CAST.tenant ? tenant : inTenant(arg, tenant)));
        const answer: unknown = await Reflect.apply(value, target, foreign);
        if (!EXECUTORS.has(verb)) heard(verb, answer);
        return answer;
      };
    },
  });

const inTenant = (arg: unknown, tenant: TenantId): unknown =>
  Array.isArray(arg)
    ? arg.map((one) => inTenant(one, tenant))
    : typeof arg === 'object' && arg !== null && 'tenant' in arg
      ? { ...arg, tenant }
      : arg;

describe.each(postgresServers)('two tenants on $name', (server) => {
  let database: TestDatabase;
  let stage: Stage;

  beforeAll(async () => {
    database = await createTestDatabase(server, { migrated: true });
    stage = await Stage.open(database.url);
  });

  afterAll(async () => {
    await stage.close();
    await database.drop();
  });

  it.each(SCENES)('in the scene "%s" no verb finds or changes what is another’s', async (scene) => {
    const tried = new Set<string>();
    const leaks: unknown[] = [];
    for (const [name, move] of Object.entries(stage.moves)) {
      if (EXECUTORS.has(name)) continue;
      await stage.set(scene);
      const before = await stage.state();
      const foreign = asTenant(stage.log, newId(TenantId), (verb, answer) => {
        tried.add(verb);
        if (!UNKNOWN.some((unknown) => JSON.stringify(unknown) === JSON.stringify(answer)))
          leaks.push({ name, answer });
      });
      await move(foreign);
      await stage.readAll(foreign);
      expect({ name, state: await stage.state() }).toEqual({ name, state: before });
    }
    expect(leaks).toEqual([]);
    const written = [
      'admit',
      'append',
      'erase',
      'finish',
      'hide',
      'park',
      'post',
      'release',
      'remove',
      'takeOver',
      'write',
    ];
    expect([...tried].sort()).toEqual([...written, 'deadLetters', 'getRun', 'look', 'read', 'standings'].sort());
  });
});
