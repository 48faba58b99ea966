import { readdirSync, readFileSync } from 'node:fs';

/** Of a clock tick, as Linux shows processor time to programs. */
const TICK_MS = 10;

interface ProcessStat {
  parent: number;
  ms: number;
}

/** Processor time that a process has used so far, in milliseconds; without its children. Linux only. */
export const processorTime = (pid: number): number => statOf(pid)?.ms ?? 0;

/** The same of all that descends from a process, and of those of them that have ended. */
export const processorTimeBelow = (pid: number): number => {
  const stats = new Map(
    readdirSync('/proc')
      .map(Number)
      .filter((one) => one > 0)
      .flatMap((one) => {
        const stat = statOf(one, true);
        return stat ? [[one, stat]] : [];
      }),
  );
  const isBelow = (one: number): boolean => {
    const parent = stats.get(one)?.parent ?? 0;
    return parent === pid || (parent > 1 && isBelow(parent));
  };
  return [...stats].reduce((sum, [one, { ms }]) => sum + (isBelow(one) ? ms : 0), 0);
};

const statOf = (pid: number, withEnded = false): ProcessStat | undefined => {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // it has ended meanwhile
  }
  // The name in parentheses may hold anything; fields are counted behind it, from 3 (proc(5)).
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  const ticks = user + system + (withEnded ? endedUser + endedSystem : 0);
  return { parent, ms: ticks * TICK_MS };
};
