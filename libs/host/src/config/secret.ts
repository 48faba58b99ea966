import { Secret } from '@parley/core';
import { z } from 'zod';

export { Secret };

/** Schema of a secret variable. */
export const secret = (): z.ZodType<Secret, string> =>
  z
    .string()
    .min(1)
    .transform((value) => new Secret(value));
