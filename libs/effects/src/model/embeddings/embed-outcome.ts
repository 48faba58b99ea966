import { type Usage } from '@parley/core';
import { type ModelFailure } from '../model-failure.js';

/** Texts that are to become vectors. */
export interface EmbedRequest {
  /** `provider/model`, or a model of the default provider; `Providers.resolve` has the rules. */
  handle: string;
  /** At least one, and none of them empty: providers refuse those. */
  texts: readonly string[];
  /** How long the vectors are to be, of a model that can make shorter ones; absent: as long as it makes them. */
  dimensions?: number | undefined;
  signal: AbortSignal;
}

/** Vectors of texts. */
export interface Embedded {
  /** One for each text, in their order; all of the same length, and none of them zero. */
  vectors: Float32Array[];
  /** Of all requests that it took. */
  usage: Usage;
  /** The model that made them, as `provider/model`: vectors of another cannot be compared with them. */
  model: string;
}

/** What became of texts. A failure's usage is what was spent until then, on texts before it too. */
export type EmbedOutcome = { ok: true; embedded: Embedded } | { ok: false; failure: ModelFailure };
