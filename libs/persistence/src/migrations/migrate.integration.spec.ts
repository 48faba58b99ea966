import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import { assertMigrated, migrate } from './migrate.js';

const FUNCTION_WITH_SEMICOLONS = `
create table words (word text primary key);
create function add_word(word text) returns void language plpgsql as $$
begin
  insert into words values (word || ';');
end $$;
insert into words values ('a;b');
select add_word('c');`;

describe.each(postgresServers)('migrate on $name', (server) => {
  let database: TestDatabase;
  let directory: string;

  beforeEach(async () => {
    database = await createTestDatabase(server);
    directory = await mkdtemp(join(tmpdir(), 'parley-test-migrations-'));
  });

  afterEach(async () => {
    await database.drop();
    await rm(directory, { recursive: true });
  });

  it('applies folders in the order of their names, once', async () => {
    await write('2_second', 'alter table words add column lang text');
    await write('1_first', FUNCTION_WITH_SEMICOLONS);
    const progress: string[] = [];

    expect(await migrate(database.url, { directory, onProgress: (line) => progress.push(line) })).toEqual([
      '1_first',
      '2_second',
    ]);
    expect(await migrate(database.url, { directory })).toEqual([]);
    expect(progress).toEqual(['applying migration 1_first', 'applying migration 2_second']);
    expect(await query('select word, lang from words order by word')).toEqual([
      { word: 'a;b', lang: null },
      { word: 'c;', lang: null },
    ]);
  });

  it('lets one of three that start together apply, while the others wait and find nothing to do', async () => {
    await write('1_first', `${FUNCTION_WITH_SEMICOLONS} select pg_sleep(0.3)`);
    const waits: string[] = [];

    const applied = await Promise.all(
      [1, 2, 3].map(() => migrate(database.url, { directory, onProgress: (line) => waits.push(line) })),
    );

    expect(applied.flat()).toEqual(['1_first']);
    expect(waits).toContain('waiting for another process that migrates');
    expect(await query('select count(*)::int as rows from _prisma_migrations')).toEqual([{ rows: 1 }]);
  });

  it('gives up on a lock that is not freed in time', async () => {
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('select pg_advisory_lock(72707369)');

    await expect(migrate(database.url, { directory, lockTimeoutMs: 100 })).rejects.toThrow(/migration lock for 0.1 s/);
    await holder.end();
  });

  it('keeps nothing of a migration that fails, and all of those before it', async () => {
    await write('1_first', FUNCTION_WITH_SEMICOLONS);
    await write('2_second', 'create table half (id int); select 1/0');

    await expect(migrate(database.url, { directory })).rejects.toThrow(
      'migration 2_second failed and was rolled back: division by zero',
    );
    expect(await query(`select to_regclass('half') as half, to_regclass('words')::text as words`)).toEqual([
      { half: null, words: 'words' },
    ]);

    await write('2_second', 'create table half (id int)');
    expect(await migrate(database.url, { directory })).toEqual(['2_second']);
  });

  it('refuses a migration that was edited after it had been applied', async () => {
    await write('1_first', FUNCTION_WITH_SEMICOLONS);
    await migrate(database.url, { directory });
    await write('1_first', `${FUNCTION_WITH_SEMICOLONS} -- a thought`);
    await write('2_second', 'create table later (id int)');

    await expect(migrate(database.url, { directory })).rejects.toThrow(/migration 1_first was edited/);
    await expect(assertMigrated(database.url, directory)).rejects.toThrow(/migration 1_first was edited/);
    expect(await query(`select to_regclass('later') as later`)).toEqual([{ later: null }]);
  });

  it('refuses a database on which another tool left a migration unfinished', async () => {
    await write('1_first', FUNCTION_WITH_SEMICOLONS);
    await migrate(database.url, { directory });
    await query('update _prisma_migrations set finished_at = null');

    await expect(migrate(database.url, { directory })).rejects.toThrow(/1_first was begun by another tool/);
  });

  it('refuses a migration that ends its own transaction', async () => {
    await write('1_first', 'create table kept (id int); commit; create table more (id int)');

    await expect(migrate(database.url, { directory })).rejects.toThrow(/it ends its own transaction/);
  });

  it('does not let what one migration sets for its session reach the next', async () => {
    await write('1_first', `create schema elsewhere; set search_path = elsewhere; create role r1 nologin; set role r1`);
    await write('2_second', 'create table where_am_i (id int)');
    await migrate(database.url, { directory });
    await query('drop role r1');

    expect(await query(`select schemaname from pg_tables where tablename = 'where_am_i'`)).toEqual([
      { schemaname: 'public' },
    ]);
  });

  it('lets an older build run on a newer schema', async () => {
    await write('1_first', FUNCTION_WITH_SEMICOLONS);
    await write('2_second', 'create table newer (id int)');
    await migrate(database.url, { directory });
    await rm(join(directory, '2_second'), { recursive: true });

    expect(await migrate(database.url, { directory })).toEqual([]);
    await expect(assertMigrated(database.url, directory)).resolves.toBeUndefined();
  });

  it('tells an app that only checks what its database lacks, and writes nothing for it', async () => {
    await write('1_first', FUNCTION_WITH_SEMICOLONS);
    await expect(assertMigrated(database.url, directory)).rejects.toThrow(
      /lacks 1 migration\(s\), the first is 1_first/,
    );
    expect(await query(`select to_regclass('_prisma_migrations') as history`)).toEqual([{ history: null }]);

    await migrate(database.url, { directory });
    await expect(assertMigrated(database.url, directory)).resolves.toBeUndefined();
  });

  it('leaves no connection behind, whether it succeeds or fails', async () => {
    await write('1_first', 'select 1/0');
    await expect(migrate(database.url, { directory })).rejects.toThrow();

    expect(await query(`select pid from pg_stat_activity where application_name = 'parley-migrate'`)).toEqual([]);
  });

  async function write(name: string, sql: string): Promise<void> {
    await mkdir(join(directory, name), { recursive: true });
    await writeFile(join(directory, name, 'migration.sql'), sql);
  }

  async function query(sql: string): Promise<unknown[]> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }
});
