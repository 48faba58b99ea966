import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getAgent, runNudged, type ParsedOf, type RequestOf, type admitRun } from '@parley/contracts';
import {
  AgentId,
  DEFAULT_BUDGET,
  endingEvents,
  fold,
  newId,
  notFound,
  RunId,
  SessionId,
  TenantId,
  type Agent,
  type AgentDefinition,
  type EventBody,
  type FactId,
  type Frame,
  type InputPart,
  type Session,
  type TerminalState,
} from '@parley/core';
import {
  Handles,
  InProcessBus,
  InProcessFrames,
  InProcessHub,
  InProcessPermits,
  InProcessServer,
} from '@parley/messaging';
import {
  AgentStore,
  createPrisma,
  PostgresAgentStore,
  PostgresRunLog,
  PostgresSessionStore,
  type ClaimedRun,
  type Held,
  type Parking,
} from '@parley/persistence';
import { createTestDatabase, type TestPostgresServer } from '@parley/testing';
import 'reflect-metadata';
import { DirectHandOver, type ReservedSlot } from './runs/direct-hand-over.js';
import { SessionModule } from './session.module.js';

/** Words of a user. */
export const words = (text: string): InputPart[] => [{ type: 'text', text, origin: 'user' }];

/** Answers for the agent registry; counts how often it is asked. */
@Controller()
class Registry {
  asked = 0;

  constructor(private readonly agents: AgentStore) {}

  @Handles(getAgent)
  async get({ tenant, agent: address }: ParsedOf<typeof getAgent>): Promise<Agent> {
    this.asked += 1;
    const agent = await this.agents.find(tenant, address);
    if (!agent) throw notFound('agent', 'id' in address ? address.id : address.key);
    return agent;
  }
}

/** An executor in this process with so many free slots; keeps what it is given. */
export class SlotsInReach extends DirectHandOver {
  free = 0;
  readonly given: ClaimedRun[] = [];
  executor = 0;

  reserve(): ReservedSlot | undefined {
    if (this.free === 0) return undefined;
    this.free -= 1;
    return {
      executor: this.executor,
      fill: (run) => void this.given.push(run),
      giveBack: () => void (this.free += 1),
    };
  }
}

/** The session service on a real database, with all that it talks to in this process. */
export const startSessionService = async (server: TestPostgresServer) => {
  const test = await createTestDatabase(server, { migrated: true });
  const database = createPrisma(test.url, { applicationName: 'spec', role: 'parley_store', max: 4 });
  const runLog = PostgresRunLog.connect(test.url, 'spec');
  const [agents, sessions] = [new PostgresAgentStore(database), new PostgresSessionStore(database)];
  const hub = new InProcessHub();
  const [bus, frames, permits] = [new InProcessBus(hub), new InProcessFrames(), new InProcessPermits()];
  const handOver = new SlotsInReach();
  const module = SessionModule.with({ bus, frames, permits, runLog, sessions, handOver });
  module.controllers?.push(Registry);
  module.providers?.push({ provide: AgentStore, useValue: agents });
  const service = await NestFactory.createMicroservice(module, {
    strategy: new InProcessServer(hub),
    logger: ['error', 'warn'],
  });
  await service.listen();
  handOver.executor = await runLog.register();
  const close = async (): Promise<void> => {
    await service.close();
    await Promise.all([runLog.close(), database.close()]);
    await test.drop();
  };
  return { bus, frames, permits, runLog, agents, sessions, handOver, registry: service.get(Registry), close };
};

type Service = Awaited<ReturnType<typeof startSessionService>>;

/** A tenant with an agent and a session, and what a client and an executor do there. */
export class Scene {
  readonly tenant = newId(TenantId);
  /** Frames of the session, in the order in which they came. */
  readonly heard: Frame[] = [];

  private constructor(
    readonly service: Service,
    readonly agent: AgentId,
    readonly session: SessionId,
  ) {}

  static async open(service: Service): Promise<Scene> {
    const scene = new Scene(service, newId(AgentId), newId(SessionId));
    await scene.makeAgent(scene.agent);
    await scene.makeSession(scene.session);
    service.frames.subscribe(scene.ref, (batch) => scene.heard.push(...batch.frames));
    return scene;
  }

  get ref(): { tenant: TenantId; session: SessionId } {
    return { tenant: this.tenant, session: this.session };
  }

  async makeAgent(id: AgentId, changes: Partial<AgentDefinition> = {}): Promise<Agent> {
    const definition = { ...DEFINITION, ...changes };
    return await this.service.agents.create(this.tenant, { id, key: id.slice(0, 8), definition });
  }

  async makeSession(id: SessionId, agent = this.agent): Promise<Session> {
    const described = { name: 'spec', description: null, metadata: {}, facets: {}, enabled: true };
    return await this.service.sessions.create(this.tenant, { id, agent, key: id.slice(0, 8), ...described });
  }

  /** An admission of 'hi' that nothing stands in the way of, but for `changes`. */
  admission(changes: Partial<RequestOf<typeof admitRun>> = {}): RequestOf<typeof admitRun> {
    const policies = { whenBusy: 'reject', whenWaiting: 'reject' } as const;
    return { ...this.ref, id: newId(RunId), agent: this.agent, parts: words('hi'), ...policies, ...changes };
  }

  /** This process's executor takes the session's run. */
  async claim(): Promise<ClaimedRun> {
    const claimed = await this.service.runLog.claim(this.service.handOver.executor, 100);
    const mine = claimed.find(({ session }) => session === this.session);
    if (!mine) throw new Error('there was nothing to claim');
    return mine;
  }

  held({ tenant, session, run, epoch }: ClaimedRun): Held {
    return { tenant, session, run, epoch, executor: this.service.handOver.executor };
  }

  /** What the executor writes: events behind those that `claimed` knows. */
  addition({ head, run }: ClaimedRun, events: EventBody[], taken: FactId[] = []) {
    const applied = events.map((body, index) => ({ seq: head.seq + 1 + index, run, body }));
    return { seq: head.seq, events: events.map((body) => ({ body })), head: fold(applied, head), taken, left: [] };
  }

  async finish(claimed: ClaimedRun, state: TerminalState, taken: FactId[] = [], reason: string | null = null) {
    const end = { state, reason };
    const events = claimed.head.run ? endingEvents(claimed.head, claimed.head.run, end) : [];
    const addition = this.addition(claimed, events, taken);
    const written = await this.service.runLog.finish(this.held(claimed), addition, end);
    if (written.outcome !== 'written') return written;
    const stored = await this.service.runLog.read(this.ref, { after: claimed.head.seq, limit: events.length });
    const frames = (stored?.events ?? []).map((event): Frame => ({ kind: 'event', id: 0, run: event.run, event }));
    this.service.frames.publish({ ...this.ref, run: claimed.run, after: 0, frames });
    return written;
  }

  async park(claimed: ClaimedRun, events: EventBody[], parking: Parking) {
    return await this.service.runLog.park(this.held(claimed), this.addition(claimed, events), parking);
  }

  /** Kinds of the session's events, in order. */
  async log(): Promise<string[]> {
    const page = await this.service.runLog.read(this.ref, { after: 0, limit: 1_000 });
    return (page?.events ?? []).map(({ body }) => body.kind);
  }

  /** Runs that this executor is told to look at, from now on. */
  nudges(): RunId[] {
    const runs: RunId[] = [];
    this.service.bus.subscribe(runNudged, ({ executor, run }) => {
      if (executor === this.service.handOver.executor) runs.push(run);
    });
    return runs;
  }

  /** Kinds of the events that streams have seen. */
  get shown(): string[] {
    return this.heard.flatMap((frame) => (frame.kind === 'event' ? [frame.event.body.kind] : []));
  }
}

const DEFINITION: AgentDefinition = {
  name: 'Greeter',
  description: null,
  enabled: true,
  model: { handle: 'simulator/sim-1-0', parameters: {} },
  instructions: [],
  budget: DEFAULT_BUDGET,
  metadata: {},
  facets: {},
};
