import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { natsAuthorization, type NatsApp } from '@parley/messaging';
import { freePort } from '@parley/persistence';
import { OwnServer } from './own-server.js';

/** A NATS server of this cluster, whose users are its apps; not started yet. */
export const ownNats = async (folder: string, passwords: Record<NatsApp, string>): Promise<OwnServer> => {
  const port = await freePort();
  const file = join(folder, 'nats.conf');
  const users = natsAuthorization((app) => JSON.stringify(passwords[app]));
  await writeFile(file, `host: 127.0.0.1\nport: ${port}\n${users}`, { mode: 0o600 });
  return new OwnServer('nats', ['nats-server', '-c', file], port);
};
