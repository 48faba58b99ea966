import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { assertMigrated } from '@parley/persistence';
import { createTestDatabase, postgresServers } from '@parley/testing';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe.each(postgresServers)('npm run migrate on $name', (server) => {
  it('applies what is missing, and the second time nothing', async () => {
    const database = await createTestDatabase(server);
    const first = await migrate(database.url);
    const second = await migrate(database.url);
    await assertMigrated(database.url);
    await database.drop();

    expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/^migrate: (applied \d+|nothing to do)$/m) });
    expect(second).toEqual({ code: 0, output: 'migrate: nothing to do\n' });
  });
});

it('npm run migrate names what is wrong with its database, in one line', async () => {
  expect(await migrate('')).toEqual({ code: 1, output: 'migrate: DATABASE_URL must name the database\n' });
  expect(await migrate('postgresql://nobody@127.0.0.1:1/none')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^migrate: .*ECONNREFUSED.*\n$/),
  });
});

function migrate(databaseUrl: string): Promise<{ code: unknown; output: string }> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl };
  return new Promise((resolve) => {
    const args = ['--import', './tools/typescript.mjs', 'tools/prisma/migrate.mjs'];
    execFile(process.execPath, args, { cwd: root, env }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, output: stderr + stdout });
    });
  });
}
