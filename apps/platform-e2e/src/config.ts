import { fileURLToPath } from 'node:url';

/** The root of the workspace whose product is tried. */
export const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** PARLEY_E2E_KILLS: how often the spec kills; `npm run kills` takes its number as an argument. */
export const killsInSpec = numberFrom('PARLEY_E2E_KILLS', 10);

/** PARLEY_E2E_SEED: what a scenario decides at random, it decides again with the same seed. */
export const seed = numberFrom('PARLEY_E2E_SEED', Date.now() % 2 ** 31);

/** What the processes of a scenario find in their environment, beside what it gives them: nothing of ours. */
export const plainEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: process.env['HOME'] ?? '/',
  TZ: 'UTC',
};

function numberFrom(variable: string, byDefault: number): number {
  const number = Number(process.env[variable] ?? byDefault);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`${variable} must be a whole number`);
  return number;
}
