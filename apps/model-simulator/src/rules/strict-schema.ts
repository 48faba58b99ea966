import { type JsonSchema } from '../params/tools.js';

/**
 * Why OpenAI's strict mode refuses a JSON Schema, or undefined: an object at the root, and every object closed
 * (`additionalProperties: false`) with all of its properties required. `at` in the answer leads into the schema.
 */
export function strictSchemaFault(schema: JsonSchema): string | undefined {
  if (schema['type'] !== 'object') return `the root must be of 'type: "object"'`;
  return closedObjectFault(schema, []);
}

function closedObjectFault(schema: unknown, at: readonly string[]): string | undefined {
  if (Array.isArray(schema))
    return firstFault(
      schema.map((one, index) => [String(index), one]),
      at,
    );
  if (typeof schema !== 'object' || schema === null) return undefined;
  return objectFault(new Map(Object.entries(schema)), at) ?? firstFault(subschemas(schema), at);
}

function objectFault(schema: ReadonlyMap<string, unknown>, at: readonly string[]): string | undefined {
  const properties = schema.get('properties');
  if (schema.get('type') !== 'object' && properties === undefined) return undefined;
  const place = `in context=(${at.join(', ')})`;
  if (schema.get('additionalProperties') !== false) return `${place}, 'additionalProperties' must be false`;
  const required = schema.get('required');
  const missing = Object.keys(properties ?? {}).find((name) => !Array.isArray(required) || !required.includes(name));
  return missing === undefined ? undefined : `${place}, 'required' must hold every property; '${missing}' is missing`;
}

function firstFault(entries: readonly (readonly [string, unknown])[], at: readonly string[]): string | undefined {
  for (const [key, schema] of entries) {
    const fault = closedObjectFault(schema, [...at, key]);
    if (fault) return fault;
  }
  return undefined;
}

/** The places of a schema that hold schemas again. Others (`enum`, `const`, `default`) hold data, which has no rules. */
const holdsNamedSchemas = ['properties', '$defs', 'definitions'];
const holdsSchemas = ['items', 'anyOf', 'oneOf', 'allOf'];

function subschemas(schema: object): [string, unknown][] {
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]): [string, unknown][] => {
    if (holdsSchemas.includes(key)) return [[key, value]];
    if (!holdsNamedSchemas.includes(key) || typeof value !== 'object' || value === null) return [];
    return Object.entries(value);
  });
}
