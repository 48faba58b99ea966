/** Notices that nothing was heard for a while. One timer for a whole call: a sign of life only sets it back. */
export class Silence {
  #timer: NodeJS.Timeout;
  #elapsed = false;

  constructor(
    private ms: number,
    private readonly onSilence: () => void,
  ) {
    this.#timer = this.#start();
  }

  /** True when it was silent for too long. */
  get elapsed(): boolean {
    return this.#elapsed;
  }

  /** The limit of this silence, in milliseconds. */
  get limitMs(): number {
    return this.ms;
  }

  /** Something was heard; the next must come within `ms`. */
  breaks(ms: number): void {
    if (ms === this.ms) {
      this.#timer.refresh();
      return;
    }
    this.ms = ms;
    this.end();
    this.#timer = this.#start();
  }

  /** Nobody listens any more. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#elapsed = true;
      this.onSilence();
    }, this.ms);
  }
}
