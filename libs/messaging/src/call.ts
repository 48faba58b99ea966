import { BaseRpcContext } from '@nestjs/microservices';

/** What a handler knows of the call that it answers, beside the request. */
export class Call extends BaseRpcContext<[deadline: Date]> {
  #signal: AbortSignal | undefined;

  /** When the caller stops waiting: work that is not done by then is for nobody. */
  get deadline(): Date {
    return this.args[0];
  }

  /** Milliseconds until the deadline; 0 when it has passed. */
  get remainingMs(): number {
    return Math.max(0, this.deadline.getTime() - Date.now());
  }

  /** Aborts at the deadline. */
  get signal(): AbortSignal {
    return (this.#signal ??= AbortSignal.timeout(this.remainingMs));
  }
}
