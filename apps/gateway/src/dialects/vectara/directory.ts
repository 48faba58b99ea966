import { Injectable } from '@nestjs/common';
import { getAgent, getSession } from '@parley/contracts';
import { type AgentId, type Key, notFound, PlatformError, type SessionId, type TenantId } from '@parley/core';
import { Bus } from '@parley/messaging';
import { type Caller } from './caller.js';
import { keyInPath } from './key.js';

const MAX_KNOWN = 20_000;

/** A session and the agent it is bound to, as the platform knows them. */
export interface SessionPlace {
  agent: AgentId;
  session: SessionId;
}

/** A session as a path names it. */
export interface SessionPath {
  agentKey: string;
  sessionKey: string;
}

/**
 * Finds the ids behind keys, and remembers them. A key is never given to another noun while its noun lives, and no id
 * is given twice, so what is remembered is either right or names nothing: who uses it is told `not_found`, and only then
 * is it looked up again. So a turn needs no look-up.
 */
@Injectable()
export class Directory {
  readonly #agents = new Known<AgentId>();
  readonly #sessions = new Known<SessionPlace>();

  constructor(private readonly bus: Bus) {}

  /**
   * Does something with the id of an agent.
   * @throws PlatformError `not_found`, with the key.
   */
  async withAgent<T>(caller: Caller, agentKey: string, use: (agent: AgentId) => Promise<T>): Promise<T> {
    const name = nameOf(caller.tenant, agentKey);
    try {
      return await retried(this.#agents, name, () => this.#findAgent(caller, agentKey), use);
    } catch (error) {
      throw missing(error) === 'agent' ? notFound('agent', agentKey) : error;
    }
  }

  /**
   * Does something with the id of a session.
   * @throws PlatformError `not_found`, with the key of what is missing.
   */
  async withSession<T>(caller: Caller, path: SessionPath, use: (place: SessionPlace) => Promise<T>): Promise<T> {
    const name = nameOf(caller.tenant, path.agentKey, path.sessionKey);
    const find = (): Promise<SessionPlace> => this.#findSession(caller, path);
    return await this.#namingSession(path, () => retried(this.#sessions, name, find, use));
  }

  /** Remembers a session that was just made: its first turn needs no look-up either. */
  note({ tenant }: Caller, { agentKey, sessionKey }: SessionPath, place: SessionPlace): void {
    this.#sessions.set(nameOf(tenant, agentKey, sessionKey), place);
  }

  /**
   * Does something with the id of an agent and the key of one of its sessions.
   * @throws PlatformError `not_found`, with the key of what is missing.
   */
  async withSessionKey<T>(
    caller: Caller,
    path: SessionPath,
    use: (at: { agent: AgentId; key: Key }) => Promise<T>,
  ): Promise<T> {
    const key = keyInPath('session', path.sessionKey);
    return await this.#namingSession(path, () => this.withAgent(caller, path.agentKey, (agent) => use({ agent, key })));
  }

  async #findAgent({ tenant, options }: Caller, agentKey: string): Promise<AgentId> {
    const agent = { key: keyInPath('agent', agentKey) };
    return (await this.bus.request(getAgent, { tenant, agent }, options)).agent;
  }

  async #findSession(caller: Caller, path: SessionPath): Promise<SessionPlace> {
    return await this.withSessionKey(caller, path, async (session) => {
      const { id } = await this.bus.request(getSession, { tenant: caller.tenant, session }, caller.options);
      return { agent: session.agent, session: id };
    });
  }

  /** What is missing is told by the key under which it was asked for. */
  async #namingSession<T>({ agentKey, sessionKey }: SessionPath, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (missing(error) === 'agent') throw notFound('agent', agentKey);
      throw missing(error) === 'session' ? notFound('session', sessionKey) : error;
    }
  }
}

/** What was looked up lately; the longest unused goes first. */
class Known<V> {
  readonly #entries = new Map<string, V>();

  get(name: string): V | undefined {
    const value = this.#entries.get(name);
    if (value !== undefined) this.set(name, value);
    return value;
  }

  set(name: string, value: V): void {
    this.#entries.delete(name);
    this.#entries.set(name, value);
    if (this.#entries.size <= MAX_KNOWN) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }
}

const retried = async <V, T>(
  known: Known<V>,
  name: string,
  find: () => Promise<V>,
  use: (value: V) => Promise<T>,
): Promise<T> => {
  const remembered = known.get(name);
  if (remembered !== undefined) {
    try {
      return await use(remembered);
    } catch (error) {
      if (missing(error) === undefined) throw error;
      known.delete(name);
    }
  }
  const found = await find();
  known.set(name, found);
  return await use(found);
};

const nameOf = (tenant: TenantId, ...keys: string[]): string => [tenant, ...keys].join('/');

/** Which of the two an error says is missing. */
const missing = (error: unknown): 'agent' | 'session' | undefined => {
  if (!(error instanceof PlatformError) || error.code !== 'not_found') return undefined;
  const { noun } = error.details;
  return noun === 'agent' || noun === 'session' ? noun : undefined;
};
