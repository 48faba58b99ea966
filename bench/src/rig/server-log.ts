import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { findServer, serverUrl } from '@parley/persistence';
import { Client } from 'pg';

/** How often each statement was sent: by its name where it is prepared under one, else by its first word. */
export type StatementCounts = Map<string, number>;

const EXECUTED = /^LOG: +(?:execute ([^:\n]+)|statement): (\w*)/gm;

/** What a running server does, seen from beside: the statements that reach it, the rows and the log it writes. */
export class ServerLog {
  private constructor(
    private readonly admin: Client,
    private readonly file: string,
  ) {}

  /** Makes the server of that data folder log every statement. Full page images stay out of its log: they come by chance. */
  static async watch(dataDirectory: string): Promise<ServerLog> {
    const directory = join(dataDirectory, 'postgres');
    const postmaster = await findServer({ directory });
    if (!postmaster) throw new Error(`no server runs in ${directory}`);
    const admin = new Client({ connectionString: await serverUrl(directory, postmaster, 'parley') });
    await admin.connect();
    for (const setting of [`log_statement = 'all'`, `log_line_prefix = ''`, `full_page_writes = off`]) {
      await admin.query(`alter system set ${setting}`);
    }
    await admin.query(`set log_statement = 'none'`);
    await admin.query('select pg_reload_conf()');
    return new ServerLog(admin, join(directory, 'server.log'));
  }

  /** The statements that others sent while `work` went on. */
  async statementsOf(work: () => Promise<unknown>): Promise<StatementCounts> {
    const file = await open(this.file);
    try {
      const { size: from } = await file.stat();
      await work();
      const { size: to } = await file.stat();
      const { buffer } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
      return counted([...buffer.toString().matchAll(EXECUTED)].map(([, name, verb]) => name ?? verb ?? ''));
    } finally {
      await file.close();
    }
  }

  /** Bytes that the server has written to its write-ahead log. */
  async written(): Promise<number> {
    const sql = `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`;
    const { rows } = await this.admin.query<{ bytes: number }>(sql);
    return rows[0]?.bytes ?? NaN;
  }

  /** Rows inserted and updated so far, as far as the server's processes have told: an idle one tells after 10 s. */
  async rows(): Promise<{ inserted: number; updated: number }> {
    const sql = `select sum(n_tup_ins)::float8 as inserted, sum(n_tup_upd)::float8 as updated
                   from pg_stat_user_tables where relname <> 'executors'`;
    const { rows } = await this.admin.query<{ inserted: number; updated: number }>(sql);
    return rows[0] ?? { inserted: NaN, updated: NaN };
  }

  async close(): Promise<void> {
    await this.admin.end();
  }
}

const counted = (names: string[]): StatementCounts => {
  const counts: StatementCounts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};
