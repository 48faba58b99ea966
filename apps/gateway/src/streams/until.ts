import { type FactId, type Frame, type RunId, type TerminalState } from '@parley/core';

/**
 * Up to where a session is read: the end of a run; the end of the run that hears the words that were posted under an
 * id; or the moment when no run has the turn.
 */
export type Until = { run: RunId } | { words: FactId } | 'idle';

/** What `see` found. */
export interface Seen {
  /** Up to the frame that ends the reading. */
  frames: Frame[];
  ended?: { state: TerminalState; reason: string | null };
  /** A run ended, but it is not what the reading waits for. */
  restless: boolean;
}

/** Watches frames go by for the event that ends a reading, and knows which run has the turn. */
export class UntilEvent {
  #run: RunId | null;
  #heardIn: RunId | null = null;

  constructor(private readonly until: Until) {
    this.#run = typeof until === 'object' && 'run' in until ? until.run : null;
  }

  /** The run to ask after when nothing comes. */
  get run(): RunId | null {
    return this.#run;
  }

  /** A reading that waits for one run goes on while that run stands in line. */
  get mayRest(): boolean {
    return typeof this.until !== 'object' || !('run' in this.until);
  }

  isFor(run: RunId): boolean {
    return typeof this.until === 'object' && 'run' in this.until && this.until.run === run;
  }

  /** Learns from the log which run has the turn. */
  note(active: RunId | null): void {
    if (this.mayRest) this.#run = active;
  }

  see(frames: Frame[]): Seen {
    let restless = false;
    for (const [index, frame] of frames.entries()) {
      if (frame.kind === 'delta') continue;
      const { body } = frame.event;
      if (body.kind === 'input') this.#begin(frame.run, body.fact);
      if (body.kind !== 'run_ended') continue;
      const { state, reason } = body;
      if (this.#isOver(frame.run)) return { frames: frames.slice(0, index + 1), ended: { state, reason }, restless };
      restless = this.mayRest;
    }
    return { frames, restless };
  }

  /** Words that nobody heard in time become the input of a run that has their id. */
  #begin(run: RunId | null, fact: FactId | undefined): void {
    this.note(run);
    if (typeof this.until !== 'object' || !('words' in this.until)) return;
    const words: string = this.until.words;
    if (fact === words || run === words) this.#heardIn = run;
  }

  #isOver(run: RunId | null): boolean {
    if (run === null) return false;
    return this.isFor(run) || this.#heardIn === run;
  }
}
