import { type CreateEmbeddingResponse } from 'openai/resources/embeddings';
import { ApiError, invalidRequest } from '../http/api-error.js';
import { type EmbeddingParams } from '../params/embedding-params.js';
import { shortened, textVector } from './text-vector.js';

/** `sim-embed-256`: its vectors have so many numbers. */
const name = /^sim-embed-([1-9]\d{0,3})$/;
const charactersPerToken = 4;

/** The model of embeddings that `GET /v1/models` shows; every other number works too. */
export const shownEmbeddingModel = 'sim-embed-256';

/** What the simulator answers to a request for embeddings; throws ApiError for what it cannot do. */
export function embed(params: EmbeddingParams): object {
  const { model, encoding_format: format = 'float' } = params;
  const made = dimensionsOf(model);
  const { dimensions = made } = params;
  if (dimensions > made) {
    const message = `Invalid value for 'dimensions': this model makes vectors of at most ${made}.`;
    throw invalidRequest('dimensions', message, 'invalid_value');
  }
  const texts = textsOf(params.input);
  const data = texts.map((text, index) => {
    const vector = shortened(textVector(text, made), dimensions);
    return { object: 'embedding', index, embedding: format === 'base64' ? base64(vector) : vector };
  });
  const tokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / charactersPerToken), 0);
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } } satisfies Answer;
}

/** The SDK's type knows numbers only: it decodes base64 by itself. */
type Answer = Omit<CreateEmbeddingResponse, 'data'> & { data: object[] };

function dimensionsOf(model: string): number {
  const [, dimensions] = name.exec(model) ?? [];
  if (dimensions !== undefined) return Number(dimensions);
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  throw new ApiError(404, { message, code: 'model_not_found' });
}

/** Tokens are words to it, by their numbers. */
function textsOf(input: EmbeddingParams['input']): string[] {
  if (typeof input === 'string') return [input];
  if (input.every((one) => typeof one === 'number')) return [input.join(' ')];
  return input.map((one) => (typeof one === 'string' ? one : one.join(' ')));
}

function base64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(4 * vector.length);
  vector.forEach((number, at) => bytes.writeFloatLE(number, 4 * at));
  return bytes.toString('base64');
}
