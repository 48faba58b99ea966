import { type CallId, type ReplyPart, truncated, type Usage, wellFormed } from '@parley/core';
import { ModelFault } from '../model-failure.js';
import { type ModelDelta, type ModelReply } from '../model-outcome.js';
import { providerFault } from '../refusal/provider-fault.js';
import { CallAssembly } from './call-assembly.js';
import { type Loose, parseChatChunk } from './chat-chunk.js';
import { LogprobAssembly } from './logprob-assembly.js';
import { SpokenText } from './spoken-text.js';
import { refusalIn, spokenIn } from './spoken-in.js';
import { ThinkTags } from './think-tags.js';
import { estimatedUsage, reportedUsage } from './token-usage.js';

type Finish = ModelReply['finish'];

/** Why models stop, in the words that providers have for it. */
const FINISHES: Readonly<Record<string, Finish>> = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  complete: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_calls: 'calls',
  function_call: 'calls',
  tool_use: 'calls',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  content_filter: 'filtered',
  safety: 'filtered',
  recitation: 'filtered',
  prohibited_content: 'filtered',
  refusal: 'filtered',
};

/** Reasons that are none but a fault of the provider's. */
const FAULTS = new Set(['error', 'insufficient_system_resource']);

/** A part that is made of text: its place in the reply is where it began. */
interface SpokenPart {
  type: ModelDelta['type'];
  index: number;
  spoken: SpokenText;
}

/**
 * Makes a reply of the events of one answer: reasoning, text, then calls. Takes nothing odd for success: what it does
 * not understand is a `ModelFault`, and `whole` tells an answer from the beginning of one.
 */
export class ReplyAssembly {
  readonly #spoken: SpokenPart[] = [];
  readonly #calls = new CallAssembly();
  readonly #tags: ThinkTags;
  #chunks = 0;
  #done = false;
  #finish: Finish | undefined;
  #refused = false;
  #model = '';
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

  /** True once there is something of a reply. */
  get said(): boolean {
    return this.#spoken.length > 0 || this.#calls.count > 0;
  }

  /** True when the model has said all of it: it said why it stopped, or the stream said that it ends after content. */
  get whole(): boolean {
    return this.#finish !== undefined || (this.#done && this.said);
  }

  /** The model that answers, where the provider says it. */
  get model(): string {
    return truncated(wellFormed(this.#model), 200);
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
    const { model, delta, finish, logprobs, usage, error } = parseChatChunk(content);
    if (error !== undefined) throw providerFault(content);
    this.#chunks++;
    this.#model = model || this.#model;
    this.#usage = reportedUsage(usage) ?? this.#usage;
    this.#logprobs?.take(logprobs);
    if (delta) this.#takeDelta(delta);
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
    const parts = [...said, ...this.#calls.parts(callId)];
    const finish = this.#outcome();
    const silent = this.#calls.count === 0 && !parts.some(({ type }) => type === 'text');
    const logprobs = this.#logprobs?.logprobs;
    return silent && finish === 'stop' ? undefined : { parts, finish, ...(logprobs && { logprobs }) };
  }

  /** The last report counts, since some providers send a running total; without a usable one it is estimated. */
  usage(inputBytes: number): Usage {
    const output = this.#bytes('text') + this.#calls.size;
    const reasoning = this.#bytes('reasoning');
    if (this.#usage && (this.#usage.output > 0 || output + reasoning === 0)) return this.#usage;
    return estimatedUsage({ input: inputBytes, output, reasoning });
  }

  #takeDelta(delta: Loose): void {
    for (const { type, text } of spokenIn(delta)) {
      if (type === 'reasoning') this.#say(type, text);
      else for (const one of this.#tags.take(text)) this.#say(one.type, one.text);
    }
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

  #takeFinish(reason: string, content: string): void {
    const word = reason.toLowerCase();
    if (FAULTS.has(word)) throw providerFault(content);
    const finish = Object.hasOwn(FINISHES, word) ? FINISHES[word] : undefined;
    if (!finish) throw new ModelFault('bad_response', `the model stopped for an unknown reason: ${reason}`);
    if (!this.#isCut) this.#finish = finish;
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
