import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { type Socket } from 'node:net';
import { type OutboundRequest } from './outbound-request.js';
import { OutboundError, saying } from './outbound-error.js';

const CONNECT_TIMEOUT_MS = 10_000;

export interface Agents {
  kept: http.Agent;
  fresh: http.Agent;
}

/** One request on the wire, from its dispatch until its response was read or its socket closed. */
export class Attempt {
  readonly #call: ClientRequest;
  #connected = false;
  #settled = false;
  #response: IncomingMessage | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(
    private readonly request: OutboundRequest,
    private readonly agents: Agents,
    agent = agents.kept,
  ) {
    const { url, method, headers } = request;
    const dispatch = url.protocol === 'https:' ? https.request : http.request;
    this.#call = dispatch(url, { method, headers, agent });
  }

  /** The head of the response. To be asked once. */
  response(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const call = this.#call;
      const fail = (error: unknown): void => {
        this.#settled = true;
        clearTimeout(this.#deadline);
        if (this.#metClosingConnection(error))
          resolve(new Attempt(this.request, this.agents, this.agents.fresh).response());
        else reject(this.#typed(error));
      };
      call.on('error', fail);
      call.once('socket', this.#watchConnecting);
      call.once('response', (response) => {
        this.#settled = true;
        this.#response = response;
        resolve(response);
      });
      call.once('close', () => {
        this.request.signal.removeEventListener('abort', this.#abort);
        if (!this.#settled) fail(new OutboundError('reset', 'the connection closed before an answer'));
      });
      this.request.signal.addEventListener('abort', this.#abort, { once: true });
      call.end(this.request.body);
    });
  }

  readonly #abort = (): void => {
    (this.#response ?? this.#call).destroy(new OutboundError('aborted', 'the request was aborted'));
  };

  readonly #watchConnecting = (socket: Socket): void => {
    if (!socket.connecting) {
      this.#connected = true;
      return;
    }
    const limit = this.request.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
    this.#deadline = setTimeout(() => {
      this.#call.destroy(new OutboundError('timeout', `no connection to ${this.request.url.host} within ${limit} ms`));
    }, limit);
    socket.once(this.request.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      this.#connected = true;
      clearTimeout(this.#deadline);
    });
  };

  #metClosingConnection(error: unknown): boolean {
    const { signal, repeatable } = this.request;
    if (!repeatable || !this.#call.reusedSocket || this.#response || signal.aborted) return false;
    return OutboundError.from(error).code === 'reset';
  }

  #typed(error: unknown): OutboundError {
    if (this.#connected || error instanceof OutboundError) return OutboundError.from(error);
    const { host } = this.request.url;
    return new OutboundError('connect_failed', `no connection to ${host} (${saying(error)})`, { cause: error });
  }
}
