import { Logger } from '@nestjs/common';
import { PlatformError } from '@parley/core';
import { headers, type Msg } from '@nats-io/transport-node';
import { Call } from '../call.js';
import { type NatsLink, type NatsSubscription } from './nats-link.js';
import { encoded, ERROR_HEADER, TIMEOUT_HEADER } from './wire.js';

/** Answers a request: values of JSON in and out. */
export type Answerer = (request: unknown, call: Call) => Promise<unknown>;

/** For a question without the header: a caller that is not ours. */
const DEFAULT_TIMEOUT_MS = 5_000;
/** No contract lets a caller wait longer. */
const MAX_TIMEOUT_MS = 60_000;

/** Answers what is asked at a subject: by the deadline of its caller, and with errors by their code. */
export class NatsResponder {
  readonly #logger = new Logger(NatsResponder.name);
  readonly #answering = new Set<Promise<void>>();
  readonly #subscription: NatsSubscription;

  /** @param queue shares the questions with all that answer under this name. */
  constructor(
    private readonly link: NatsLink,
    subject: string,
    private readonly answerer: Answerer,
    queue?: string,
  ) {
    this.#subscription = link.subscribe(subject, (message) => this.#hear(message), queue);
  }

  /** Answers what has come, and takes nothing more. */
  async close(): Promise<void> {
    await this.#subscription.drain();
    await Promise.all(this.#answering);
  }

  #hear(message: Msg): void {
    const answering = this.#answer(message).finally(() => this.#answering.delete(answering));
    this.#answering.add(answering);
  }

  async #answer(message: Msg): Promise<void> {
    try {
      const answer = await this.answerer(requestOf(message), new Call([deadlineOf(message)]));
      message.respond(encoded(message.subject, JSON.stringify(answer ?? null), this.link.maxPayload));
    } catch (error) {
      this.#refuse(message, PlatformError.from(error));
    }
  }

  #refuse(message: Msg, error: PlatformError): void {
    const sent = headers();
    sent.set(ERROR_HEADER, '1');
    try {
      message.respond(this.#encodedError(message, error), { headers: sent });
    } catch (cause) {
      this.#logger.warn({ subject: message.subject, err: cause }, 'an answer could not be sent');
    }
  }

  /** What an error says may be too large as well; its code never is. */
  #encodedError({ subject }: Msg, error: PlatformError): Uint8Array {
    try {
      return encoded(subject, JSON.stringify(error), this.link.maxPayload);
    } catch {
      const { code } = error;
      return encoded(subject, JSON.stringify(new PlatformError(code, `refused: ${code}`)), this.link.maxPayload);
    }
  }
}

const requestOf = (message: Msg): unknown => {
  try {
    return message.json();
  } catch (cause) {
    throw new PlatformError('invalid_input', `what came to ${message.subject} is not JSON`, {}, { cause });
  }
};

const deadlineOf = ({ headers: sent }: Msg): Date => {
  const asked = Number(sent?.get(TIMEOUT_HEADER) || DEFAULT_TIMEOUT_MS);
  const timeoutMs = asked > 0 ? Math.min(asked, MAX_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS;
  return new Date(Date.now() + timeoutMs);
};
