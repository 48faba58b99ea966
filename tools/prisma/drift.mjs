/**
 * `npm run drift`: fails unless the models describe the database that the migrations make. Migrations run on a scratch
 * database of the server that DATABASE_URL names, else of one that lives as long as this command.
 * What Prisma cannot compare is listed in prisma/schema.prisma. Exit code: 0 they agree, 2 they differ, 1 no answer.
 */
import { parseArgs } from 'node:util';
import { runPrisma } from './run-prisma.mjs';

const DRIFT = 2;

const { values } = parseArgs({
  options: {
    migrations: { type: 'string', default: 'prisma/migrations' },
    schema: { type: 'string', default: 'prisma' },
  },
});

const comparison = [
  'migrate',
  'diff',
  ...['--from-migrations', values.migrations],
  ...['--to-schema', values.schema],
  '--exit-code',
];
const { code, output } = await withServer((databaseUrl) => runPrisma(comparison, { databaseUrl }));
if (code === 0) console.log('drift: models and migrations agree');
else console.error(code === DRIFT ? `drift: to make the database as the models say:\n${output}` : output);
process.exitCode = code;

/** @param {(databaseUrl: string) => Promise<{ code: number, output: string }>} work */
async function withServer(work) {
  if (process.env.DATABASE_URL) return work(process.env.DATABASE_URL);
  await import('../typescript.mjs');
  const { startTestServers, stopTestServers } = await import('../../libs/testing/src/servers/test-servers.ts');
  const [server] = await startTestServers(['postgres 18']);
  try {
    return await work(server.url);
  } finally {
    await stopTestServers();
  }
}
