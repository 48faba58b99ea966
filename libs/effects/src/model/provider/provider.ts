import { Secret } from '@parley/core';
import { z } from 'zod';

/** The name of a provider: what stands before the first slash of a handle. */
export const ProviderName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, 'must be 1 to 50 of a-z 0-9 _ -');
export type ProviderName = z.infer<typeof ProviderName>;

/** Goes into a header, so it holds what a header can hold. */
const headerSecret = z.union([
  z.instanceof(Secret),
  z
    .string()
    .trim()
    .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
    .transform((value) => new Secret(value)),
]);

/** An OpenAI-compatible endpoint, as the operator configures it. */
export const Provider = z.strictObject({
  /** Up to and without `/chat/completions`; a query is kept (`?api-version=…`). */
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .refine((url) => !URL.canParse(url) || new URL(url).username === '', 'must not hold a user name: use apiKey'),
  /** Sent as `Authorization: Bearer`; absent for endpoints that ask for none. */
  apiKey: headerSecret.optional(),
  /** Sent with every request, over the adapter's own. */
  headers: z.record(z.string().regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'is no header name'), headerSecret).optional(),
  /** The model of a handle that names this provider alone. */
  defaultModel: z.string().min(1).optional(),
});
export type Provider = z.infer<typeof Provider>;

/** All providers of a process. `default` is the one of handles that name none. */
export const ProviderTable = z
  .strictObject({ default: ProviderName, providers: z.record(ProviderName, Provider) })
  .refine((table) => Object.hasOwn(table.providers, table.default), {
    path: ['default'],
    error: 'must be one of the configured providers',
  });
export type ProviderTable = z.infer<typeof ProviderTable>;
