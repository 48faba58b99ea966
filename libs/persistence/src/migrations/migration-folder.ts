import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One folder of `prisma/migrations`: its name orders it, its checksum (SHA-256, as Prisma's) fixes its text. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** The repository's migrations; the path is the same from `src` and from `dist`. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../../../prisma/migrations', import.meta.url));

/** Reads all migrations in the order in which they apply. Rejects where a folder has no readable `migration.sql`. */
export async function readMigrations(directory: string = MIGRATIONS_DIRECTORY): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(names.sort().map((name) => readMigration(directory, name)));
}

/** One checksum over all migrations: two databases migrated from equal checksums have the same schema. */
export function checksumOf(migrations: readonly Migration[]): string {
  const hash = createHash('sha256');
  for (const { name, checksum } of migrations) hash.update(`${name} ${checksum}\n`);
  return hash.digest('hex');
}

async function readMigration(directory: string, name: string): Promise<Migration> {
  const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8');
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}
