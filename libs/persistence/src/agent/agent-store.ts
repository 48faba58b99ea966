import {
  type Agent,
  type AgentDefinition,
  type AgentId,
  type AgentVersion,
  type Key,
  type Page,
  type TenantId,
} from '@parley/core';

/** An agent to be made. */
export interface NewAgent {
  id: AgentId;
  key: Key;
  definition: AgentDefinition;
}

/** Which agents a page lists. */
export interface AgentQuery {
  /** An RE2 expression that name or description has to contain a match of. */
  pattern?: string | undefined;
  enabled?: boolean | undefined;
  limit: number;
  /** The `next` of the page before. */
  after?: string | undefined;
}

/** What became of a revision. */
export type Revised = Agent | 'not_found' | 'outdated';

/** The agents of each tenant, every version of them. */
export abstract class AgentStore {
  /**
   * Makes an agent, at version 1. Asking twice with one id gives the first answer.
   * @throws PlatformError `conflict`: another agent has that key.
   */
  abstract create(tenant: TenantId, agent: NewAgent): Promise<Agent>;

  abstract find(tenant: TenantId, address: { id: AgentId } | { key: Key }): Promise<Agent | undefined>;

  abstract findVersion(tenant: TenantId, id: AgentId, version: number): Promise<AgentVersion | undefined>;

  /**
   * Newest first, by (created, id). A page may be short, or empty, though the list goes on: a filter looks through a
   * bounded number of agents at a time, and it closes at `MAX_PAGE_BYTES`.
   * @throws PlatformError `invalid_input` for a pattern or cursor that is none.
   */
  abstract list(tenant: TenantId, query: AgentQuery): Promise<Page<Agent>>;

  /**
   * Makes the next version. `outdated`: `expected` is not the newest one. Asking twice for the same change gives the
   * first answer.
   */
  abstract revise(tenant: TenantId, id: AgentId, expected: number, definition: AgentDefinition): Promise<Revised>;

  /** Removes the agent with all its versions. */
  abstract remove(tenant: TenantId, id: AgentId): Promise<'removed' | 'not_found' | 'has_sessions'>;
}
