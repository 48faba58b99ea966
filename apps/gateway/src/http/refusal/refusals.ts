import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { ERRORS, type ErrorCode, PlatformError } from '@parley/core';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { breakOff } from '../door/departure.js';
import { bounded } from './bounded.js';
import { type Dialect } from './dialect.js';
import { type KnownRoutes } from './known-routes.js';
import { problemDialect } from './problem.js';

/** What Fastify refuses by itself, by its code. */
const FASTIFY_CODES: Record<string, { code: ErrorCode; message: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'too_large', message: 'the body is larger than this path takes' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media', message: 'send the body as application/json' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'malformed', message: 'the body is not as long as Content-Length says' },
  FST_ERR_BAD_URL: { code: 'malformed', message: 'the path is not a valid URL path' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'not_found', message: 'there is no such path' },
};

/** Bytes of a refused body that are read before its connection is worth more than they cost. */
const MAX_WASTE = 64 * 2 ** 20;

/**
 * Turns whatever was thrown into an answer in the words of the dialect that owns the path. Only what was thrown on
 * purpose is told; the rest is `internal`, and its cause goes to the log under the request's id.
 */
@Catch()
export class Refusals implements ExceptionFilter {
  readonly #logger = new Logger('Http');

  constructor(
    private readonly dialects: readonly Dialect[],
    private readonly routes: KnownRoutes,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answer(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = isUnrouted(thrown) ? this.routes.methodsOf(path) : [];
    const error = methods.length > 0 ? wrongMethod(request.method, methods) : platformErrorOf(thrown);
    this.#log(error, thrown, request);
    if (reply.sent || reply.raw.headersSent) {
      breakOff(reply);
      return;
    }
    const dialect = this.dialects.find((one) => one.owns(path)) ?? problemDialect;
    const { status, headers, body } = dialect.refusal(bounded(error), request.id);
    if (willBeOver(request)) reply.removeHeader('connection');
    if (methods.length > 0) reply.header('allow', methods.join(', '));
    void reply
      .code(status)
      .headers({ 'content-type': 'application/json', 'x-request-id': request.id, ...headers })
      .send(JSON.stringify(body));
  }

  /** A fault of ours with all that is known of it; what others did not do in one line. */
  #log(error: PlatformError, thrown: unknown, request: FastifyRequest): void {
    const { code, message } = error;
    if (ERRORS[code].status < 500 || code === 'unsupported') return;
    const fields = { request: request.id, tenant: request.tenant, code };
    const what = `${request.method} ${request.routeOptions.url ?? 'of no route'} failed`;
    if (code === 'internal') this.#logger.error({ ...fields, err: thrown }, what);
    else this.#logger.warn({ ...fields, reason: message }, what);
  }
}

/**
 * Whether the body that is still coming ends soon. Then it is read and thrown away, and the connection stays: closed on
 * a client that is sending, it would be reset, and the client would never hear why.
 */
const willBeOver = ({ headers }: FastifyRequest): boolean => Number(headers['content-length']) <= MAX_WASTE;

const isUnrouted = (thrown: unknown): boolean =>
  thrown instanceof HttpException && thrown.getStatus() === 404 && thrown.cause === undefined;

const wrongMethod = (method: string, methods: string[]): PlatformError =>
  new PlatformError('method_not_allowed', `this path does not take ${method}, it takes ${methods.join(', ')}`);

const platformErrorOf = (thrown: unknown): PlatformError => {
  const cause = thrown instanceof HttpException ? (thrown.cause ?? thrown) : thrown;
  if (cause instanceof PlatformError) return cause;
  const known = hasCode(cause) ? FASTIFY_CODES[cause.code] : undefined;
  if (known) return new PlatformError(known.code, known.message, {}, { cause });
  const status = hasStatus(thrown) ? thrown.getStatus() : statusOf(cause);
  if (status === 404) return new PlatformError('not_found', 'there is no such path');
  if (status >= 400 && status < 500) return new PlatformError('malformed', 'the request cannot be read', {}, { cause });
  return PlatformError.from(cause);
};

const hasStatus = (thrown: unknown): thrown is HttpException => thrown instanceof HttpException;

const hasCode = (value: unknown): value is { code: string } =>
  typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string';

const statusOf = (value: unknown): number =>
  typeof value === 'object' && value !== null && 'statusCode' in value && typeof value.statusCode === 'number'
    ? value.statusCode
    : 500;
