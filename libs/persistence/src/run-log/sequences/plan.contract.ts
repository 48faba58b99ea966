import {
  apply,
  CallId,
  InterruptId,
  type Event,
  type EventBody,
  type FactId,
  type Head,
  type NewEvent,
  type RunId,
} from '@parley/core';
import { type Addition } from '../run-log.js';
import { type Plan } from './steps.contract.js';
import { idOf } from './subject.contract.js';

const USAGE = { input: 7, cachedInput: 0, output: 3, reasoning: 0, estimated: false, costUsd: 0.000_012_3 };

/** What a writer with this plan appends to such a log; nothing where the plan does not fit. */
export const planned = (plan: Plan, head: Head): NewEvent[] => {
  const round = (head.run?.rounds ?? 0) + 1;
  const reply = { kind: 'model_replied', round, usage: USAGE, model: 'simulator/one' } as const;
  const text = { type: 'text', text: `reply of round ${round} 😀`, origin: 'model' } as const;
  const call = Object.values(head.calls).length > 0 ? openCall(head) : undefined;
  switch (plan) {
    case 'nothing':
      return [];
    case 'reply': {
      const live = {
        after: head.seq,
        cuts: [[1, 0, 5] as [number, number, number], [2, 0, 3] as [number, number, number]],
      };
      return [{ body: { ...reply, finish: 'stop', parts: [text] }, live }];
    }
    case 'calls': {
      const calls = [0, 1].map((index) => ({
        type: 'call' as const,
        id: CallId.parse(idOf('call', head.seq * 2 + index)),
        name: 'look_up',
        arguments: '{}',
        origin: 'model' as const,
      }));
      return [{ body: { ...reply, finish: 'calls', parts: [text, ...calls] } }];
    }
    case 'dispatch':
      return call ? [{ body: { kind: 'call_dispatched', call } }] : [];
    case 'settle':
      return call
        ? [{ body: { kind: 'call_settled', call, outcome: 'result', parts: [{ ...text, origin: 'tool' }] } }]
        : [];
    case 'ask':
    case 'question':
      return [{ body: ask(head, plan === 'ask' ? (call ?? null) : null) }];
    case 'fail':
      return [{ body: { kind: 'model_failed', round, attempt: 1, code: 'down', message: 'down', usage: USAGE } }];
    case 'restart':
      return [{ body: { kind: 'restarted', round } }];
  }
};

const ask = (head: Head, call: CallId | null): EventBody => ({
  kind: 'asked',
  interrupt: InterruptId.parse(idOf('asks', head.seq)),
  ask: call ? 'approval' : 'question',
  call,
});

const openCall = (head: Head): CallId | undefined => {
  const [id] = Object.entries(head.calls).find(([, { stage }]) => stage !== 'settled') ?? [];
  return id === undefined ? undefined : CallId.parse(id);
};

/** The head after these events of a run. */
export const headAfter = (head: Head, run: RunId | null, events: readonly { body: Event['body'] }[]): Head =>
  events.reduce((now, { body }) => apply(now, { seq: now.seq + 1, run, body }), head);

/** A write of a log that ended as `head` says, or one event earlier for each that its writer is `behind`. */
export const addition = (
  { head, run, behind }: { head: Head; run: RunId | null; behind: number },
  events: NewEvent[],
  { taken, left }: { taken: FactId[]; left: FactId[] },
): Addition => ({ seq: head.seq - behind, events, head: headAfter(head, run, events), taken, left });
