import { type FastifyReply } from 'fastify';

/** How often a silent stream shows that it lives, in milliseconds. */
const PING_EVERY_MS = 15_000;
/** How long a client may take nothing at all before it is cut, in milliseconds. */
const STALLED_MS = 30_000;

/**
 * One server-sent event stream. Whatever is written in one tick of the event loop leaves in one write to the socket
 * (DESIGN §6).
 */
export class SseWriter {
  #waiting = '';
  #scheduled = false;
  readonly #ping: NodeJS.Timeout;

  /** Sends the head of the response at once: the client knows that it was heard. */
  constructor(
    private readonly reply: FastifyReply,
    status: number,
  ) {
    reply.hijack();
    reply.raw.writeHead(status, {
      ...reply.getHeaders(),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    } as Record<string, string>);
    reply.raw.flushHeaders();
    this.#ping = setInterval(() => this.write(': ping\n\n'), PING_EVERY_MS).unref();
    reply.raw.once('close', () => clearInterval(this.#ping));
  }

  /** Adds whole frames, each ended by an empty line. */
  write(text: string): void {
    this.#waiting += text;
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(() => this.#flush());
  }

  /** Waits until the client has taken most of what it was sent; one that takes nothing for 30 s is cut. */
  async drained(): Promise<void> {
    const { raw } = this.reply;
    if (!raw.writableNeedDrain || raw.destroyed) return;
    await new Promise<void>((resolve) => {
      const stalled = setTimeout(() => raw.destroy(), STALLED_MS).unref();
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
    raw.end(this.#waiting);
    this.#waiting = '';
  }

  /** Breaks the connection off, so that the client sees that this was not the end. */
  cut(): void {
    clearInterval(this.#ping);
    this.reply.raw.destroy();
  }

  #flush(): void {
    this.#scheduled = false;
    const { raw } = this.reply;
    if (this.#waiting === '' || raw.destroyed || raw.writableEnded) return;
    raw.write(this.#waiting);
    this.#waiting = '';
  }
}
