import { type CrashAt } from './crash-at.js';
import { type CrashPoint } from './crash-points.js';

/** A process dies once and as a whole, so this is one variable of the process and nothing that is handed around. */
let armed: CrashAt | undefined;

/** Makes the process kill itself (SIGKILL) at this point; undefined: nowhere. Called once, with what the config says. */
export const armCrashPoint = (crashAt: CrashAt | undefined): void => {
  armed = crashAt && { ...crashAt };
};

/** Marks a place where the process may be made to die. Costs one comparison while nothing is armed. */
export const crashPoint = (name: CrashPoint): void => {
  if (armed === undefined || armed.point !== name) return;
  armed.nth -= 1;
  if (armed.nth === 0) process.kill(process.pid, 'SIGKILL');
};
