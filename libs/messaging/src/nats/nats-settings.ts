import { type NodeConnectionOptions } from '@nats-io/transport-node';

/** Where the NATS server is and who asks. */
export interface NatsSettings {
  /** `nats://<user>:<password>@<host>:<port>`, or `tls://…`. */
  url: string;
  /** Shown in the server's list of connections. */
  name: string;
}

/** How long the server's word is waited for when a connection is made, and from one try to the next, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;
export const RECONNECT_WAIT_MS = 200;
/** A server that has not answered this many pings, this far apart in milliseconds, is taken to be gone. */
const PING_INTERVAL_MS = 1_000;
const MAX_UNANSWERED_PINGS = 2;

/** What the client is told: it never gives up, and notices soon that a server says nothing more. */
export const optionsOf = ({ url, name }: NatsSettings): NodeConnectionOptions => {
  const { protocol, hostname, port, username, password } = new URL(url);
  const user = decodeURIComponent(username);
  return {
    servers: `${hostname}:${port || '4222'}`,
    user,
    pass: decodeURIComponent(password),
    name,
    // Answers to one app's questions are not to be read by another app: each user may hear its own inbox only.
    inboxPrefix: `_INBOX_${user}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    reconnectJitter: RECONNECT_WAIT_MS,
    // Credentials that are being changed are no reason to give up.
    ignoreAuthErrorAbort: true,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: MAX_UNANSWERED_PINGS,
    // A stack trace for each request was 6.5 % of a gateway's time.
    noAsyncTraces: true,
    ...(protocol === 'tls:' && { tls: {} }),
  };
};
