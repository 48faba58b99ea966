import { truncated, wellFormed } from '@parley/core';
import { ModelFault } from '../model-failure.js';
import { providerFault } from '../refusal/provider-fault.js';
import { loose, type Loose } from '../reply/chat-chunk.js';

/** What a provider answered to one request. */
export interface EmbeddingAnswer {
  vectors: Float32Array[];
  /** Nobody has looked at it. */
  usage: unknown;
  /** The model that answers; empty where the provider does not say. */
  model: string;
}

const FLOAT_BYTES = 4;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads an answer of vectors for `count` texts: ordered by their index, as numbers or as base64 of 32-bit floats.
 * @param length what the vectors must have; undefined: all the same.
 * @throws ModelFault for an error that the provider reports, and for what are no such vectors.
 */
export const readEmbeddingAnswer = (body: string, count: number, length: number | undefined): EmbeddingAnswer => {
  const answer = objectIn(body);
  if (answer.error) throw providerFault(body);
  if (!Array.isArray(answer.data)) throw bad('holds no list of vectors');
  if (answer.data.length !== count) throw bad(`holds ${answer.data.length} vectors for ${count} texts`);
  const vectors = ordered(answer.data).map((one, at) => vectorOf(one.embedding, at));
  const dimensions = length ?? vectors[0]?.length;
  const odd = vectors.findIndex((vector) => vector.length !== dimensions);
  if (odd !== -1)
    throw bad(`holds a vector ${odd} of ${vectors[odd]?.length} numbers where ${dimensions} were expected`);
  const model = typeof answer.model === 'string' ? truncated(wellFormed(answer.model), 200) : '';
  return { vectors, usage: answer.usage, model };
};

/** Some providers answer out of order; some give no index at all, and mean the order of the texts. */
const ordered = (data: readonly unknown[]): Loose[] => {
  const items = data.map((one) => loose(one) ?? {});
  if (items.every(({ index }) => index === undefined)) return items;
  const places = new Map(items.map((item) => [item.index, item]));
  return items.map((_, at) => {
    const item = places.get(at);
    if (!item) throw bad(`holds no vector of index ${at}`);
    return item;
  });
};

const vectorOf = (embedding: unknown, at: number): Float32Array => {
  const vector = typeof embedding === 'string' ? decoded(embedding) : listed(embedding);
  if (!vector || vector.length === 0) throw bad(`holds a vector ${at} that is neither numbers nor base64 of floats`);
  if (!vector.every(Number.isFinite)) throw bad(`holds a vector ${at} with a number that is not finite`);
  if (vector.every((number) => number === 0)) throw bad(`holds a vector ${at} of nothing but zeros`);
  return vector;
};

const listed = (embedding: unknown): Float32Array | undefined =>
  Array.isArray(embedding) && embedding.every((number) => typeof number === 'number')
    ? Float32Array.from(embedding)
    : undefined;

/** Little-endian on the wire, whatever this machine is. */
const decoded = (embedding: string): Float32Array | undefined => {
  const bytes = BASE64.test(embedding) ? Buffer.from(embedding, 'base64') : Buffer.alloc(0);
  if (bytes.length % FLOAT_BYTES !== 0) return undefined;
  return Float32Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) => bytes.readFloatLE(at * FLOAT_BYTES));
};

const objectIn = (body: string): Loose => {
  try {
    const object = loose(JSON.parse(body));
    if (object) return object;
  } catch {
    throw new ModelFault('bad_response', `the answer is not JSON: ${body.slice(0, 200)}`);
  }
  throw bad('is no JSON object');
};

const bad = (what: string): ModelFault => new ModelFault('bad_response', `the answer ${what}`);
