import { wellFormed } from '@parley/core';

/**
 * The text of a part as its pieces come. Each piece is made well-formed on its own, with half a surrogate pair at its
 * end kept back for the next one, so that what was shown, joined, is the text exactly.
 */
export class SpokenText {
  #text = '';
  #half = '';

  /** All that may be shown so far. */
  get text(): string {
    return this.#text;
  }

  /** Takes a piece; answers what may be shown of it now. */
  say(piece: string): string {
    const all = this.#half + piece;
    const last = all.charCodeAt(all.length - 1);
    const cut = last >= 0xd800 && last <= 0xdbff ? all.length - 1 : all.length;
    this.#half = all.slice(cut);
    return this.#show(all.slice(0, cut));
  }

  /** Nothing follows: half a pair that was kept back becomes U+FFFD. */
  end(): string {
    const half = this.#half;
    this.#half = '';
    return this.#show(half);
  }

  #show(piece: string): string {
    const shown = wellFormed(piece);
    this.#text += shown;
    return shown;
  }
}
