import { z } from 'zod';
import { JsonObject } from '../json.js';

/** What an agent's answers have to be: JSON of this schema. Does not bind what it says beside calls. */
export const OutputFormat = z.object({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 _ -'),
  description: z.string().optional(),
  /** Whether the provider is to hold the model to the schema, as far as its own rules for schemas allow it. */
  strict: z.boolean(),
  /** JSON Schema; patterns in RE2 syntax. */
  schema: JsonObject,
});
export type OutputFormat = z.infer<typeof OutputFormat>;
