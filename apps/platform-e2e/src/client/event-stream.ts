import { readSse } from './sse-reader.js';
import { type Frame, type WireEvent } from './wire.js';

/** A stream of events whose head has arrived. */
export class EventStream {
  readonly status: number;
  readonly headers: Headers;

  constructor(
    private readonly response: Response,
    private readonly abort: AbortController,
  ) {
    this.status = response.status;
    this.headers = response.headers;
  }

  /**
   * The frames up to and with `end`.
   * @throws Error when the connection breaks, or closes without it.
   */
  async *frames(): AsyncGenerator<Frame> {
    if (!this.response.body || !this.isStream) throw new Error(`no stream: ${this.status} ${await this.text()}`);
    let isOver = false;
    for await (const { id, data } of readSse(this.response.body)) {
      if (isOver) throw new Error(`a frame after the end: ${data}`);
      const event = JSON.parse(data) as WireEvent;
      isOver = event.type === 'end';
      yield { id, event, data };
    }
    if (!isOver) throw new Error('the stream closed without its end');
  }

  /** All frames at once. */
  async all(): Promise<Frame[]> {
    const frames: Frame[] = [];
    for await (const frame of this.frames()) frames.push(frame);
    return frames;
  }

  /** Frames until the first that is as asked for, with it; the stream goes on. */
  async first(isIt: (event: WireEvent) => boolean): Promise<Frame> {
    for await (const frame of this.frames()) if (isIt(frame.event)) return frame;
    throw new Error('the stream ended without the frame that was waited for');
  }

  get isStream(): boolean {
    return this.headers.get('content-type') === 'text/event-stream';
  }

  text(): Promise<string> {
    return this.response.text();
  }

  /** Goes away without a word, as a client does that is killed. */
  leave(): void {
    this.abort.abort();
  }
}
