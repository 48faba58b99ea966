/** A bound that a figure is to keep. */
export type Target = { most: number } | { least: number };

/** One number that a goal came to. */
export interface Figure {
  name: string;
  value: number;
  /** What the number counts, e.g. `ms`; empty for a ratio. */
  unit: string;
  /** Absent: it stands there to explain another figure. */
  target?: Target;
}

/** Whether the figure keeps its bound; undefined where it has none. What could not be measured keeps none. */
export const isMet = ({ value, target }: Figure): boolean | undefined => {
  if (!target) return undefined;
  return 'most' in target ? value <= target.most : value >= target.least;
};

/** The number as it is read: three digits that count, all digits of what is large. */
export const shown = (value: number): string => {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return '–';
  const text = value.toFixed(size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
  return size >= 10_000 ? Number(text).toLocaleString('en') : text;
};
