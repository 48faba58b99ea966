import { createInterface } from 'node:readline';
import { allReady } from './all-ready.js';
import { type Cluster } from './start-cluster.js';
import { type OwnServer } from './servers/own-server.js';
import { TOPOLOGY, type Service } from './topology.js';

/** How long new processes may take until they are ready, in milliseconds. */
const READY_MS = 60_000;

/** What the launcher understands while it runs, a line each. */
export const COMMANDS = 'scale <service> <count> · start <service> [NAME=value …] · ps · down <server> · up <server>';

/**
 * Follows commands that are typed, or written by a program. Every line is answered by one line: `ok` or `error` and why.
 * The end of the input means nothing.
 */
export const followCommands = (cluster: Cluster, input: NodeJS.ReadableStream, say: (line: string) => void): void => {
  let last = Promise.resolve();
  createInterface({ input }).on('line', (line) => {
    if (line.trim() === '') return;
    last = last
      .then(() => follow(cluster, line.trim().split(/\s+/)))
      .then((answer) => say(`ok ${answer}`.trimEnd()))
      .catch((error: unknown) => say(`error ${error instanceof Error ? error.message : String(error)}`));
  });
};

const follow = async (cluster: Cluster, [verb = '', name = '', ...rest]: string[]): Promise<string> => {
  const { supervisor } = cluster;
  switch (verb) {
    case 'scale':
      await supervisor.scale(serviceOf(name), countOf(rest[0]));
      await allReady(supervisor, AbortSignal.timeout(READY_MS));
      return '';
    case 'start':
      return JSON.stringify(await supervisor.add(serviceOf(name), { environment: variablesOf(rest) }));
    case 'ps':
      return JSON.stringify([
        ...supervisor.processes,
        ...cluster.servers.map(({ name: service, pid }) => ({ service, number: 1, pid })),
      ]);
    case 'down':
      await serverOf(cluster, name).kill();
      return '';
    case 'up':
      await serverOf(cluster, name).start();
      return '';
    default:
      throw new Error(`'${verb}' is none of: ${COMMANDS}`);
  }
};

const serviceOf = (name: string): Service => {
  const service = TOPOLOGY.find((one) => one.name === name);
  if (!service) throw new Error(`'${name}' is none of: ${TOPOLOGY.map((one) => one.name).join(', ')}`);
  return service;
};

const serverOf = ({ servers }: Cluster, name: string): OwnServer => {
  const server = servers.find((one) => one.name === name);
  if (!server)
    throw new Error(`'${name}' is none of the servers that are run here: ${servers.map((one) => one.name).join(', ')}`);
  return server;
};

const countOf = (text: string | undefined): number => {
  const count = Number(text);
  if (text === undefined || !Number.isInteger(count) || count < 0 || count > 100)
    throw new Error('the count must be 0 to 100');
  return count;
};

const variablesOf = (words: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw new Error(`'${word}' is not NAME=value`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
