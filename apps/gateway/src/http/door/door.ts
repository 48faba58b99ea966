import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { PlatformError, type TenantId } from '@parley/core';
import { type KeyRing } from './key-ring.js';
import { isLoopbackAddress, isLoopbackHost, isLoopbackOrigin } from './loopback.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is; set by the door on every route that is not public. */
    tenant: TenantId;
  }
  interface FastifyContextConfig {
    /** Needs no key. */
    public?: boolean;
  }
}

/** Who may come in. */
export interface Admittance {
  keys: KeyRing;
  /**
   * `PARLEY_OPEN=1`: no key is asked for, and everybody is this tenant. Only from this machine, and not from pages that
   * others serve: a browser would bring them in (DESIGN §9).
   */
  openTo: TenantId | null;
}

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** What happens to every request before its body is read: an id, headers, and the question who asks. */
export const keepDoor = (server: FastifyInstance, admittance: Admittance): void => {
  server.decorateRequest('tenant');
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS).header('x-request-id', request.id);
    if (request.is404 || request.routeOptions.config.public === true) done();
    else admit(request, admittance).then(() => done(), done);
  });
};

const admit = async (request: FastifyRequest, { keys, openTo }: Admittance): Promise<void> => {
  if (openTo === null) request.tenant = await tenantOf(request, keys);
  else {
    refuseForeign(request);
    request.tenant = openTo;
  }
};

const tenantOf = async ({ headers }: FastifyRequest, keys: KeyRing): Promise<TenantId> => {
  const { authorization } = headers;
  const apiKey = headers['x-api-key'];
  if (authorization !== undefined && apiKey !== undefined) {
    throw unauthenticated('send the key as x-api-key or as Authorization: Bearer, not as both');
  }
  const key = typeof apiKey === 'string' ? apiKey : /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (key === undefined || key === '') {
    throw unauthenticated('send an API key as x-api-key or as Authorization: Bearer');
  }
  const tenant = await keys.tenantOf(key);
  if (tenant === undefined) throw unauthenticated('the API key is not valid');
  return tenant;
};

const refuseForeign = ({ headers, socket }: FastifyRequest): void => {
  if (!isLoopbackAddress(socket.remoteAddress)) throw foreign('an open Parley answers this machine only');
  if (!isLoopbackHost(headers.host)) throw foreign('an open Parley answers only to the host names of this machine');
  if (headers.origin !== undefined && !isLoopbackOrigin(headers.origin)) {
    throw foreign('an open Parley does not answer pages of other origins');
  }
};

const unauthenticated = (message: string): PlatformError => new PlatformError('unauthenticated', message);
const foreign = (message: string): PlatformError => new PlatformError('forbidden', message);
