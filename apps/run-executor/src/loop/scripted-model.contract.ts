import { type Message, type ReplyPart, type Usage } from '@parley/core';
import {
  type ModelFailure,
  type ModelFailureCode,
  type ModelOutcome,
  type ModelReply,
  type ModelRequest,
} from '@parley/effects';
import { Model } from './model.js';

export const USAGE: Usage = { input: 10, cachedInput: 0, output: 5, reasoning: 0, estimated: false };

/** The words of a conversation, as the model is shown it. */
export const wordsOf = (messages: readonly Message[]): string[] =>
  messages.map(({ role, parts }) => {
    const words = parts.map((part) => ('text' in part ? part.text : part.type));
    return `${role}: ${words.join()}`;
  });

/** One call that a run made of the model: the spec speaks for the model, word by word. */
export class ScriptedCall {
  readonly outcome: Promise<ModelOutcome>;
  #settle!: (outcome: ModelOutcome) => void;
  readonly #parts: ReplyPart[] = [];

  constructor(readonly request: ModelRequest) {
    this.outcome = new Promise((resolve) => (this.#settle = resolve));
    request.signal.addEventListener('abort', () => this.fail('aborted'));
  }

  /** Says a piece of text of the part with this index. */
  say(text: string, part = 0, type: 'text' | 'reasoning' = 'text'): void {
    const said = this.#parts[part];
    if (said?.type === type) said.text += text;
    else this.#parts[part] = { type, text, origin: 'model' };
    this.request.onDelta({ part, type, text });
  }

  /** Asks for a tool. */
  ask(name: string): void {
    const id = this.request.callId(this.#parts.filter(({ type }) => type === 'call').length);
    this.#parts.push({ type: 'call', id, name, arguments: '{}', origin: 'model' });
  }

  /** Ends the reply. */
  end(over: Partial<ModelReply> = {}): void {
    const finish = this.#parts.some(({ type }) => type === 'call') ? 'calls' : 'stop';
    this.#settle({ ok: true, reply: { parts: this.#parts, usage: USAGE, model: 'scripted', finish, ...over } });
  }

  /** @param over what the provider says of another attempt; nothing: that there is no use in it. */
  fail(code: ModelFailureCode = 'server_error', over: Partial<ModelFailure> = {}): void {
    this.#settle({
      ok: false,
      failure: { code, message: `it failed: ${code}`, retryable: false, usage: null, ...over },
    });
  }

  /** Says one text and ends. */
  answer(text: string): void {
    this.say(text);
    this.end();
  }
}

/** A model whose part the spec plays. */
export class ScriptedModel extends Model {
  /** Every call so far. */
  readonly calls: ScriptedCall[] = [];
  readonly #unseen: ScriptedCall[] = [];
  readonly #waiting: ((call: ScriptedCall) => void)[] = [];

  /** @param play what the model does by itself with each call; absent: nothing. */
  constructor(private readonly play?: (call: ScriptedCall) => void) {
    super();
  }

  callModel(request: ModelRequest): Promise<ModelOutcome> {
    const call = new ScriptedCall(request);
    this.calls.push(call);
    this.play?.(call);
    const waiting = this.#waiting.shift();
    if (waiting) waiting(call);
    else this.#unseen.push(call);
    return call.outcome;
  }

  /** How long the provider is left alone; the spec's to say. */
  pause = 0;

  pauseMs(): number {
    return this.pause;
  }

  /** Whether what it costs is known; the spec's to say. */
  priced = true;

  isPriced(): boolean {
    return this.priced;
  }

  listProviders(): ReturnType<Model['listProviders']> {
    return { default: 'scripted', providers: [] };
  }

  /** The next call that was not looked at yet. */
  next(): Promise<ScriptedCall> {
    const call = this.#unseen.shift();
    return call ? Promise.resolve(call) : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
