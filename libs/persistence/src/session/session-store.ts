import {
  type AgentId,
  type JsonObject,
  type Key,
  type Page,
  type Session,
  type SessionId,
  type TenantId,
} from '@parley/core';

/** What a session is described by; all that this store may change. */
export interface SessionDescription {
  name: string;
  description: string | null;
  metadata: JsonObject;
  facets: Record<string, JsonObject>;
  enabled: boolean;
}

/** A session to be made. */
export interface NewSession extends SessionDescription {
  id: SessionId;
  agent: AgentId;
  key: Key;
}

/** Which sessions a page lists. */
export interface SessionQuery {
  agent: AgentId;
  /** An RE2 expression that name or description has to contain a match of. */
  pattern?: string | undefined;
  limit: number;
  /** The `next` of the page before. */
  after?: string | undefined;
}

/** What sessions are called and described by. Their logs, heads and ends are RunLog's: it alone writes and removes them. */
export abstract class SessionStore {
  /**
   * Makes a session with an empty log. Asking twice with one id gives that session.
   * @throws PlatformError `not_found`: no such agent; `illegal_state`: the agent is disabled; `conflict`: the agent has
   *   a session of that key.
   */
  abstract create(tenant: TenantId, session: NewSession): Promise<Session>;

  abstract find(
    tenant: TenantId,
    address: { id: SessionId } | { agent: AgentId; key: Key },
  ): Promise<Session | undefined>;

  /**
   * Newest first, by (created, id). A page may be short, or empty, though the list goes on: a filter looks through a
   * bounded number of sessions at a time, and it closes at `MAX_PAGE_BYTES`.
   * @throws PlatformError `invalid_input` for a pattern or cursor that is none.
   */
  abstract list(tenant: TenantId, query: SessionQuery): Promise<Page<Session>>;

  /** Changes only what is given. */
  abstract update(
    tenant: TenantId,
    id: SessionId,
    change: { [K in keyof SessionDescription]?: SessionDescription[K] | undefined },
  ): Promise<Session | undefined>;
}
