import { TenantId } from '@parley/core';
import { appVariables, loadConfig, secret, serverVariables, variable } from '@parley/host';
import { z } from 'zod';
import { type HashedKey } from './http/door/key-ring.js';
import { isLoopbackHost } from './http/door/loopback.js';

/** The tenant of an installation that has one. */
export const DEFAULT_TENANT: TenantId = TenantId.parse('00000000-0000-4000-8000-000000000000');

const KeyList = z
  .string()
  .default('')
  .transform((text, context): HashedKey[] => {
    const entries = text.split(',').filter((entry) => entry.trim() !== '');
    return entries.flatMap((entry) => {
      const [tenant, sha256] = entry.trim().split(':');
      const parsed = TenantId.safeParse(tenant);
      if (parsed.success && sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256))
        return [{ tenant: parsed.data, sha256 }];
      context.addIssue({ code: 'custom', message: 'must be a list of <tenant id>:<SHA-256 of the key in hex>' });
      return [];
    });
  });

/** What a door is told, in standalone and in a cluster. */
const doorVariables = {
  port: variable('PORT', z.coerce.number().int().min(0).max(65_535).default(8_283)),
  host: variable('HOST', z.string().default('127.0.0.1')),
  /** No key is asked for; only on this machine (DESIGN §9). */
  open: variable(
    'PARLEY_OPEN',
    z
      .enum(['0', '1'])
      .default('0')
      .transform((text) => text === '1'),
  ),
  /** Who has which key, as `<tenant id>:<SHA-256 of the key>`, by commas. */
  keys: variable('PARLEY_KEYS', KeyList),
};

/** An open door is for this machine only. */
const openHere = <S extends z.ZodType<{ open: boolean; host: string }>>(schema: S): S =>
  schema.refine(({ open, host }) => !open || isLoopbackHost(host.includes(':') ? `[${host}]` : host), {
    path: ['open'],
    error: 'is for this machine only: HOST must be 127.0.0.1',
    // Other mistakes do not hide this one: all are told at once.
    when: ({ issues }) => !issues.some(({ path }) => path?.[0] === 'open' || path?.[0] === 'host'),
  });

/** Seals cursors; the same for all gateways of an installation. */
const cursorSecret = secret();

/** What the gateway of a standalone Parley reads from the environment. */
export const GatewayConfig = openHere(
  z.object({ ...doorVariables, cursorSecret: variable('PARLEY_CURSOR_SECRET', cursorSecret.optional()) }),
);
export type GatewayConfig = z.infer<typeof GatewayConfig>;

/** What a gateway with a process of its own reads from the environment. */
export const ClusterGatewayConfig = z.object({
  nats: serverVariables.nats,
  database: serverVariables.database,
  gateway: openHere(
    z.object({ ...doorVariables, cursorSecret: variable('PARLEY_CURSOR_SECRET', cursorSecret) }),
  ).refine(({ open, keys }) => open || keys.length > 0, {
    path: ['keys'],
    error: 'must name at least one key: without one nobody can come in',
  }),
  ...appVariables,
});
export type ClusterGatewayConfig = z.infer<typeof ClusterGatewayConfig>;

/** Reads the environment; ends the process with all of its mistakes if there are any. */
export const configFromEnvironment = (): ClusterGatewayConfig => loadConfig(ClusterGatewayConfig, process.env);
