import {
  CallId,
  InterruptId,
  type Ending,
  type Event,
  type EventBody,
  type InterruptKind,
  type OpenCall,
  type WaitingFor,
} from '@parley/core';
import { type Hand } from './hand.js';

/**
 * What the tools of the simulation are: `free` may be called again, `once` may not; `guarded` needs leave; `client` is
 * called by the client; `child` is another run.
 */
export const TOOLS = ['free', 'free', 'once', 'guarded', 'client', 'child'] as const;
export type Tool = (typeof TOOLS)[number];

/** What a reply that calls these tools asks for at once, in the same commit. */
export const ASKS: Partial<Record<Tool, InterruptKind>> = { guarded: 'approval', client: 'client_tool' };

/** After this time a question counts as answered by nobody. */
export const EXPIRY_MS = 3_600_000;

/** What to do next with a run. */
export type Action =
  | { do: 'end'; end: Ending }
  | { do: 'record'; events: EventBody[] }
  | { do: 'call'; call: CallId; once: boolean }
  | { do: 'rest'; waitingFor: WaitingFor; dueAt: Date; children: CallId[] }
  | { do: 'ask the model' };

/** The loop's decision: pure, from the head, the log and the time. */
export const decide = (
  { head, log, startedAt, budget }: Pick<Hand, 'head' | 'log' | 'startedAt' | 'budget'>,
  now: Date,
): Action => {
  const deadline = startedAt.getTime() + budget.wallMs;
  if (now.getTime() >= deadline) return { do: 'end', end: { state: 'timed_out', reason: null } };
  const asks = Object.entries(head.asks).map(([id, ask]) => ({
    ...ask,
    id: InterruptId.parse(id),
    until: until(log, id),
  }));
  const expired = asks.filter((ask) => ask.until <= now.getTime());
  if (expired.length > 0) return { do: 'record', events: expired.flatMap(expire) };
  const open = Object.entries(head.calls)
    .filter(([, { stage }]) => stage !== 'settled')
    .map(([id, call]) => ({ id: CallId.parse(id), ...call, tool: toolOf(log, call) }));
  const lost = open.filter(({ stage }) => stage === 'dispatched');
  if (lost.length > 0) return { do: 'record', events: lost.map(({ id }) => settled(id, 'unknown_outcome')) };
  const ready = open.find(({ id, tool }) => tool !== 'child' && !asks.some(({ call }) => call === id));
  if (ready) return { do: 'call', call: ready.id, once: ready.tool === 'once' };
  if (open.length > 0 || asks.length > 0) {
    const children = open.filter(({ tool }) => tool === 'child').map(({ id }) => id);
    const dueAt = new Date(Math.min(deadline, ...asks.map((ask) => ask.until)));
    return { do: 'rest', waitingFor: waitingFor(asks), dueAt, children };
  }
  if ((head.run?.failures ?? 0) >= 3) return { do: 'end', end: { state: 'failed', reason: 'model_failed' } };
  if ((head.run?.rounds ?? 0) >= budget.rounds)
    return { do: 'end', end: { state: 'failed', reason: 'rounds_exceeded' } };
  return { do: 'ask the model' };
};

export const settled = (call: CallId, outcome: 'result' | 'denied' | 'unknown_outcome'): EventBody => ({
  kind: 'call_settled',
  call,
  outcome,
  parts: [{ type: 'text', text: outcome, origin: 'tool' }],
});

const waitingFor = (asks: { ask: InterruptKind }[]): WaitingFor => {
  if (asks.length === 0) return 'child';
  return asks.every(({ ask }) => ask === 'client_tool') ? 'client' : 'person';
};

const expire = ({ id, call }: { id: InterruptId; call: CallId | null }): EventBody[] => {
  const answered: EventBody = { kind: 'answered', interrupt: id, outcome: 'expired', parts: [] };
  return call === null ? [answered] : [answered, settled(call, 'denied')];
};

const until = (log: readonly Event[], interrupt: string): number => {
  const asked = log.find(({ body }) => body.kind === 'asked' && body.interrupt === interrupt);
  return (asked?.at.getTime() ?? 0) + EXPIRY_MS;
};

const toolOf = (log: readonly Event[], { seq, part }: OpenCall): Tool => {
  const body = log[seq - 1]?.body;
  const call = body?.kind === 'model_replied' ? body.parts[part] : undefined;
  return TOOLS.find((tool) => call?.type === 'call' && call.name === tool) ?? 'free';
};
