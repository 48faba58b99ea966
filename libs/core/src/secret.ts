const MASK = '[secret]';
const inspect = Symbol.for('nodejs.util.inspect.custom');

/** A value that must not be shown: however it is printed, logged or turned into JSON, it reads `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself: only at the place where it is used. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect](): string {
    return MASK;
  }
}
