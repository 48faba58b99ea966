/** How many runs this process may hold at once. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  get free(): number {
    return this.#free;
  }

  /** @returns how many of them there were to take. */
  take(wanted: number): number {
    const taken = Math.min(wanted, this.#free);
    this.#free -= taken;
    return taken;
  }

  giveBack(count: number): void {
    if (count === 0) return;
    this.#free += count;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Resolves when there is a free one. */
  async opened(): Promise<void> {
    while (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
