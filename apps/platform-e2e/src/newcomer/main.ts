import { Newcomer, type Visit } from './newcomer.js';

/** `npm run newcomer`: what the README promises, on fresh clones of what is committed, with nothing installed. */
const visits: Visit[] = [
  { name: 'A fresh clone', mode: 0o755 },
  { name: 'A fresh clone in a home that is closed to others', mode: 0o700 },
  { name: 'A fresh clone after npm ci --ignore-scripts', mode: 0o755, before: ['npm', 'ci', '--ignore-scripts'] },
];

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

for (const visit of visits) await new Newcomer(visit, say).come();
say('All is as the README says.');
