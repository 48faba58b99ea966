import { Logger } from '@nestjs/common';
import { type ExecutorId, type Heartbeat, type RunLog } from '@parley/persistence';

/** An effect starts only so soon after a heartbeat that was answered, in milliseconds (DESIGN §7.5). */
const EFFECT_WINDOW_MS = 2_000;
/** After so long without an answer others may have taken over all that this executor held. */
const LEASE_MS = 15_000;

const logger = new Logger('Lease');

/**
 * How sure this process may be that it still is the executor it registered as. It goes by its own monotonic clock, from
 * the moment at which the last answered heartbeat was sent, so it never trusts itself for longer than the database does.
 */
export class Lease {
  #confirmedAt: number;
  #beating: Promise<void> | undefined;

  /** @param registeredAt when the registration was asked for, on the clock of `performance.now()`. */
  constructor(
    private readonly log: RunLog,
    readonly executor: ExecutorId,
    private readonly hear: (beat: Heartbeat, sentAt: number) => void,
    registeredAt: number,
  ) {
    this.#confirmedAt = registeredAt;
  }

  /** Whether an effect may start now. */
  get isFresh(): boolean {
    return performance.now() - this.#confirmedAt <= EFFECT_WINDOW_MS;
  }

  /** Whether it is time to give up what is held. */
  get isOver(): boolean {
    return performance.now() - this.#confirmedAt > LEASE_MS;
  }

  /** Sends a heartbeat, or waits for the one under way. Never rejects: `isFresh` says what came of it. */
  beat(): Promise<void> {
    return (this.#beating ??= this.#beat().finally(() => (this.#beating = undefined)));
  }

  async #beat(): Promise<void> {
    const sentAt = performance.now();
    try {
      const beat = await this.log.heartbeat(this.executor);
      if (beat.alive) this.#confirmedAt = sentAt;
      this.hear(beat, sentAt);
    } catch (error) {
      logger.warn({ executor: this.executor, err: error }, 'a heartbeat was not answered');
    }
  }
}
