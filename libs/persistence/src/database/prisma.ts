import { PrismaPg } from '@prisma/adapter-pg';
import { type Prisma, PrismaClient } from '../generated/client.js';
import { createPool, type PoolOptions } from './pool.js';
import { statementNames } from './statement-names.js';

/** Prisma in one tenant's transaction: every statement through it sees and writes that tenant's rows only. */
export type TenantTransaction = Prisma.TransactionClient;

/** The database as every store but RunLog uses it: under row-level security, so by tenant. */
export interface TenantDatabase {
  /** Runs `work` in one transaction of that tenant; what it throws undoes the transaction. At most 5 s. */
  inTenant<T>(tenant: string, work: (transaction: TenantTransaction) => Promise<T>): Promise<T>;
  /** Ends the connections. */
  close(): Promise<void>;
}

/** How createPrisma connects; the role must be subject to row-level security. */
export type PrismaOptions = PoolOptions & { readonly role: string };

const TRANSACTION_MS = 5_000;

/** Opens Prisma's client on a pool of its own, connections made as they are needed. */
export function createPrisma(databaseUrl: string, options: PrismaOptions): TenantDatabase {
  const adapter = new PrismaPg(createPool(databaseUrl, options), {
    disposeExternalPool: true,
    statementNameGenerator: statementNames(),
  });
  const client = new PrismaClient({
    adapter,
    transactionOptions: { maxWait: TRANSACTION_MS, timeout: TRANSACTION_MS },
  });
  return {
    inTenant: (tenant, work) =>
      client.$transaction(async (transaction) => {
        // Of this transaction only: the connection goes back to the pool without a tenant.
        await transaction.$executeRaw`select set_config('parley.tenant', ${tenant}, true)`;
        return work(transaction);
      }),
    close: () => client.$disconnect(),
  };
}
