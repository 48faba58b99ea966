import { type EmbeddingCreateParams } from 'openai/resources/embeddings';
import { z } from 'zod';
import { type SameShape } from './sdk-drift.js';

const maxInputs = 2_048;
const Token = z.int().min(0);
const TokenList = z.array(Token).min(1);

/** The body of a request for embeddings: a text, its tokens, or a list of either. */
export const EmbeddingParams = z.strictObject({
  input: z.union([
    z.string().min(1),
    z.array(z.string().min(1)).min(1).max(maxInputs),
    TokenList,
    z.array(TokenList).min(1).max(maxInputs),
  ]),
  model: z.string(),
  dimensions: z.int().min(1).exactOptional(),
  encoding_format: z.enum(['float', 'base64']).exactOptional(),
  user: z.string().exactOptional(),
});
export type EmbeddingParams = z.infer<typeof EmbeddingParams>;

type Holds<Claim extends true> = Claim;

/** Does not compile when our request schema and the SDK's request type part ways, in either direction. */
export type EmbeddingParamsMatchSdk = Holds<SameShape<EmbeddingParams, EmbeddingCreateParams>>;
