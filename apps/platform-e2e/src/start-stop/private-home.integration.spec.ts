import { join } from 'node:path';
import { VectaraClient } from '../client/vectara-client.js';
import { copyWorkspace } from '../product/copied-workspace.js';
import { DataFolder } from '../product/data-folder.js';
import { databaseElsewhere, removeDatabaseElsewhere } from '../product/database-elsewhere.js';
import { processesNaming } from '../product/running-processes.js';
import { until } from '../product/until.js';
import { type Greeting, StandaloneProcess } from '../product/standalone-process.js';

const HELLO = { agent: 'hello', session: 'hello' };

describe('a clone in a home that is closed to all others', () => {
  const isRoot = process.getuid?.() === 0;
  let home: DataFolder;
  let clone: string;
  let databaseFolder: string | undefined;

  const start = (): StandaloneProcess => new StandaloneProcess({ root: clone, dataFolder: join(clone, '.parley') });
  const talk = async ({ url, key }: Greeting): Promise<number> => {
    const client = new VectaraClient(url, key);
    await (await client.say(HELLO, 'Who am I?')).all();
    return (await client.events(HELLO)).length;
  };

  beforeAll(() => {
    home = new DataFolder(0o700);
    clone = join(home.path, 'parley');
    copyWorkspace(clone);
  });
  afterAll(() => {
    home.remove();
    removeDatabaseElsewhere(databaseFolder);
  });

  it('works, says where its data went when we are root, and finds it again', async () => {
    const first = start();
    expect(await talk(await first.listening())).toBe(2);
    databaseFolder = databaseElsewhere(first.output);
    expect(databaseFolder !== undefined).toBe(isRoot);
    expect(first.output.includes("copying the database's programs to /var/lib/parley/")).toBe(isRoot);
    await first.kill();

    const second = start();
    expect(await talk(await second.listening())).toBe(4);
    expect(second.output).not.toContain('creating the database');
    expect(await second.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    // The watcher of the killed one gives up in its own time.
    await until('every process is gone', () => processesNaming(databaseFolder ?? home.path).length === 0);
  }, 60_000);
});
