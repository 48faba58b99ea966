import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';

const loader = fileURLToPath(new URL('../../../../tools/typescript.mjs', import.meta.url));
const entry = new URL('./test-servers.ts', import.meta.url).href;

/** A test run of its own, as Jest's process is one. */
const RUN = `
const { startTestServers } = await import(${JSON.stringify(entry)});
const [server] = await startTestServers(['postgres 18']);
console.log(server.url);
setInterval(() => {}, 1000);`;

it.each(['SIGKILL', 'SIGINT'] as const)(
  'test servers and their folder are gone after %s of the run',
  async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-test-tmp-'));
    await chmod(folder, 0o755);
    const run = spawn(process.execPath, ['--import', loader, '--input-type=module', '-e', RUN], {
      env: { PATH: process.env['PATH'], TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const foldersOfServers = async () => (await readdir(folder)).filter((name) => name.startsWith('parley-test-'));
    try {
      const [url] = (await Promise.race([once(run.stdout, 'data'), once(run, 'exit')])) as [Buffer];
      expect(await foldersOfServers()).toHaveLength(1);

      run.kill(signal);
      for (let wait = 0; wait < 500 && (await foldersOfServers()).length > 0; wait += 1) await sleep(20);

      expect(await foldersOfServers()).toEqual([]);
      await expect(new Client({ connectionString: url.toString().trim() }).connect()).rejects.toThrow(/ECONNREFUSED/);
    } finally {
      run.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  },
);
