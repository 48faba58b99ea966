import {
  apply,
  EMPTY_HEAD,
  restorable,
  textOf,
  type BodyOf,
  type CallId,
  type Event,
  type EventBody,
  type Head,
  type InterruptId,
  type RunId,
} from '@parley/core';
import { isDeepStrictEqual } from 'node:util';
import { must } from '../broken.js';

/** What a log says of itself when it is read event by event, and the rules that it keeps. */
export class LogRecord {
  /** The head after each event; [0] is the empty log's. */
  readonly heads: Head[] = [EMPTY_HEAD];
  /** How often each text entered the log as input. */
  readonly heard = new Map<string, number>();
  private readonly begun = new Set<RunId>();
  private run: RunId | null = null;
  private rounds = 0;
  private readonly open = new Map<CallId, 'intended' | 'dispatched'>();
  private readonly asks = new Set<InterruptId>();

  get length(): number {
    return this.heads.length - 1;
  }

  get head(): Head {
    return this.heads[this.length] ?? EMPTY_HEAD;
  }

  /** @throws Broken when this event may not follow those before it. */
  add(event: Event): void {
    must(event.seq === this.length + 1, `event ${this.length + 1} is missing, there is ${event.seq}`);
    this.follow(event);
    this.heads.push(apply(this.head, event));
  }

  private follow({ run, body }: Event): void {
    if (body.kind === 'input') {
      this.followInput(run, body);
      return;
    }
    must(run === this.run, `a run wrote '${body.kind}' that has not the turn`);
    this.followRun(body);
  }

  private followRun(body: Exclude<EventBody, { kind: 'input' }>): void {
    switch (body.kind) {
      case 'model_replied':
        must(this.open.size === 0 && this.asks.size === 0, 'the model replied before every call had its result');
        must(body.round === this.rounds + 1, `round ${body.round} was stored after round ${this.rounds}`);
        this.rounds = body.round;
        for (const part of body.parts) if (part.type === 'call') this.open.set(part.id, 'intended');
        break;
      case 'call_dispatched':
        must(this.open.get(body.call) === 'intended', 'a call was dispatched that was not open, or twice');
        this.open.set(body.call, 'dispatched');
        break;
      case 'call_settled':
        must(this.open.delete(body.call), 'a call got a second result, or one that nobody made');
        break;
      case 'asked':
        must(body.call === null || this.open.has(body.call), 'a question about a call that is not open');
        this.asks.add(body.interrupt);
        break;
      case 'answered':
        must(this.asks.delete(body.interrupt), 'an answer to a question that is not open');
        break;
      case 'rewound':
        this.followRewound(body);
        break;
      case 'restarted':
        must(body.round === this.rounds + 1, `round ${body.round} restarted after round ${this.rounds}`);
        break;
      case 'run_ended':
        must(this.open.size === 0 && this.asks.size === 0, 'a run ended with an open call or question');
        this.run = null;
        break;
      case 'model_failed':
        break;
    }
  }

  private followInput(run: RunId | null, body: BodyOf<'input'>): void {
    must(this.open.size === 0 && this.asks.size === 0, 'an input came between a call and its result');
    for (const text of body.parts.map(textOf)) {
      if (text !== null) this.heard.set(text, (this.heard.get(text) ?? 0) + 1);
    }
    if (run === this.run) return;
    must(this.run === null && run !== null && !this.begun.has(run), 'a run began while another had the turn, or twice');
    this.begun.add(run);
    this.run = run;
    this.rounds = 0;
  }

  private followRewound({ to, restored }: BodyOf<'rewound'>): void {
    must(this.open.size === 0 && this.asks.size === 0, 'history was rewound while a call was open');
    const then = this.heads[to];
    must(then !== undefined && isDeepStrictEqual(restored, restorable(then)), 'a rewind restores what never was');
  }
}
