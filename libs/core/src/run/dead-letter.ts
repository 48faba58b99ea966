import { z } from 'zod';
import { AgentId, RunId, SessionId } from '../ids.js';
import { type InputPart, textOf } from '../log/part/part.js';
import { type Run } from './run.js';

/** How the reason of every dead letter begins; the index of the store is made of runs whose reason does. */
export const POISON = 'poison: ';
/** How many code points of its input a dead letter shows. */
export const PREVIEW_POINTS = 200;

/** A run that ended because it killed every process that acted it (DESIGN §7.7). */
export const DeadLetter = z.object({
  run: RunId,
  session: SessionId,
  agent: AgentId,
  reason: z.string(),
  /** When it ended. */
  at: z.coerce.date(),
  /** The beginning of its input; without what was erased. */
  preview: z.string(),
});
export type DeadLetter = z.infer<typeof DeadLetter>;

/** The run as a dead letter; undefined where it is none. */
export const deadLetterOf = ({ id, session, agent, state, reason, endedAt, parts }: DeadRun): DeadLetter | undefined =>
  state === 'failed' && endedAt !== null && reason?.startsWith(POISON)
    ? { run: id, session, agent, reason, at: endedAt, preview: previewOf(parts) }
    : undefined;

type DeadRun = Pick<Run, 'id' | 'session' | 'agent' | 'state' | 'reason' | 'endedAt' | 'parts'>;

const previewOf = (parts: readonly InputPart[]): string => {
  const text = parts.flatMap((part) => textOf(part) ?? []).join('\n');
  return [...text.slice(0, PREVIEW_POINTS * 2)].slice(0, PREVIEW_POINTS).join('');
};
