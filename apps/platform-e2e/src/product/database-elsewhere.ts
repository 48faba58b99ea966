import { rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Where the database is when it could not be in the data folder, as a start has said; undefined where it is. Only of root
 * can that be so: the database runs as somebody else, who may not enter our folder.
 */
export const databaseElsewhere = (output: string): string | undefined =>
  /cannot enter \S+: keeping it in (\/var\/lib\/parley\/[0-9a-f]{16}\/postgres)$/m.exec(output)?.[1];

/** Deletes it, and the folder of the system around it if that is empty then. */
export function removeDatabaseElsewhere(folder: string | undefined): void {
  if (folder === undefined) return;
  rmSync(dirname(folder), { recursive: true });
  try {
    rmdirSync(dirname(dirname(folder)));
  } catch {
    // Another Parley keeps something there.
  }
}
