import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { Call } from '../call.js';
import { fitting } from '../max-message.js';
import { type InProcessHub } from './in-process-hub.js';

/** Nest's side of the in-process wire: serves what the application's controllers handle. */
export class InProcessServer extends Server implements CustomTransportStrategy {
  constructor(private readonly hub: InProcessHub) {
    super();
  }

  listen(callback: () => void): void {
    for (const [subject, handler] of this.messageHandlers) {
      this.hub.serve(subject, async (json, deadline) => {
        const result: unknown = await handler(JSON.parse(json), new Call([deadline]));
        return fitting(subject, JSON.stringify((await lastValueFrom(this.transformToObservable(result))) ?? null));
      });
    }
    callback();
  }

  close(): void {
    for (const subject of this.messageHandlers.keys()) this.hub.withdraw(subject);
  }

  on(): never {
    throw new Error('the in-process wire has no events of its own');
  }

  unwrap<T>(): T {
    throw new Error('the in-process wire has no broker behind it');
  }
}
