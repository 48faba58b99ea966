import { type EventContract, type RequestOf, type ResponseOf, type Rpc } from '@parley/contracts';
import { type z } from 'zod';
import { type Handler } from './handles.js';

/** How long a caller is willing to wait for an answer. */
export interface RequestOptions {
  /** The caller's own deadline; the call ends at it or at the contract's timeout, whichever is first. */
  deadline?: Date;
  /** Ends the wait early; the callee may still do what was asked. */
  signal?: AbortSignal;
}

/** Asks other services and tells them what happened. Forms: in process, NATS. Nobody writes a subject by hand. */
export abstract class Bus {
  /**
   * Sends a request and waits for its answer, which both ends validate by the contract.
   * @throws PlatformError what the callee threw; `timeout`; `unavailable` when nobody serves the subject.
   */
  abstract request<C extends Rpc>(contract: C, payload: RequestOf<C>, options?: RequestOptions): Promise<ResponseOf<C>>;

  /**
   * Tells whoever listens; at most once. Never waits and never throws: what is told is committed already, so an event
   * that cannot be sent is told to the log.
   */
  abstract publish<P extends z.ZodType, A>(contract: EventContract<P, A>, address: A, payload: z.input<P>): void;

  /** Hears every event of the contract, or those of one address; the answer ends the subscription. */
  abstract subscribe<P extends z.ZodType, A>(
    contract: EventContract<P, A>,
    listener: (payload: z.output<P>) => void,
    address?: A,
  ): () => void;

  /**
   * Answers the questions of a contract that go to one process by name (`to`), this one; the answer ends it. Questions
   * that any process may answer are for controllers: `@Handles`.
   */
  abstract serve<C extends Rpc>(contract: C, process: string | number, handler: Handler<C>): () => void;
}
