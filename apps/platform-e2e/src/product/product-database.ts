import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

/** A client, not yet connected, of the database that a product keeps in its data folder. */
export const productDatabase = (dataFolder: string): Client => {
  const folder = join(dataFolder, 'postgres');
  const [, , , port] = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n');
  const password = readFileSync(join(folder, 'password'), 'utf8');
  const host = join(folder, 'socket');
  return new Client({ user: 'parley', password, database: 'parley', host, port: Number(port) });
};
