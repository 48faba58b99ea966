import { LifeSigns } from './life-signs.js';
import { type StreamLimits, tooLarge } from './stream-limits.js';

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
/** What is kept ready for the next unfinished line; more is given back. */
const KEPT_BYTES = 65_536;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const DATA = Buffer.from('data:');

/**
 * Reads server-sent events (WHATWG HTML §9.2) from bytes as they come: lines end in LF, CR or CRLF, a byte order mark
 * is skipped, several `data` lines are one value, invalid UTF-8 becomes U+FFFD. The cost is linear in the bytes, however
 * they are cut, and memory stays under a small multiple of the event's limit. `id` and `retry` mean nothing here.
 */
export class SseReader {
  readonly #life = new LifeSigns();
  #held = Buffer.alloc(0);
  #heldBytes = 0;
  #data: string | undefined;
  #dataBytes = 0;
  #name: string | undefined;
  #started = false;
  #afterCr = false;
  #total = 0;

  constructor(
    private readonly onEvent: (data: string, name: string | undefined) => void,
    private readonly limits: StreamLimits,
  ) {}

  /**
   * Takes bytes and hands over the events that they complete.
   * @returns whether they are a sign of life: the end of a line, comments too, or a good deal of one.
   * @throws ModelFault `too_large`
   */
  push(chunk: Buffer): boolean {
    this.#total += chunk.length;
    if (this.#total > this.limits.answerBytes) throw tooLarge('the answer', this.limits.answerBytes);
    const rest = this.#lines(chunk);
    if (rest < chunk.length) this.#hold(chunk, rest, chunk.length);
    return this.#life.heard(chunk.length, rest > 0);
  }

  /** The bytes are all there: an event that lacks the blank line at its end counts. */
  end(): void {
    if (this.#heldBytes > 0) this.#endHeldLine();
    this.#dispatch();
  }

  /** Takes the whole lines of a chunk; answers where the unfinished one begins. */
  #lines(chunk: Buffer): number {
    let start = 0;
    let lf = chunk.indexOf(LF);
    let cr = chunk.indexOf(CR);
    for (;;) {
      if (this.#afterCr && start < chunk.length) {
        this.#afterCr = false;
        if (lf === start) lf = chunk.indexOf(LF, ++start);
      }
      const end = lf === -1 || (cr !== -1 && cr < lf) ? cr : lf;
      if (end === -1) return start;
      if (this.#heldBytes > 0) {
        this.#hold(chunk, start, end);
        this.#endHeldLine();
      } else this.#line(chunk, start, end);
      start = end + 1;
      if (end === cr) {
        this.#afterCr = true;
        cr = chunk.indexOf(CR, start);
      } else lf = chunk.indexOf(LF, start);
    }
  }

  /** Copies, because a piece of a socket's buffer would keep all of it alive. */
  #hold(chunk: Buffer, start: number, end: number): void {
    const bytes = this.#heldBytes + end - start;
    if (bytes + this.#dataBytes > this.limits.eventBytes) throw tooLarge('one event', this.limits.eventBytes);
    if (bytes > this.#held.length) {
      const wider = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#held.length, 512));
      this.#held.copy(wider, 0, 0, this.#heldBytes);
      this.#held = wider;
    }
    chunk.copy(this.#held, this.#heldBytes, start, end);
    this.#heldBytes = bytes;
  }

  #endHeldLine(): void {
    const bytes = this.#heldBytes;
    this.#heldBytes = 0;
    this.#line(this.#held, 0, bytes);
    if (this.#held.length > KEPT_BYTES) this.#held = Buffer.alloc(0);
  }

  #line(bytes: Buffer, from: number, end: number): void {
    let start = from;
    if (!this.#started) {
      this.#started = true;
      if (startsWith(bytes, start, end, BOM)) start += BOM.length;
    }
    if (start === end) this.#dispatch();
    else if (startsWith(bytes, start, end, DATA)) this.#takeData(bytes, start + DATA.length, end);
    else if (bytes[start] !== COLON) this.#takeField(bytes.toString('utf8', start, end));
  }

  #takeData(bytes: Buffer, from: number, end: number): void {
    const start = from < end && bytes[from] === SPACE ? from + 1 : from;
    this.#addData(bytes.toString('utf8', start, end), end - from);
  }

  #addData(value: string, bytes: number): void {
    this.#dataBytes += bytes + DATA.length;
    if (this.#dataBytes > this.limits.eventBytes) throw tooLarge('one event', this.limits.eventBytes);
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #takeField(line: string): void {
    if (line === 'data') this.#addData('', 0);
    else if (line.startsWith('event:')) this.#name = line.slice(line[6] === ' ' ? 7 : 6);
  }

  #dispatch(): void {
    const data = this.#data;
    const name = this.#name;
    this.#data = undefined;
    this.#name = undefined;
    this.#dataBytes = 0;
    if (data !== undefined) this.onEvent(data, name);
  }
}

const startsWith = (bytes: Buffer, start: number, end: number, prefix: Buffer): boolean => {
  if (end - start < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (bytes[start + i] !== prefix[i]) return false;
  return true;
};
