import {
  type admitRun,
  type createSession,
  type listSessions,
  type ParsedOf,
  type ResponseOf,
  type SessionAddress,
  type updateSession,
} from '@parley/contracts';
import {
  type AgentId,
  notFound,
  type Page,
  PlatformError,
  type Session,
  type SessionId,
  type TenantId,
} from '@parley/core';
import { type Frames } from '@parley/messaging';
import { type FakeAgents } from './fake-agents.js';
import { FakeLog } from './fake-log.js';
import { matches, pageOfItems } from './fake-page.js';
import { type Script } from './fake-turn.js';

interface Kept {
  tenant: TenantId;
  session: Session;
  log: FakeLog;
}

/** Sessions in memory, each with its log. */
export class FakeSessions {
  readonly #kept = new Map<string, Kept>();

  constructor(
    private readonly agents: FakeAgents,
    private readonly frames: Frames,
    /** What the runs of all sessions play from now on. */
    public script: Script,
  ) {}

  create({ tenant, id, agent, key, ...described }: ParsedOf<typeof createSession>): Session {
    this.agents.get(tenant, { id: agent });
    const known = this.#kept.get(id) ?? this.#find(tenant, { agent, key });
    if (known && known.session.id !== id) throw new PlatformError('conflict', `a session has the key '${key}'`);
    if (known) return known.session;
    const now = new Date();
    const log = new FakeLog({ tenant, session: id }, this.frames, (turn) => this.script(turn));
    const session = { id, agent, key, ...described, createdAt: now, updatedAt: now, head: log.head, active: null };
    this.#kept.set(id, { tenant, session, log });
    return session;
  }

  get(tenant: TenantId, address: SessionAddress): Session {
    const { session, log } = this.#get(tenant, address);
    return { ...session, head: log.head, active: log.active };
  }

  list({ tenant, agent, pattern, ...page }: ParsedOf<typeof listSessions>): Page<Session> {
    const found = [...this.#kept.values()].reverse().filter(({ tenant: owner, session }) => {
      const isOf = owner === tenant && session.agent === agent;
      return isOf && matches(pattern, session.name, session.description);
    });
    return pageOfItems(
      found.map(({ session }) => this.get(tenant, { id: session.id })),
      page,
    );
  }

  update({ tenant, id, change }: ParsedOf<typeof updateSession>): Session {
    const kept = this.#get(tenant, { id });
    const { session } = kept;
    kept.session = {
      ...session,
      name: change.name ?? session.name,
      description: change.description === undefined ? session.description : change.description,
      metadata: change.metadata ?? session.metadata,
      enabled: change.enabled ?? session.enabled,
      updatedAt: new Date(),
    };
    return this.get(tenant, { id });
  }

  delete(tenant: TenantId, id: SessionId): Record<string, never> {
    const { log } = this.#get(tenant, { id });
    if (log.active) log.cancel(log.active.run, 'session_deleted');
    this.#kept.delete(id);
    return {};
  }

  areUnder(agent: AgentId): boolean {
    return [...this.#kept.values()].some(({ session }) => session.agent === agent);
  }

  admit(request: ParsedOf<typeof admitRun>): ResponseOf<typeof admitRun> {
    const { tenant, agent } = request;
    const { session, log } = this.#get(tenant, { id: request.session });
    const { enabled } = this.agents.get(tenant, { id: agent }).definition;
    if (!session.enabled) throw disabled('session', session.id);
    if (!enabled) throw disabled('agent', agent);
    return log.admit(request);
  }

  logOf(tenant: TenantId, id: SessionId): FakeLog {
    return this.#get(tenant, { id }).log;
  }

  /** All logs, of one tenant or of everybody. */
  logs(tenant?: TenantId): FakeLog[] {
    return [...this.#kept.values()]
      .filter((kept) => tenant === undefined || kept.tenant === tenant)
      .map(({ log }) => log);
  }

  #get(tenant: TenantId, address: SessionAddress): Kept {
    const kept = this.#find(tenant, address);
    if (!kept) throw notFound('session', 'id' in address ? address.id : address.key);
    return kept;
  }

  #find(tenant: TenantId, address: SessionAddress): Kept | undefined {
    return [...this.#kept.values()].find(
      ({ tenant: owner, session }) =>
        owner === tenant &&
        ('id' in address ? session.id === address.id : session.agent === address.agent && session.key === address.key),
    );
  }
}

const disabled = (noun: string, id: string): PlatformError =>
  new PlatformError('illegal_state', `${noun} '${id}' is disabled`, { noun, id });
