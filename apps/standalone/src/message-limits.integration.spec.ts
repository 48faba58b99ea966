import * as contracts from '@parley/contracts';
import { type ResponseOf, type Rpc } from '@parley/contracts';
import {
  type AgentDefinition,
  AgentId,
  DEFAULT_BUDGET,
  type EventBody,
  fold,
  MAX_PAGE_BYTES,
  newId,
  RunId,
  SessionId,
  TenantId,
} from '@parley/core';
import { ModelClient, Providers } from '@parley/effects';
import { InProcessBus, InProcessFrames, InProcessHub, InProcessPermits, MAX_MESSAGE_BYTES } from '@parley/messaging';
import { Outbound } from '@parley/outbound';
import { PartBlobs, PostgresRunLog, ReferenceBlobStore } from '@parley/persistence';
import { isolatedProgram } from '@parley/run-executor';
import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { ConsoleLogger } from '@nestjs/common';
import 'reflect-metadata';
import { startServices } from './start-services.js';

const RPCS: Rpc[] = [];
for (const value of Object.values(contracts)) {
  if (typeof value === 'object' && 'type' in value && value.type === 'rpc') RPCS.push(value);
}

const MANY_BYTES = 20_000_000;
const ROW_BYTES = 400_000;
const ROWS = MANY_BYTES / ROW_BYTES;
/** The executor of the platform is the first that registers in a database. */
const EXECUTOR = 1;

const definition: AgentDefinition = {
  name: 'Greeter',
  description: null,
  enabled: true,
  model: { handle: 'nobody/none', parameters: {} },
  instructions: [],
  budget: DEFAULT_BUDGET,
  metadata: {},
  facets: {},
};
const described = { name: 'a', description: null, metadata: {}, facets: {}, enabled: true };
const tenant = newId(TenantId);

/** A whole platform without its door. It has no slot: no run is acted, so that the spec can write a log itself. */
describe.each(postgresServers.slice(-1))('the services of one process', (server) => {
  let test: TestDatabase;
  let services: Awaited<ReturnType<typeof startServices>>;
  let log: PostgresRunLog;
  let bus: InProcessBus;
  const outbound = new Outbound();

  beforeAll(async () => {
    test = await createTestDatabase(server, { migrated: true });
    const hub = new InProcessHub();
    bus = new InProcessBus(hub);
    const wires = { hub, bus, frames: new InProcessFrames(), permits: new InProcessPermits() };
    const table = { default: 'nobody', providers: { nobody: { baseUrl: 'http://127.0.0.1:9/v1' } } };
    services = await startServices({
      ...{ databaseUrl: test.url, wires, blobs: new PartBlobs(new ReferenceBlobStore()) },
      models: { client: new ModelClient(outbound, new Providers(table)), isolated: isolatedProgram(table) },
      executor: { slots: 0, graceMs: 50 },
      logger: new ConsoleLogger({ logLevels: ['error'] }),
    });
    log = PostgresRunLog.connect(test.url, 'spec');
  }, 60_000);
  afterAll(async () => {
    await log.close();
    await services.stop();
    outbound.close();
    await test.drop();
  });

  /** All pages of a list, each of which has to fit: beyond its items it takes a few bytes. */
  const pages = async <P>(ask: (last: P | undefined) => Promise<P>, isLast: (page: P) => boolean): Promise<P[]> => {
    const all: P[] = [];
    do {
      const page = await ask(all.at(-1));
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(MAX_PAGE_BYTES + 2_000);
      all.push(page);
    } while (!isLast(all.at(-1) as P));
    return all;
  };
  const row = (n: number): string => `${n} `.padEnd(ROW_BYTES, 'x');

  it.each(RPCS.map((contract) => [contract.subject, contract] as const))(
    'are asked %s with 64 MB, and the caller hears the limit before anything is sent',
    async (subject, contract) => {
      const request = { tenant, executor: EXECUTOR, large: 'x'.repeat(64_000_000) };
      await expect(bus.request(contract, request)).rejects.toMatchObject({
        code: 'too_large',
        message: expect.stringMatching(new RegExp(`^a message to ${subject}.* may have ${MAX_MESSAGE_BYTES}$`)),
      });
    },
  );

  it('list 20 MB of agents in pages that fit, and lose none', async () => {
    const made: string[] = [];
    for (let n = 0; n < ROWS; n++) {
      const agent = {
        tenant,
        id: newId(AgentId),
        key: `agent-${n}`,
        definition: { ...definition, description: row(n) },
      };
      made.unshift((await bus.request(contracts.createAgent, agent)).agent);
    }
    type Page = ResponseOf<typeof contracts.listAgents>;
    const all = await pages<Page>(
      (last) => bus.request(contracts.listAgents, { tenant, limit: 1_000, after: last?.next ?? undefined }),
      ({ next }) => next === null,
    );
    expect(all.flatMap(({ items }) => items.map(({ agent }) => agent))).toEqual(made);
  }, 120_000);

  const makeAgent = async (key: string): Promise<AgentId> => {
    const agent = { tenant, id: newId(AgentId), key, definition };
    return (await bus.request(contracts.createAgent, agent)).agent;
  };

  it('list 20 MB of sessions in pages that fit, and lose none', async () => {
    const agent = await makeAgent('with-sessions');
    const made: string[] = [];
    for (let n = 0; n < ROWS; n++) {
      const third = row(n).slice(0, 130_000);
      const fields = { ...described, description: third, metadata: { third }, facets: { of: { third } } };
      const session = { tenant, id: newId(SessionId), agent, key: `session-${n}`, ...fields };
      made.unshift((await bus.request(contracts.createSession, session)).id);
    }
    type Page = ResponseOf<typeof contracts.listSessions>;
    const all = await pages<Page>(
      (last) => bus.request(contracts.listSessions, { tenant, agent, limit: 1_000, after: last?.next ?? undefined }),
      ({ next }) => next === null,
    );
    expect(all.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(made);
  }, 120_000);

  it('read 20 MB of a log in pages that fit, and lose no event', async () => {
    const agent = await makeAgent('with-a-log');
    const session = newId(SessionId);
    await bus.request(contracts.createSession, { tenant, id: session, agent, key: 'long', ...described });
    const parts = [{ type: 'text' as const, text: 'hi', origin: 'user' as const }];
    const run = newId(RunId);
    const policies = { whenBusy: 'reject', whenWaiting: 'reject' } as const;
    await bus.request(contracts.admitRun, { tenant, id: run, session, agent, parts, ...policies });
    const executor = await log.register();
    const [claimed] = await log.claim(executor, 1);
    if (claimed?.run !== run) throw new Error('the run was not to be claimed');
    const usage = { input: 1, cachedInput: 0, output: 1, reasoning: 0, estimated: false };
    let head = claimed.head;
    for (let n = 0; n < ROWS; n++) {
      const said = [{ type: 'text' as const, text: row(n), origin: 'model' as const }];
      const body: EventBody = { kind: 'model_replied', round: n + 1, parts: said, usage, model: 'm', finish: 'stop' };
      const seq = head.seq;
      head = fold([{ seq: seq + 1, run, body }], head);
      const held = { tenant, session, run, executor, epoch: claimed.epoch };
      const written = await log.append(held, { seq, events: [{ body }], head, taken: [], left: [] });
      expect(written.outcome).toBe('written');
    }
    type Page = ResponseOf<typeof contracts.readLog>;
    const all = await pages<Page>(
      (last) => {
        const after = last?.events.at(-1)?.seq ?? 0;
        return bus.request(contracts.readLog, { tenant, session, after, limit: 1_000 });
      },
      ({ more }) => !more,
    );
    const events = all.flatMap((page) => page.events);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: ROWS + 1 }, (_, n) => n + 1));
    const last = events.at(-1)?.body;
    expect(last && 'parts' in last && JSON.stringify(last.parts).includes(row(ROWS - 1))).toBe(true);
    await log.retire(executor);
  }, 120_000);
});
