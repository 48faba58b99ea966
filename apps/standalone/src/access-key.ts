import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The key of this installation, kept in the data folder where only its owner can read it; made at the first start.
 * @throws Error when the file cannot be read, or is empty.
 */
export const accessKey = async (dataDirectory: string): Promise<string> => {
  const file = join(dataDirectory, 'key');
  await mkdir(dataDirectory, { recursive: true });
  await makeWhereNoneIs(file);
  const key = (await readFile(file, 'utf8')).trim();
  if (key === '') throw new Error(`${file} is empty: delete it to get a new key`);
  return key;
};

/** Linked when it is whole: of two first starts one makes the key, and the other one finds all of it. */
const makeWhereNoneIs = async (file: string): Promise<void> => {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `parley_${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if (!isThere(error)) throw error;
  } finally {
    await rm(draft);
  }
};

const isThere = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'EEXIST';
