import { Logger } from '@nestjs/common';
import { Ctx, MessagePattern, Payload, RpcException } from '@nestjs/microservices';
import { type ParsedOf, type Rpc } from '@parley/contracts';
import { type ErrorCode, issuesOf, issuesText, PlatformError } from '@parley/core';
import { type z } from 'zod';
import { type Call } from './call.js';

/** A method that answers a contract. What it throws on purpose is a `PlatformError` of one of the contract's codes. */
export type Handler<C extends Rpc> = (request: ParsedOf<C>, call: Call) => Promise<z.input<C['response']>>;

/** What any call can meet; a contract lists only what its callee means to say beside these. */
const ALWAYS: readonly ErrorCode[] = ['invalid_input', 'too_large', 'internal', 'timeout', 'unavailable'];

const logger = new Logger('Handles');

/**
 * Makes a controller's method the one that answers `contract`, on every transport. What enters is parsed by the
 * contract (`invalid_input` with issues); what is thrown leaves in its wire form: a `PlatformError` as it is, anything
 * else as `internal`, told to the log and not to the caller.
 */
export const Handles =
  <C extends Rpc>(contract: C) =>
  <H extends Handler<C>>(target: object, key: string, descriptor: TypedPropertyDescriptor<H>): void => {
    const handler = descriptor.value;
    if (!handler) throw new TypeError(`@Handles is for methods, which ${key} is not`);
    if (contract.to !== undefined) throw new TypeError(`${contract.subject} goes to one process: use Bus.serve`);
    const answering = async function (this: unknown, payload: unknown, call: Call): Promise<unknown> {
      try {
        return await handled(contract, (request) => handler.call(this, request, call), payload);
      } catch (error) {
        throw new RpcException((error as PlatformError).toJSON());
      }
    };
    Object.assign(descriptor, { value: answering });
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
    MessagePattern(contract.subject)(target, key, descriptor);
  };

/**
 * The answer of a handler to what came over the wire.
 * @throws PlatformError as it leaves: see `Handles`.
 */
export const handled = async <C extends Rpc>(
  contract: C,
  handler: (request: ParsedOf<C>) => Promise<z.input<C['response']>>,
  payload: unknown,
): Promise<z.input<C['response']>> => {
  try {
    return await handler(parseRequest(contract, payload));
  } catch (error) {
    throw told(contract, error);
  }
};

const parseRequest = <C extends Rpc>(contract: C, payload: unknown): ParsedOf<C> => {
  const parsed = contract.request.safeParse(payload);
  if (parsed.success) return parsed.data as ParsedOf<C>;
  const issues = issuesOf(parsed.error);
  throw new PlatformError('invalid_input', `${contract.subject} refused: ${issuesText(issues)}`, { issues });
};

const told = (contract: Rpc, thrown: unknown): PlatformError => {
  const error = PlatformError.from(thrown);
  if (error.code === 'internal') {
    logger.error({ subject: contract.subject, err: thrown }, 'a handler failed');
  } else if (!ALWAYS.includes(error.code) && !contract.errors.includes(error.code)) {
    logger.warn({ subject: contract.subject, code: error.code }, 'a handler answered a code that its contract omits');
  }
  return error;
};
