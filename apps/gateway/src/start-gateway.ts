import { type AppSurroundings } from '@parley/host';
import { connectNats, NatsBus, NatsFrames } from '@parley/messaging';
import { assertMigrated, createPrisma, PartBlobs, PostgresBlobStore } from '@parley/persistence';
import { DEFAULT_TENANT, type ClusterGatewayConfig } from './config.js';
import { ListedKeys } from './http/door/key-ring.js';
import { openGateway } from './open-gateway.js';

/** Its connections to the database: for large words alone (DESIGN §6). */
const BLOBS = { applicationName: 'parley-gateway', role: 'parley_blob', max: 4 };

/** Starts a gateway of a cluster. The door opens at once; while the wire behind it is away every request is a 503. */
export const startGateway = async (config: ClusterGatewayConfig, surroundings: AppSurroundings): Promise<void> => {
  const { logger, nestLogger, health, shutdown } = surroundings;
  const nats = connectNats({ url: config.nats.reveal(), name: 'gateway' });
  shutdown.add('nats', () => nats.close());
  health.watch('nats', () => nats.check());
  const databaseUrl = config.database.reveal();
  health.watch('postgres', () => assertMigrated(databaseUrl), { needed: false });
  const database = createPrisma(databaseUrl, BLOBS);
  shutdown.add('blobs', () => database.close());
  const { port, host, keys, open, cursorSecret } = config.gateway;
  const gateway = await openGateway({
    ...{ port, host, health, logger: nestLogger },
    ...{ bus: new NatsBus(nats), frames: new NatsFrames(nats), blobs: new PartBlobs(new PostgresBlobStore(database)) },
    ...{ keys: new ListedKeys(keys), openTo: open ? DEFAULT_TENANT : null, cursorSecret: cursorSecret.reveal() },
  });
  shutdown.add('gateway', () => gateway.stop());
  logger.info({ url: gateway.url }, 'listening');
};
