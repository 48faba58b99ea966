import { getAgent, getAgentVersion, listProviders, runNudged, tailRun } from '@parley/contracts';
import { AgentId, newId, RunId, SessionId, TenantId } from '@parley/core';
import { natsAuthorization } from './nats-users.js';
import { endingOf, NatsWorld } from './nats-world.contract.js';

/** Far less than any contract lets a caller wait. */
const AT_ONCE_MS = 1_500;

describe('a NATS server with the users of the apps', () => {
  let world: NatsWorld;
  const tenant = newId(TenantId);
  beforeEach(async () => {
    // The password of each is its name.
    world = await NatsWorld.start(natsAuthorization((app) => JSON.stringify(app)));
  });
  afterEach(() => world.remove());

  it('carries questions, events and frames where they belong', async () => {
    const [gateway, session, executor] = [
      await world.join('gateway'),
      await world.join('session'),
      await world.join('run-executor'),
    ];
    const heard: string[] = [];
    const batch = { tenant, session: newId(SessionId), run: newId(RunId), after: 0, frames: [] };
    executor.bus.serve(tailRun, 7, async () => ({ frames: [], more: false }));
    executor.bus.subscribe(runNudged, ({ run }) => heard.push(run), { executor: 7 });
    for (const { frames } of [gateway, session]) frames.subscribe(batch, ({ run }) => heard.push(run));
    for (const { link } of [executor, gateway, session]) await link.settled();

    const asked = { tenant, run: batch.run, executor: 7, epoch: 1 };
    expect(await gateway.bus.request(tailRun, asked)).toEqual({ frames: [], more: false });
    executor.frames.publish(batch);
    session.bus.publish(runNudged, { executor: 7 }, { executor: 7, tenant, session: batch.session, run: batch.run });
    for (const { link } of [executor, session, gateway, session, executor]) await link.check();
    expect(heard).toEqual([batch.run, batch.run, batch.run]);
    expect(world.logged).toEqual([]);
  });

  it('tells an app at once what it may not ask, and goes on with what it may', async () => {
    const registry = await world.join('agent-registry');
    registry.link.subscribe(getAgentVersion.subject, (message) => message.respond('{}'));
    await registry.link.settled();
    for (const user of ['agent-registry', 'session', 'run-executor'] as const) {
      const { bus } = await world.join(user);
      const refused = await endingOf(() => bus.request(listProviders, { tenant }));
      expect(refused).toMatchObject({
        code: 'unavailable',
        message: 'rpc.provider.list cannot be asked: this service may not',
      });
      expect(refused.afterMs).toBeLessThan(AT_ONCE_MS);
    }
    const executor = await world.join('run-executor');
    const refused = await endingOf(() => executor.bus.request(getAgent, { tenant, agent: { key: 'a' } }));
    expect(refused.message).toContain('this service may not');
    const allowed = { tenant, id: newId(AgentId), version: 1 };
    // Answered, though not as the contract wants it.
    expect((await endingOf(() => executor.bus.request(getAgentVersion, allowed))).code).toBe('internal');
    expect(executor.link.isUp).toBe(true);
  });

  it("lets no app hear another one's questions or answers, nor send frames that are not its own to send", async () => {
    const [gateway, executor, registry] = [
      await world.join('gateway'),
      await world.join('run-executor'),
      await world.join('agent-registry'),
    ];
    registry.link.subscribe(getAgentVersion.subject, (message) => message.respond('{}'));
    const heard: string[] = [];
    const session = newId(SessionId);
    for (const subject of ['_INBOX_run-executor.>', '_INBOX_gateway.>', 'rpc.agent.*', '_INBOX.>', '>']) {
      for (const { link } of [gateway, executor]) {
        if (subject.includes('gateway') && link === gateway.link) continue;
        if (subject.includes('executor') && link === executor.link) continue;
        link.subscribe(subject, (message) => heard.push(message.subject));
      }
    }
    gateway.frames.subscribe({ tenant, session }, ({ run }) => heard.push(run));
    for (const { link } of [registry, gateway, executor]) await link.settled();
    expect(world.logged.filter((line) => line.includes('NATS refuses a subscription'))).toHaveLength(8);

    await endingOf(() => executor.bus.request(getAgentVersion, { tenant, id: newId(AgentId), version: 1 }));
    registry.frames.publish({ tenant, session, run: newId(RunId), after: 0, frames: [] });
    for (const { link } of [registry, gateway, executor]) await link.check();
    expect(heard).toEqual([]);
    expect(gateway.link.isUp && executor.link.isUp && registry.link.isUp).toBe(true);
  });
});
