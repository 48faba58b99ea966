import { type ErrorCode } from '@parley/core';
import { type z } from 'zod';

/** A question that one service asks another. Both ends import this one value (DESIGN §6). */
export interface Rpc<Request extends z.ZodType = z.ZodType, Response extends z.ZodType = z.ZodType> {
  readonly type: 'rpc';
  /** `rpc.<noun>.<verb>`; only optional fields may be added under one subject, else it becomes `.v2`. */
  readonly subject: string;
  /** The field of the request that names the one process which is asked, at `<subject>.<name>`; absent: any that serves it. */
  readonly to?: string;
  readonly request: Request;
  readonly response: Response;
  /** Codes the callee answers on purpose, beside `internal`, `timeout` and `unavailable`, which any call can meet. */
  readonly errors: readonly ErrorCode[];
  /** How long a caller waits, in milliseconds. */
  readonly timeoutMs: number;
}

/** Something that happened, told to whoever listens; nobody answers. */
export interface EventContract<Payload extends z.ZodType = z.ZodType, Address = never> {
  readonly type: 'event';
  /** The subject of one event, from what it is about. */
  readonly subject: (address: Address) => string;
  /** The subject that hears all of them. */
  readonly pattern: string;
  readonly payload: Payload;
}

/** What a caller sends. */
export type RequestOf<C> = C extends Rpc<infer Request> ? z.input<Request> : never;
/** What a caller gets. */
export type ResponseOf<C> = C extends Rpc<z.ZodType, infer Response> ? z.output<Response> : never;
/** What a handler gets: the request after it was parsed. */
export type ParsedOf<C> = C extends Rpc<infer Request> ? z.output<Request> : never;

/** Defines a question between services. */
export const rpc = <Request extends z.ZodType, Response extends z.ZodType>(
  contract: Omit<Rpc<Request, Response>, 'type' | 'to'> & { to?: Extract<keyof z.input<Request>, string> },
): Rpc<Request, Response> => Object.freeze({ type: 'rpc', ...contract });

/** Where a request goes. */
export const subjectOf = <C extends Rpc>({ subject, to }: C, request: RequestOf<C>): string =>
  to === undefined ? subject : addressed(subject, (request as Record<string, unknown>)[to]);

/** The subject at which one process is asked, of a contract that names it. */
export const addressed = (subject: string, process: unknown): string => `${subject}.${String(process)}`;

/** Defines something that services tell each other. */
export const event = <Payload extends z.ZodType, Address>(
  contract: Omit<EventContract<Payload, Address>, 'type'>,
): EventContract<Payload, Address> => Object.freeze({ type: 'event', ...contract });
