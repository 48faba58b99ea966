import { type CallId, type RunId } from '../ids.js';
import { type BodyOf, type EventBody, type Restored } from './event.js';
import { EMPTY_HEAD, type CallStage, type Head, type OpenCall, type RunHead } from './head.js';
import { costMicroUsdOf, type Usage } from './usage.js';

/** What `apply` needs of an event. */
export interface Applied {
  seq: number;
  run: RunId | null;
  body: EventBody;
}

/**
 * Folds one event into the head. Total: any event in any state gives a head, so a log can always be read. The store's
 * SQL folds `input` and `restarted` itself, since it appends them itself; a test holds the two together.
 */
export const apply = (head: Head, event: Applied): Head => {
  const next = { ...head, seq: event.seq };
  const { body } = event;
  switch (body.kind) {
    case 'input':
      return event.run === null || event.run === head.run?.id
        ? next
        : { ...next, ...startRun(head, event.run, event.seq) };
    case 'model_replied':
      return applyReply(next, event.seq, body);
    case 'call_dispatched':
      return { ...next, calls: staged(head.calls, body.call, 'dispatched') };
    case 'call_settled':
      return { ...next, calls: staged(head.calls, body.call, 'settled') };
    case 'asked':
      return { ...next, asks: { ...head.asks, [body.interrupt]: { ask: body.ask, call: body.call } } };
    case 'answered':
      return { ...next, asks: without(head.asks, body.interrupt) };
    case 'rewound':
      return { ...next, spans: rewoundSpans(body, event.seq), usage: body.restored.usage, calls: {}, asks: {} };
    case 'model_failed':
      return { ...next, run: head.run && afterFailure(head.run, body) };
    case 'restarted':
      return next;
    case 'run_ended':
      return { ...next, run: null, calls: {}, asks: {} };
  }
};

/** The head of a whole log, or of what follows `from`. */
export const fold = (events: Iterable<Applied>, from: Head = EMPTY_HEAD): Head => {
  let head = from;
  for (const event of events) head = apply(head, event);
  return head;
};

/** What a `rewound` event that aims at `head.seq` has to put back. */
export const restorable = (head: Head): Restored => ({ spans: head.spans, usage: head.usage });

const startRun = (head: Head, id: RunId, seq: number): Pick<Head, 'run' | 'calls' | 'asks'> => ({
  run: { id, first: seq, rounds: 0, failures: 0, tokens: 0, base: restorable(head) },
  calls: {},
  asks: {},
});

const applyReply = (head: Head, seq: number, body: BodyOf<'model_replied'>): Head => {
  const calls: Record<CallId, OpenCall> = {};
  body.parts.forEach((part, index) => {
    if (part.type === 'call') calls[part.id] = { seq, part: index, stage: 'intended' };
  });
  const run = head.run && { ...withoutRetry(spent(head.run, body.usage)), rounds: body.round, failures: 0 };
  return { ...head, run, calls, usage: body.usage };
};

const afterFailure = (run: RunHead, { usage, retryAt }: BodyOf<'model_failed'>): RunHead => ({
  ...withoutRetry(spent(run, usage)),
  failures: run.failures + 1,
  ...(retryAt !== undefined && { retryAt }),
});

const withoutRetry = ({ retryAt: _over, ...run }: RunHead): RunHead => run;

const spent = (run: RunHead, usage: Usage | null): RunHead => {
  if (!usage) return run;
  const costMicroUsd = Math.min((run.costMicroUsd ?? 0) + costMicroUsdOf(usage), Number.MAX_SAFE_INTEGER);
  return { ...run, tokens: run.tokens + usage.input + usage.output, ...(costMicroUsd > 0 && { costMicroUsd }) };
};

const staged = (calls: Head['calls'], id: CallId, stage: CallStage): Head['calls'] => {
  const call = calls[id];
  return call ? { ...calls, [id]: { ...call, stage } } : calls;
};

const without = <K extends string, V>(record: Record<K, V>, key: K): Record<K, V> => {
  const { [key]: _gone, ...rest } = record;
  return rest as Record<K, V>;
};

/** The spans in force at `to`, closed there, then what follows the `rewound` event itself. */
const rewoundSpans = ({ to, restored }: BodyOf<'rewound'>, seq: number): Head['spans'] => [
  ...restored.spans
    .filter(([from]) => from <= to)
    .map(([from, end]): [number, number | null] => [from, end === null || end > to ? to : end]),
  [seq + 1, null],
];
