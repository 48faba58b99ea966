import { createServer } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { RequestHandler, type SimulatorLog } from './http/request-handler.js';
import { type RecordedRequest, RequestLog } from './http/request-log.js';
import { parseScript } from './script/parse-script.js';
import { ScriptBook } from './script/script-book.js';
import { type Script } from './script/script.js';

export interface SimulatorOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: a free one. */
  port?: number;
  /** Default: no rules, so that every answer is the persona's. */
  scripts?: Script;
  /** The one key that requests must carry. Default: any, or none. */
  apiKey?: string;
  /** Longer bodies are answered 413. Default 64 MiB. */
  bodyLimitBytes?: number;
  /** How many requests `requests()` remembers. Default 200. */
  requestsKept?: number;
  log?: SimulatorLog;
}

/** A running simulator. */
export interface Simulator {
  /** Base URL for a client of OpenAI's API: `http://host:port/v1`. */
  readonly url: string;
  readonly port: number;
  /** The last requests, oldest first, as they are now. */
  requests(): RecordedRequest[];
  /** Replaces the script; its counts start anew. Throws an Error that lists every mistake of a bad one. */
  setScripts(scripts: Script): void;
  /** Ends every connection at once and frees the port. */
  stop(): Promise<void>;
}

/** Starts a simulator in this process. Rejects if the script is bad or the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, scripts = { rules: [] }, apiKey } = options;
  const { bodyLimitBytes = 64 * 1024 * 1024, requestsKept = 200, log = () => undefined } = options;
  const requests = new RequestLog(requestsKept);
  const handler = new RequestHandler({ apiKey, bodyLimitBytes, log }, requests, new ScriptBook(parseScript(scripts)));

  const server = createServer({ keepAliveTimeout: 75_000, requestTimeout: 0 }, handler.handle);
  server.listen(port, host);
  await once(server, 'listening');
  const bound = boundPort(server.address());

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/v1`,
    port: bound,
    requests: () => requests.read(),
    setScripts: (script) => {
      handler.script = new ScriptBook(parseScript(script));
    },
    stop: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function boundPort(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('the simulator listens on no TCP port');
  return address.port;
}
