import { z } from 'zod';

const PostgresServers = z.array(z.object({ name: z.enum(['postgres 15', 'postgres 18']), url: z.string() }));

/** The servers that this test run started, for `describe.each`; an address is its superuser's. */
export type TestPostgresServer = z.infer<typeof PostgresServers>[number];

/** How global setup, in Jest's own process, tells its workers about the servers. */
export const POSTGRES_SERVERS_VARIABLE = 'PARLEY_TEST_POSTGRES_SERVERS';

export function publishPostgresServers(servers: readonly TestPostgresServer[]): void {
  process.env[POSTGRES_SERVERS_VARIABLE] = JSON.stringify(servers);
}

export function readPostgresServers(): TestPostgresServer[] {
  return PostgresServers.parse(JSON.parse(process.env[POSTGRES_SERVERS_VARIABLE] ?? '[]'));
}

/** PARLEY_TEST_FSYNC=1 makes the test servers flush to disk as a real one does; off by default, for speed. */
export function testServersFlush(): boolean {
  return process.env['PARLEY_TEST_FSYNC'] === '1';
}
