import { type CallId, type InterruptId } from '../ids.js';
import { type TerminalState } from '../run/state.js';
import { type EventBody } from './event.js';
import { type Head, type RunHead } from './head.js';

const TOLD: Record<'cancelled' | 'unknown_outcome', string> = {
  cancelled: 'The run ended before this call was made.',
  unknown_outcome: 'The run ended while this call was under way; nobody knows whether it took effect.',
};

/**
 * The events that close whatever is open, so that the history stays well-formed for the next run: every question is
 * withdrawn and every call gets its one result. A call that was dispatched may have had its effect: it ends as
 * `unknown_outcome`, not as `cancelled`.
 */
export const settle = (head: Head): EventBody[] => [
  ...keys<InterruptId>(head.asks).map((interrupt): EventBody => ({
    kind: 'answered',
    interrupt,
    outcome: 'cancelled',
    parts: [],
  })),
  ...keys<CallId>(head.calls)
    .filter((call) => head.calls[call]?.stage !== 'settled')
    .map((call): EventBody => {
      const outcome = head.calls[call]?.stage === 'dispatched' ? 'unknown_outcome' : 'cancelled';
      return { kind: 'call_settled', call, outcome, parts: [{ type: 'text', text: TOLD[outcome], origin: 'tool' }] };
    }),
];

/** How a run ends. */
export interface Ending {
  state: TerminalState;
  reason: string | null;
  /** Take the run's events out of force: the history goes on as if it had never been. */
  rewind?: boolean;
}

/** All that has to be appended to end the run that has the turn: what is open is settled, then `run_ended`, last. */
export const endingEvents = (head: Head, run: RunHead, { state, reason, rewind }: Ending): EventBody[] => {
  const rewound: EventBody[] = rewind ? [{ kind: 'rewound', to: run.first - 1, restored: run.base }] : [];
  return [...settle(head), ...rewound, { kind: 'run_ended', state, reason }];
};

const keys = <K extends string>(record: Partial<Record<K, unknown>>): K[] => Object.keys(record) as K[];
