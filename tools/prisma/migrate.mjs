/**
 * `npm run migrate`: brings the database that DATABASE_URL names to the schema of this build. The one place from which
 * migrations are applied, but for standalone, which does the same to its own database; all apps only check.
 */
import { DATABASE_APPS, ensureLogins, migrate } from '@parley/persistence';

const { DATABASE_URL } = process.env;

/** Passwords of the apps, as `SESSION_PASSWORD` and so on: each app that has one gets a login. */
const passwords = Object.fromEntries(
  DATABASE_APPS.flatMap((app) => {
    const password = process.env[`${app.toUpperCase().replaceAll('-', '_')}_PASSWORD`];
    return password ? [[app, password]] : [];
  }),
);

async function main() {
  if (!DATABASE_URL) throw new Error('DATABASE_URL must name the database');
  const applied = await migrate(DATABASE_URL, { onProgress: (message) => console.log(`migrate: ${message}`) });
  console.log(`migrate: ${applied.length === 0 ? 'nothing to do' : `applied ${applied.length}`}`);
  await ensureLogins(DATABASE_URL, passwords);
  const apps = Object.keys(passwords);
  if (apps.length > 0) console.log(`migrate: logins for ${apps.join(', ')}`);
}

try {
  await main();
} catch (error) {
  console.error(`migrate: ${error.message}`);
  process.exitCode = 1;
}
