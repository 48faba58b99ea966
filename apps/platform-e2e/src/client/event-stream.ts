import { readSse } from './sse-reader.js';
import { type Frame, type WireEvent } from './wire.js';

/** A stream of events whose head has arrived. It is read once, in as many steps as the reader likes. */
export class EventStream {
  readonly status: number;
  readonly headers: Headers;
  readonly #frames: AsyncGenerator<Frame>;

  constructor(
    private readonly response: Response,
    private readonly abort: AbortController,
  ) {
    this.status = response.status;
    this.headers = response.headers;
    this.#frames = this.#read();
  }

  /**
   * The next frame; undefined after `end`.
   * @throws Error when the answer is no stream, and when the connection breaks or closes without `end`.
   */
  async next(): Promise<Frame | undefined> {
    const result: IteratorResult<Frame, unknown> = await this.#frames.next();
    return result.done === true ? undefined : result.value;
  }

  /** The frames that are left, as they come. */
  async *frames(): AsyncGenerator<Frame> {
    for (let frame = await this.next(); frame; frame = await this.next()) yield frame;
  }

  /** The frames that are left, once they are all there. */
  async all(): Promise<Frame[]> {
    const frames: Frame[] = [];
    for await (const frame of this.frames()) frames.push(frame);
    return frames;
  }

  /** Reads up to and with the first frame of that type. */
  async upTo(type: string): Promise<Frame[]> {
    const frames: Frame[] = [];
    for await (const frame of this.frames()) {
      frames.push(frame);
      if (frame.event.type === type) return frames;
    }
    throw new Error(`the stream ended without ${type}: ${frames.map(({ data }) => data).join('\n')}`);
  }

  /** Goes away without a word, as a client does that is killed. */
  leave(): void {
    this.abort.abort();
  }

  async *#read(): AsyncGenerator<Frame> {
    const isStream = this.headers.get('content-type') === 'text/event-stream';
    if (!this.response.body || !isStream) throw new Error(`no stream: ${this.status} ${await this.response.text()}`);
    let isOver = false;
    for await (const { id, data } of readSse(this.response.body)) {
      if (isOver) throw new Error(`a frame after the end: ${data}`);
      const event = JSON.parse(data) as WireEvent;
      isOver = event.type === 'end';
      yield { id, event, data };
    }
    if (!isOver) throw new Error('the stream closed without its end');
  }
}
