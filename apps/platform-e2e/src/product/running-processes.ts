import { readdirSync, readFileSync } from 'node:fs';

/** A process of the machine, as /proc shows it. */
export interface RunningProcess {
  pid: number;
  command: string;
}

/** The processes whose command line names a text, e.g. a folder that only one scenario has. */
export function processesNaming(text: string): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), command: commandOf(name) }))
    .filter(({ command }) => command.includes(text));
}

/** Memory that a process has in use, in bytes. */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} is gone`);
  return Number(kilobytes) * 1024;
}

/** Empty for a process that has just gone. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
