import { type TenantId } from '@parley/core';
import { createLogger, Health } from '@parley/host';
import { PartBlobs, ReferenceBlobStore } from '@parley/persistence';
import { FakePlatform, type Script, VectaraProbe } from '@parley/testing';
import { makeGateway } from './gateway.js';
import { DEFAULT_TENANT } from './config.js';
import { hashKey, ListedKeys } from './http/door/key-ring.js';

/** A gateway before a fake platform, and a probe with a key of its first tenant. */
export interface TriedGateway {
  platform: FakePlatform;
  blobs: ReferenceBlobStore;
  url: string;
  probe: VectaraProbe;
  /** What was logged as an error. */
  errors: unknown[];
  close(): Promise<void>;
}

/** How a gateway is tried. */
export interface Trial {
  script?: Script;
  openTo?: TenantId | null;
  keys?: Record<string, TenantId>;
  health?: Health;
}

/** The key that a trial's probe has. */
export const KEY = 'key-of-the-first-tenant';

/** Starts a gateway on a free port, for one spec. */
export const tryGateway = async ({ script, openTo = null, keys = {}, health }: Trial = {}): Promise<TriedGateway> => {
  const platform = new FakePlatform(script);
  const blobs = new ReferenceBlobStore();
  const errors: unknown[] = [];
  const quiet = (): void => undefined;
  const logger = { log: quiet, warn: quiet, error: (...entry: unknown[]) => void errors.push(entry) };
  const tenants = { [KEY]: DEFAULT_TENANT, ...keys };
  const app = await makeGateway({
    bus: platform,
    frames: platform.frames,
    blobs: new PartBlobs(blobs),
    health: health ?? new Health(createLogger({ app: 'gateway', level: 'silent' })),
    cursorSecret: 'a secret of this spec',
    keys: new ListedKeys(Object.entries(tenants).map(([key, tenant]) => ({ sha256: hashKey(key), tenant }))),
    openTo,
    logger,
  });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return { platform, blobs, url, probe: new VectaraProbe(url, KEY), errors, close: () => app.close() };
};
