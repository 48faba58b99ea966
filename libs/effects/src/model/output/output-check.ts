import { type JsonObject, type OutputFormat } from '@parley/core';
import { type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';

/** How many faults of an answer the model is told. */
const MAX_FAULTS = 10;

/** What became of an answer that has to be JSON of a schema: its JSON text, or why it is none. */
export type CheckedOutput = { ok: true; json: string } | { ok: false; fault: string };

/** Schemas are compiled once for each version of an agent, which lives as long as its schema does. */
const compiled = new WeakMap<JsonObject, ValidateFunction>();

/** Why a schema cannot be used to check answers; undefined: it can. */
export const outputSchemaFault = (schema: JsonObject): string | undefined => {
  try {
    compile(schema);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'it is not a JSON Schema';
  }
};

/** Checks an answer. Models like to put JSON into a code fence; one around the whole is taken off. */
export const checkOutput = ({ schema }: Pick<OutputFormat, 'schema'>, answer: string): CheckedOutput => {
  const json = unfenced(answer.trim());
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { ok: false, fault: `it is not JSON: ${error instanceof Error ? error.message : ''}` };
  }
  const validate = compile(schema);
  if (validate(value)) return { ok: true, json };
  return { ok: false, fault: faultsOf(validate.errors ?? []) };
};

const compile = (schema: JsonObject): ValidateFunction => {
  let validate = compiled.get(schema);
  if (!validate) {
    const { $schema: _dialect, $async: _never, ...plain } = schema;
    validate = newAjv().compile(plain);
    compiled.set(schema, validate);
  }
  return validate;
};

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

const faultsOf = (errors: readonly ErrorObject[]): string => {
  const told = errors
    .slice(0, MAX_FAULTS)
    .map(({ instancePath, message }) => `${instancePath || '/'} ${message ?? ''}`);
  return [...new Set(told)].join('; ');
};

const unfenced = (text: string): string => /^```(?:json)?\s*\n(.*?)\n?\s*```$/s.exec(text)?.[1] ?? text;
