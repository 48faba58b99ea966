import { type OutputFormat, truncated } from '@parley/core';
import { type ErrorObject } from 'ajv';
import { compiledSchema } from './compiled-schema.js';
import { faultWords } from './fault-words.js';

/** How many faults of an answer the model is told. */
const MAX_FAULTS = 10;
/** The longest place in an answer that is told, in UTF-16 units: its names may be the model's own. */
const MAX_PLACE = 200;

/** What became of an answer that has to be JSON of a schema: its JSON text, or why it is none. */
export type CheckedOutput = { ok: true; json: string } | { ok: false; fault: string };

/** Checks an answer. Models like to put JSON into a code fence; one around the whole is taken off. */
export const checkOutput = ({ schema }: Pick<OutputFormat, 'schema'>, answer: string): CheckedOutput => {
  const json = unfenced(answer.trim());
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { ok: false, fault: 'it is not JSON' }; // what the parser says quotes the answer, which may be erased later
  }
  const validate = compiledSchema(schema);
  if (validate(value)) return { ok: true, json };
  return { ok: false, fault: faultsOf(validate.errors ?? []) };
};

/** Each with its place as a JSON pointer; what is missing or too much has one, too. */
const faultsOf = (errors: readonly ErrorObject[]): string =>
  [...new Set(errors.map(faultOf))].slice(0, MAX_FAULTS).join('; ');

const faultOf = (error: ErrorObject): string => {
  const { instancePath: place, params } = error;
  const missing: unknown = params['missingProperty'];
  if (typeof missing === 'string') return `${placed(place, missing)} is required`;
  const odd: unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof odd === 'string') return `${placed(place, odd)} is not allowed`;
  return `${place === '' ? 'it' : truncated(place, MAX_PLACE)} ${faultWords(error)}`;
};

const placed = (parent: string, name: string): string =>
  truncated(`${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, MAX_PLACE);

const unfenced = (text: string): string => /^```(?:json)?\s*\n(.*?)\n?\s*```$/s.exec(text)?.[1] ?? text;
