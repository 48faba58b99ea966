import { type JsonObject } from '@parley/core';
import { type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';

/** Schemas are compiled once for each version of an agent, which lives as long as its schema does. */
const compiled = new WeakMap<JsonObject, ValidateFunction>();

/** What checks values by a schema. @throws Error for a schema that is none. */
export const compiledSchema = (schema: JsonObject): ValidateFunction => {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = newAjv().compile(undirected(schema));
    compiled.set(schema, validate);
  }
  return validate;
};

/** A schema without what says how it is to be read: all are read by the one draft, at once. */
export const undirected = ({ $schema: _draft, $async: _never, ...schema }: JsonObject): JsonObject => schema;

/** One for each schema: `$id`s of different agents never meet. Patterns are RE2's, so that none runs without end. */
const newAjv = (): Ajv2020 =>
  new Ajv2020({ allErrors: true, strict: false, validateFormats: false, logger: false, code: { regExp: linear } });

const linear = Object.assign(
  (pattern: string) => {
    const expression = RE2JS.compile(pattern);
    // The validator knows expressions apart by their text.
    return { test: (text: string): boolean => expression.matcher(text).find(), toString: () => pattern };
  },
  { code: 'RE2JS' },
);
