import { PlatformError } from '@parley/core';
import { ReferenceRunLog, type RunLog } from '@parley/persistence';

/** What happens to the calls that executors make. */
type Fault = 'none' | 'away' | 'answer lost';

/** The log in memory behind a wire that can be cut: before a call arrives, or before its answer is back. */
export class FlakyRunLog extends ReferenceRunLog {
  fault: Fault = 'none';
  /** A kind of event that it refuses. */
  refused: string | undefined;

  override append(...args: Parameters<RunLog['append']>) {
    return this.#call(() => super.append(...args), args[1]);
  }
  override finish(...args: Parameters<RunLog['finish']>) {
    return this.#call(() => super.finish(...args), args[1]);
  }
  override release(...args: Parameters<RunLog['release']>) {
    return this.#call(() => super.release(...args), args[1]);
  }
  override heartbeat(...args: Parameters<RunLog['heartbeat']>) {
    return this.#call(() => super.heartbeat(...args));
  }
  override claim(...args: Parameters<RunLog['claim']>) {
    return this.#call(() => super.claim(...args));
  }
  override reclaim(...args: Parameters<RunLog['reclaim']>) {
    return this.#call(() => super.reclaim(...args));
  }
  override register() {
    return this.#call(() => super.register());
  }

  async #call<T>(send: () => Promise<T>, addition?: Parameters<RunLog['append']>[1]): Promise<T> {
    if (addition?.events.some(({ body }) => body.kind === this.refused)) {
      throw new PlatformError('internal', 'the database refused a statement');
    }
    if (this.fault === 'away') throw new PlatformError('unavailable', 'the database is away');
    const answer = await send();
    if (this.fault === 'answer lost') throw new PlatformError('unavailable', 'the connection broke');
    return answer;
  }
}
