import { NestFactory } from '@nestjs/core';
import { createAgent, deleteAgent, getAgent, getAgentVersion, listAgents, reviseAgent } from '@parley/contracts';
import {
  AgentId,
  DEFAULT_BUDGET,
  newId,
  SessionId,
  TenantId,
  type AgentDefinition,
  type JsonObject,
} from '@parley/core';
import { type Bus, InProcessBus, InProcessHub, InProcessServer } from '@parley/messaging';
import { createPrisma, PostgresAgentStore, PostgresSessionStore, type TenantDatabase } from '@parley/persistence';
import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import 'reflect-metadata';
import { AgentRegistryModule } from './agent-registry.module.js';

const definition: AgentDefinition = {
  name: 'Greeter',
  description: 'greets',
  enabled: true,
  model: { handle: 'simulator/sim-1-0', parameters: {} },
  instructions: [{ name: 'main', template: 'Greet.' }],
  budget: DEFAULT_BUDGET,
  metadata: {},
  facets: {},
};

describe.each(postgresServers.slice(0, 1))('the agent registry on the bus', (server) => {
  let test: TestDatabase;
  let database: TenantDatabase;
  let service: Awaited<ReturnType<typeof NestFactory.createMicroservice>>;
  let bus: Bus;
  const tenant = newId(TenantId);

  beforeAll(async () => {
    test = await createTestDatabase(server, { migrated: true });
    database = createPrisma(test.url, { applicationName: 'spec', role: 'parley_store', max: 4 });
    const hub = new InProcessHub();
    bus = new InProcessBus(hub);
    const module = AgentRegistryModule.with({ agents: new PostgresAgentStore(database) });
    service = await NestFactory.createMicroservice(module, { strategy: new InProcessServer(hub), logger: ['error'] });
    await service.listen();
  });

  afterAll(async () => {
    await service.close();
    await database.close();
    await test.drop();
  });

  const create = (key: string) => bus.request(createAgent, { tenant, id: newId(AgentId), key, definition });

  it('makes, finds, revises, lists and deletes agents', async () => {
    const made = await create('greeter');
    expect(made.createdAt).toBeInstanceOf(Date);
    const change = { ...definition, name: 'Second' };
    const revised = await bus.request(reviseAgent, { tenant, id: made.agent, expected: 1, definition: change });
    expect(revised).toMatchObject({ version: 2, definition: change });
    expect(await bus.request(getAgent, { tenant, agent: { key: 'greeter' } })).toEqual(revised);
    const first = await bus.request(getAgentVersion, { tenant, id: made.agent, version: 1 });
    expect(first.definition).toEqual(definition);
    expect((await bus.request(listAgents, { tenant, limit: 10 })).items).toEqual([revised]);
    await bus.request(deleteAgent, { tenant, id: made.agent });
    await expect(bus.request(getAgent, { tenant, agent: { id: made.agent } })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('says why it refuses', async () => {
    const { agent: id } = await create('taken');
    const described = { name: 'x', description: null, metadata: {}, facets: {}, enabled: true };
    await new PostgresSessionStore(database).create(tenant, {
      id: newId(SessionId),
      agent: id,
      key: 'x',
      ...described,
    });
    const unknown = newId(AgentId);
    const refusals: [() => Promise<unknown>, string][] = [
      [() => create('taken'), 'conflict'],
      [() => bus.request(reviseAgent, { tenant, id, expected: 7, definition }), 'conflict'],
      [() => bus.request(reviseAgent, { tenant, id: unknown, expected: 1, definition }), 'not_found'],
      [() => bus.request(getAgentVersion, { tenant, id, version: 9 }), 'not_found'],
      [() => bus.request(deleteAgent, { tenant, id }), 'illegal_state'],
      [() => bus.request(deleteAgent, { tenant, id: unknown }), 'not_found'],
      [() => bus.request(listAgents, { tenant, limit: 1, pattern: '(' }), 'invalid_input'],
    ];
    for (const [ask, code] of refusals) await expect(ask()).rejects.toMatchObject({ code });
  });

  it('refuses a definition that no page could hold before it is kept, and names what is large', async () => {
    const instructions = (bytes: number) => ({
      ...definition,
      instructions: [{ name: 'main', template: 'x'.repeat(bytes) }],
    });
    const large = { tenant, id: newId(AgentId), key: 'large', definition: instructions(500_000) };
    const kept = await bus.request(createAgent, large);
    expect(await bus.request(getAgent, { tenant, agent: { key: 'large' } })).toEqual(kept);
    const issues = [{ path: 'instructions', message: expect.stringContaining('at most 524288') }];
    const refusal = { code: 'too_large', details: { issues } };
    const asNew = { ...large, id: newId(AgentId), key: 'larger', definition: instructions(524_288) };
    await expect(bus.request(createAgent, asNew)).rejects.toMatchObject(refusal);
    await expect(bus.request(getAgent, { tenant, agent: { key: 'larger' } })).rejects.toMatchObject({
      code: 'not_found',
    });
    const asNext = { tenant, id: kept.agent, expected: 1, definition: instructions(524_288) };
    await expect(bus.request(reviseAgent, asNext)).rejects.toMatchObject(refusal);
    expect(await bus.request(getAgent, { tenant, agent: { key: 'large' } })).toMatchObject({ version: 1 });
  });

  it('takes no schema for answers that a run could not use, neither with the first version nor with a later one', async () => {
    const definitionOf = (schema: JsonObject, strict = false) => ({
      ...definition,
      output: { ...output, schema, strict },
    });
    const output = { name: 'city', strict: false, schema: {} };
    const { agent: id } = await bus.request(createAgent, {
      tenant,
      id: newId(AgentId),
      key: 'formal',
      definition: definitionOf({ type: 'object' }),
    });
    const bad = definitionOf({ properties: { city: { type: 'town' } } });
    const issues = [{ path: 'output.schema.properties.city.type', message: expect.stringContaining('"string"') }];
    const refusal = { code: 'invalid_input', details: { issues } };
    const asNew = { tenant, id: newId(AgentId), key: 'bad', definition: bad };
    await expect(bus.request(createAgent, asNew)).rejects.toMatchObject(refusal);
    await expect(bus.request(getAgent, { tenant, agent: { key: 'bad' } })).rejects.toMatchObject({ code: 'not_found' });
    const asNext = { tenant, id, expected: 1, definition: bad };
    await expect(bus.request(reviseAgent, asNext)).rejects.toMatchObject(refusal);
    const open = { tenant, id, expected: 1, definition: definitionOf({ type: 'object' }, true) };
    await expect(bus.request(reviseAgent, open)).rejects.toMatchObject({
      details: { issues: [{ path: 'output.schema', message: expect.stringContaining('is strict') }] },
    });
    expect(await bus.request(getAgent, { tenant, agent: { id } })).toMatchObject({ version: 1 });
  });
});
