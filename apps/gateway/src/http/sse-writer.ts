import { type FastifyReply } from 'fastify';
import { breakOff } from './door/departure.js';

/** How often a silent stream shows that it lives, in milliseconds. */
const PING_EVERY_MS = 15_000;
/** How long a client may take nothing at all before it is cut, in milliseconds. */
const STALLED_MS = 30_000;
const LAST_CHUNK = '0\r\n\r\n';

/**
 * One server-sent event stream. Whatever is written in one tick of the event loop leaves in one write to the socket, the
 * head of the response too (DESIGN §6). The body's chunks are framed here: Node writes each in four pieces.
 */
export class SseWriter {
  #waiting = '';
  #scheduled = false;
  readonly #isChunked: boolean;
  readonly #ping: NodeJS.Timeout;

  /** Sends the head of the response in this tick: the client knows that it was heard. */
  constructor(
    private readonly reply: FastifyReply,
    status: number,
  ) {
    const { raw } = reply.hijack();
    raw.writeHead(status, {
      ...reply.getHeaders(),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    } as Record<string, string>);
    this.#isChunked = raw.chunkedEncoding; // what the head says; a client of HTTP/1.0 knows no chunks
    raw.chunkedEncoding = false;
    this.#ping = setInterval(() => this.write(': ping\n\n'), PING_EVERY_MS).unref();
    raw.once('close', () => clearInterval(this.#ping));
    this.#schedule();
  }

  /** Adds whole frames, each ended by an empty line. */
  write(text: string): void {
    if (text === '') return;
    this.#waiting += text;
    this.#schedule();
  }

  /** Waits until the client has taken most of what it was sent; one that takes nothing for 30 s is cut. */
  async drained(): Promise<void> {
    const { raw } = this.reply;
    if (!raw.writableNeedDrain || raw.destroyed) return;
    await new Promise<void>((resolve) => {
      const stalled = setTimeout(() => breakOff(this.reply), STALLED_MS).unref();
      const done = (): void => {
        clearTimeout(stalled);
        raw.off('drain', done).off('close', done);
        resolve();
      };
      raw.on('drain', done).on('close', done);
    });
  }

  /** Sends what is left and ends the response. */
  end(): void {
    clearInterval(this.#ping);
    const { raw } = this.reply;
    if (raw.destroyed || raw.writableEnded) return;
    raw.end(this.#takeChunk() + (this.#isChunked ? LAST_CHUNK : ''));
  }

  /** Breaks the connection off, so that the client sees that this was not the end. */
  cut(): void {
    clearInterval(this.#ping);
    breakOff(this.reply);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    const { raw } = this.reply;
    if (raw.destroyed || raw.writableEnded) return;
    if (this.#waiting === '') raw.flushHeaders();
    else raw.write(this.#takeChunk());
  }

  /** What waits, as a chunk of the body; an empty one would end it. */
  #takeChunk(): string {
    const text = this.#waiting;
    this.#waiting = '';
    return text === '' || !this.#isChunked ? text : `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  }
}
