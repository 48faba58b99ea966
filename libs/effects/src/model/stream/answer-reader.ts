import { ModelFault } from '../model-failure.js';
import { LifeSigns } from './life-signs.js';
import { SseReader } from './sse-reader.js';
import { type StreamLimits, tooLarge } from './stream-limits.js';
import { WholeReader } from './whole-reader.js';

const LF = 0x0a;
/** What may stand before an answer: a byte order mark, and the white space that some servers send while they wait. */
const BEFORE = new Set([0xef, 0xbb, 0xbf, 0x09, LF, 0x0d, 0x20]);
/** `{` and `[`: no line of server-sent events that means anything begins so. */
const JSON_BEGINS = new Set([0x7b, 0x5b]);

/**
 * Reads an answer as what it is, whatever its type says: some providers answer in one piece although they were asked to
 * stream, and some proxies name the one and send the other. The first byte that is no white space tells.
 */
export class AnswerReader {
  readonly #life = new LifeSigns();
  #reader: SseReader | WholeReader | undefined;
  #skipped = 0;

  constructor(
    private readonly onEvent: (data: string, name?: string) => void,
    private readonly limits: StreamLimits,
  ) {}

  /**
   * Takes bytes and hands over the events that they complete.
   * @returns whether they are a sign of life.
   * @throws ModelFault `too_large`
   */
  push(chunk: Buffer): boolean {
    if (this.#reader) return this.#reader.push(chunk);
    const at = chunk.findIndex((byte) => !BEFORE.has(byte));
    if (at === -1) return this.#skip(chunk);
    const Reader = JSON_BEGINS.has(chunk[at] ?? 0) ? WholeReader : SseReader;
    this.#reader = new Reader(this.onEvent, this.limits);
    return this.#reader.push(chunk.subarray(at));
  }

  /** The bytes are all there. An event that their end cut off is none: the others tell whether the answer is whole. */
  end(): void {
    try {
      this.#reader?.end();
    } catch (error) {
      const isCutOff =
        this.#reader instanceof SseReader && error instanceof ModelFault && error.code === 'bad_response';
      if (!isCutOff) throw error;
    }
  }

  #skip(chunk: Buffer): boolean {
    this.#skipped += chunk.length;
    if (this.#skipped > this.limits.answerBytes) throw tooLarge('the answer', this.limits.answerBytes);
    return this.#life.heard(chunk.length, chunk.includes(LF));
  }
}
