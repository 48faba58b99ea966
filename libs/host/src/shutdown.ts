import { type Logger } from 'pino';

/** The part of `process` that a shutdown needs. */
export interface HostProcess {
  on(event: string, listener: (value: unknown) => void): unknown;
  exit(code: number): unknown;
}

/**
 * A signal that comes this soon after the first is the same wish, in milliseconds: Ctrl-C under npm arrives twice, from
 * the terminal and from npm.
 */
export const ECHO_MS = 1_000;

/** How long closing everything may take, in milliseconds. */
export const SHUTDOWN_BOUND_MS = 15_000;

interface Closing {
  name: string;
  close: () => Promise<unknown>;
}

/**
 * The end of a process: SIGINT or SIGTERM closes what was opened, last opened first, within a bound; a second signal
 * ends it there and then, unless it is but the echo of the first. What is opened meanwhile is closed too. An error that
 * nobody caught is logged and ends it with code 1, since nobody knows what state it left behind; runs are safe, because
 * another process finds them.
 */
export class Shutdown {
  readonly #closings: Closing[] = [];
  readonly #begun = new AbortController();
  #ending: Promise<void> | undefined;
  #signalledAt = -Infinity;

  constructor(
    private readonly logger: Logger,
    private readonly process: HostProcess,
    private readonly boundMs = SHUTDOWN_BOUND_MS,
    private readonly now = () => performance.now(),
  ) {
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => this.#onSignal(signal));
    for (const event of ['unhandledRejection', 'uncaughtException']) {
      process.on(event, (error) => {
        this.logger.fatal({ err: error }, `${event}: the process ends`);
        this.process.exit(1);
      });
    }
  }

  /** Aborts when the end begins: whoever is still opening things had better stop. */
  get signal(): AbortSignal {
    return this.#begun.signal;
  }

  /** Registers what has just been opened. */
  add(name: string, close: () => Promise<unknown>): void {
    this.#closings.push({ name, close });
  }

  /** Closes everything and ends the process: with `code`, or with 1 when something failed to close. */
  end(code = 0): Promise<void> {
    return (this.#ending ??= this.#end(code));
  }

  #onSignal(signal: string): void {
    const echo = this.now() - this.#signalledAt < ECHO_MS;
    if (this.#ending && echo) return;
    this.#signalledAt = this.now();
    if (this.#ending) {
      this.logger.warn({ signal }, 'ending now');
      this.process.exit(1);
      return;
    }
    this.logger.info({ signal }, 'shutting down');
    void this.end();
  }

  async #end(code: number): Promise<void> {
    this.#begun.abort();
    const bound = setTimeout(() => {
      this.logger.error({ boundMs: this.boundMs }, 'shutting down took too long: ending now');
      this.process.exit(1);
    }, this.boundMs);
    const clean = await this.#closeAll();
    clearTimeout(bound);
    this.process.exit(clean ? code : 1);
  }

  /** One that fails must not keep the others open. */
  async #closeAll(): Promise<boolean> {
    let clean = true;
    for (let closing = this.#closings.pop(); closing; closing = this.#closings.pop()) {
      try {
        await closing.close();
      } catch (error) {
        clean = false;
        this.logger.error({ closing: closing.name, err: error }, 'failed to close');
      }
    }
    return clean;
  }
}
