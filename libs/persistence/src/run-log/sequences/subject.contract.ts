import { AgentId, RunId, SessionId, type TenantId } from '@parley/core';
import { type ExecutorId, type RunLog } from '../run-log.js';

/** An agent as admission knows it. */
export interface AgentSeed {
  id: AgentId;
  version: number;
  enabled: boolean;
}

/** A session without a log. */
export interface SessionSeed {
  id: SessionId;
  agent: AgentId | null;
  enabled: boolean;
}

/** A RunLog, and what a test may do to the world that it stands in. */
export interface Subject {
  readonly log: RunLog;
  /** The clock that the store goes by; never the same twice. */
  now(): Date;
  /** Makes agents and sessions of a tenant. */
  furnish(tenant: TenantId, seeds: { agents: AgentSeed[]; sessions: SessionSeed[] }): Promise<void>;
  /** Removes all that the tenant has, its running runs too. */
  clear(tenant: TenantId): Promise<void>;
  /** Lets time pass for the tenant's runs: whatever they wait for comes nearer by so many milliseconds. */
  elapse(tenant: TenantId, ms: number): Promise<void>;
  /** Ends the connection that shows this executor alive. */
  kill(executor: ExecutorId): Promise<void>;
}

/** An id that is easy to tell in a log: the same for the same kind and number. */
export const idOf = (kind: string, number: number): string => {
  const letters = [...kind].map((letter) => letter.charCodeAt(0).toString(16)).join('');
  return `${letters.slice(0, 8).padEnd(8, '0')}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
};

export const agentId = (number: number): AgentId => AgentId.parse(idOf('agnt', number));
export const sessionId = (number: number): SessionId => SessionId.parse(idOf('sess', number));
export const runId = (number: number): RunId => RunId.parse(idOf('runs', number));

/** What every sequence finds in each of its tenants: the ids are the same in all of them. */
export const SEEDS: { agents: AgentSeed[]; sessions: SessionSeed[] } = {
  agents: [
    { id: agentId(1), version: 3, enabled: true },
    { id: agentId(2), version: 1, enabled: false },
  ],
  sessions: [
    { id: sessionId(1), agent: agentId(1), enabled: true },
    { id: sessionId(2), agent: null, enabled: true },
    { id: sessionId(3), agent: agentId(1), enabled: false },
  ],
};

/** A clock that never shows the same millisecond twice. */
export const risingClock = (clock: () => number = Date.now): (() => Date) => {
  let last = 0;
  return () => new Date((last = Math.max(last + 1, clock())));
};
