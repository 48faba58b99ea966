import { dotted, type Issue, type Json, type JsonObject, type OutputFormat } from '@parley/core';
import { type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { compiledSchema, undirected } from './compiled-schema.js';
import { faultWords } from './fault-words.js';

/** The longest schema, in characters of JSON: one of these is compiled in less than half a second. */
const MAX_SCHEMA = 16_384;
/** How many places of a schema are told. */
const MAX_PLACES = 10;

type Path = readonly PropertyKey[];

/**
 * Why a schema cannot be used for answers, by its own rules or those of providers for strict ones; none: it can. Paths
 * lead into the schema; messages are completed by the place before them.
 */
export const outputSchemaIssues = ({ schema, strict }: Pick<OutputFormat, 'schema' | 'strict'>): Issue[] => {
  if (JSON.stringify(schema).length > MAX_SCHEMA) return [issue([], `is longer than ${MAX_SCHEMA} characters`)];
  const malformed = faultyPlaces(schema);
  if (malformed.length > 0) return malformed;
  const open = strict ? openPlaces(schema) : [];
  if (open.length > 0) return open.slice(0, MAX_PLACES);
  try {
    compiledSchema(schema);
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [issue(culprit(schema, error.message, []) ?? [], `is no JSON Schema that can be used: ${error.message}`)];
  }
};

const issue = (path: Path, message: string): Issue => ({ path: dotted(path), message });

/** Judges schemas themselves. */
const draft = new Ajv2020({ allErrors: true, strict: false, logger: false });

/** Where a schema is none, the first fault of each place. */
const faultyPlaces = (schema: JsonObject): Issue[] => {
  if (draft.validateSchema(undirected(schema)) === true) return [];
  const places = new Map<string, ErrorObject>();
  for (const error of draft.errors ?? []) {
    if (!places.has(error.instancePath)) places.set(error.instancePath, error);
  }
  return [...places.values()]
    .slice(0, MAX_PLACES)
    .map((error) => issue(pathIn(schema, error), `is no JSON Schema: it ${faultWords(error)}`));
};

/** A JSON pointer as a path: what stands in a list is counted. */
const pathIn = (schema: JsonObject, { instancePath }: ErrorObject): Path => {
  let value: Json | undefined = schema;
  return instancePath
    .split('/')
    .slice(1)
    .map((escaped) => {
      const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
      const key = Array.isArray(value) ? Number(name) : name;
      value = childOf(value, key);
      return key;
    });
};

const childOf = (value: Json | undefined, key: string | number): Json | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? value[Number(key)] : value[key];
};

/** The pattern or reference that a message of the compiler is about; undefined: it is about another thing. */
const culprit = (value: Json, message: string, path: Path): Path | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const children = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, one] of children) {
    const isIt =
      (key === 'pattern' && patternFault(one) === message) ||
      (path.at(-1) === 'patternProperties' && patternFault(key) === message) ||
      (key === '$ref' && typeof one === 'string' && message.includes(`reference ${one} from`));
    const found = isIt ? [...path, key] : culprit(one, message, [...path, key]);
    if (found) return found;
  }
  return undefined;
};

const patternFault = (pattern: Json): string | undefined => {
  if (typeof pattern !== 'string') return undefined;
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : undefined;
  }
};

/** What providers ask of a strict schema: an object at its root, and every object closed with all its properties required. */
const openPlaces = (schema: JsonObject): Issue[] =>
  schema['type'] === 'object' ? openIn(schema, []) : [issue([], "is strict, but not of type 'object' at its root")];

const openIn = (value: Json | undefined, path: Path): Issue[] => {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one, index) => openIn(one, [...path, index]));
  const own = openness(value);
  const named = ['properties', '$defs', 'definitions'].flatMap((key) =>
    entriesOf(value[key]).flatMap(([name, one]) => openIn(one, [...path, key, name])),
  );
  const nested = ['items', 'anyOf', 'oneOf', 'allOf'].flatMap((key) => openIn(value[key], [...path, key]));
  return [...(own === undefined ? [] : [issue(path, `is strict, but ${own}`)]), ...named, ...nested];
};

const openness = ({ type, properties, required, additionalProperties }: JsonObject): string | undefined => {
  if (type !== 'object' && properties === undefined) return undefined;
  if (additionalProperties !== false) return 'does not say additionalProperties: false';
  const named = Array.isArray(required) ? required : [];
  const missing = Object.keys(properties ?? {}).find((name) => !named.includes(name));
  return missing === undefined ? undefined : `does not require its property '${missing}'`;
};

const entriesOf = (value: Json | undefined): [string, Json][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
