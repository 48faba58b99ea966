import { chmod, chown, mkdir, mkdtemp, rm, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createCluster } from '../server/create-cluster.js';
import { livePostmaster, stopServer } from '../server/postmaster.mjs';
import { serverUser } from '../server/server-user.js';
import { startServer } from '../server/start-server.js';
import { locateServer } from './locate-server.js';

describe('locateServer', () => {
  let folder: string;
  let said: string[];
  const say = (message: string) => said.push(message);

  beforeEach(async () => {
    said = [];
    folder = await mkdtemp(join(tmpdir(), 'parley-test-locate-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('keeps the database in the data folder where its user can enter, and says nothing', async () => {
    await chmod(folder, 0o755);
    const { directory, user } = await locateServer(join(folder, 'data'), say);

    expect(directory).toBe(join(folder, 'data/postgres'));
    expect(user).toEqual(await serverUser());
    expect(said).toEqual([]);
  });

  it('leaves an existing database with its owner', async () => {
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'postgres'));
    const us = process.getuid?.() ?? 0;
    const owner = us === 0 ? 12_345 : us;
    await chown(join(folder, 'postgres'), owner, owner);

    expect((await locateServer(folder, say)).user?.uid).toBe(us === 0 ? owner : undefined);
  });

  it('keeps the database of root in /var/lib/parley where the folder is private, says so, and finds it again', async () => {
    // Whoever is not root is let into a private folder of its own: the other half of the same rule.
    const isRoot = process.getuid?.() === 0;
    const server = await locateServer(folder, say);
    expect(server.directory).toMatch(isRoot ? /^\/var\/lib\/parley\/[0-9a-f]{16}\/postgres$/ : /locate-.*\/postgres$/);
    expect(said.join()).toMatch(isRoot ? /cannot enter .*: keeping it in \/var\/lib\/parley\// : /^$/);

    try {
      await createCluster({ ...server, initOptions: ['--no-sync'] });
      await startServer(server);
      expect((await livePostmaster(server.directory))?.ready).toBe(true);
      await chmod(folder, 0o755);
      expect((await locateServer(folder, say)).directory).toBe(server.directory);
      expect((await stat(server.directory)).uid).toBe(server.user?.uid ?? process.getuid?.());
    } finally {
      await stopServer(server.directory, 'immediate');
      await rm(isRoot ? dirname(server.directory) : server.directory, { recursive: true });
      // Only where nothing else is kept in it.
      if (isRoot) await rmdir('/var/lib/parley').catch(() => {});
    }
  });
});
