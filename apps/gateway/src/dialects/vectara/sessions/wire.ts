import { JsonObject, Key } from '@parley/core';
import { z } from 'zod';
import { Limit } from '../paging.js';
import { emptyMap, notYet, onlyAt } from '../unsupported.js';

const fields = {
  name: z.string().min(1).max(255),
  /** Empty: none is wanted; the published API makes one up where the field is absent, this version never does. */
  description: z.string(),
  metadata: JsonObject,
  enabled: z.boolean(),
  tti_minutes: onlyAt(0),
  secrets: emptyMap(),
};

/** Body of POST /v2/agents/{agent_key}/sessions. */
export const CreateSessionRequest = z.strictObject({
  key: Key.optional(),
  name: fields.name.optional(),
  description: fields.description.optional(),
  metadata: fields.metadata.optional(),
  enabled: fields.enabled.optional(),
  tti_minutes: fields.tti_minutes.optional(),
  secrets: fields.secrets.optional(),
  from_session: notYet.optional(),
});
export type CreateSessionRequest = z.infer<typeof CreateSessionRequest>;

/** Body of PATCH: absent keeps; `metadata` is replaced as a whole; a secret that maps to null is taken out. */
export const UpdateSessionRequest = z.strictObject({
  name: fields.name.optional(),
  description: fields.description.optional(),
  metadata: fields.metadata.optional(),
  enabled: fields.enabled.optional(),
  tti_minutes: fields.tti_minutes.optional(),
  secrets: z
    .record(z.string(), z.unknown())
    .transform((change) => Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null)))
    .pipe(fields.secrets)
    .optional(),
});
export type UpdateSessionRequest = z.infer<typeof UpdateSessionRequest>;

/** Query of GET /v2/agents/{agent_key}/sessions. */
export const ListSessionsQuery = z.strictObject({
  filter: z.string().max(256).optional(),
  metadata_filter: notYet.optional(),
  limit: Limit,
  page_key: z.string().optional(),
});
export type ListSessionsQuery = z.infer<typeof ListSessionsQuery>;

/** Tokens of the latest model call. */
export interface ContextUsage {
  input_tokens: { count: number; cached_tokens: number };
  output_tokens: { count: number; reasoning_tokens: number };
  total_tokens: number;
}

/** A session as it is read. */
export interface SessionView {
  key: Key;
  agent_key: string;
  name: string;
  description?: string;
  metadata: JsonObject;
  /** Null: the next message starts at the agent's first step. */
  current_step_name: null;
  enabled: boolean;
  status: 'unstarted' | 'running' | 'stopped';
  tti_minutes: 0;
  created_at: string;
  session_context_usage?: ContextUsage;
  alias_key: null;
  secrets: Record<string, never>;
}
