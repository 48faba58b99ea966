import { z } from 'zod';

/**
 * Names the environment variable that a value of a config schema is read from. Goes around the whole schema of the
 * value, default included: `port: variable('PORT', z.coerce.number().default(8283))`.
 */
export const variable = <S extends z.ZodType>(name: string, schema: S): S => schema.meta({ variable: name });

/** One environment variable of a config schema. */
export interface Variable {
  name: string;
  /** Where its value stands in the config, e.g. `['http', 'port']`. */
  path: string[];
  schema: z.ZodType;
}

/**
 * The variables of a config schema, in its order; `.env.example` is held against them.
 * @throws TypeError for a value that names no variable: a mistake in the schema.
 */
export const variablesOf = (schema: z.ZodType, path: string[] = []): Variable[] => {
  const name = schema.meta()?.['variable'];
  if (typeof name === 'string') return [{ name, path, schema }];
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, z.ZodType>;
    return Object.entries(shape).flatMap(([key, inner]) => variablesOf(inner, [...path, key]));
  }
  throw new TypeError(`config value '${path.join('.')}' names no environment variable`);
};
