import { type Usage, wellFormed } from '@parley/core';
import { type Outbound, OutboundError, type OutboundResponse } from '@parley/outbound';
import { type EmbeddingCreateParams } from 'openai/resources/embeddings';
import { type ModelLimits } from '../exchange.js';
import { ModelFault } from '../model-failure.js';
import { type ModelTarget } from '../provider/providers.js';
import { failureOf } from '../refusal/failure-of.js';
import { refusal } from '../refusal/refusal.js';
import { embeddingUsage, priced } from '../reply/token-usage.js';
import { readBytes } from '../stream/read-bytes.js';
import { Silence } from '../stream/silence.js';
import { type EmbeddingAnswer, readEmbeddingAnswer } from './embedding-answer.js';
import { type EmbedOutcome, type EmbedRequest } from './embed-outcome.js';

/** How long and how large one request may be. */
export type EmbedLimits = Pick<ModelLimits, 'connectMs' | 'idleMs' | 'answerBytes'>;

/** One request for the vectors of a few texts, and its answer. Used once. */
export class EmbedExchange {
  readonly #stop = new AbortController();
  readonly #body: string;
  readonly #silence: Silence;
  /** What the answer cost, once it has begun. */
  #usage: Usage | null = null;

  constructor(
    private readonly outbound: Outbound,
    private readonly target: ModelTarget,
    private readonly request: EmbedRequest,
    private readonly limits: EmbedLimits,
  ) {
    const { texts, dimensions } = request;
    const params: EmbeddingCreateParams = {
      model: target.model,
      input: texts.map(wellFormed),
      encoding_format: 'float',
      ...(dimensions !== undefined && { dimensions }),
    };
    this.#body = JSON.stringify(params);
    this.#silence = new Silence(limits.idleMs, () => this.#stop.abort());
  }

  /** Never rejects for what a provider does. */
  async run(): Promise<EmbedOutcome> {
    const { signal } = this.request;
    const { provider, model } = this.target;
    const abort = (): void => this.#stop.abort();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      const answer = await this.#receive(await this.#send());
      if (signal.aborted) throw new OutboundError('aborted', 'the request was aborted');
      const usage = this.#usageOf(answer.usage);
      return { ok: true, embedded: { vectors: answer.vectors, usage, model: `${provider}/${answer.model || model}` } };
    } catch (error) {
      const call = { target: this.target, signal, silence: this.#silence, usage: this.#usage };
      return { ok: false, failure: failureOf(error, call) };
    } finally {
      this.#silence.end();
      signal.removeEventListener('abort', abort);
    }
  }

  #send(): Promise<OutboundResponse> {
    return this.outbound.send({
      ...this.target.endpoint.to('embeddings'),
      method: 'POST',
      body: this.#body,
      trust: 'operator',
      signal: this.#stop.signal,
      connectTimeoutMs: this.limits.connectMs,
      repeatable: true,
    });
  }

  async #receive(response: OutboundResponse): Promise<EmbeddingAnswer> {
    const { idleMs, answerBytes } = this.limits;
    const { status, headers, body } = response;
    this.#silence.breaks(idleMs);
    if (status < 200 || status > 299) throw await refusal(response);
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw new ModelFault('bad_response', `the answer is encoded as ${encoding}, unasked`);
    this.#usage = this.#usageOf(undefined);
    body.on('data', () => this.#silence.breaks(idleMs));
    const bytes = await readBytes(body, answerBytes);
    if (bytes.length > answerBytes) throw new ModelFault('too_large', `the answer is larger than ${answerBytes} bytes`);
    const { texts, dimensions } = this.request;
    return readEmbeddingAnswer(bytes.toString(), texts.length, dimensions ?? this.target.facts.dimensions);
  }

  #usageOf(reported: unknown): Usage {
    const bytes = this.request.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    return priced(embeddingUsage(reported, bytes), this.target.facts.price);
  }
}
