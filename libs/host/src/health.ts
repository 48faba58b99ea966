import { type Logger } from 'pino';

/** What the process needs and whether it has it now. */
export interface Readiness {
  ready: boolean;
  checks: { name: string; up: boolean; /** Since when it has been so, as far as this process saw it. */ since: Date }[];
}

/** How long a check may take before what it asks counts as away, in milliseconds. */
const CHECK_TIMEOUT_MS = 2_000;

interface Check {
  name: string;
  ask: () => Promise<unknown>;
  up: boolean;
  since: Date;
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

  /** `ask` rejects, or does not answer in 2 s, while what it asks is away. */
  watch(name: string, ask: () => Promise<unknown>): void {
    this.#checks.push({ name, ask, up: false, since: new Date() });
  }

  /** From now on not ready, whatever the stores say: the process is about to end. */
  drain(): void {
    this.#draining = true;
  }

  async ready(): Promise<Readiness> {
    await (this.#round ??= this.#askAll().finally(() => (this.#round = undefined)));
    const checks = this.#checks.map(({ name, up, since }) => ({ name, up, since }));
    return { ready: !this.#draining && checks.every(({ up }) => up), checks };
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
    check.up = up;
    check.since = new Date();
    if (up) this.logger.info({ check: check.name }, 'it is there');
    else this.logger.error({ check: check.name, err: reason?.error }, 'it is away');
  }
}

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
