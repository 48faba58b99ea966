import { Injectable } from '@nestjs/common';
import { getRunStates, type ResponseOf } from '@parley/contracts';
import { type RunId, type TenantId } from '@parley/core';
import { Bus } from '@parley/messaging';

/** How long a reader hears nothing before its run is asked after, in milliseconds (DESIGN §6). */
export const SILENCE_MS = 2_000;
const LOOK_EVERY_MS = 250;
const MAX_ASKED = 1_000;

/** Where a run stands by its row. */
export type Standing = ResponseOf<typeof getRunStates>['runs'][number];

/** A reader that may be waiting for frames that were lost. */
export interface Watched {
  tenant: TenantId;
  /** The run it reads; null: nothing to ask after. */
  readonly run: RunId | null;
  /** When it last heard something, by `performance.now()`. */
  heardAt: number;
  /** What the row says; null: there is no such run any more. */
  tell(standing: Standing | null): void;
}

/**
 * Asks after the runs whose readers hear nothing: all of them in one question, so that no reader hangs, however its
 * frames were lost, and a thousand waiting readers cost one query.
 */
@Injectable()
export class RunWatch {
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;
  #asking = false;

  constructor(private readonly bus: Bus) {}

  /** Looks after a reader until the answer is called. */
  watch(reader: Watched): () => void {
    this.#watched.add(reader);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
    return () => {
      this.#watched.delete(reader);
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  async #look(): Promise<void> {
    if (this.#asking) return;
    const silent = this.#silent();
    if (silent.length === 0) return;
    this.#asking = true;
    try {
      for (let from = 0; from < silent.length; from += MAX_ASKED) await this.#ask(silent.slice(from, from + MAX_ASKED));
    } catch {
      // Whoever serves this is away: the readers are still silent at the next look, and are asked after again.
    } finally {
      this.#asking = false;
    }
  }

  #silent(): Silent[] {
    const now = performance.now();
    const silent: Silent[] = [];
    for (const reader of this.#watched) {
      if (reader.run !== null && now - reader.heardAt >= SILENCE_MS) silent.push({ reader, run: reader.run });
    }
    return silent;
  }

  async #ask(silent: Silent[]): Promise<void> {
    const askedAt = performance.now();
    const { runs } = await this.bus.request(getRunStates, {
      runs: silent.map(({ reader, run }) => ({ tenant: reader.tenant, run })),
    });
    const standings = new Map(runs.map((standing) => [`${standing.tenant}/${standing.run}`, standing]));
    for (const { reader, run } of silent) {
      if (reader.heardAt > askedAt) continue;
      reader.heardAt = performance.now();
      reader.tell(standings.get(`${reader.tenant}/${run}`) ?? null);
    }
  }
}

interface Silent {
  reader: Watched;
  run: RunId;
}
