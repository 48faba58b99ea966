import { type CallId, type ReplyPart, truncated, type Usage, wellFormed } from '@parley/core';
import { ModelFault } from '../model-failure.js';
import { type ModelDelta, type ModelReply } from '../model-outcome.js';
import { providerFault } from '../refusal/provider-fault.js';
import { CallAssembly } from './call-assembly.js';
import { type Loose, parseChatChunk } from './chat-chunk.js';
import { ImageAssembly } from './images/image-assembly.js';
import { LogprobAssembly } from './logprob-assembly.js';
import { SpokenText } from './spoken-text.js';
import { refusalIn, spokenIn } from './spoken-in.js';
import { ThinkTags } from './think-tags.js';
import { estimatedUsage, MADE_IMAGE_BYTES, reportedUsage } from './token-usage.js';

type Finish = ModelReply['finish'];

/** Why models stop, in the words that providers have for it, first match first. What fits none of them is a stop. */
const FINISHES: readonly [Finish | 'fault', RegExp][] = [
  ['fault', /error|abort|cancel|fail|timeout|malformed|insufficient/],
  ['length', /length|max_|limit|exceeded/],
  ['filtered', /filter|safety|sensitive|block|prohibited|policy|recitation|refusal/],
  ['calls', /^(tool_calls?|function_call|tool_use)$/],
  ['stop', /^(stop|eos|eos_token|complete|end_turn|stop_sequence)$/],
];

/** More events that say nothing than any proxy sends while it waits. */
const MAX_ASIDES = 10_000;

/** A part that is made of text: its place in the reply is where it began. */
interface SpokenPart {
  type: ModelDelta['type'];
  index: number;
  spoken: SpokenText;
}

/**
 * Makes a reply of the events of one answer: reasoning and text, images, then calls. Takes nothing odd for success: what it does
 * not understand is a `ModelFault`, and `whole` tells an answer from the beginning of one.
 */
export class ReplyAssembly {
  readonly #spoken: SpokenPart[] = [];
  readonly #images = new ImageAssembly();
  readonly #calls = new CallAssembly();
  readonly #tags: ThinkTags;
  #chunks = 0;
  #done = false;
  #finish: Finish | undefined;
  #refused = false;
  #saidInPieces = false;
  #model = '';
  #aside = '';
  #asides = 0;
  #usage: Usage | undefined;
  readonly #logprobs: LogprobAssembly | undefined;

  /** @param asked what was asked for beside the answer, what comes of it unasked is dropped; and how answers begin. */
  constructor(
    private readonly show: (part: number, type: ModelDelta['type'], text: string) => void,
    asked: { logprobs?: boolean | undefined; thinkOpen?: boolean } = {},
  ) {
    this.#tags = new ThinkTags(asked.thinkOpen);
    this.#logprobs = asked.logprobs ? new LogprobAssembly() : undefined;
  }

  /** True once an event has come. */
  get begun(): boolean {
    return this.#chunks > 0;
  }

  /** True when nothing that follows counts any more. */
  get done(): boolean {
    return this.#done;
  }

  /** Whether there is something of an answer: text or a call. */
  get #answers(): boolean {
    return this.#calls.count > 0 || this.#spoken.some(({ type }) => type === 'text');
  }

  /** True once there is something of a reply. */
  get said(): boolean {
    return this.#spoken.length > 0 || this.#images.count > 0 || this.#calls.count > 0;
  }

  /** True when the model has said all of it: it said why it stopped, or the stream said that it ends after content. */
  get whole(): boolean {
    return this.#finish !== undefined || (this.#done && this.said);
  }

  /** The model that answers, where the provider says it. */
  get model(): string {
    return truncated(wellFormed(this.#model), 200);
  }

  /** What it last said that is no part of an answer, for the message of a failure; empty: nothing of the kind. */
  get aside(): string {
    return this.#aside === '' ? '' : `; it also said: ${this.#aside}`;
  }

  /** @throws ModelFault for an error that the provider reports, and for what is no part of an answer. */
  take(data: string, event?: string): void {
    const content = data.trim();
    if (this.#done || content === '') return;
    if (content === '[DONE]') {
      this.#done = true;
      return;
    }
    if (event === 'error') throw providerFault(content);
    const chunk = parseChatChunk(content);
    if (!chunk) {
      this.#passOver(content);
      return;
    }
    const { model, delta, message, finish, logprobs, usage, error } = chunk;
    if (error !== undefined) throw providerFault(content);
    this.#chunks++;
    this.#model = model || this.#model;
    this.#usage = reportedUsage(usage) ?? this.#usage;
    this.#logprobs?.take(logprobs);
    if (delta) this.#takeDelta(delta);
    else if (message && !this.#saidInPieces) this.#takeDelta(message);
    this.#saidInPieces ||= delta !== undefined && this.#answers;
    if (finish) this.#takeFinish(finish, content);
  }

  /** Nothing follows. */
  end(): void {
    for (const { type, text } of this.#tags.end()) this.#say(type, text);
    for (const { type, index, spoken } of this.#spoken) this.show(index, type, spoken.end());
  }

  /** What the model said, with its calls; `undefined` when that is nothing although it was free to speak. */
  reply(callId: (index: number) => CallId): Pick<ModelReply, 'parts' | 'finish' | 'logprobs'> | undefined {
    const said = this.#spoken.map(({ type, spoken }): ReplyPart => ({ type, text: spoken.text, origin: 'model' }));
    const parts = [...said, ...this.#images.parts, ...this.#calls.parts(callId)];
    const finish = this.#outcome();
    const silent = this.#calls.count === 0 && !parts.some(({ type }) => type === 'text' || type === 'image');
    const logprobs = this.#logprobs?.logprobs;
    return silent && finish === 'stop' ? undefined : { parts, finish, ...(logprobs && { logprobs }) };
  }

  /** The last report counts, since some providers send a running total; without a usable one it is estimated. */
  usage(inputBytes: number): Usage {
    const output = this.#bytes('text') + this.#calls.size + this.#images.count * MADE_IMAGE_BYTES;
    const reasoning = this.#bytes('reasoning');
    if (this.#usage && (this.#usage.output > 0 || output + reasoning === 0)) return this.#usage;
    return estimatedUsage({ input: inputBytes, output, reasoning });
  }

  /** What is no part of an answer is a sign of life, as a comment is; a flood of it is none. */
  #passOver(content: string): void {
    this.#aside = content.slice(0, 200);
    if (++this.#asides > MAX_ASIDES)
      throw new ModelFault('bad_response', `more than ${MAX_ASIDES} events that are no part of an answer`);
  }

  #takeDelta(delta: Loose): void {
    for (const { type, text } of spokenIn(delta)) {
      if (type === 'reasoning') this.#say(type, text);
      else for (const one of this.#tags.take(text)) this.#say(one.type, one.text);
    }
    this.#images.take(delta);
    const refusal = refusalIn(delta);
    if (refusal !== '') this.#refused = true;
    this.#say('text', refusal);
    const calls = delta.tool_calls ?? [];
    if (!Array.isArray(calls)) throw new ModelFault('bad_response', 'the answer holds tool calls that are no list');
    for (const call of calls) this.#calls.take(call);
    if (delta.function_call) this.#calls.take({ function: delta.function_call });
  }

  #say(type: ModelDelta['type'], piece: string): void {
    if (piece === '') return;
    let part = this.#spoken.find((one) => one.type === type);
    if (!part) {
      part = { type, index: this.#spoken.length, spoken: new SpokenText() };
      this.#spoken.push(part);
    }
    this.show(part.index, type, part.spoken.say(piece));
  }

  /** A word that nobody knows ends an answer that is there: it is the provider's word that says more than is needed. */
  #takeFinish(reason: string, content: string): void {
    const word = reason.toLowerCase();
    const known = FINISHES.find(([, pattern]) => pattern.test(word))?.[0];
    if (known === 'fault') throw providerFault(content);
    if (!known && !this.said)
      throw new ModelFault('bad_response', `the model stopped for an unknown reason: ${reason}`);
    if (!this.#isCut) this.#finish = known ?? 'stop';
  }

  /** A provider that says `stop` behind it does not make the answer whole. */
  get #isCut(): boolean {
    return this.#finish === 'length' || this.#finish === 'filtered';
  }

  /** Calls decide over the reason given: some providers say `stop` beside calls, some `tool_calls` beside none. */
  #outcome(): Finish {
    if (this.#finish && this.#isCut) return this.#finish;
    if (this.#refused) return 'filtered';
    return this.#calls.count > 0 ? 'calls' : 'stop';
  }

  #bytes(type: ModelDelta['type']): number {
    const part = this.#spoken.find((one) => one.type === type);
    return part ? Buffer.byteLength(part.spoken.text) : 0;
  }
}
