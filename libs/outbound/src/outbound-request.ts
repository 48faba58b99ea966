import { type IncomingHttpHeaders } from 'node:http';
import { type Readable } from 'node:stream';

/** A request to the outside. Every address has somebody who answers for it: `trust`. */
export interface OutboundRequest {
  url: URL;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** Who named the address. `operator`: it stands in this server's configuration and may be a private one. */
  trust: 'operator';
  /** Ends the request in every phase, the reading of the body too; the socket is closed at once. */
  signal: AbortSignal;
  /** Limit for name, TCP and TLS together; 10 s by default. */
  connectTimeoutMs?: number;
  /**
   * The request does no harm when it is made twice: it is sent again, once, when it met a kept connection that the
   * other side was just closing. Without it that is a `reset`.
   */
  repeatable?: boolean;
}

/** The head of a response, and its body as it comes. */
export interface OutboundResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /**
   * To be read to its end or destroyed, else the connection is never freed. The reader caps what it takes. An error
   * that it emits gets its code from `OutboundError.from`.
   */
  body: Readable;
}
