import { type Session, type Usage } from '@parley/core';
import { type ContextUsage, type CreateSessionRequest, type SessionView, type UpdateSessionRequest } from './wire.js';

/** What a session is described by in the core. */
type Described = Pick<Session, 'name' | 'description' | 'metadata' | 'facets' | 'enabled'>;

/** The session that a request describes; one without a name is called by its key. */
export const toDescribed = (request: CreateSessionRequest, key: string): Described => ({
  name: request.name ?? key,
  description: request.description ?? null,
  metadata: request.metadata ?? {},
  facets: {},
  enabled: request.enabled ?? true,
});

/** The fields that a PATCH changes. */
export const toChange = ({ name, description, metadata, enabled }: UpdateSessionRequest): Partial<Described> => ({
  ...(name === undefined ? {} : { name }),
  ...(description === undefined ? {} : { description }),
  ...(metadata === undefined ? {} : { metadata }),
  ...(enabled === undefined ? {} : { enabled }),
});

/** A session as it is read. */
export const toSessionView = (session: Session, agentKey: string): SessionView => ({
  key: session.key,
  agent_key: agentKey,
  name: session.name,
  ...(session.description === null ? {} : { description: session.description }),
  metadata: session.metadata,
  current_step_name: null,
  enabled: session.enabled,
  status: statusOf(session),
  tti_minutes: 0,
  created_at: session.createdAt.toISOString(),
  ...(session.head.usage ? { session_context_usage: toContextUsage(session.head.usage) } : {}),
  alias_key: null,
  secrets: {},
});

/** Usage of a model call, as sessions and streams show it. The size of the window is not known yet, and left out. */
export const toContextUsage = ({ input, cachedInput, output, reasoning }: Usage): ContextUsage => ({
  input_tokens: { count: input, cached_tokens: cachedInput },
  output_tokens: { count: output, reasoning_tokens: reasoning },
  total_tokens: input + output,
});

const statusOf = ({ head, active }: Session): SessionView['status'] => {
  if (active) return 'running';
  return head.seq === 0 ? 'unstarted' : 'stopped';
};
