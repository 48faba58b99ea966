import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';

const folder = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg'));

/** The engine's commit, by which the CLI names versions. */
export function wasmEngineVersion() {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return version.split('.').at(-1);
}

/**
 * The engine with all the methods of its RPC.
 * @param {{
 *   datamodels: [path: string, text: string][] | undefined,
 *   adapterFactory: import('./migration-adapter.mjs').MigrationAdapterFactory,
 *   onPanic: (message: string) => void,
 * }} options
 */
export async function createWasmEngine({ datamodels, adapterFactory, onPanic }) {
  instantiate();
  globalThis.PRISMA_WASM_PANIC_REGISTRY ??= { set_message: onPanic };
  const debug = (line) => process.env.DEBUG && process.stderr.write(`${line}\n`);
  return glue.SchemaEngine.new({ datamodels }, debug, bindMigrationAwareSqlAdapterFactory(adapterFactory));
}

/** The package's own entry imports the .wasm file as a module, for which node 20 needs a flag. */
function instantiate() {
  const module = new WebAssembly.Module(readFileSync(join(folder, 'schema_engine_bg.wasm')));
  const { exports } = new WebAssembly.Instance(module, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(exports);
  exports.__wbindgen_start();
}
