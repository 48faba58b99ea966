import { createHash } from 'node:crypto';
import { type TenantId } from '@parley/core';

/** Who an API key belongs to. Nothing else tells the tenant of a request (DESIGN §9). */
export abstract class KeyRing {
  /** Undefined for a key that nobody has. */
  abstract tenantOf(key: string): TenantId | undefined | Promise<TenantId | undefined>;
}

/** A key as it is kept: the key itself cannot be made from it. */
export interface HashedKey {
  /** SHA-256 of the key, in lower-case hex. */
  sha256: string;
  tenant: TenantId;
}

/** How a key is hashed wherever it is kept. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** The keys that the configuration lists. */
export class ListedKeys extends KeyRing {
  readonly #tenants: ReadonlyMap<string, TenantId>;

  constructor(keys: readonly HashedKey[]) {
    super();
    this.#tenants = new Map(keys.map(({ sha256, tenant }) => [sha256, tenant]));
  }

  tenantOf(key: string): TenantId | undefined {
    return this.#tenants.get(hashKey(key));
  }
}
