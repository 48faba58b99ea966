import { randomUUID } from 'node:crypto';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { PlatformError } from '@parley/core';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Admittance, keepDoor } from './door/door.js';
import { type Dialect } from './refusal/dialect.js';
import { parseJsonBody } from './body/json-body.js';
import { KnownRoutes } from './refusal/known-routes.js';
import { Refusals } from './refusal/refusals.js';

const MIB = 2 ** 20;
/** What a body may weigh unless its route says otherwise. */
const MAX_BODY = MIB;
/** What the body of new events may weigh: long documents are pasted into conversations. */
export const MAX_EVENTS_BODY = 16 * MIB;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bytes that a body of this route may have, instead of 1 MiB. */
    maxBody?: number;
  }
}

/** The HTTP server under Nest, with its limits and its door; `refusals` has to be made Nest's global filter. */
export const makeHttpServer = (
  admittance: Admittance,
  dialects: readonly Dialect[],
): { adapter: FastifyAdapter; refusals: Refusals } => {
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_BODY,
    forceCloseConnections: true,
    skipMiddie: true,
    genReqId: () => `req_${randomUUID()}`,
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: 500 },
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      refusals.answer(error, request, reply),
  });
  const server: FastifyInstance = adapter.getInstance();
  const refusals = new Refusals(dialects, new KnownRoutes(server));
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      // Clients that set the type on every request have no body to delete with.
      done(null, request.method === 'DELETE' && body.length === 0 ? undefined : parseJsonBody(body));
    } catch (error) {
      done(PlatformError.from(error));
    }
  });
  server.addHook('onRoute', (route) => {
    route.bodyLimit = route.config?.maxBody ?? MAX_BODY;
  });
  keepDoor(server, admittance);
  return { adapter, refusals };
};
