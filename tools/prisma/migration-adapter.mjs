import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import pg from 'pg';

/** Postgres' internal one-byte type "char", of which its catalogs make much use. */
const INTERNAL_CHAR = 18;
const TEXT = 25;

/** `@prisma/adapter-pg` with the faults mended that only a schema engine meets (found in 7.10.0). */
export class MigrationAdapterFactory extends PrismaPg {
  #config;
  #shadows = new Set();

  /** @param {string | import('pg').ClientConfig} database */
  constructor(database) {
    const config = typeof database === 'string' ? discreteConfig(database) : database;
    super(config);
    this.#config = config;
  }

  async connect() {
    const adapter = await super.connect();
    runScriptsWhole(adapter);
    readInternalChars(adapter);
    return adapter;
  }

  /** The original drops the database before it closes its own connections to it, which Postgres refuses. */
  async connectToShadowDb() {
    const admin = await this.connect();
    const database = `prisma_migrate_shadow_db_${randomUUID()}`;
    await admin.executeScript(`CREATE DATABASE "${database}"`);
    const shadow = await new MigrationAdapterFactory({ ...this.#config, database }).connect();
    const dispose = shadow.dispose.bind(shadow);
    shadow.dispose = async () => {
      this.#shadows.delete(shadow);
      await dispose();
      await admin.executeScript(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`);
      await admin.dispose();
    };
    this.#shadows.add(shadow);
    return shadow;
  }

  /** Drops what an engine that panicked left behind. */
  async dropShadows() {
    for (const shadow of this.#shadows) await shadow.dispose();
  }
}

/**
 * The URL as single fields: `pg` prefers a connection string to the field `database`, so that the shadow database's
 * migrations would run against the real one.
 * @param {string} url
 */
function discreteConfig(url) {
  const { host, port, user, password, database, ssl } = new pg.Client({ connectionString: url });
  return { host, port, user, password, database, ssl };
}

/**
 * The original splits a script at every semicolon, which breaks function bodies and string literals, and leaves half
 * of a failing migration applied. Sent whole, Postgres runs it as one transaction, as the native engine does.
 */
function runScriptsWhole(adapter) {
  adapter.executeScript = async (script) => {
    try {
      await adapter.underlyingDriver().query(script);
    } catch (error) {
      adapter.onError(error);
    }
  };
}

/** The original has no mapping for "char"; the engine reads it as a character (so of every constraint's kind). */
function readInternalChars(adapter) {
  const { queryRaw, performIO } = adapter;
  adapter.queryRaw = async (query) => {
    const result = await performIO.call(adapter, query);
    const isChar = result.fields.map(({ dataTypeID }) => dataTypeID === INTERNAL_CHAR);
    for (const field of result.fields) if (field.dataTypeID === INTERNAL_CHAR) field.dataTypeID = TEXT;
    const answer = await queryRaw.call({ pgOptions: adapter.pgOptions, performIO: async () => result }, query);
    answer.columnTypes = answer.columnTypes.map((type, index) => (isChar[index] ? ColumnTypeEnum.Character : type));
    return answer;
  };
}
