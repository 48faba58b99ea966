import { type BadRequest } from './refusal.js';
import { type BodyRoute } from './routes.js';

/** Longer than most limits, in characters. */
const HUGE = 5 * 2 ** 20;
const DEEP = 8_000;

/** Bodies that are no JSON, or none that can be read. */
export const unreadableBodies = ({ method, path, body, limit }: BodyRoute): BadRequest[] => {
  const good = JSON.stringify(body);
  const texts = ['', ' ', '{', 'nul', 'NaN', '{"a":1,}', "{'a':1}", '{"a":1}//', '{"a" 1}', '{"a":01}', '"\t"', '{}{}'];
  const cut = Array.from({ length: 20 }, (_, n) => good.slice(0, Math.floor((good.length * (n + 1)) / 21)));
  const bytes = [Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from('\ufeff{}', 'utf16le'), Buffer.from([0xed, 0xa0, 0x80])];
  const bad = (what: string, sent: string | Uint8Array<ArrayBuffer>, status = 400): BadRequest => ({
    what,
    status,
    request: { method, path, body: sent },
  });
  const manyKeys = `{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`).join()}}`;
  return [
    ...[...texts, ...cut].map((text) => bad(`the body ${text.slice(-40)}`, text)),
    ...bytes.map((one) => bad(`the bytes ${one.toString('hex')}`, one)),
    ...['[]', 'null', '"x"', '1', 'true'].map((text) => bad(`the body ${text}`, text)),
    bad('a key of 5 MB', `{"${'k'.repeat(HUGE)}":1}`, limit < HUGE ? 413 : 400),
    bad('100,000 fields', manyKeys, limit < manyKeys.length ? 413 : 400),
    bad('more than it may weigh', `"${'x'.repeat(limit)}"`, 413),
  ];
};

/** Bodies that are nested, or have names, as none may be. */
export const hostileBodies = ({ method, path, body }: BodyRoute): BadRequest[] => {
  const withField = (name: string, text: string): string => `${JSON.stringify(body).slice(0, -1)},"${name}":${text}}`;
  const bad = (what: string, sent: string, field?: string): BadRequest => ({
    what,
    status: 400,
    request: { method, path, body: sent },
    ...(field !== undefined && { field }),
  });
  return [
    bad('arrays 8,000 deep', '['.repeat(DEEP) + ']'.repeat(DEEP)),
    bad('arrays 8,000 deep in metadata', withField('metadata', '['.repeat(DEEP) + ']'.repeat(DEEP))),
    bad('objects 8,000 deep in metadata', withField('metadata', '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP))),
    bad('arrays that do not end', '['.repeat(900_000)),
    bad('__proto__', withField('__proto__', '{"polluted":1}'), '__proto__'),
    bad('__proto__ deep inside', withField('metadata', '{"a":[{"__proto__":{}}]}'), 'metadata.a[0].__proto__'),
    bad('constructor.prototype', withField('metadata', '{"constructor":{"prototype":{}}}')),
    bad('an unknown field', withField('allowed_tool', '[]'), 'allowed_tool'),
    bad('an unknown field with a name that objects have', withField('toString', '1'), 'toString'),
    bad('U+0000 in a name', withField('metadata', '{"a\\u0000":1}')),
    bad('half a surrogate pair in a name', withField('metadata', '{"a\\ud800":1}')),
  ];
};
