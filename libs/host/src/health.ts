import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';

/** What the process needs and whether it has it now. */
export interface Readiness {
  ready: boolean;
  checks: ReadinessCheck[];
}

/** One store or wire. */
export interface ReadinessCheck {
  name: string;
  up: boolean;
  /** False: while it is away the process does its work all the same, only slower. */
  needed: boolean;
  /** Since when it has been so, as far as this process saw it. */
  since: Date;
}

/** How long a check may take before what it asks counts as away, in milliseconds. */
const CHECK_TIMEOUT_MS = 2_000;

/** How long a start waits before it asks again for what is away, in milliseconds. */
const START_PAUSE_MS = 250;

interface Check extends Omit<ReadinessCheck, 'up'> {
  ask: () => Promise<unknown>;
  /** Undefined until it was asked: the first answer is news, whatever it is. */
  up: boolean | undefined;
}

/**
 * Whether this process is alive and whether it can do its work: one named check per store or wire, asked each time
 * (askers at the same moment share one round). Reasons go to the log, not to the asker.
 */
export class Health {
  readonly #checks: Check[] = [];
  #round: Promise<void> | undefined;
  #draining = false;

  constructor(private readonly logger: Logger) {}

  /** `ask` rejects, or does not answer in 2 s, while what it asks is away. What is not `needed` is told, and does not count. */
  watch(name: string, ask: () => Promise<unknown>, { needed = true } = {}): void {
    this.#checks.push({ name, ask, needed, up: undefined, since: new Date() });
  }

  /** For a start: waits until everything that is needed is there, however long that takes. Rejects when `signal` aborts. */
  async allThere(signal: AbortSignal): Promise<void> {
    while (!(await this.ready()).ready) await sleep(START_PAUSE_MS, undefined, { signal });
    signal.throwIfAborted();
  }

  /** From now on not ready, whatever the stores say: the process is about to end. */
  drain(): void {
    this.#draining = true;
  }

  async ready(): Promise<Readiness> {
    await (this.#round ??= this.#askAll().finally(() => (this.#round = undefined)));
    const checks = this.#checks.map(({ name, up, needed, since }) => ({ name, up: up === true, needed, since }));
    return { ready: !this.#draining && checks.every(({ up, needed }) => up || !needed), checks };
  }

  async #askAll(): Promise<void> {
    await Promise.all(this.#checks.map((check) => this.#ask(check)));
  }

  async #ask(check: Check): Promise<void> {
    const reason = await answered(check.ask).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const up = reason === undefined;
    if (up === check.up) return;
    const isFirst = check.up === undefined;
    check.up = up;
    check.since = new Date();
    if (up) this.logger.info({ check: check.name }, 'it is there');
    else if (isFirst) this.logger.info({ check: check.name, reason: messageOf(reason?.error) }, 'it is not there yet');
    else this.logger.error({ check: check.name, err: reason?.error }, 'it is away');
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const answered = async (ask: () => Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([ask(), late]);
  } finally {
    clearTimeout(timer);
  }
};
