import { PlatformError } from '@parley/core';
import { headers, type Msg, PermissionViolationError, RequestError, TimeoutError } from '@nats-io/transport-node';
import { type RequestOptions } from '../bus.js';
import { type NatsLink } from './nats-link.js';
import { TIMEOUT_HEADER } from './wire.js';

/** How soon nobody is asked again, in milliseconds. */
const SECOND_TRY_MS = 50;

/** One question on its way. What goes wrong with it is a `PlatformError`: `timeout` or `unavailable`. */
export class Question {
  readonly #deadline: number;

  constructor(
    private readonly link: NatsLink,
    private readonly subject: string,
    private readonly bytes: Uint8Array,
    timeoutMs: number,
  ) {
    this.#deadline = performance.now() + timeoutMs;
  }

  async ask({ deadline, signal }: RequestOptions): Promise<Msg> {
    const own = deadline ? performance.now() + deadline.getTime() - Date.now() : Infinity;
    const until = Math.min(this.#deadline, own);
    try {
      return await this.#within(until, signal);
    } catch (error) {
      if (!(error instanceof RequestError && error.isNoResponders())) throw this.#said(error);
    }
    await new Promise((resolve) => setTimeout(resolve, SECOND_TRY_MS));
    try {
      return await this.#within(until, signal);
    } catch (error) {
      throw this.#said(error);
    }
  }

  #within(until: number, signal: AbortSignal | undefined): Promise<Msg> {
    const remaining = Math.ceil(until - performance.now());
    if (signal?.aborted) throw this.#givenUp(signal);
    if (remaining <= 0) throw this.#late();
    const sent = headers();
    sent.set(TIMEOUT_HEADER, String(remaining));
    const answer = this.link.request(this.subject, this.bytes, { timeout: remaining, headers: sent });
    return signal ? this.#orGivenUp(answer, signal) : answer;
  }

  #orGivenUp(answer: Promise<Msg>, signal: AbortSignal): Promise<Msg> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(this.#givenUp(signal));
      signal.addEventListener('abort', abort, { once: true });
      const done = (): void => signal.removeEventListener('abort', abort);
      answer.finally(done).then(resolve, reject);
    });
  }

  #said(error: unknown): PlatformError {
    if (error instanceof PlatformError) return error;
    if (error instanceof TimeoutError) return this.#late();
    return new PlatformError(
      'unavailable',
      `${this.subject} cannot be asked: ${reasonOf(error)}`,
      {},
      { cause: error },
    );
  }

  #late(): PlatformError {
    return new PlatformError('timeout', `${this.subject} did not answer in time`);
  }

  #givenUp(signal: AbortSignal): PlatformError {
    const cause: unknown = signal.reason;
    return new PlatformError('timeout', `the caller of ${this.subject} stopped waiting`, {}, { cause });
  }
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof RequestError)) return 'the message bus refuses it';
  if (error.isNoResponders()) return 'nobody serves it';
  return error.cause instanceof PermissionViolationError ? 'this service may not' : 'the message bus is away';
};
