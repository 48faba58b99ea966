/** A built-in model: it says `tokens` tokens, `delayMs` apart. */
export interface SimModel {
  tokens: number;
  delayMs: number;
}

const name = /^sim-(\d{1,6})-(\d{1,5})$/;

/** The model of a name `sim-<tokens>-<delayMs>`, such as `sim-20-0`; undefined for any other name. */
export function simModel(model: string): SimModel | undefined {
  const [, tokens, delayMs] = name.exec(model) ?? [];
  return tokens === undefined || delayMs === undefined
    ? undefined
    : { tokens: Number(tokens), delayMs: Number(delayMs) };
}

/** The built-in models that `GET /v1/models` shows; every other name of the form works too. */
export const shownSimModels: readonly string[] = ['sim-20-0', 'sim-20-50', 'sim-100-20', 'sim-1000-0'];
