import { type Json, type JsonObject, type OutputFormat } from '@parley/core';
import { type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';

/** How many faults of an answer the model is told. */
const MAX_FAULTS = 10;

/** What became of an answer that has to be JSON of a schema: its JSON text, or why it is none. */
export type CheckedOutput = { ok: true; json: string } | { ok: false; fault: string };

/** Schemas are compiled once for each version of an agent, which lives as long as its schema does. */
const compiled = new WeakMap<JsonObject, ValidateFunction>();

/** The longest schema, in characters of JSON: one of these is compiled in less than half a second. */
const MAX_SCHEMA = 16_384;

/** Why a schema cannot be used for answers, by its own rules or those of providers for strict ones; undefined: it can. */
export const outputSchemaFault = ({ schema, strict }: Pick<OutputFormat, 'schema' | 'strict'>): string | undefined => {
  if (JSON.stringify(schema).length > MAX_SCHEMA) return `it is longer than ${MAX_SCHEMA} characters`;
  const open = strict ? openObject(schema) : undefined;
  if (open) return `it is strict, but ${open}`;
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
  } catch {
    return { ok: false, fault: 'it is not JSON' }; // what the parser says quotes the answer, which may be erased later
  }
  const validate = compile(schema);
  if (validate(value)) return { ok: true, json };
  return { ok: false, fault: faultsOf(validate.errors ?? []) };
};

/** What providers ask of a strict schema: an object at its root, and every object closed with all its properties required. */
const openObject = (schema: JsonObject): string | undefined =>
  schema['type'] === 'object' ? openIn(schema, 'its root') : "its root is not of type 'object'";

const openIn = (value: Json | undefined, place: string): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return first(value.map((one, index) => openIn(one, `${place}[${index}]`)));
  const { properties, required, additionalProperties } = value;
  if (value['type'] === 'object' || properties !== undefined) {
    if (additionalProperties !== false) return `${place} does not say additionalProperties: false`;
    const named = Array.isArray(required) ? required : [];
    const missing = Object.keys(properties ?? {}).find((name) => !named.includes(name));
    if (missing !== undefined) return `${place} does not require its property '${missing}'`;
  }
  const inner = ['properties', '$defs', 'definitions'].flatMap((key) => entriesOf(value[key]));
  const places = [...inner, ...['items', 'anyOf', 'oneOf', 'allOf'].map((key) => [key, value[key]] as const)];
  return first(places.map(([name, one]) => openIn(one, `'${name}'`)));
};

const entriesOf = (value: Json | undefined): [string, Json][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

const first = (faults: (string | undefined)[]): string | undefined => faults.find((fault) => fault !== undefined);

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
