import { Logger } from '@nestjs/common';
import { addressed, type EventContract, type RequestOf, type ResponseOf, type Rpc, subjectOf } from '@parley/contracts';
import { PlatformError } from '@parley/core';
import { type z } from 'zod';
import { Bus, type RequestOptions } from '../bus.js';
import { Call } from '../call.js';
import { handled, type Handler } from '../handles.js';
import { heard } from '../heard.js';
import { fitting } from '../max-message.js';
import { parseAnswer } from '../parse-answer.js';
import { type InProcessHub } from './in-process-hub.js';

/** The bus of services that share a process. Same copies, errors and deadlines as over NATS; no socket. */
export class InProcessBus extends Bus {
  readonly #logger = new Logger(InProcessBus.name);

  constructor(private readonly hub: InProcessHub) {
    super();
  }

  async request<C extends Rpc>(
    contract: C,
    payload: RequestOf<C>,
    options: RequestOptions = {},
  ): Promise<ResponseOf<C>> {
    const subject = subjectOf(contract, payload);
    const responder = this.hub.responder(subject);
    if (!responder) throw new PlatformError('unavailable', `nobody serves ${subject}`);
    const request = fitting(subject, JSON.stringify(payload));
    const deadline = new Date(Math.min(Date.now() + contract.timeoutMs, options.deadline?.getTime() ?? Infinity));
    const limits = { subject, deadline, signal: options.signal };
    const answer = await within(limits, async () => {
      await Promise.resolve(); // not on the caller's stack
      return await responder(request, deadline);
    });
    return parseAnswer(contract, JSON.parse(answer));
  }

  publish<P extends z.ZodType, A>(contract: EventContract<P, A>, address: A, payload: z.input<P>): void {
    const subject = contract.subject(address);
    try {
      const json = fitting(subject, JSON.stringify(payload));
      for (const name of [subject, contract.pattern]) this.hub.tell(name, json);
    } catch (error) {
      this.#logger.error({ subject, err: error }, 'an event could not be sent');
    }
  }

  subscribe<P extends z.ZodType, A>(
    contract: EventContract<P, A>,
    listener: (payload: z.output<P>) => void,
    address?: A,
  ): () => void {
    const subject = address === undefined ? contract.pattern : contract.subject(address);
    const hear = heard(contract, listener, this.#logger);
    return this.hub.listen(subject, (json) => hear(JSON.parse(json)));
  }

  serve<C extends Rpc>(contract: C, process: string | number, handler: Handler<C>): () => void {
    const subject = addressed(contract.subject, process);
    this.hub.serve(subject, async (json, deadline) => {
      const call = new Call([deadline]);
      const answer = await handled(contract, (request) => handler(request, call), JSON.parse(json));
      return fitting(subject, JSON.stringify(answer));
    });
    return () => this.hub.withdraw(subject);
  }
}

interface Limits {
  subject: string;
  deadline: Date;
  signal: AbortSignal | undefined;
}

/** Waits for `answer` until the deadline or the caller's signal; an answer that comes later is dropped. */
const within = ({ subject, deadline, signal }: Limits, answer: () => Promise<string>): Promise<string> => {
  const remaining = deadline.getTime() - Date.now();
  if (signal?.aborted) return Promise.reject(givenUp(subject, signal));
  if (remaining <= 0) return Promise.reject(late(subject));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(() => reject(late(subject))), remaining);
    const abort = (): void => done(() => reject(givenUp(subject, signal)));
    signal?.addEventListener('abort', abort, { once: true });
    const done = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      settle();
    };
    answer().then(
      (json) => done(() => resolve(json)),
      (error: unknown) => done(() => reject(PlatformError.from(error))),
    );
  });
};

const late = (subject: string): PlatformError => new PlatformError('timeout', `${subject} did not answer in time`);

const givenUp = (subject: string, signal: AbortSignal | undefined): PlatformError =>
  new PlatformError('timeout', `the caller of ${subject} stopped waiting`, {}, { cause: signal?.reason });
