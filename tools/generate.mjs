/**
 * `npm run generate`: writes the Prisma client, unless it is newer than all it is made from. Silent but for failures.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runPrisma } from './prisma/run-prisma.mjs';
import { root } from './processes.mjs';

const GENERATED = 'libs/persistence/src/generated/client.ts';

/** Folders count too: a deleted model changes nothing else. */
async function sources() {
  const models = await readdir(join(root, 'prisma/models')).catch(() => []);
  return [
    'prisma.config.mjs',
    'prisma/schema.prisma',
    'prisma/models',
    ...models.map((name) => `prisma/models/${name}`),
    // Pins the generator's version.
    'libs/persistence/package.json',
  ];
}

async function changedAt(path) {
  const stats = await stat(join(root, path)).catch(() => undefined);
  return stats?.mtimeMs ?? 0;
}

const changes = await Promise.all((await sources()).map(changedAt));
if ((await changedAt(GENERATED)) <= Math.max(...changes)) {
  const { code, output } = await runPrisma(['generate']);
  if (code !== 0) {
    console.error(output);
    process.exitCode = code;
  }
}
