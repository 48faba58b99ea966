import pg from 'pg';
import { logLine } from './log-line.mjs';

/** Postgres' error codes as the CLI knows them: no such database, it exists, wrong password. */
const PRISMA_CODES = { '3D000': 'P1003', '42P04': 'P1009', '28P01': 'P1000' };
const UNREACHABLE = 'P1001';

/**
 * The engine's `cli` commands, about a database as a whole. Resolves to the exit code.
 * @param {string | undefined} command
 * @param {string} databaseUrl
 */
export async function runDatabaseCommand(command, databaseUrl) {
  const database = new pg.Client({ connectionString: databaseUrl }).database ?? 'postgres';
  const name = pg.escapeIdentifier(database);
  try {
    if (command === 'can-connect-to-database') await query(databaseUrl, 'select');
    else if (command === 'create-database') await query(maintenanceUrl(databaseUrl), `create database ${name}`);
    else if (command === 'drop-database') {
      await query(maintenanceUrl(databaseUrl), `drop database if exists ${name} with (force)`);
    } else throw new Error(`unknown command: ${command}`);
  } catch (error) {
    // The CLI skips what comes before the first line break.
    process.stderr.write('\n');
    logLine('ERROR', error.message, {
      error_code: PRISMA_CODES[error.code] ?? UNREACHABLE,
      meta: { database_name: database },
    });
    return 1;
  }
  logLine('INFO', 'Connection successful');
  return 0;
}

function maintenanceUrl(databaseUrl) {
  const url = new URL(databaseUrl);
  url.pathname = '/postgres';
  return url.href;
}

async function query(connectionString, sql) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
