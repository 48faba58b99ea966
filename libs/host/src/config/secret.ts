import { inspect } from 'node:util';
import { z } from 'zod';

const MASK = '[secret]';

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

  [inspect.custom](): string {
    return MASK;
  }
}

/** Schema of a secret variable. */
export const secret = (): z.ZodType<Secret, string> =>
  z
    .string()
    .min(1)
    .transform((value) => new Secret(value));
