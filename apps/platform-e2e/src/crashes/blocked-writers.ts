import { type Client } from 'pg';
import { productDatabase } from '../product/product-database.js';
import { until } from '../product/until.js';

const LOCK = 'select from sessions where key = $1 for update';
const WAITING = `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = 'parley'`;

/**
 * Somebody who sits on the row of a session in a product's database, so that what is written to that session waits, in
 * the order in which it came: the one way to make a holder of a run slow from outside.
 */
export class BlockedWriters {
  readonly #folder: string;
  readonly #clients: Client[] = [];

  /** @param folder the data folder of the product. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Lets one write through, and then none until so many wait.
   * @param write starts it.
   */
  async letThroughOne(sessionKey: string, write: () => Promise<unknown>, waiting: number): Promise<void> {
    const [watching, first, second] = [await this.#connect(), await this.#connect(), await this.#connect()];
    const wait = (n: number): Promise<boolean> => until(`${n} writers wait`, async () => (await count(watching)) >= n);
    await first.query('begin');
    await first.query(LOCK, [sessionKey]);
    const written = write();
    written.catch(() => {}); // told to who waits for it below
    await wait(1);
    await second.query('begin');
    const behind = second.query(LOCK, [sessionKey]);
    await wait(2);
    await first.query('commit');
    await behind;
    await wait(waiting);
    await second.query('commit');
    await written;
  }

  /** Also lets everything through that waits. */
  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end().catch(() => {})));
  }

  async #connect(): Promise<Client> {
    const client = productDatabase(this.#folder);
    client.on('error', () => {});
    this.#clients.push(client);
    await client.connect();
    return client;
  }
}

const count = async (client: Client): Promise<number> => (await client.query<{ n: number }>(WAITING)).rows[0]?.n ?? 0;
