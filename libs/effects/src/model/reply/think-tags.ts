const OPEN = '<think>';
const CLOSE = '</think>';

/** A piece of what a model said, told apart. */
export interface Told {
  type: 'text' | 'reasoning';
  text: string;
}

/**
 * Tells reasoning from text for models that say both in one: an answer that begins with `<think>` is reasoning up to
 * `</think>` (bug report B13). Works on pieces however they are cut: what may be the beginning of a tag is kept back.
 * Where the prompt's template has opened the tag already, the answer lacks it; a lone `</think>` does not show that, since
 * what is before it was shown as text by then, and answers may speak of tags.
 */
export class ThinkTags {
  #state: 'beginning' | 'thinking' | 'behind' | 'speaking' = 'beginning';
  #kept = '';

  /** @param open the answer begins inside of the thoughts, with the tag or without. */
  constructor(private readonly open = false) {}

  /** Takes a piece of the answer; answers what is certain by now. */
  take(piece: string): Told[] {
    this.#kept += piece;
    const told: Told[] = [];
    while (this.#step(told));
    return told;
  }

  /** Nothing follows: what was kept back is what it looked like least. */
  end(): Told[] {
    const rest = this.#kept;
    this.#kept = '';
    if (rest === '' || this.#state === 'behind') return [];
    const thinks = this.#state === 'thinking' || (this.#state === 'beginning' && this.open);
    return [{ type: thinks ? 'reasoning' : 'text', text: rest }];
  }

  /** One state's worth of what is kept; true when another state goes on with the rest. */
  #step(told: Told[]): boolean {
    switch (this.#state) {
      case 'beginning':
        return this.#begin();
      case 'thinking':
        return this.#think(told);
      case 'behind':
        return this.#skipSpace();
      case 'speaking':
        if (this.#kept !== '') told.push({ type: 'text', text: this.#kept });
        this.#kept = '';
        return false;
    }
  }

  #begin(): boolean {
    const start = this.#kept.trimStart();
    if (start.length < OPEN.length && OPEN.startsWith(start)) return false;
    const isTagged = start.startsWith(OPEN);
    this.#state = isTagged || this.open ? 'thinking' : 'speaking';
    if (isTagged) this.#kept = start.slice(OPEN.length);
    return true;
  }

  #think(told: Told[]): boolean {
    const at = this.#kept.indexOf(CLOSE);
    const end = at === -1 ? this.#kept.length - openEnd(this.#kept) : at;
    if (end > 0) told.push({ type: 'reasoning', text: this.#kept.slice(0, end) });
    this.#kept = this.#kept.slice(at === -1 ? end : at + CLOSE.length);
    if (at !== -1) this.#state = 'behind';
    return at !== -1;
  }

  /** The blank lines behind the tag belong to nobody. */
  #skipSpace(): boolean {
    this.#kept = this.#kept.trimStart();
    if (this.#kept === '') return false;
    this.#state = 'speaking';
    return true;
  }
}

/** How many characters at the end may be the beginning of the closing tag. */
const openEnd = (text: string): number => {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(CLOSE.slice(0, length))) return length;
  }
  return 0;
};
