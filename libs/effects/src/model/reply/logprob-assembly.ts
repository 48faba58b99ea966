import { type Logprobs, type TokenLogprob, truncated, wellFormed } from '@parley/core';
import { loose } from './chat-chunk.js';

/** What they may weigh, in bytes of JSON: an event has to pass through a bus with all else that it says. */
const MAX_BYTES = 131_072;
const MAX_TOKEN_UNITS = 256;
const MAX_TOP = 20;

type Weighed = [token: string, logprob: number];

/**
 * Joins what the chunks of an answer say of its tokens' probabilities. They are told beside the answer, so none of them
 * makes it a bad one: what is no token with a number is left out.
 */
export class LogprobAssembly {
  readonly #text: TokenLogprob[] = [];
  readonly #refusal: TokenLogprob[] = [];
  #bytes = 0;
  #isCut = false;

  /** Takes what a choice has under `logprobs`, whatever that is. */
  take(said: unknown): void {
    const { content, refusal } = loose(said) ?? {};
    this.#add(this.#text, content);
    this.#add(this.#refusal, refusal);
  }

  /** What was told so far; undefined: nothing. */
  get logprobs(): Logprobs | undefined {
    const [text, refusal] = [this.#text, this.#refusal];
    if (text.length + refusal.length === 0 && !this.#isCut) return undefined;
    return { text, ...(refusal.length > 0 && { refusal }), cut: this.#isCut };
  }

  #add(list: TokenLogprob[], said: unknown): void {
    if (!Array.isArray(said)) return;
    for (const one of said) {
      if (this.#isCut) return;
      const token = tokenOf(one);
      if (!token) continue;
      this.#bytes += Buffer.byteLength(JSON.stringify(token)) + 1;
      this.#isCut = this.#bytes > MAX_BYTES;
      if (!this.#isCut) list.push(token);
    }
  }
}

const tokenOf = (said: unknown): TokenLogprob | undefined => {
  const own = weighed(said);
  const top = loose(said)?.top_logprobs;
  if (!own) return undefined;
  const others = Array.isArray(top)
    ? top
        .slice(0, MAX_TOP)
        .map(weighed)
        .filter((one) => one !== undefined)
    : [];
  return [...own, others];
};

const weighed = (said: unknown): Weighed | undefined => {
  const { token, logprob } = loose(said) ?? {};
  if (typeof token !== 'string' || typeof logprob !== 'number' || !Number.isFinite(logprob)) return undefined;
  return [truncated(wellFormed(token), MAX_TOKEN_UNITS), logprob];
};
