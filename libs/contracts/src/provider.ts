import { JsonObject, TenantId } from '@parley/core';
import { z } from 'zod';
import { rpc } from './define.js';

/** A provider of models as it is configured, without its secrets. */
export const ProviderView = z.object({
  name: z.string(),
  /** Without its query, which may hold secrets. */
  baseUrl: z.string(),
  /** Whether it is sent a key. */
  hasKey: z.boolean(),
  /** Names of the headers that it is sent beside. */
  headers: z.array(z.string()),
  defaultModel: z.string().nullable(),
  /** Where it differs from what is usual, for all of its models. */
  quirks: JsonObject,
  /** What is known of the models that its configuration names, by name or by `prefix*`. */
  models: z.record(z.string(), JsonObject),
  /** How long the process that answers leaves it alone because it fails again and again, in milliseconds. */
  pausedMs: z.number().int().nonnegative(),
});
export type ProviderView = z.infer<typeof ProviderView>;

/** The providers of all tenants, by name. `default`: the one of handles that name none. */
export const listProviders = rpc({
  subject: 'rpc.provider.list',
  request: z.object({ tenant: TenantId }),
  response: z.object({ default: z.string(), providers: z.array(ProviderView) }),
  errors: [],
  timeoutMs: 2_000,
});
