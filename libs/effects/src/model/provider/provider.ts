import { Secret } from '@parley/core';
import { z } from 'zod';
import { ModelFacts } from './model-facts.js';
import { Quirks } from './quirks.js';

/** The name of a provider: what stands before the first slash of a handle. */
export const ProviderName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, 'must be 1 to 50 of a-z 0-9 _ -');
export type ProviderName = z.infer<typeof ProviderName>;

/** Text that goes into a header, so it holds what a header can hold. */
export const HeaderSecret = z
  .string()
  .trim()
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
  .transform((value) => new Secret(value));

/** An OpenAI-compatible endpoint, as the operator configures it. @param secret how a secret is written down. */
export const providerOf = <S extends z.ZodType<Secret>>(secret: S) =>
  z.strictObject({
    /** Up to and without `/chat/completions`; a query is kept (`?api-version=…`). */
    baseUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .refine((url) => !URL.canParse(url) || new URL(url).username === '', 'must not hold a user name: use apiKey'),
    /** Sent as `Authorization: Bearer`; absent for endpoints that ask for none. */
    apiKey: secret.optional(),
    /** Sent with every request, over the adapter's own. */
    headers: z.record(z.string().regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'is no header name'), secret).optional(),
    /** The model of a handle that names this provider alone. */
    defaultModel: z.string().min(1).optional(),
    /** Where all of its models differ from what is usual. */
    quirks: Quirks.partial().optional(),
    /** What is known of its models, by name or by `prefix*`. */
    models: z.record(z.string().min(1), ModelFacts).optional(),
  });

/** An OpenAI-compatible endpoint with its secrets as text. */
export const Provider = providerOf(z.union([z.instanceof(Secret), HeaderSecret]));
export type Provider = z.infer<typeof Provider>;

/** All providers of a process. `default` is the one of handles that name none. */
export const ProviderTable = z
  .strictObject({ default: ProviderName, providers: z.record(ProviderName, Provider) })
  .refine((table) => Object.hasOwn(table.providers, table.default), {
    path: ['default'],
    error: 'must be one of the configured providers',
  });
export type ProviderTable = z.infer<typeof ProviderTable>;
