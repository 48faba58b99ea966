import fc from 'fast-check';
import { CallId, FactId, InterruptId, RunId } from '../ids.js';
import { fold } from './apply.js';
import { type EventBody } from './event.js';
import { type Fact, type FactBody } from './fact.js';
import { EMPTY_HEAD, hasOpenAsk, hasOpenCall, type Head } from './head.js';
import { legalLogs, texts } from './legal-logs.contract.js';
import { place } from './place.js';

const id = (number: number): string => `11111111-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

const wishes = fc.array(
  fc.record({
    kind: fc.constantFrom('answer', 'answer', 'steer', 'steer', 'child_finished', 'patch', 'cancel'),
    which: fc.nat(4),
    text: texts,
    outcome: fc.constantFrom('approved' as const, 'denied' as const, 'answered' as const),
  }),
  { maxLength: 6 },
);

/** Facts about what is open in this log, or was, or never was. */
const factsFor = (head: Head, wanted: typeof wishes extends fc.Arbitrary<infer W> ? W : never): Fact[] =>
  wanted.map(({ kind, which, text, outcome }, index) => {
    const asks = [...Object.keys(head.asks), id(900)];
    const calls = [...Object.keys(head.calls), id(901)];
    const parts = [{ type: 'text' as const, text, origin: 'user' as const }];
    const bodies: Record<typeof kind, FactBody> = {
      answer: { kind: 'answer', interrupt: InterruptId.parse(asks[which % asks.length]), outcome, parts },
      steer: { kind: 'steer', parts },
      child_finished: {
        kind: 'child_finished',
        call: CallId.parse(calls[which % calls.length]),
        outcome: 'result',
        parts,
      },
      patch: { kind: 'patch' },
      cancel: { kind: 'cancel', reason: null, rewind: false },
    };
    return { id: FactId.parse(id(index)), run: head.run?.id ?? RunId.parse(id(902)), body: bodies[kind] };
  });

/** A running run's head and what somebody told it. */
const told = fc
  .tuple(legalLogs, wishes)
  .map(([{ heads }, wanted]) => {
    const head = heads.findLast(({ run }) => run !== null) ?? EMPTY_HEAD;
    return { head, facts: factsFor(head, wanted) };
  })
  .filter(({ head }) => head.run !== null);

const after = (head: Head, bodies: EventBody[]): Head =>
  fold(
    bodies.map((body, index) => ({ seq: head.seq + 1 + index, run: head.run?.id ?? null, body })),
    head,
  );

const hasCancel = (facts: readonly Fact[]): boolean => facts.some(({ body }) => body.kind === 'cancel');

describe('place', () => {
  it('takes or leaves every fact, once', () => {
    fc.assert(
      fc.property(told, ({ head, facts }) => {
        const { taken, left } = place(head, facts);
        expect([...taken, ...left].map((fact) => fact.id).sort()).toEqual(facts.map((fact) => fact.id).sort());
      }),
    );
  });

  it('takes nothing more of what it left until something else happens', () => {
    fc.assert(
      fc.property(told, ({ head, facts }) => {
        if (hasCancel(facts)) return;
        const { left, events } = place(head, facts);
        expect(place(after(head, events), left)).toEqual({ taken: [], events: [], left, cancel: null });
      }),
    );
  });

  it('leaves only steers, and those only while a call or question is open', () => {
    fc.assert(
      fc.property(told, ({ head, facts }) => {
        if (hasCancel(facts)) return;
        const { left, events } = place(head, facts);
        const then = after(head, events);
        expect(left.every(({ body }) => body.kind === 'steer')).toBe(true);
        if (left.length > 0) expect(hasOpenCall(then) || hasOpenAsk(then)).toBe(true);
      }),
    );
  });

  it('lets words in only when nothing is open any more', () => {
    fc.assert(
      fc.property(told, ({ head, facts }) => {
        const { events } = place(head, facts);
        const then = after(head, events);
        if (events.some(({ kind }) => kind === 'input')) expect(hasOpenCall(then) || hasOpenAsk(then)).toBe(false);
      }),
    );
  });

  it('keeps the order of what was said', () => {
    fc.assert(
      fc.property(told, ({ head, facts }) => {
        const said = facts.filter(({ body }) => body.kind === 'steer').map((fact) => fact.id);
        const heard = place(head, facts).events.flatMap((body) => (body.kind === 'input' ? [body.fact] : []));
        expect(heard).toEqual(said.slice(0, heard.length));
      }),
    );
  });

  it('gives the same whether facts come at once or one by one, if nobody cancels', () => {
    fc.assert(
      fc.property(told, ({ head, facts }) => {
        if (hasCancel(facts) || facts.some(({ body }) => body.kind === 'steer')) return;
        const atOnce = place(head, facts).events;
        const oneByOne = facts.reduce<EventBody[]>(
          (events, fact) => [...events, ...place(after(head, events), [fact]).events],
          [],
        );
        expect(atOnce).toEqual(oneByOne);
      }),
    );
  });

  it('gives each call one result and each question one answer, however many speak', () => {
    fc.assert(
      fc.property(told, ({ head, facts }) => {
        const { events } = place(head, facts);
        const settled = events.flatMap((body) => (body.kind === 'call_settled' ? [body.call] : []));
        const answered = events.flatMap((body) => (body.kind === 'answered' ? [body.interrupt] : []));
        expect(new Set([...settled, ...answered]).size).toBe(settled.length + answered.length);
        for (const call of settled) expect(head.calls[call]?.stage).not.toBe('settled');
        for (const interrupt of answered) expect(head.asks).toHaveProperty(interrupt);
      }),
    );
  });

  it('lets the first cancel overrule all else', () => {
    fc.assert(
      fc.property(told, ({ head, facts }) => {
        const first = facts.find(({ body }) => body.kind === 'cancel');
        const { cancel, taken, events } = place(head, facts);
        expect(cancel).toEqual(first ?? null);
        if (first) expect({ taken, events }).toEqual({ taken: [first], events: [] });
      }),
    );
  });
});
