import { Logger } from '@nestjs/common';
import { type EventContract, type RequestOf, type ResponseOf, type Rpc } from '@parley/contracts';
import { issuesOf, issuesText, PlatformError } from '@parley/core';
import { headers, type Msg, RequestError, TimeoutError } from '@nats-io/transport-node';
import { type z } from 'zod';
import { Bus, type RequestOptions } from '../bus.js';
import { parseAnswer } from '../parse-answer.js';
import { type NatsLink } from './nats-link.js';
import { encoded, ERROR_HEADER, TIMEOUT_HEADER } from './wire.js';

/**
 * The bus between processes. A question that nobody serves is asked once more, since a service that has just started,
 * or has just left, may not be known to the server yet.
 */
export class NatsBus extends Bus {
  readonly #logger = new Logger(NatsBus.name);

  constructor(private readonly link: NatsLink) {
    super();
  }

  async request<C extends Rpc>(
    contract: C,
    payload: RequestOf<C>,
    options: RequestOptions = {},
  ): Promise<ResponseOf<C>> {
    const question = new Question(
      this.link,
      contract,
      encoded(contract.subject, JSON.stringify(payload), this.link.maxPayload),
    );
    const answer = await question.ask(options);
    const value: unknown = answer.json();
    if (answer.headers?.has(ERROR_HEADER)) throw PlatformError.from(value);
    return parseAnswer(contract, value);
  }

  publish<P extends z.ZodType, A>(contract: EventContract<P, A>, address: A, payload: z.input<P>): void {
    if (!this.link.isUp) return;
    const subject = contract.subject(address);
    this.link.connection.publish(subject, encoded(subject, JSON.stringify(payload), this.link.maxPayload));
  }

  subscribe<P extends z.ZodType, A>(
    contract: EventContract<P, A>,
    listener: (payload: z.output<P>) => void,
  ): () => void {
    const { pattern } = contract;
    const subscription = this.link.subscribe(pattern, (message) => {
      const parsed = contract.payload.safeParse(jsonOf(message));
      if (!parsed.success) {
        const reason = issuesText(issuesOf(parsed.error));
        this.#logger.error({ pattern, reason }, 'an event came that its contract does not allow');
        return;
      }
      try {
        listener(parsed.data);
      } catch (error) {
        this.#logger.error({ pattern, err: error }, 'a listener failed');
      }
    });
    return () => subscription.stop();
  }
}

const jsonOf = (message: Msg): unknown => {
  try {
    return message.json();
  } catch {
    return undefined;
  }
};

/** How soon nobody is asked again, in milliseconds. */
const SECOND_TRY_MS = 50;

/** One question on its way. */
class Question {
  readonly #deadline: number;

  constructor(
    private readonly link: NatsLink,
    private readonly contract: Rpc,
    private readonly bytes: Uint8Array,
  ) {
    this.#deadline = performance.now() + contract.timeoutMs;
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
    const { subject } = this.contract;
    const remaining = Math.ceil(until - performance.now());
    if (signal?.aborted) throw this.#givenUp(signal);
    if (remaining <= 0) throw this.#late();
    const sent = headers();
    sent.set(TIMEOUT_HEADER, String(remaining));
    const answer = this.link.connection.request(subject, this.bytes, { timeout: remaining, headers: sent });
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
    const { subject } = this.contract;
    if (error instanceof TimeoutError) return this.#late();
    const nobody = error instanceof RequestError && error.isNoResponders();
    const message = nobody ? `nobody serves ${subject}` : `${subject} cannot be asked: the message bus is away`;
    return new PlatformError('unavailable', message, {}, { cause: error });
  }

  #late(): PlatformError {
    return new PlatformError('timeout', `${this.contract.subject} did not answer in time`);
  }

  #givenUp(signal: AbortSignal): PlatformError {
    const cause: unknown = signal.reason;
    return new PlatformError('timeout', `the caller of ${this.contract.subject} stopped waiting`, {}, { cause });
  }
}
