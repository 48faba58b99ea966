import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure } from '../report/figure.js';
import { median } from '../report/quantile.js';
import { ServerLog, type StatementCounts } from '../rig/server-log.js';
import { Versus } from '../rig/versus.js';
import { type Goal } from './goal.js';

/** Turns whose statements are counted, and whose bytes are measured. */
const TURNS = 20;
const EARLY = 10;
const LATE = 1_000;
const IDLE_MS = 4_000;
/** An idle process of the server tells what it did after 10 s. */
const TOLD_MS = 11_000;

/** Goal 9: what a plain turn asks of the database, and whether that grows with its session. */
export const turnStorage: Goal = {
  id: '9',
  title: 'what a plain turn costs in storage, and whether a long session makes it dearer',
  async measure(rig) {
    const versus = await Versus.start(rig, 'sim-1-0');
    const turn = await versus.oneSession();
    const server = await ServerLog.watch(versus.dataDirectory);
    rig.owns(() => server.close());
    await turn(EARLY - TURNS / 2);
    await sleep(TOLD_MS);
    const rows = await server.rows();
    const early = await costOf(turn, server);
    await sleep(TOLD_MS);
    const rowsAfter = await server.rows();
    await turn(LATE - EARLY - TURNS);
    const late = await costOf(turn, server);
    return [
      { name: 'SQL calls', value: total(early.statements), unit: '', target: { most: 4 } },
      ...[...early.statements].map(([name, value]) => ({ name: `SQL calls: ${name}`, value, unit: '' })),
      { name: 'rows inserted', value: (rowsAfter.inserted - rows.inserted) / TURNS, unit: '', target: { most: 6 } },
      { name: 'rows updated', value: (rowsAfter.updated - rows.updated) / TURNS, unit: '' },
      { name: `write-ahead log, turn ${EARLY}`, value: early.bytes, unit: 'bytes' },
      { name: `write-ahead log, turn ${LATE}`, value: late.bytes, unit: 'bytes' },
      { name: `bytes, turn ${LATE} : turn ${EARLY}`, value: late.bytes / early.bytes, unit: '', target: { most: 1.1 } },
      {
        name: `SQL calls, turn ${LATE} : turn ${EARLY}`,
        value: total(late.statements) / total(early.statements),
        unit: '',
        target: { most: 1.1 },
      },
    ] satisfies Figure[];
  },
};

interface Cost {
  /** A turn; without what the clock alone causes. */
  statements: StatementCounts;
  bytes: number;
}

const costOf = async (turn: (count: number) => Promise<void>, server: ServerLog): Promise<Cost> => {
  const idle = await server.statementsOf(() => sleep(IDLE_MS));
  const bytes: number[] = [];
  let ms = 0;
  const busy = await server.statementsOf(async () => {
    for (let n = 0; n < TURNS; n++) {
      const before = await server.written();
      const begun = performance.now();
      await turn(1);
      ms += performance.now() - begun;
      bytes.push((await server.written()) - before);
    }
  });
  const statements: StatementCounts = new Map();
  for (const [name, count] of busy) {
    const caused = (count - ((idle.get(name) ?? 0) * ms) / IDLE_MS) / TURNS;
    if (caused > 0.1) statements.set(name, caused);
  }
  return { statements, bytes: median(bytes) };
};

const total = (statements: StatementCounts): number => [...statements.values()].reduce((sum, count) => sum + count, 0);
