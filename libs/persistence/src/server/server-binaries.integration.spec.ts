import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { spawnIdentity } from './postgres-server.js';
import { type EmbeddedPackage, findEmbeddedPackage, usableBinaries } from './server-binaries.js';
import { serverUser } from './server-user.js';

describe('the embedded binaries', () => {
  let folder: string;
  let source: EmbeddedPackage;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-test-binaries-'));
    await chmod(folder, 0o755);
    const { root, version } = findEmbeddedPackage();
    source = { root: join(folder, 'package'), version };
    await cp(root, source.root, { recursive: true, filter: async (path) => !(await lstat(path)).isSymbolicLink() });
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('run where the package lies, also when npm ran no script that links its libraries', async () => {
    const user = await serverUser();
    const { directory, majorVersion } = await usableBinaries({ user, source, copyTo: join(folder, 'copy') });

    expect(directory).toBe(join(source.root, 'native/bin'));
    expect(await versionOf(directory)).toMatch(new RegExp(`PostgreSQL\\) ${majorVersion}\\.`));
    expect(await readdir(folder)).toEqual(['package']);
  });

  it('are copied once where their user cannot run them', async () => {
    const copies: string[] = [];
    await chmod(source.root, 0o700);
    // Where we are not root, the server's user is who we are, and only a lost permission shuts us out.
    if (process.getuid?.() !== 0) await chmod(join(source.root, 'native/bin/postgres'), 0o600);
    const options = { user: await serverUser(), source, copyTo: folder, onCopy: (copy: string) => copies.push(copy) };
    const umask = process.umask(0o077);
    const first = await usableBinaries(options).finally(() => process.umask(umask));
    const again = await usableBinaries(options);

    expect(copies).toEqual([join(folder, `postgres-${source.version}`)]);
    expect(again).toEqual(first);
    expect(await versionOf(first.directory)).toMatch(/PostgreSQL\) 18\./);
  });

  async function versionOf(directory: string): Promise<string> {
    const { stdout } = await promisify(execFile)(
      join(directory, 'postgres'),
      ['-V'],
      spawnIdentity(await serverUser()),
    );
    return stdout;
  }
});
