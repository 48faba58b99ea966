import { type Figure, isMet, shown } from './figure.js';

/** The figures of one goal, as lines of a table. */
export const table = (title: string, figures: readonly Figure[]): string => {
  const rows = figures.map((figure) => [figure.name, valueOf(figure), targetOf(figure), verdictOf(figure)]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(([name = '', value = '', target = '', verdict = '']) =>
    `  ${name.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${target.padEnd(widths[2] ?? 0)}  ${verdict}`.trimEnd(),
  );
  return [title, ...lines, ''].join('\n');
};

const valueOf = ({ value, unit }: Figure): string => `${shown(value)} ${unit}`.trimEnd();

const targetOf = ({ target }: Figure): string => {
  if (!target) return '';
  return 'most' in target ? `≤ ${shown(target.most)}` : `≥ ${shown(target.least)}`;
};

const verdictOf = (figure: Figure): string => {
  const met = isMet(figure);
  if (met === undefined) return '';
  return met ? 'ok' : 'MISSED';
};
