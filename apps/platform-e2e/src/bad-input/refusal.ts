import { type Request, type VectaraClient } from '../client/vectara-client.js';
import { type Answer } from '../client/wire.js';

/** A request that must be refused, and how. */
export interface BadRequest {
  what: string;
  request: Request;
  status: number;
  /** The field that must be named, as `field_errors` names it; undefined: the request as a whole is bad. */
  field?: string;
}

/** A refusal is there within this time, in milliseconds, ... */
const IN_TIME_MS = 200;
/** ... once in so many tries: the machine may be busy with something else. */
const TRIES = 4;
/** And it does not grow with what it refuses, in characters. */
const MAX_LENGTH = 16_384;

/** Sending a body is not refusing it: on a busy machine so many bytes go in a millisecond. */
const SENT_PER_MS = 20_000;

const inTimeMs = ({ request: { body } }: BadRequest): number =>
  IN_TIME_MS + (typeof body === 'string' || body instanceof Uint8Array ? body.length / SENT_PER_MS : 0);

/** Sends a bad request; @returns what is wrong with its refusal. */
export async function faultsOf(client: VectaraClient, bad: BadRequest): Promise<string[]> {
  let answer = await client.send(bad.request);
  for (let n = 1; answer.ms > inTimeMs(bad) && n < TRIES; n += 1) answer = await client.send(bad.request);
  const { method = 'GET', path } = bad.request;
  return faultsIn(answer, bad).map((fault) => `${method} ${path.slice(0, 200)}, ${bad.what}: ${fault}`);
}

/** Sends one after the other. */
export async function faultsOfAll(client: VectaraClient, requests: readonly BadRequest[]): Promise<string[]> {
  const faults: string[] = [];
  for (const bad of requests) faults.push(...(await faultsOf(client, bad)));
  return faults;
}

function faultsIn({ status, headers, text, ms }: Answer, bad: BadRequest): string[] {
  if (status !== bad.status) return [`${status} instead of ${bad.status}: ${text.slice(0, 300)}`];
  const faults = ms > inTimeMs(bad) ? [`refused after ${Math.round(ms)} ms`] : [];
  if (text.length > MAX_LENGTH) faults.push(`the refusal is ${text.length} long`);
  if (/\bat .*\.[jt]s:\d+/.test(text)) faults.push(`a stack is shown: ${text.slice(0, 300)}`);
  if (bad.request.method === 'HEAD') return faults;
  if (!headers.get('content-type')?.startsWith('application/')) return [...faults, `no JSON: ${text.slice(0, 300)}`];
  return [...faults, ...faultsInBody(JSON.parse(text) as Refusal, headers, bad)];
}

interface Refusal {
  messages?: unknown;
  request_id?: unknown;
  field_errors?: Record<string, unknown>;
}

function faultsInBody(body: Refusal, headers: Headers, { status, field, request }: BadRequest): string[] {
  if (!request.path.startsWith('/v2')) return [];
  const { messages, request_id: id, field_errors: fields } = body;
  const faults: string[] = [];
  const isTold =
    Array.isArray(messages) && messages.length > 0 && messages.every((one) => typeof one === 'string' && one);
  if (!isTold) faults.push(`no reason: ${JSON.stringify(messages)}`);
  if (typeof id !== 'string' || id !== headers.get('x-request-id')) faults.push(`another id: ${String(id)}`);
  if (status === 400 && typeof fields !== 'object') faults.push('no field_errors');
  if (field !== undefined && typeof fields?.[field] !== 'string') {
    faults.push(`${field} is not named: ${JSON.stringify(fields)?.slice(0, 300)}`);
  }
  return faults;
}
