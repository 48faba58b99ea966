/** Follows JSON text piece by piece and knows, at a constant cost a character, when its first object has closed. */
export class JsonEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #reached = false;

  /** True once an object has been closed. */
  get reached(): boolean {
    return this.#reached;
  }

  take(piece: string): void {
    for (let i = 0; i < piece.length && !this.#reached; i++) this.#step(piece.charCodeAt(i));
  }

  #step(unit: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (this.#inString) {
      if (unit === BACKSLASH) this.#escaped = true;
      else if (unit === QUOTE) this.#inString = false;
    } else if (unit === QUOTE) this.#inString = true;
    else if (unit === OPEN) this.#depth++;
    else if (unit === CLOSE) this.#reached = --this.#depth <= 0;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
