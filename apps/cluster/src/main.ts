import { runApp } from '@parley/host';
import { destination } from 'pino';
import { followCommands } from './commands.js';
import { configFromEnvironment } from './config.js';
import { startCluster } from './start-cluster.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const config = configFromEnvironment();

await runApp({ name: 'cluster', config, process, log: destination(2) }, async (_, surroundings) => {
  const cluster = await startCluster(config, { ...surroundings, say });
  followCommands(cluster, process.stdin, say);
});
