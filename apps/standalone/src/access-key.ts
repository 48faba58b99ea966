import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The key of this installation, kept in the data folder where only its owner can read it; made at the first start.
 * @throws Error when the file cannot be read, or is empty.
 */
export const accessKey = async (dataDirectory: string): Promise<string> => {
  const file = join(dataDirectory, 'key');
  await mkdir(dataDirectory, { recursive: true });
  try {
    // 'wx' writes only where there is none yet, so that two first starts end with one key.
    await writeFile(file, `parley_${randomBytes(24).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const key = (await readFile(file, 'utf8')).trim();
  if (key === '') throw new Error(`${file} is empty: delete it to get a new key`);
  return key;
};
