import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { PUBLISHED, type PublishedName } from './published-schemas.js';
import { type SseEvent, sseEvents } from './sse-events.js';

/** An answer, with its body as JSON; `undefined` where there is none. */
export interface Probed<Body = unknown> {
  status: number;
  headers: Headers;
  body: Body;
}

/** One frame of a stream: its id and what its data says. */
export interface StreamedFrame {
  id: string | undefined;
  event: { type: string; [field: string]: unknown };
}

/** What a request is made of beside its method and path. */
export interface ProbeRequest {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

const ajv = new Ajv2020({ strict: false, allErrors: true });
const validators = new Map<PublishedName, ValidateFunction>();

/** A client of the Vectara API that holds every answer against what the published document says of it. */
export class VectaraProbe {
  constructor(
    private readonly base: string,
    private readonly key: string | undefined,
  ) {}

  /** A probe of the same server under another key, or without one. */
  as(key: string | undefined): VectaraProbe {
    return new VectaraProbe(this.base, key);
  }

  /**
   * The body is what the document allows at this path; which of it, the caller says.
   * @throws Error when the answer is not one that the document allows.
   */
  async ask<Body = unknown>(method: Method, path: string, request: ProbeRequest = {}): Promise<Probed<Body>> {
    const response = await this.send(method, path, request);
    const text = await response.text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const expected = expectedSchema(method, path, response.status);
    if (expected === 'nothing' ? body !== undefined : !isAs(expected, body)) {
      throw new Error(
        `${method} ${path} answered ${response.status} against ${expected}: ${faultsOf(expected)} ${text}`,
      );
    }
    return { status: response.status, headers: response.headers, body: body as Body };
  }

  /** Posts to a session and reads the stream that answers, to its end. */
  async stream(path: string, request: ProbeRequest): Promise<StreamedFrame[]> {
    const frames: StreamedFrame[] = [];
    for await (const frame of this.frames('POST', path, request)) frames.push(frame);
    return frames;
  }

  /** The frames of a stream as they come. */
  async *frames(method: 'GET' | 'POST', path: string, request: ProbeRequest): AsyncGenerator<StreamedFrame> {
    const headers = { ...request.headers, ...(method === 'GET' ? { accept: 'text/event-stream' } : {}) };
    const body = method === 'POST' ? { body: { ...(request.body as object), stream_response: true } } : {};
    const response = await this.send(method, path, { ...request, headers, ...body });
    if (response.headers.get('content-type') !== 'text/event-stream') {
      throw new Error(`${method} ${path} answered ${response.status} ${await response.text()} instead of a stream`);
    }
    for await (const event of sseEvents(response)) yield frameOf(event);
  }

  /** Sends a request as it is, for answers that are no JSON. */
  async send(method: Method, path: string, { body, headers, signal }: ProbeRequest = {}): Promise<Response> {
    const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
    return await fetch(this.base + path, {
      method,
      headers: {
        ...(this.key === undefined ? {} : { 'x-api-key': this.key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as string) }),
      ...(signal ? { signal } : {}),
    });
  }
}

const frameOf = ({ id, data }: SseEvent): StreamedFrame => {
  const event: unknown = JSON.parse(data);
  if (!isAs('AgentStreamedResponse', event)) throw new Error(`a stream may not hold ${data}`);
  return { id, event: event as StreamedFrame['event'] };
};

const isAs = (name: PublishedName, value: unknown): boolean => {
  const validate = validators.get(name) ?? ajv.compile(PUBLISHED[name]);
  validators.set(name, validate);
  return validate(value);
};

const faultsOf = (name: PublishedName | 'nothing'): string =>
  name === 'nothing' ? '' : ajv.errorsText(validators.get(name)?.errors);

const ANSWERS: Record<string, { one: PublishedName; many: PublishedName }> = {
  agents: { one: 'Agent', many: 'ListAgentsResponse' },
  sessions: { one: 'AgentSession', many: 'ListAgentSessionsResponse' },
  events: { one: 'AgentEvent', many: 'ListAgentEventsResponse' },
};

/** What the document says of an answer. */
const expectedSchema = (method: Method, path: string, status: number): PublishedName | 'nothing' => {
  if (status === 400) return 'BadRequestError';
  if (status === 404) return 'NotFoundError';
  if (status >= 400) return 'Error';
  if (status === 204) return 'nothing';
  const [, ...segments] = (path.split('?')[0] ?? '').split('/').filter((segment) => segment !== '');
  const isMany = segments.length % 2 === 1;
  const noun = segments.at(isMany ? -1 : -2) ?? '';
  if (method === 'POST' && noun === 'events') return 'AgentResponse';
  const answers = ANSWERS[noun];
  if (!answers) throw new Error(`the probe knows no answer of ${path}`);
  return method === 'GET' && isMany ? answers.many : answers.one;
};
