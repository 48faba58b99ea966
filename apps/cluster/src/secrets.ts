import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NATS_APPS, type NatsApp } from '@parley/messaging';
import { z } from 'zod';
import { type ClusterConfig } from './config.js';

const Secrets = z.object({
  passwords: z.record(z.string(), z.string()),
  key: z.string(),
  cursorSecret: z.string(),
});

/** What opens a cluster on this machine. */
export interface Secrets {
  passwords: Record<NatsApp, string>;
  /** The API key of the one tenant. */
  key: string;
  cursorSecret: string;
}

/** The secrets of the data folder, made at the first start; passwords in the environment go before them. */
export const secretsOf = async ({ dataDirectory, passwords }: ClusterConfig): Promise<Secrets> => {
  const kept = await keptSecrets(join(dataDirectory, 'secrets.json'));
  const entries = NATS_APPS.map((app) => [app, passwords[app]?.reveal() ?? kept.passwords[app] ?? random()]);
  return { ...kept, passwords: Object.fromEntries(entries) as Record<NatsApp, string> };
};

const keptSecrets = async (file: string): Promise<z.infer<typeof Secrets>> => {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return Secrets.parse(JSON.parse(text));
  const made = {
    passwords: Object.fromEntries(NATS_APPS.map((app) => [app, random()])),
    key: `parley_${random()}`,
    cursorSecret: random(),
  };
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, JSON.stringify(made, undefined, 2), { mode: 0o600 });
  return made;
};

const random = (): string => randomBytes(24).toString('base64url');

const TENANT = '00000000-0000-4000-8000-000000000000';

/** `PARLEY_KEYS` for one key of the default tenant. */
export const keyList = (key: string): string => `${TENANT}:${createHash('sha256').update(key).digest('hex')}`;
