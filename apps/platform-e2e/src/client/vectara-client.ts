import { EventStream } from './event-stream.js';
import { type Answer, type SessionKeys, type WireEvent } from './wire.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** A request as it is sent: the body is sent as it is, an object as JSON. */
export interface Request {
  method?: string;
  path: string;
  body?: string | Uint8Array<ArrayBuffer> | object;
  headers?: Readonly<Record<string, string>>;
}

/** What is said to an agent, beside the words. */
export interface Saying {
  since?: string;
  behavior?: 'follow_up' | 'steer';
}

/** A plain client of the Vectara Agents API: what it sends and gets is what is on the wire. */
export class VectaraClient {
  /** @param key null: none is sent. */
  constructor(
    readonly url: string,
    readonly key: string | null,
  ) {}

  /** Sends any request, and waits for all of its answer. */
  async send(request: Request): Promise<Answer> {
    const sentAt = performance.now();
    const response = await this.#fetch(request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, ms: performance.now() - sentAt };
  }

  /** @throws Error when the answer is not of the 2xx. */
  async ask<T = unknown>(request: Request): Promise<T> {
    const { status, text } = await this.send(request);
    if (status < 200 || status > 299) throw new Error(`${request.method ?? 'GET'} ${request.path}: ${status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Makes an agent that answers by `model`; @returns its key. */
  async makeAgent(key: string, model: string): Promise<string> {
    const instructions = [{ type: 'inline', name: 'talk', template: 'Answer.' }];
    const first_step = { name: 'talk', instructions, output_parser: { type: 'default' } };
    const agent = { key, name: key, model: { name: model }, tool_configurations: {}, first_step };
    await this.ask({ method: 'POST', path: '/v2/agents', body: agent });
    return key;
  }

  async makeSession(agent: string, session: string): Promise<SessionKeys> {
    await this.ask({ method: 'POST', path: `/v2/agents/${agent}/sessions`, body: { key: session } });
    return { agent, session };
  }

  /** Says words and streams what comes of them. */
  async say(session: SessionKeys, words: string, saying: Saying = {}): Promise<EventStream> {
    const messages = [{ type: 'text', content: words }];
    return await this.#stream({
      method: 'POST',
      path: eventsOf(session),
      body: { messages, stream_response: true, ...saying },
    });
  }

  /** Streams what has happened after the event of that id, or ever, and what happens until the session rests. */
  async listen(session: SessionKeys, lastEventId?: string): Promise<EventStream> {
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    return await this.#stream({ path: eventsOf(session), headers });
  }

  /** Ends the turn that is under way; @returns what came of it. */
  async interrupt(session: SessionKeys): Promise<Answer> {
    return await this.send({ method: 'POST', path: eventsOf(session), body: { type: 'interrupt' } });
  }

  /** The whole list of events, page by page. */
  async events(session: SessionKeys): Promise<WireEvent[]> {
    const all: WireEvent[] = [];
    for (let query = '?limit=100'; ;) {
      const path = `${eventsOf(session)}${query}`;
      const page = await this.ask<{ events: WireEvent[]; metadata: { page_key?: string } }>({ path });
      all.push(...page.events);
      if (page.metadata.page_key === undefined) return all;
      query = `?limit=100&page_key=${encodeURIComponent(page.metadata.page_key)}`;
    }
  }

  async #stream(request: Request): Promise<EventStream> {
    const abort = new AbortController();
    return new EventStream(await this.#fetch(request, abort.signal), abort);
  }

  #fetch({ method = 'GET', path, body, headers }: Request, signal?: AbortSignal): Promise<Response> {
    const isObject = typeof body === 'object' && !(body instanceof Uint8Array);
    return fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.key !== null && { 'x-api-key': this.key }),
        ...(body !== undefined && JSON_TYPE),
        ...headers,
      },
      ...(body !== undefined && { body: isObject ? JSON.stringify(body) : body }),
      ...(signal && { signal }),
    });
  }
}

/** Where the events of a session are. */
export const eventsOf = ({ agent, session }: SessionKeys): string => `/v2/agents/${agent}/sessions/${session}/events`;
