#!/usr/bin/env node
/**
 * Stands in for Prisma's native schema engine, which its CLI downloads from a host that is not a package registry:
 * the same JSON-RPC over standard input and output, answered by the same engine compiled to WebAssembly, on `pg`.
 * tools/prisma/run-prisma.mjs points the CLI here (PRISMA_SCHEMA_ENGINE_BINARY).
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runDatabaseCommand } from './prisma/database-command.mjs';
import { logLine } from './prisma/log-line.mjs';
import { MigrationAdapterFactory } from './prisma/migration-adapter.mjs';
import { serveRpc } from './prisma/rpc.mjs';
import { createWasmEngine, wasmEngineVersion } from './prisma/wasm-engine.mjs';

const { values, positionals } = parseArgs({
  strict: false,
  allowPositionals: true,
  options: {
    datasource: { type: 'string' },
    datamodels: { type: 'string', short: 'd', multiple: true },
    version: { type: 'boolean' },
  },
});
const databaseUrl = JSON.parse(values.datasource ?? '{}').url ?? process.env.DATABASE_URL;

if (values.version) {
  console.log(`schema-engine-cli ${wasmEngineVersion()}`);
} else if (positionals[0] === 'cli') {
  process.exitCode = await runDatabaseCommand(positionals[1], databaseUrl);
} else {
  const adapterFactory = new MigrationAdapterFactory(databaseUrl);
  const engine = await createWasmEngine({
    datamodels: values.datamodels?.map((path) => [path, readFileSync(path, 'utf8')]),
    adapterFactory,
    onPanic: (message) => logLine('ERROR', message),
  });
  await serveRpc(engine);
  await adapterFactory.dropShadows();
  process.exit();
}
