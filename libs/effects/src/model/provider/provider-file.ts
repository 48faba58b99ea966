import { type Issue, issuesOf } from '@parley/core';
import { z } from 'zod';
import { HeaderSecret, providerOf, ProviderName, type Provider } from './provider.js';

/** The providers that an operator has written down. */
export interface ProviderFile {
  /** Of handles that name no provider; absent: Parley's own choice. */
  default?: string | undefined;
  providers: Record<string, Provider>;
}

/** What is wrong with a file of providers, every place at once. */
export class ProviderFileError extends Error {
  override readonly name = 'ProviderFileError';

  constructor(readonly issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => `${path === '' ? 'the file' : path}: ${message}`).join('\n'));
  }
}

/**
 * Reads a file of providers: JSON `{default?, providers: {<name>: Provider}}`, where a secret may stand as
 * `{"env": "NAME"}` for a variable of the environment.
 * @throws ProviderFileError with every mistake and its path.
 */
export const readProviderFile = (
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): ProviderFile => {
  const secret = z
    .union([z.string(), z.strictObject({ env: z.string().min(1) })], { error: 'must be text or {"env": "NAME"}' })
    .transform((given, context) => {
      const value = typeof given === 'string' ? given : environment[given.env];
      if (value) return value;
      const what = typeof given === 'string' ? 'is empty' : `names the variable ${given.env}, which is not set`;
      context.addIssue({ code: 'custom', message: what });
      return z.NEVER;
    })
    .pipe(HeaderSecret);
  const file = z
    .strictObject({ default: ProviderName.optional(), providers: z.record(ProviderName, providerOf(secret)) })
    .refine((given) => given.default === undefined || Object.hasOwn(given.providers, given.default), {
      path: ['default'],
      error: 'must be one of the providers of this file',
    });
  const parsed = file.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  throw new ProviderFileError(issuesOf(parsed.error));
};

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProviderFileError([{ path: '', message: `is not JSON: ${error instanceof Error ? error.message : ''}` }]);
  }
};
