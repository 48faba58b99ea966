import { type AgentVersion, type FrameBatch, type PlatformError, type RunId, type TenantId } from '@parley/core';
import { type ClaimedRun, type ExecutorId } from '@parley/persistence';

/** What a child asks of the run log through its parent: the verbs of the holder of one run. */
export const HOLDER_VERBS = ['append', 'park', 'finish', 'release', 'read', 'heartbeat'] as const;
/** One of `HOLDER_VERBS`. */
export type HolderVerb = (typeof HOLDER_VERBS)[number];
/** All that a child asks of its parent. */
export type ChildVerb = HolderVerb | 'putBlob' | 'readBlob';

/** The run that a child is to act, and all that it needs for it. */
export interface Task {
  claimed: ClaimedRun;
  executor: ExecutorId;
  agent: AgentVersion;
  /** Of the program. */
  settings: unknown;
}

/** A child's question. */
export interface Ask {
  kind: 'ask';
  id: number;
  verb: ChildVerb;
  args: unknown[];
}

/** The answer to the question with this id. */
export type Answer = { kind: 'answer'; id: number } & (
  { value: unknown } | { refusal: ReturnType<PlatformError['toJSON']> }
);

/** What a parent says. */
export type ToChild =
  { kind: 'act'; task: Task } | Answer | { kind: 'nudge'; tenant: TenantId; run: RunId } | { kind: 'hand_back' };

/** What a child says. `done`: it has no more to do with the run, and ends. */
export type ToParent =
  | { kind: 'ready' }
  | Ask
  | { kind: 'frames'; batch: FrameBatch }
  | { kind: 'ring'; count: number; dueAt: Date | undefined }
  | { kind: 'done' };
