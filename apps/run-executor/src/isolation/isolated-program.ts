import { type Provider, type ProviderTable } from '@parley/effects';

/** What a child process runs to act one run. */
export interface IsolatedProgram {
  /** The file that is run; it calls `actIsolated`. */
  entry: URL;
  /** What it makes its model from. Goes to it alone, through the pipe between the two. */
  settings: unknown;
  /** Flags of Node's, beside those of this process. */
  flags?: readonly string[];
}

/** Sources run as sources, what is built runs as that. */
const ENTRY = import.meta.url.endsWith('.ts') ? './main.ts' : './main.js';

/** The program that asks the models of these providers. */
export const isolatedProgram = ({ default: name, providers }: ProviderTable): IsolatedProgram => ({
  entry: new URL(ENTRY, import.meta.url),
  settings: { default: name, providers: mapped(providers, revealed) },
});

const revealed = ({ apiKey, headers, ...provider }: Provider): object => ({
  ...provider,
  ...(apiKey && { apiKey: apiKey.reveal() }),
  ...(headers && { headers: mapped(headers, (secret) => secret.reveal()) }),
});

const mapped = <A, B>(record: Record<string, A>, map: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
