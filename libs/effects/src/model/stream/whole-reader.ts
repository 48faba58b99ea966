import { LifeSigns } from './life-signs.js';
import { type StreamLimits, tooLarge } from './stream-limits.js';

const LF = 0x0a;

/** Collects an answer that is JSON in one piece, or one JSON value a line. */
export class WholeReader {
  readonly #chunks: Buffer[] = [];
  readonly #life = new LifeSigns();
  #total = 0;

  constructor(
    private readonly onValue: (json: string) => void,
    private readonly limits: StreamLimits,
  ) {}

  /**
   * Takes bytes.
   * @returns whether they are a sign of life.
   * @throws ModelFault `too_large`
   */
  push(chunk: Buffer): boolean {
    this.#total += chunk.length;
    if (this.#total > this.limits.answerBytes) throw tooLarge('the answer', this.limits.answerBytes);
    this.#chunks.push(chunk);
    return this.#life.heard(chunk.length, chunk.includes(LF));
  }

  /** The bytes are all there: hands over the value, or that of each line. */
  end(): void {
    const body = Buffer.concat(this.#chunks).toString();
    for (const json of isJson(body) ? [body] : body.split('\n')) this.onValue(json);
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
