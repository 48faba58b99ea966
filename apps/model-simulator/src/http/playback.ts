import { type ServerResponse } from 'node:http';
import { type Act } from '../answer/act.js';
import { type RequestEntry } from './request-log.js';
import { ResponseBody } from './response-body.js';

/**
 * Plays acts to one response: no faster than the client reads, waits on an absolute schedule (so that a stream of
 * 1,000 tokens does not drift), and not one act more once the connection has closed.
 */
export class Playback {
  private readonly body: ResponseBody;
  private timer: NodeJS.Timeout | undefined;
  private due: number | undefined;

  constructor(
    private readonly response: ServerResponse,
    private readonly entry: RequestEntry,
    private readonly acts: Iterator<Act>,
    private readonly contentType: string,
  ) {
    this.body = new ResponseBody(response);
    response.on('close', () => clearTimeout(this.timer));
  }

  /** Goes on until an act has to be waited for. */
  readonly play = (): void => {
    while (this.entry.outcome === 'open') {
      const next = this.acts.next();
      if (next.done) {
        this.close();
        return;
      }
      if (!this.perform(next.value)) return;
    }
  };

  /** Does one act; false if the next one is not to follow at once. */
  private perform(act: Act): boolean {
    switch (act.do) {
      case 'head':
        this.writeHead(act.status, act.headers);
        this.response.flushHeaders();
        return true;
      case 'send':
        this.writeUsualHead();
        this.entry.tokensSent += act.tokens;
        return this.body.write(act.data) || this.untilDrained(this.play);
      case 'wait':
        return this.wait(act.ms);
      case 'respond':
        this.respond(act);
        return false;
      case 'close':
        this.close();
        return false;
      case 'reset':
        this.reset();
        return false;
      case 'stall':
        this.body.flush();
        return false;
    }
  }

  private untilDrained(resume: () => void): false {
    this.response.once('drain', resume);
    return false;
  }

  private wait(ms: number): boolean {
    return this.body.flush() ? this.rest(ms) : this.untilDrained(() => this.rest(ms) && this.play());
  }

  /** False: a timer goes on. True: the schedule is already past this point. */
  private rest(ms: number): boolean {
    const now = performance.now();
    this.due = (this.due ?? now) + ms;
    if (this.due <= now) return true;
    this.timer = setTimeout(this.play, Math.ceil(this.due - now));
    return false;
  }

  private respond({ status, headers, body, tokens }: Extract<Act, { do: 'respond' }>): void {
    const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    this.writeHead(status, { ...length, ...headers });
    this.entry.tokensSent += tokens;
    this.body.write(body);
    this.body.end();
  }

  private close(): void {
    this.writeUsualHead();
    this.body.end();
  }

  private reset(): void {
    this.body.flush();
    this.entry.close('reset');
    const { socket } = this.response;
    setImmediate(() => socket?.resetAndDestroy()); // after what is corked until the end of this tick has left
  }

  private writeUsualHead(): void {
    if (this.entry.status === undefined) {
      this.writeHead(200, { 'content-type': this.contentType, 'cache-control': 'no-cache' });
    }
  }

  private writeHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.entry.status = status;
    this.body.writeHead(status, headers);
  }
}
