import fc from 'fast-check';
import { apply, fold, restorable } from './apply.js';
import { type Event } from './event.js';
import { EMPTY_HEAD, Head, inForce } from './head.js';
import { legalLogs, restingLogs, type LegalLog } from './legal-logs.contract.js';
import { endingEvents } from './settle.js';
import { costMicroUsdOf } from './usage.js';

/** The history in force, told from the log alone: what there was at `to`, then what follows. */
const inForceByHand = (events: readonly Event[]): number[] => {
  const after: number[][] = [[]];
  for (const { seq, body } of events) {
    const before = after.at(-1) ?? [];
    after.push(body.kind === 'rewound' ? (after[body.to] ?? []) : [...before, seq]);
  }
  return after.at(-1) ?? [];
};

const inForceBySpans = ({ events, heads }: LegalLog): number[] =>
  events.map(({ seq }) => seq).filter((seq) => inForce(heads.at(-1)?.spans ?? [], seq));

describe('the head of a log', () => {
  it('is the same whether it is folded at once or in pieces', () => {
    fc.assert(
      fc.property(legalLogs, fc.nat(), ({ events, heads }, at) => {
        const cut = at % (events.length + 1);
        expect(fold(events)).toEqual(heads.at(-1));
        expect(fold(events.slice(cut), heads[cut])).toEqual(fold(events));
      }),
    );
  });

  it('is what its schema says, and survives being stored as JSON', () => {
    fc.assert(
      fc.property(legalLogs, ({ heads }) => {
        for (const head of heads) expect(Head.parse(JSON.parse(JSON.stringify(head)))).toEqual(head);
      }),
    );
  });

  it('exists for any event in any state', () => {
    fc.assert(
      fc.property(legalLogs, legalLogs, ({ heads }, { events }) => {
        for (const head of heads.slice(-3)) {
          for (const event of events) expect(Head.safeParse(apply(head, event)).success).toBe(true);
        }
      }),
    );
  });

  it('does not grow with the history', () => {
    fc.assert(
      fc.property(restingLogs, ({ heads }) => {
        const { calls, asks, run } = heads.at(-1) ?? EMPTY_HEAD;
        expect({ calls, asks, run }).toEqual({ calls: {}, asks: {}, run: null });
      }),
    );
  });

  it('knows of nothing open once a run has ended, however it ended', () => {
    fc.assert(
      fc.property(legalLogs, ({ heads }) => {
        for (const head of heads) {
          const ended = apply(head, {
            seq: head.seq + 1,
            run: head.run?.id ?? null,
            body: { kind: 'run_ended', state: 'failed', reason: null },
          });
          expect({ run: ended.run, calls: ended.calls, asks: ended.asks }).toEqual({ run: null, calls: {}, asks: {} });
        }
      }),
    );
  });

  it('counts rounds, failures, tokens and costs of its run alone', () => {
    fc.assert(
      fc.property(legalLogs, ({ events, heads }) => {
        const { run } = heads.at(-1) ?? EMPTY_HEAD;
        if (!run) return;
        const own = events.filter(({ seq }) => seq >= run.first).map(({ body }) => body);
        const replies = own.filter(({ kind }) => kind === 'model_replied').length;
        const spent = own.map((body) => ('usage' in body && body.usage ? body.usage.input + body.usage.output : 0));
        expect(run.rounds).toBe(replies);
        expect(run.tokens).toBe(spent.reduce((sum, tokens) => sum + tokens, 0));
        const costs = own.map((body) => ('usage' in body && body.usage ? costMicroUsdOf(body.usage) : 0));
        const cost = costs.reduce((sum, one) => sum + one, 0);
        expect(run.costMicroUsd ?? 0).toBe(Math.min(cost, Number.MAX_SAFE_INTEGER));
        const last = own.findLastIndex(({ kind }) => kind === 'model_replied');
        expect(run.failures).toBe(own.slice(last + 1).filter(({ kind }) => kind === 'model_failed').length);
      }),
    );
  });
});

describe('the history in force', () => {
  it('is the log up to where it was rewound to, then what follows, however often', () => {
    fc.assert(
      fc.property(legalLogs, (log) => {
        expect(inForceBySpans(log)).toEqual(inForceByHand(log.events));
      }),
      { numRuns: 500 },
    );
  });

  it('is after a rollback what it was before the run, and its usage too', () => {
    fc.assert(
      fc.property(legalLogs, ({ events, heads }) => {
        const head = heads.at(-1) ?? EMPTY_HEAD;
        if (!head.run) return;
        const before = heads[head.run.first - 1] ?? EMPTY_HEAD;
        const ending = endingEvents(head, head.run, { state: 'cancelled', reason: 'rolled_back', rewind: true });
        const after = fold(
          ending.map((body, index) => ({ seq: head.seq + 1 + index, run: head.run?.id ?? null, body })),
          head,
        );
        const told = ({ spans }: Head) => events.map(({ seq }) => seq).filter((seq) => inForce(spans, seq));
        expect(told(after)).toEqual(told(before).filter((seq) => seq < (head.run?.first ?? 0)));
        expect(after.usage).toEqual(before.usage);
      }),
    );
  });

  it('comes back when a rewind is itself taken back', () => {
    fc.assert(
      fc.property(restingLogs, ({ events, heads }) => {
        const full = heads.at(-1) ?? EMPTY_HEAD;
        const rewound = apply(full, {
          seq: full.seq + 1,
          run: null,
          body: { kind: 'rewound', to: 0, restored: restorable(EMPTY_HEAD) },
        });
        const again = apply(rewound, {
          seq: full.seq + 2,
          run: null,
          body: { kind: 'rewound', to: full.seq, restored: restorable(full) },
        });
        for (const { seq } of events) {
          expect(inForce(rewound.spans, seq)).toBe(false);
          expect(inForce(again.spans, seq)).toBe(inForce(full.spans, seq));
        }
        expect(again.usage).toEqual(full.usage);
      }),
    );
  });
});
