/** Many bytes of an unfinished line are a sign of life too; a drip is not. */
const LIFE_BYTES = 4_096;

/** Tells signs of life from a drip of bytes. */
export class LifeSigns {
  #since = 0;

  /** Takes so many bytes; answers whether they are a sign of life: the end of a line, or a good deal of one. */
  heard(bytes: number, endsLine: boolean): boolean {
    this.#since = endsLine ? 0 : this.#since + bytes;
    if (this.#since > 0 && this.#since < LIFE_BYTES) return false;
    this.#since = 0;
    return true;
  }
}
