import {
  textOf,
  type CallId,
  type CallOutcome,
  type InputPart,
  type ReplyPart,
  type TerminalState,
  type Usage,
} from '@parley/core';
import { type FakeLog } from './fake-log.js';

/** What a run does from its input to its end. A script that returns without an ending succeeds. */
export type Script = (turn: FakeTurn) => Promise<void>;

/** Usage that every fake reply has. */
export const FAKE_USAGE: Usage = { input: 12, cachedInput: 2, output: 5, reasoning: 1, estimated: false };

/** A run in the hands of its script. Once it was stopped, everything it does throws. */
export class FakeTurn {
  #stopped = false;
  #parts: ReplyPart[] = [];
  #round = 0;

  constructor(
    private readonly log: FakeLog,
    readonly input: readonly InputPart[],
  ) {}

  /** The words of the input. */
  get words(): string {
    return this.input.map((part) => textOf(part) ?? '').join(' ');
  }

  async play(script: Script): Promise<void> {
    try {
      await script(this);
    } catch (error) {
      if (!this.#stopped) throw error;
      return;
    }
    if (!this.#stopped) this.log.end('succeeded', null);
  }

  stop(): void {
    this.#stopped = true;
  }

  async think(...pieces: string[]): Promise<void> {
    await this.#show('reasoning', pieces);
  }

  async say(...pieces: string[]): Promise<void> {
    await this.#show('text', pieces);
  }

  /** Adds to the reply without showing it. */
  keep(text: string): void {
    this.#check();
    this.#parts.push({ type: 'text', text, origin: 'model' });
  }

  /** Adds a call of a tool to the reply. */
  call(id: CallId, name: string, args: string): void {
    this.#check();
    this.#parts.push({ type: 'call', id, name, arguments: args, origin: 'model' });
  }

  /** Commits the result of a call. */
  settle(call: CallId, outcome: CallOutcome, text: string): void {
    this.#check();
    this.log.append({ kind: 'call_settled', call, outcome, parts: [{ type: 'text', text, origin: 'tool' }] });
  }

  /** What was shown since the last event is void. */
  restart(): void {
    this.#check();
    this.#parts = [];
    this.log.append({ kind: 'restarted', round: this.#round + 1 });
  }

  /** Commits the reply, as it was shown and kept. */
  reply(): void {
    this.#check();
    const body = { round: ++this.#round, parts: this.#parts, usage: FAKE_USAGE, model: 'simulator/fake' };
    this.log.append({ kind: 'model_replied', ...body, finish: 'stop' }, this.log.live);
    this.#parts = [];
  }

  /** A model call that failed. */
  fail(message: string): void {
    this.#check();
    const body = { round: this.#round + 1, attempt: 1, code: 'model_failed', message, usage: null };
    this.log.append({ kind: 'model_failed', ...body });
  }

  /** Words that came for this turn. */
  hear(): string {
    this.#check();
    return this.log
      .hearSteers()
      .map((part) => textOf(part) ?? '')
      .join(' ');
  }

  end(state: TerminalState, reason: string | null): void {
    this.#check();
    this.log.end(state, reason);
    this.#stopped = true;
  }

  /** Lets others act. */
  async pause(ms = 0): Promise<void> {
    await new Promise((resolve) => (ms > 0 ? void setTimeout(resolve, ms).unref() : void setImmediate(resolve)));
    this.#check();
  }

  async #show(type: 'text' | 'reasoning', pieces: string[]): Promise<void> {
    this.#check();
    let part = this.#parts.findIndex((one) => one.type === type);
    if (part < 0) part = this.#parts.push({ type, text: '', origin: 'model' }) - 1;
    for (const piece of pieces) {
      const before = this.#parts[part];
      if (before?.type === type) this.#parts[part] = { ...before, text: (before.text ?? '') + piece };
      this.log.say(type, piece, part);
      await this.pause();
    }
  }

  #check(): void {
    if (this.#stopped) throw new Error('the turn was stopped');
  }
}

/** Says back what it hears, word by word. */
export const echo: Script = async (turn) => {
  await turn.say('You ', 'said: ', turn.words);
  turn.reply();
};
