import { type Frame, partsOf, sizeOfPart } from '@parley/core';

/** How much may wait for one reader, in UTF-16 units of text; some seconds of the fastest model. */
const MAX_WAITING = 2 ** 22;
/** What a frame costs beside its text. */
const FRAME_COST = 64;

/** Frames that wait for a reader who is busy. Bounded: a reader who is too slow is cut, and may resume (DESIGN §6). */
export class FrameInbox {
  #waiting: Frame[] = [];
  #cost = 0;
  #wake: (() => void) | undefined;
  #isPoked = false;

  /** False from the moment when more waited than may. */
  get fits(): boolean {
    return this.#cost <= MAX_WAITING;
  }

  push(frames: readonly Frame[]): void {
    if (!this.fits) return;
    for (const frame of frames) {
      this.#waiting.push(frame);
      this.#cost += costOf(frame);
    }
    this.poke();
  }

  /** Lets `take` answer although nothing came, now or the next time. */
  poke(): void {
    this.#isPoked = true;
    this.#wake?.();
    this.#wake = undefined;
  }

  /** All that waits, in order; waits for something, or for a poke. */
  async take(): Promise<Frame[]> {
    if (!this.#isPoked) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#isPoked = false;
    const taken = this.#waiting;
    this.#waiting = [];
    if (this.fits) this.#cost = 0;
    return taken;
  }
}

const costOf = (frame: Frame): number => {
  if (frame.kind === 'delta') return FRAME_COST + frame.text.length;
  return partsOf(frame.event.body).reduce((cost, part) => cost + sizeOfPart(part), FRAME_COST);
};
