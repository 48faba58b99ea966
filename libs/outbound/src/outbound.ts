import http from 'node:http';
import https from 'node:https';
import { Attempt, type Agents } from './attempt.js';
import { OutboundError } from './outbound-error.js';
import { type OutboundRequest, type OutboundResponse } from './outbound-request.js';

/** How long a connection may stand idle before it is closed: less than most servers and routers keep one. */
const IDLE_CONNECTION_MS = 30_000;

/**
 * The one client for connections to the outside (DESIGN §9): HTTP/1.1 with kept connections, no proxy from the
 * environment, no redirects, no decompression.
 */
export class Outbound {
  readonly #plain = agents(http.Agent);
  readonly #secure = agents(https.Agent);

  /**
   * Sends a request and answers as soon as the head of the response is there, whatever its status.
   * @throws OutboundError
   */
  async send(request: OutboundRequest): Promise<OutboundResponse> {
    if (request.signal.aborted) throw new OutboundError('aborted', 'the request was aborted');
    const attempt = new Attempt(request, request.url.protocol === 'https:' ? this.#secure : this.#plain);
    const body = await attempt.response();
    return { status: body.statusCode ?? 0, headers: body.headers, body };
  }

  /** Closes all connections, also those in use. */
  close(): void {
    for (const { kept, fresh } of [this.#plain, this.#secure]) {
      kept.destroy();
      fresh.destroy();
    }
  }
}

const agents = (Agent: typeof http.Agent | typeof https.Agent): Agents => ({
  kept: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: IDLE_CONNECTION_MS }),
  fresh: new Agent({ keepAlive: false }),
});
