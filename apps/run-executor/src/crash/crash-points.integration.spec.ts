import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Logger } from '@nestjs/common';
import { type CrashPoint } from '@parley/host';
import { PostgresRunLog, type SessionRef } from '@parley/persistence';
import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { postgresWorld } from '../loop/postgres-world.contract.js';
import { type World } from '../loop/world.contract.js';
import { type DyingExecutor } from './dying-executor.contract.js';
import { twoRounds } from './two-rounds.contract.js';

const program = fileURLToPath(new URL('./dying-executor.contract.ts', import.meta.url));
const loader = new URL('../../../../tools/typescript.mjs', import.meta.url).href;

/** Every crash point of an executor, and at which passing of it there is something at stake. */
const points: [CrashPoint, number, Partial<DyingExecutor>?][] = [
  ['register.after', 1],
  ['reclaim.before', 1],
  ['claim.before', 1],
  ['claim.after', 1],
  ['hand-over.after', 1, { admits: true }],
  ['model.before', 1],
  ['model.delta', 1],
  ['model.delta', 3],
  ['model.after', 1],
  ['append.before', 1],
  ['append.after', 1],
  ['model.before', 2],
  ['model.delta', 5],
  ['model.after', 2],
  ['finish.before', 1],
  ['finish.after', 1],
  ['park.before', 1, { fails: true }],
  ['park.after', 1, { fails: true }],
  ['release.before', 1, { stops: true }],
  ['release.after', 1, { stops: true }],
];

describe.each(postgresServers.slice(-1))('a process that dies, on $name', (server) => {
  let test: TestDatabase;
  let world: World;

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  beforeEach(async () => {
    test = await createTestDatabase(server, { migrated: true });
    world = await postgresWorld(test.url);
  });

  afterEach(async () => {
    await world.close();
    await test.drop();
  });

  /** Starts a process on the world's database that is to kill itself. */
  const die = async (told: Omit<DyingExecutor, 'url' | 'tenant' | 'agent'>): Promise<void> => {
    const all: DyingExecutor = { url: test.url, tenant: world.tenant, agent: world.agent, ...told };
    const child = spawn(process.execPath, ['--import', loader, program, JSON.stringify(all)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (signal !== 'SIGKILL') throw new Error(`it did not die where it should: code ${code}, signal ${signal}`);
  };

  /** Another process comes, and ends the run as if nothing had been. */
  const expectSound = async (ref: SessionRef): Promise<void> => {
    await world.start(twoRounds());
    const [input] = await world.events(ref);
    if (!input?.run) throw new Error('the run is not in the log');
    expect(await world.ended(input.run)).toMatchObject({ state: 'succeeded', reason: null });
    const kinds = await world.kinds(ref);
    const lasting = ['input', 'model_replied', 'call_settled', 'model_replied', 'run_ended'];
    expect(kinds.filter((kind) => kind !== 'restarted' && kind !== 'model_failed')).toEqual(lasting);
    expect(kinds.filter((kind) => kind === 'model_failed').length).toBeLessThanOrEqual(1);
    expect(kinds.filter((kind) => kind === 'restarted').length).toBeLessThanOrEqual(1);
  };

  it.each(points)('at %s, passed for the %s. time, leaves a run that another ends', async (point, nth, over = {}) => {
    const ref = await world.session();
    const told = { admits: false, fails: false, stops: false, ...over };
    if (!told.admits) await world.admit(ref, 'Find it');
    await die({ crashAt: `${point}:${nth}`, session: ref.session, ...told });
    await expectSound(ref);
  });

  it('just as it has reclaimed a run of another that died, leaves it to a third', async () => {
    const ref = await world.session();
    const first = PostgresRunLog.connect(test.url);
    await world.admit(ref, 'Find it', { executor: await first.register() });
    await first.close();
    await die({ crashAt: 'reclaim.after:1', session: ref.session, admits: false, fails: false, stops: false });
    await expectSound(ref);
  });
});
