import { z } from 'zod';
import { Key } from './agent/agent.js';
import { AgentId, RunId, SessionId } from './ids.js';
import { JsonObject } from './json.js';
import { Head } from './log/head.js';
import { RunState } from './run/state.js';

/** What a session is called and described by; its log is read apart. */
export const Session = z.object({
  id: SessionId,
  /** Bound at creation or at the first run. */
  agent: AgentId.nullable(),
  /** Unique within the agent. */
  key: Key,
  name: z.string(),
  description: z.string().nullable(),
  metadata: JsonObject,
  facets: z.record(z.string(), JsonObject),
  enabled: z.boolean(),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date(),
  head: Head,
  /** The run that has the turn, and its state; null when the session is idle. */
  active: z.object({ run: RunId, state: RunState }).nullable(),
});
export type Session = z.infer<typeof Session>;
