/** The value below which the share `q` (0 to 1) of the samples lies: nearest rank. NaN where there are none. */
export const quantile = (samples: readonly number[], q: number): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  const rank = Math.ceil(q * sorted.length);
  return sorted[Math.max(0, rank - 1)] ?? NaN;
};

/** The middle of the samples. */
export const median = (samples: readonly number[]): number => quantile(samples, 0.5);
