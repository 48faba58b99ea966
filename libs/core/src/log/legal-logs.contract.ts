import fc from 'fast-check';
import { CallId, FactId, InterruptId, RunId } from '../ids.js';
import { apply, restorable } from './apply.js';
import { type AnswerOutcome, type Event, type EventBody, type Live } from './event.js';
import { EMPTY_HEAD, hasOpenAsk, hasOpenCall, type Head } from './head.js';
import { type ReplyPart, type TextPart } from './part/part.js';
import { endingEvents, type Ending } from './settle.js';

/** An id that is the same for the same number. */
const uuid = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

/** Text of any kind that may be stored: with pairs, combining marks, and nothing at all. */
export const texts = fc.string({ unit: 'grapheme', maxLength: 12 });

const usages = fc.record(
  {
    input: fc.nat(1_000),
    cachedInput: fc.nat(100),
    output: fc.nat(1_000),
    reasoning: fc.nat(100),
    estimated: fc.boolean(),
    costUsd: fc.oneof(
      fc.double({ min: 0, max: 10, noNaN: true }),
      fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    ),
  },
  { requiredKeys: ['input', 'cachedInput', 'output', 'reasoning', 'estimated'] },
);

/** One thing that may happen next; what does not fit the log that is there is left out. */
const moves = fc.oneof(
  { weight: 4, arbitrary: fc.record({ move: fc.constant('input'), text: texts }) },
  {
    weight: 6,
    arbitrary: fc.record({
      move: fc.constant('reply'),
      texts: fc.array(texts, { maxLength: 2 }),
      calls: fc.nat(3),
      usage: usages,
      cuts: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ move: fc.constant('dispatch'), which: fc.nat(3) }) },
  { weight: 5, arbitrary: fc.record({ move: fc.constant('settle'), which: fc.nat(3), text: texts }) },
  { weight: 3, arbitrary: fc.record({ move: fc.constant('ask'), which: fc.nat(4) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      move: fc.constant('answer'),
      which: fc.nat(3),
      outcome: fc.constantFrom<AnswerOutcome[]>('approved', 'answered', 'expired'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ move: fc.constant('fail'), usage: fc.option(usages) }) },
  { weight: 1, arbitrary: fc.record({ move: fc.constant('restart') }) },
  { weight: 3, arbitrary: fc.record({ move: fc.constant('end'), rewind: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ move: fc.constant('rewind'), to: fc.nat(60) }) },
);
type Move = typeof moves extends fc.Arbitrary<infer M> ? M : never;

/** A log as the platform writes it, and the head after each of its events; [0] is the empty log's. */
export interface LegalLog {
  events: Event[];
  heads: Head[];
}

/** Logs that keep every rule of the loop and of the store: any run at any point, open calls and questions too. */
export const legalLogs: fc.Arbitrary<LegalLog> = fc
  .array(moves, { minLength: 1, maxLength: 40, size: 'max' })
  .map((all) => {
    const writer = new Writer();
    for (const move of all) writer.make(move);
    return { events: writer.events, heads: writer.heads };
  });

/** Logs at whose end no run has the turn. */
export const restingLogs: fc.Arbitrary<LegalLog> = fc
  .array(moves, { minLength: 1, maxLength: 40, size: 'max' })
  .map((all) => {
    const writer = new Writer();
    for (const move of all) writer.make(move);
    writer.make({ move: 'end', rewind: false });
    return { events: writer.events, heads: writer.heads };
  });

class Writer {
  readonly events: Event[] = [];
  readonly heads: Head[] = [EMPTY_HEAD];
  private run: RunId | null = null;
  private made = 0;

  private get head(): Head {
    return this.heads.at(-1) ?? EMPTY_HEAD;
  }

  make(move: Move): void {
    const { head } = this;
    if (move.move === 'rewind') return this.rewind(move.to);
    if (move.move === 'input') return this.input(move.text);
    if (!head.run) return;
    switch (move.move) {
      case 'reply':
        if (!hasOpenCall(head) && !hasOpenAsk(head)) this.reply(move, head.run.rounds + 1);
        return;
      case 'dispatch': {
        const call = this.callAt(move.which, 'intended');
        return call && this.write({ kind: 'call_dispatched', call });
      }
      case 'settle': {
        const call = this.callAt(move.which, 'intended', 'dispatched');
        if (call && !Object.values(head.asks).some((ask) => ask.call === call)) this.settle(call, move.text);
        return;
      }
      case 'ask':
        return this.ask(move.which);
      case 'answer':
        return this.answer(move);
      case 'fail':
        return this.write({
          kind: 'model_failed',
          round: head.run.rounds + 1,
          attempt: head.run.failures + 1,
          code: 'model_failed',
          message: 'the model is away',
          usage: move.usage,
        });
      case 'restart':
        return this.write({ kind: 'restarted', round: head.run.rounds + 1 });
      case 'end': {
        const ending: Ending = { state: 'succeeded', reason: null, rewind: move.rewind };
        for (const body of endingEvents(head, head.run, ending)) this.write(body);
        this.run = null;
        return;
      }
    }
  }

  private write(body: EventBody, live: Live | null = null): void {
    const seq = this.head.seq + 1;
    const event: Event = { seq, run: this.run, at: new Date(seq * 1_000), body, live, hidden: [] };
    this.events.push(event);
    this.heads.push(apply(this.head, event));
  }

  private input(text: string): void {
    const parts = [this.text(text, 'user')];
    if (!this.head.run) this.run = RunId.parse(this.uuid());
    else if (hasOpenCall(this.head) || hasOpenAsk(this.head)) return;
    const steer = this.head.run !== null;
    this.write({ kind: 'input', parts, ...(steer ? { fact: FactId.parse(this.uuid()) } : {}) });
  }

  private reply(move: Move & { move: 'reply' }, round: number): void {
    const calls = Array.from({ length: move.calls }, (): ReplyPart => {
      const id = CallId.parse(this.uuid());
      return { type: 'call', id, name: 'look_up', arguments: '{}', origin: 'model' };
    });
    const parts = [...move.texts.map((text) => this.text(text, 'model')), ...calls];
    const finish = calls.length > 0 ? ('calls' as const) : ('stop' as const);
    const live = { after: this.head.seq, cuts: cutAtRandom(move.texts, move.cuts) };
    const replied = { kind: 'model_replied' as const, round, parts, usage: move.usage, model: 'simulator/one', finish };
    this.write(replied, live.cuts.length > 0 ? live : null);
  }

  private settle(call: CallId, text: string): void {
    this.write({ kind: 'call_settled', call, outcome: 'result', parts: [this.text(text, 'tool')] });
  }

  private ask(which: number): void {
    const call = this.callAt(which, 'intended') ?? null;
    if (call && Object.values(this.head.asks).some((ask) => ask.call === call)) return;
    const interrupt = InterruptId.parse(this.uuid());
    this.write({ kind: 'asked', interrupt, ask: call ? 'approval' : 'question', call });
  }

  private answer({ which, outcome }: Move & { move: 'answer' }): void {
    const asks = Object.keys(this.head.asks);
    const interrupt = asks[which % Math.max(1, asks.length)];
    if (interrupt !== undefined) {
      this.write({ kind: 'answered', interrupt: InterruptId.parse(interrupt), outcome, parts: [] });
    }
  }

  /** Only where nothing is open, now and then, and while no run has the turn. */
  private rewind(at: number): void {
    const to = at % this.heads.length;
    const then = this.heads[to];
    if (this.head.run || !then || hasOpenCall(then) || hasOpenAsk(then)) return;
    this.run = null;
    this.write({ kind: 'rewound', to, restored: restorable(then) });
  }

  private callAt(which: number, ...stages: string[]): CallId | undefined {
    const open = Object.entries(this.head.calls).filter(([, { stage }]) => stages.includes(stage));
    const id = open[which % Math.max(1, open.length)]?.[0];
    return id === undefined ? undefined : CallId.parse(id);
  }

  private text(text: string, origin: 'user' | 'model' | 'tool'): TextPart {
    return { type: 'text', text, origin };
  }

  private uuid(): string {
    this.made += 1;
    return uuid(this.made);
  }
}

/** Cuts texts into pieces of these lengths, over and over, numbered as their frames are. */
const cutAtRandom = (all: string[], lengths: number[]): Live['cuts'] => {
  const cuts: Live['cuts'] = [];
  all.forEach((text, part) => {
    for (let left = text.length; left > 0;) {
      const length = Math.min(left, lengths[cuts.length % lengths.length] ?? left);
      cuts.push([cuts.length + 1, part, length]);
      left -= length;
    }
  });
  return cuts;
};
