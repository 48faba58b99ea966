import { Logger } from '@nestjs/common';
import { addressed, type EventContract, type RequestOf, type ResponseOf, type Rpc, subjectOf } from '@parley/contracts';
import { PlatformError } from '@parley/core';
import { type Msg } from '@nats-io/transport-node';
import { type z } from 'zod';
import { Bus, type RequestOptions } from '../bus.js';
import { handled, type Handler } from '../handles.js';
import { heard } from '../heard.js';
import { parseAnswer } from '../parse-answer.js';
import { type NatsLink } from './nats-link.js';
import { type Answerer, NatsResponder } from './nats-responder.js';
import { Question } from './question.js';
import { encoded, ERROR_HEADER } from './wire.js';

/**
 * The bus between processes. A question that nobody serves is asked once more, since a service that has just started,
 * or has just left, may not be known to the server yet.
 */
export class NatsBus extends Bus {
  readonly #logger = new Logger(NatsBus.name);

  constructor(private readonly link: NatsLink) {
    super();
  }

  async request<C extends Rpc>(
    contract: C,
    payload: RequestOf<C>,
    options: RequestOptions = {},
  ): Promise<ResponseOf<C>> {
    const subject = subjectOf(contract, payload);
    const bytes = encoded(subject, JSON.stringify(payload), this.link.maxPayload);
    const answer = await new Question(this.link, subject, bytes, contract.timeoutMs).ask(options);
    const value: unknown = answer.json();
    if (answer.headers?.has(ERROR_HEADER)) throw PlatformError.from(value);
    return parseAnswer(contract, value);
  }

  publish<P extends z.ZodType, A>(contract: EventContract<P, A>, address: A, payload: z.input<P>): void {
    const subject = contract.subject(address);
    try {
      this.link.publish(subject, encoded(subject, JSON.stringify(payload), this.link.maxPayload));
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
    const subscription = this.link.subscribe(subject, (message) => hear(jsonOf(message)));
    return () => subscription.stop();
  }

  serve<C extends Rpc>(contract: C, process: string | number, handler: Handler<C>): () => void {
    const answerer: Answerer = (payload, call) => handled(contract, (request) => handler(request, call), payload);
    const responder = new NatsResponder(this.link, addressed(contract.subject, process), answerer);
    return () => void responder.close();
  }
}

const jsonOf = (message: Msg): unknown => {
  try {
    return message.json();
  } catch {
    return undefined;
  }
};
