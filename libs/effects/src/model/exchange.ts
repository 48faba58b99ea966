import { type Usage } from '@parley/core';
import { type Outbound, OutboundError, type OutboundResponse } from '@parley/outbound';
import { FaultyOutput, ModelFault } from './model-failure.js';
import { type ModelOutcome, type ModelReply, type ModelRequest } from './model-outcome.js';
import { checkOutput } from './output/output-check.js';
import { type ModelTarget } from './provider/providers.js';
import { failureOf } from './refusal/failure-of.js';
import { refusal } from './refusal/refusal.js';
import { toChatRequest } from './request/chat-request.js';
import { countedBytes } from './request/shown-images.js';
import { AnswerReader } from './stream/answer-reader.js';
import { readEvents } from './stream/read-events.js';
import { ReplyAssembly } from './reply/reply-assembly.js';
import { Silence } from './stream/silence.js';
import { type StreamLimits } from './stream/stream-limits.js';
import { TickDeltas } from './stream/tick-deltas.js';
import { priced } from './reply/token-usage.js';

/** How long and how large a model call may be. */
export interface ModelLimits extends StreamLimits {
  /** For name, TCP and TLS together. */
  connectMs: number;
  /** For silence, not for the whole: before the answer begins, and between two of its lines, comments too. */
  idleMs: number;
}

/** A request, and who wants to know that it is being answered. */
export interface ExchangeRequest extends ModelRequest {
  /** Hears that the first byte of an answer is there, be it a word, a call or a sign of life; a refusal is no answer. */
  onFirstByte: () => void;
}

/** After the model has said why it stopped only its usage and the end of the stream can follow. */
const TAIL_MS = 5_000;

type FoundReply = Pick<ModelReply, 'parts' | 'finish' | 'logprobs'>;

/** One request to a provider and its answer. Used once. */
export class Exchange {
  readonly #stop = new AbortController();
  readonly #body: string;
  readonly #deltas: TickDeltas;
  readonly #assembly: ReplyAssembly;
  #silence: Silence | undefined;
  /** The body has come to its end, and was not cut off. */
  #endedCleanly = false;
  /** What the listener threw outside of any call of ours. */
  #thrown: { error: unknown } | undefined;

  constructor(
    private readonly outbound: Outbound,
    private readonly target: ModelTarget,
    private readonly request: ExchangeRequest,
    private readonly limits: ModelLimits,
  ) {
    this.#body = JSON.stringify(toChatRequest(target, request));
    this.#deltas = new TickDeltas(request.onDelta, (error) => {
      this.#thrown = { error };
      this.#stop.abort();
    });
    this.#assembly = new ReplyAssembly(
      (part, type, text) => {
        if (type === 'reasoning' || !request.output) this.#deltas.add(part, type, text);
      },
      { logprobs: request.parameters.logprobs, thinkOpen: target.quirks.thinkOpen },
    );
  }

  /** Throws only what the caller's own functions throw. */
  async run(): Promise<ModelOutcome> {
    const { signal } = this.request;
    const abort = (): void => this.#stop.abort();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    this.#silence = new Silence(this.limits.idleMs, abort);
    try {
      await this.#receive(await this.#send());
      return this.#outcome();
    } catch (error) {
      return this.#failure(error);
    } finally {
      this.#deltas.drop();
      this.#silence.end();
      signal.removeEventListener('abort', abort);
    }
  }

  #send(): Promise<OutboundResponse> {
    const { url, headers } = this.target.endpoint.to('chat/completions');
    return this.outbound.send({
      url,
      method: 'POST',
      headers,
      body: this.#body,
      trust: 'operator',
      signal: this.#stop.signal,
      connectTimeoutMs: this.limits.connectMs,
      repeatable: true,
    });
  }

  async #receive(response: OutboundResponse): Promise<void> {
    this.#silence?.breaks(this.limits.idleMs);
    const { status, headers } = response;
    if (status < 200 || status > 299) throw await refusal(response);
    const type = headers['content-type'] ?? '';
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw new ModelFault('bad_response', `the answer is encoded as ${encoding}, unasked`);
    response.body.once('data', this.request.onFirstByte);
    await this.#read(response);
    if (this.#assembly.begun) return;
    throw new ModelFault('bad_response', `HTTP ${status} of type '${type}' without an answer${this.#assembly.aside}`);
  }

  /** An answer that breaks behind its whole has lost nothing but its usage. */
  async #read({ body }: OutboundResponse): Promise<void> {
    const assembly = this.#assembly;
    const reader = new AnswerReader((data, event) => assembly.take(data, event), this.limits);
    const idleMs = this.limits.idleMs;
    try {
      await readEvents(body, {
        push: (chunk) => {
          if (reader.push(chunk)) this.#silence?.breaks(assembly.whole ? Math.min(TAIL_MS, idleMs) : idleMs);
        },
        end: () => reader.end(),
        get done() {
          return assembly.done;
        },
      });
      this.#endedCleanly = true;
    } catch (error) {
      if (!(error instanceof OutboundError && assembly.whole)) throw error;
    }
  }

  #outcome(): ModelOutcome {
    if (this.#thrown || this.request.signal.aborted) throw new OutboundError('aborted', 'the request was aborted');
    const assembly = this.#assembly;
    const isWhole = assembly.whole || (this.#endedCleanly && this.target.quirks.finishOptional && assembly.said);
    if (!isWhole) throw new ModelFault('incomplete', `the answer broke off before its end${assembly.aside}`);
    assembly.end();
    this.#deltas.flush();
    const reply = assembly.reply(this.request.callId);
    if (!reply) throw new ModelFault('empty', 'the model answered with neither text nor a call');
    const { provider, model } = this.target;
    const usage = this.#usage();
    return { ok: true, reply: { ...this.#inForm(reply), usage, model: `${provider}/${assembly.model || model}` } };
  }

  #failure(error: unknown): ModelOutcome {
    if (this.#thrown) throw this.#thrown.error;
    const usage = this.#assembly.begun ? this.#usage() : null;
    const { target, request } = this;
    return {
      ok: false,
      failure: failureOf(error, { target, signal: request.signal, silence: this.#silence, usage }),
    };
  }

  /** A whole answer has to be of the form that was asked for; what came with calls, was cut or withheld is none. */
  #inForm(reply: FoundReply): FoundReply & Pick<ModelReply, 'output'> {
    const { output } = this.request;
    if (!output || reply.finish !== 'stop') return reply;
    const answer = reply.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const checked = checkOutput(output, answer);
    if (!checked.ok) throw new FaultyOutput(checked.fault, reply.parts);
    const parts = reply.parts.map((part) => (part.type === 'text' ? { ...part, text: checked.json } : part));
    return { ...reply, parts, output: output.name };
  }

  #usage(): Usage {
    return priced(this.#assembly.usage(countedBytes(this.#body, this.request.messages)), this.target.facts.price);
  }
}
