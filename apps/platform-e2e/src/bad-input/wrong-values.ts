import { type BadRequest } from './refusal.js';
import { type BodyRoute } from './routes.js';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** What no text may hold that is to be stored. */
const UNSTORABLE = [
  { what: 'with U+0000', wrong: '"a\\u0000b"' },
  { what: 'with half a surrogate pair', wrong: '"a\\ud83d"' },
  { what: 'with the other half', wrong: '"\\ude00b"' },
];
const A_NUMBER = { what: 'a number', wrong: '7' };
/** Where any JSON is right. */
const FREE = /(^|\.)metadata\./;
const MARK = '\u2603';

/** The good body of a route, with one value after the other replaced by one that cannot be right there. */
export const wrongValues = ({ method, path, body }: BodyRoute): BadRequest[] =>
  placesIn(body as Json).flatMap(({ field, value, bodyWith }) =>
    replacementsOf(field, value).map(({ what, wrong }) => ({
      what: `${field} is ${what}`,
      status: 400,
      request: { method, path, body: bodyWith(wrong) },
      field,
    })),
  );

interface Place {
  /** As `field_errors` names it. */
  field: string;
  value: Json;
  /** The whole body with another value here, both as text: some of what is put there JSON.stringify would not write. */
  bodyWith: (text: string) => string;
}

function placesIn(whole: Json): Place[] {
  const places: Place[] = [];
  const visit = (value: Json, keys: (string | number)[]): void => {
    if (keys.length > 0) places.push({ field: fieldOf(keys), value, bodyWith: (text) => replaced(whole, keys, text) });
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) visit(child, [...keys, Array.isArray(value) ? Number(key) : key]);
  };
  visit(whole, []);
  return places;
}

const fieldOf = (keys: (string | number)[]): string =>
  keys.map((key, n) => (typeof key === 'number' ? `[${key}]` : n === 0 ? key : `.${key}`)).join('');

function replaced(whole: Json, keys: (string | number)[], text: string): string {
  const copy = structuredClone(whole);
  let holder = copy as Record<string | number, Json>;
  for (const key of keys.slice(0, -1)) holder = holder[key] as Record<string | number, Json>;
  holder[keys.at(-1) ?? ''] = MARK;
  return JSON.stringify(copy).replace(JSON.stringify(MARK), () => text);
}

function replacementsOf(field: string, value: Json): { what: string; wrong: string }[] {
  if (FREE.test(field)) return UNSTORABLE;
  if (typeof value === 'string') return [A_NUMBER, { what: 'a list', wrong: '["x"]' }, ...UNSTORABLE];
  if (typeof value === 'number')
    return [
      { what: 'a text', wrong: '"seven"' },
      { what: 'too much', wrong: '1e400' },
    ];
  return [A_NUMBER, { what: 'a text', wrong: '"wrong"' }];
}
