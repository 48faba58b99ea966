import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { json } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A message of a request, as far as a scenario looks into it. */
export interface SentMessage {
  role: string;
  content: string | { type: string; text?: string }[];
}

/** A request as it arrived. */
export interface SentRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: { model?: string; messages: SentMessage[]; stream?: boolean; stream_options?: unknown };
}

/** Whether the reply to these words is to stop here, before its head or after its first word, until it is let go on. */
export type Hold = (words: string, at: 'head' | 'text') => boolean;

const ID = 'chatcmpl-stub';
const COUNTED = { prompt_tokens: 7, completion_tokens: 4, total_tokens: 11 };

/**
 * A model server that is not the simulator and shares nothing with it: it answers `You said: "…" ✓` in the way of a
 * server that is legal and odd: `\r\n`, comments, no spaces after colons, and writes that end amid lines and characters.
 */
export class StubModel {
  readonly requests: SentRequest[] = [];
  /** Replies stop while this says so. */
  hold: Hold = () => false;
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));
  /** Says after how many seconds a request with these words should come again, 0: it is not said; undefined: it is answered. */
  refuse: (words: string) => number | undefined = () => undefined;
  /** The status of those that are refused. */
  refusal: 429 | 503 = 503;
  /** What is said instead to these words, as text or parts of content; undefined: the usual. */
  say: (words: string) => string | object[] | undefined = () => undefined;
  /** Words whose requests were broken off by who sent them. */
  readonly brokenOff: string[] = [];
  readonly #brokenOffAt = new Map<string, number>();
  readonly #open = new Set<string>();
  readonly #held: { words: string; at: Parameters<Hold>[1]; letGo: () => void }[] = [];

  /** @returns its address, for OPENAI_BASE_URL. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port was given');
    return `http://127.0.0.1:${address.port}/odd/v1`;
  }

  /** Lets the replies go on that are not to be held any more. */
  letGo(hold: Hold = () => false): void {
    this.hold = hold;
    for (const { words, at, letGo } of this.#held) if (!hold(words, at)) letGo();
  }

  /** Like `hold`, for the words of one turn beside those of others. */
  holdWords(words: string, at: Parameters<Hold>[1]): void {
    const before = this.hold;
    this.hold = (asked, place) => (asked === words ? place === at : before(asked, place));
  }

  /** Like `refuse`, for the words of one turn beside those of others. */
  refuseWords(words: string, seconds: number): void {
    const before = this.refuse;
    this.refuse = (asked) => (asked === words ? seconds : before(asked));
  }

  /** How often these words were the last of a request. */
  requestsWith(words: string): number {
    return this.requests.filter(({ body }) => wordsOf(body.messages.at(-1)) === words).length;
  }

  /** When a request with these words was broken off by who sent it, by `performance.now()`. */
  brokenOffAt(words: string): number | undefined {
    return this.#brokenOffAt.get(words);
  }

  /** Whether somebody still waits for a reply to these words. */
  isOpen(words: string): boolean {
    return this.#open.has(words);
  }

  async close(): Promise<void> {
    this.letGo();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    const body = (await json(request)) as SentRequest['body'];
    this.requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    const words = wordsOf(body.messages.at(-1));
    const wait = this.refuse(words);
    if (wait !== undefined) {
      response.writeHead(this.refusal, wait > 0 ? { 'retry-after': `${wait}` } : {}).end('Too many words.');
      return;
    }
    this.#open.add(words);
    response.on('close', () => {
      this.#open.delete(words);
      if (response.writableFinished) return;
      this.brokenOff.push(words);
      this.#brokenOffAt.set(words, performance.now());
    });
    await this.#pause(words, 'head');
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=UTF-8' });
    const own = this.say(words);
    if (own !== undefined) {
      await trickle(response, chunk({ content: own }, 'stop') + counted() + 'data:[DONE]\r\n\r\n');
      response.end();
      return;
    }
    await trickle(response, ': hello\r\n\r\n' + chunk({ role: 'assistant', content: '' }) + chunk({ content: 'You ' }));
    await this.#pause(words, 'text');
    await trickle(response, chunk({ content: 'said: ' }) + spoken(`"${words}" `) + chunk({ content: '✓' }));
    await trickle(response, chunk({}, 'stop') + counted() + 'data:[DONE]\r\n\r\n');
    response.end();
  }

  async #pause(words: string, at: Parameters<Hold>[1]): Promise<void> {
    if (this.hold(words, at)) await new Promise<void>((letGo) => this.#held.push({ words, at, letGo }));
  }
}

/** The text of a message. */
export const wordsOf = (message: SentMessage | undefined): string => {
  const { content = '' } = message ?? {};
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
};

const eventOf = (value: object): string =>
  `data:${JSON.stringify({ id: ID, object: 'chat.completion.chunk', created: 1, model: 'odd-1', ...value })}\r\n\r\n`;

const chunk = (delta: object, finish_reason: string | null = null): string =>
  eventOf({ choices: [{ index: 0, delta, finish_reason }] });

/** Long words come in several events: no provider says them all at once. */
const spoken = (words: string): string => {
  const events: string[] = [];
  for (let at = 0; at < words.length; at += 100_000) events.push(chunk({ content: words.slice(at, at + 100_000) }));
  return events.join('');
};

const counted = (): string => eventOf({ choices: [], usage: COUNTED });

/** Sends bytes in pieces of 1, 2, 3, … 11, 1, 2, …; many of them in larger ones. */
async function trickle(response: ServerResponse, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const unit = bytes.length < 100_000 ? 1 : 8_191;
  for (let at = 0, size = 1; at < bytes.length; at += size * unit, size = (size % 11) + 1) {
    response.write(bytes.subarray(at, at + size * unit));
    await nextTurn();
  }
}
