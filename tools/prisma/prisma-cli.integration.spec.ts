import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@parley/persistence';
import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Every thing of Postgres that Parley's migrations use, and Prisma's language lacks most of. */
const MIGRATION = `
create table words (
  tenant uuid not null, id uuid not null, word text not null check (word <> ';'), head jsonb not null default '{}',
  marks int[], created_at timestamptz not null default clock_timestamp(), primary key (tenant, id)
) with (fillfactor = 60);
create table uses (
  tenant uuid not null, id uuid not null, word uuid not null, primary key (tenant, id),
  foreign key (tenant, word) references words (tenant, id) on delete cascade
);
create index words_new on words (tenant, created_at) where word = 'new';
create index words_lower on words (lower(word));
create function add_word(word text) returns void language plpgsql as $$
begin
  insert into words (tenant, id, word) values (gen_random_uuid(), gen_random_uuid(), word || ';');
  perform 'a;b';
end $$;
create function touch() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger touching before insert on words for each row execute function touch();
create view new_words as select id from words where word = 'new';
alter table words enable row level security;
alter table words force row level security;
create policy own_words on words using (tenant = current_setting('parley.tenant')::uuid);
create schema elsewhere;
create table elsewhere.things (id int primary key);`;

const MODELS = `
generator client {
  provider = "prisma-client"
  output = "./generated"
  previewFeatures = ["partialIndexes"]
}
datasource db {
  provider = "postgresql"
}
model Word {
  tenant String @db.Uuid
  id String @db.Uuid
  word String
  head Json @default("{}")
  marks Int[]
  createdAt DateTime @default(dbgenerated("clock_timestamp()")) @map("created_at") @db.Timestamptz(6)
  uses Use[]
  @@id([tenant, id])
  @@index([tenant, createdAt], where: raw("(word = 'new'::text)"), map: "words_new")
  @@map("words")
}
model Use {
  tenant String @db.Uuid
  id String @db.Uuid
  wordId String @map("word") @db.Uuid
  word Word @relation(fields: [tenant, wordId], references: [tenant, id], onDelete: Cascade, onUpdate: NoAction)
  @@id([tenant, id])
  @@map("uses")
}`;

/** One version is enough: what is tested is the tool, and each command takes a second. */
const newest = postgresServers.filter(({ name }) => name === 'postgres 18');

describe.each(newest)('Prisma with our schema engine on $name', (server) => {
  let database: TestDatabase;
  let project: string;

  beforeEach(async () => {
    database = await createTestDatabase(server);
    project = await mkdtemp(join(tmpdir(), 'parley-test-prisma-'));
    const config = { schema: 'schema.prisma', migrations: { path: 'migrations' }, datasource: { url: database.url } };
    await writeFile(join(project, 'prisma.config.mjs'), `export default ${JSON.stringify(config)}`);
    await mkdir(join(project, 'migrations'));
    await cp(join(root, 'prisma/migrations/migration_lock.toml'), join(project, 'migrations/migration_lock.toml'));
    await writeMigration('1_first', MIGRATION);
    await writeModels(MODELS);
  });

  afterEach(async () => {
    await database.drop();
    await rm(project, { recursive: true });
  });

  it('finds the models and migrations of this repository equal', async () => {
    expect(await node(['tools/prisma/drift.mjs'])).toEqual({ code: 0, output: 'drift: models and migrations agree\n' });
  });

  it('finds equal what is equal, whatever else the migrations make', async () => {
    expect(await drift()).toEqual({ code: 0, output: 'drift: models and migrations agree\n' });
  });

  it.each([
    ['a column that only the models have', 'word String\n', 'word String\n  lang String?\n', /Added column `lang`/],
    ['a column that only the migrations have', '  marks Int[]\n', '', /Removed column `marks`/],
    ['another type', 'word String\n', 'word Int\n', /Column `word` would be dropped and recreated/],
    ['another predicate of a partial index', `(word = 'new'::text)`, `(word = 'old'::text)`, /Removed index/],
    ['another rule of a foreign key', 'onDelete: Cascade', 'onDelete: Restrict', /foreign key/],
  ])('exits with 2 for %s', async (_, before, after, message) => {
    await writeModels(MODELS.replace(before, after));
    const { code, output } = await drift();

    expect(output).toMatch(message);
    expect(code).toBe(2);
  });

  it('compares on a scratch database, which it removes, and leaves the real one alone', async () => {
    await query('create table words (mine int)');
    expect((await drift()).code).toBe(0);
    await writeMigration('2_second', 'select 1/0');
    const failed = await drift();

    expect(failed.code).toBe(1);
    expect(failed.output).toMatch(/division by zero/);
    expect(await query(`select column_name from information_schema.columns where table_name = 'words'`)).toEqual([
      { column_name: 'mine' },
    ]);
    expect(await query(`select datname from pg_database where datname like 'prisma_migrate_shadow%'`)).toEqual([]);
  });

  it('deploys function bodies and literals with semicolons, which our runner then takes for its own', async () => {
    expect((await prisma(['migrate', 'deploy'])).code).toBe(0);
    await query(`select add_word('x')`);

    expect(await query('select word from words')).toEqual([{ word: 'x;' }]);
    expect(await migrate(database.url, { directory: join(project, 'migrations') })).toEqual([]);
  });

  it('keeps nothing of a migration that fails', async () => {
    await writeMigration('2_second', 'create table half (id int); select 1/0');

    expect((await prisma(['migrate', 'deploy'])).code).toBe(1);
    expect(await query(`select to_regclass('half') as half, to_regclass('words')::text as words`)).toEqual([
      { half: null, words: 'words' },
    ]);
  });

  it('calls a database up to date that our runner migrated', async () => {
    expect((await prisma(['migrate', 'status'])).output).toMatch(/have not yet been applied/);
    await migrate(database.url, { directory: join(project, 'migrations') });
    const { code, output } = await prisma(['migrate', 'status']);

    expect(output).toMatch(/Database schema is up to date/);
    expect(code).toBe(0);
  });

  async function writeMigration(name: string, sql: string): Promise<void> {
    await mkdir(join(project, 'migrations', name), { recursive: true });
    await writeFile(join(project, 'migrations', name, 'migration.sql'), sql);
  }

  function writeModels(text: string): Promise<void> {
    return writeFile(join(project, 'schema.prisma'), text);
  }

  function drift() {
    return node([
      'tools/prisma/drift.mjs',
      ...['--migrations', join(project, 'migrations')],
      ...['--schema', join(project, 'schema.prisma')],
    ]);
  }

  function prisma(args: string[]) {
    const config = join(project, 'prisma.config.mjs');
    return node(['node_modules/prisma/build/index.js', ...args, '--config', config]);
  }

  function node(args: string[]): Promise<{ code: unknown; output: string }> {
    const env = {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      PRISMA_SCHEMA_ENGINE_BINARY: join(root, 'tools/schema-engine.mjs'),
      CHECKPOINT_DISABLE: '1',
    };
    return new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: root, env }, (error, stdout, stderr) => {
        resolve({ code: error ? error.code : 0, output: stderr + stdout });
      });
    });
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
