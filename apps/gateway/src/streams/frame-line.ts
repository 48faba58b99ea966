import { type Frame, framesOf, seqOfFrame } from '@parley/core';

/** What became of some frames. */
export interface Taken {
  /** What a reader is shown next, ids rising without a hole. */
  shown: Frame[];
  /** What cannot be shown yet, because something before it is missing. */
  early: Frame[];
}

/**
 * Where a reader of a session stands. Whatever comes, from the log, from a tail or live, twice, late or with holes, it
 * lets through what comes next and nothing else. An event brings the pieces of its text that the reader has not had, so
 * that a lost piece is late but never lost (DESIGN §6).
 */
export class FrameLine {
  #last: number;

  constructor(after: number) {
    this.#last = after;
  }

  /** Id of the last frame that was shown. */
  get last(): number {
    return this.#last;
  }

  take(frames: readonly Frame[]): Taken {
    const shown: Frame[] = [];
    const early: Frame[] = [];
    for (const frame of frames) {
      if (frame.id <= this.#last) continue;
      if (!this.#isNext(frame)) early.push(frame);
      else if (frame.kind === 'delta') shown.push(frame);
      else for (const one of framesOf(frame.event)) if (one.id > this.#last) shown.push(one);
      this.#last = shown.at(-1)?.id ?? this.#last;
    }
    return { shown, early: early.filter(({ id }) => id > this.#last) };
  }

  #isNext(frame: Frame): boolean {
    if (frame.kind === 'delta') return frame.id === this.#last + 1;
    return seqOfFrame(frame.id) === seqOfFrame(this.#last) + 1;
  }
}
