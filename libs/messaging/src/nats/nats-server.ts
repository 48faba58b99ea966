import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { type NatsLink } from './nats-link.js';
import { type Answerer, NatsResponder } from './nats-responder.js';

/**
 * Nest's side of NATS: answers what the application's controllers handle. All processes of one app share the questions.
 * `close` answers what has come and takes nothing more, so a service that is told to stop fails nobody.
 */
export class NatsServer extends Server implements CustomTransportStrategy {
  readonly #responders: NatsResponder[] = [];

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
      this.#responders.push(new NatsResponder(this.link, subject, answerer, this.queue));
    }
    // The server knows of them before the app counts as started.
    this.link.settled().then(() => callback(), callback);
  }

  async close(): Promise<void> {
    await Promise.all(this.#responders.splice(0).map((responder) => responder.close()));
  }

  on(): never {
    throw new Error('what happens to the connection is told by its link');
  }

  unwrap<T>(): T {
    throw new Error('the connection belongs to its link');
  }
}
