/**
 * `npm run migrate`: brings the database that DATABASE_URL names to the schema of this build. The one place from which
 * migrations are applied, but for standalone, which does the same to its own database; all apps only check.
 */
import { migrate } from '@parley/persistence';

const { DATABASE_URL } = process.env;

async function main() {
  if (!DATABASE_URL) throw new Error('DATABASE_URL must name the database');
  const applied = await migrate(DATABASE_URL, { onProgress: (message) => console.log(`migrate: ${message}`) });
  console.log(`migrate: ${applied.length === 0 ? 'nothing to do' : `applied ${applied.length}`}`);
}

try {
  await main();
} catch (error) {
  console.error(`migrate: ${error.message}`);
  process.exitCode = 1;
}
