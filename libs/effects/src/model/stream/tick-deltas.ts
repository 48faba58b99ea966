import { type ModelDelta } from '../model-outcome.js';

/**
 * Joins what one event-loop tick says of each part (DESIGN §6). Node reads a streamed answer one HTTP chunk at a time,
 * so joining by read would join nothing; `setImmediate` runs when all that has arrived was read, and costs no delay.
 */
export class TickDeltas {
  #waiting: ModelDelta[] = [];
  #due = false;

  constructor(
    private readonly onDelta: (delta: ModelDelta) => void,
    private readonly onFault: (error: unknown) => void,
  ) {}

  add(part: number, type: ModelDelta['type'], text: string): void {
    if (text === '') return;
    const delta = this.#waiting.find((one) => one.part === part);
    if (delta) delta.text += text;
    else this.#waiting.push({ part, type, text });
    if (this.#due) return;
    this.#due = true;
    setImmediate(this.#hand);
  }

  /** Hands over what waits, now. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const delta of waiting) this.onDelta(delta);
  }

  /** What waits is void. */
  drop(): void {
    this.#waiting = [];
  }

  /** A listener that throws must end the call, not the process. */
  readonly #hand = (): void => {
    this.#due = false;
    try {
      this.flush();
    } catch (error) {
      this.onFault(error);
    }
  };
}
