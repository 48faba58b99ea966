import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessKey } from './access-key.js';

describe('the key of an installation', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-key-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('is made once, for its owner’s eyes only, in a folder that is made for it', async () => {
    const data = join(folder, 'data');
    const key = await accessKey(data);
    expect(key).toMatch(/^parley_[\w-]{32}$/);
    expect(await accessKey(data)).toBe(key);
    expect((await stat(join(data, 'key'))).mode & 0o777).toBe(0o600);
  });

  it('is one, however many first starts there are at once', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => accessKey(folder)));
    expect(new Set(keys).size).toBe(1);
  });

  it('is missed when its file is empty', async () => {
    await writeFile(join(folder, 'key'), '\n');
    await expect(accessKey(folder)).rejects.toThrow('is empty: delete it');
  });
});
