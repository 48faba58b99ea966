import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { PlatformError } from '@parley/core';
import { headers, type Msg } from '@nats-io/transport-node';
import { lastValueFrom } from 'rxjs';
import { Call } from '../call.js';
import { type NatsLink, type NatsSubscription } from './nats-link.js';
import { encoded, ERROR_HEADER, TIMEOUT_HEADER } from './wire.js';

type Answerer = (request: unknown, call: Call) => Promise<unknown>;

/** For a question without the header: a caller that is not ours. */
const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * Nest's side of NATS: answers what the application's controllers handle. All processes of one app share the questions.
 * `close` answers what has come and takes nothing more, so a service that is told to stop fails nobody.
 */
export class NatsServer extends Server implements CustomTransportStrategy {
  readonly #subscriptions: NatsSubscription[] = [];
  readonly #answering = new Set<Promise<void>>();

  /** @param queue the name that all processes of this app share. */
  constructor(
    private readonly link: NatsLink,
    private readonly queue: string,
  ) {
    super();
  }

  listen(callback: (error?: Error) => void): void {
    for (const [subject, handler] of this.messageHandlers) {
      const answerer: Answerer = async (request, call) => {
        const result: unknown = await handler(request, call);
        return await lastValueFrom<unknown>(this.transformToObservable(result));
      };
      const hear = (message: Msg): void => this.#hear(message, answerer);
      this.#subscriptions.push(this.link.subscribe(subject, hear, this.queue));
    }
    // The server knows of them before the app counts as started.
    this.link.check().then(() => callback(), callback);
  }

  async close(): Promise<void> {
    await Promise.all(this.#subscriptions.splice(0).map((subscription) => subscription.drain().catch(() => undefined)));
    await Promise.all(this.#answering);
  }

  on(): never {
    throw new Error('what happens to the connection is told by its link');
  }

  unwrap<T>(): T {
    throw new Error('the connection belongs to its link');
  }

  #hear(message: Msg, answerer: Answerer): void {
    const answering = this.#answer(message, answerer).finally(() => this.#answering.delete(answering));
    this.#answering.add(answering);
  }

  async #answer(message: Msg, answerer: Answerer): Promise<void> {
    const timeoutMs = Number(message.headers?.get(TIMEOUT_HEADER) ?? DEFAULT_TIMEOUT_MS);
    try {
      const answer = await answerer(message.json(), new Call([new Date(Date.now() + timeoutMs)]));
      message.respond(encoded(message.subject, JSON.stringify(answer ?? null), this.link.maxPayload));
    } catch (error) {
      this.#refuse(message, error);
    }
  }

  #refuse(message: Msg, error: unknown): void {
    const sent = headers();
    sent.set(ERROR_HEADER, '1');
    try {
      message.respond(JSON.stringify(PlatformError.from(error)), { headers: sent });
    } catch (cause) {
      this.logger.warn({ subject: message.subject, err: cause }, 'an answer could not be sent');
    }
  }
}
