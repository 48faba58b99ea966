import type { ClientConfig } from 'pg';

/** What a connection is besides its address. Settings are Postgres' own names and values. */
export interface ConnectionOptions {
  /** Shown in pg_stat_activity: who this is. */
  readonly applicationName: string;
  /** The role whose rights the connection uses, other than the one that logs in. */
  readonly role?: string;
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** The server notices a host that vanished within 10 s: 4 s of silence, then three probes 2 s apart, or unread data. */
const KEEPALIVE_SETTINGS = {
  tcp_keepalives_idle: 4,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
  tcp_user_timeout: '10s',
};
const KEEPALIVE_DELAY_MS = 4_000;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * The `pg` configuration of a connection. Role and settings travel in the startup packet, so they hold from the first
 * statement, cost no round trip, and are what RESET returns to. They follow, and so override, the options in the URL.
 */
export function connectionConfig(databaseUrl: string, options: ConnectionOptions): ClientConfig {
  const url = new URL(databaseUrl);
  const inherited = url.searchParams.get('options');
  url.searchParams.delete('options');
  return {
    connectionString: url.href,
    application_name: options.applicationName,
    options: [inherited, ...startupOptions(options)].filter(Boolean).join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  };
}

function startupOptions({ role, settings }: ConnectionOptions): string[] {
  const all = { ...KEEPALIVE_SETTINGS, ...settings, ...(role === undefined ? {} : { role }) };
  return Object.entries(all).map(([name, value]) => `-c ${name}=${escapeOption(String(value))}`);
}

/** In the startup packet a space ends an option and a backslash protects the character after it. */
function escapeOption(value: string): string {
  return value.replaceAll(/[\\\s]/g, (character) => `\\${character}`);
}
