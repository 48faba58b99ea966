import { createInterface } from 'node:readline';

/** Requests of ours to the CLI need ids that are not the CLI's own, which count up from 1. */
const OWN_IDS = 1_000_000;

/**
 * Answers the CLI's requests, one JSON object a line, until its side is closed and all are answered.
 * @param {Record<string, (params: unknown) => Promise<unknown>>} engine
 */
export async function serveRpc(engine) {
  const pending = [];
  for await (const line of createInterface({ input: process.stdin })) {
    if (!line.trim()) continue;
    const request = JSON.parse(line);
    // What has no method is the CLI's reply to a request of ours.
    if (request.method) pending.push(answer(engine, request));
  }
  await Promise.all(pending);
}

async function answer(engine, { id, method, params }) {
  try {
    const result = await engine[method === 'getDatabaseVersion' ? 'version' : method](params);
    send({ id, result: method === 'diff' ? printDiff(id, result) : (result ?? null) });
  } catch (error) {
    send({ id, error: describe(error) });
  }
}

/** The CLI prints a diff only when it is asked to by a request of its own. */
function printDiff(id, { exitCode, stdout }) {
  if (typeof stdout === 'string') send({ id: OWN_IDS + id, method: 'print', params: { content: stdout } });
  return { exitCode, stdout: null };
}

function describe(error) {
  return {
    code: 4466,
    message: 'An error happened. Check the data field for details.',
    data: {
      is_panic: false,
      message: error?.message ?? String(error),
      meta: error?.meta ?? null,
      error_code: error?.code ?? null,
    },
  };
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
