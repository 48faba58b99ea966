import { request, finishSomeChild, happen, startProcess, stepProcess, stepRequester } from './happenings.js';
import { answer } from './actors/requests.js';
import { activeRun } from '../reference/tables.js';
import { must } from './broken.js';
import { World, type Setting } from './world.js';

/** So many things happen before nothing new does. */
const LENGTH = { least: 40, most: 240 };
/** Everything comes to rest within so many things more. */
const REST = 20_000;

/**
 * Lets everybody do things in an order that the seed decides, then lets everything come to rest.
 * @throws Broken when a rule did not hold at some time.
 */
export const simulate = (setting: Setting): void => {
  const world = new World(setting);
  startProcess(world);
  startProcess(world);
  const length = LENGTH.least + world.random.below(LENGTH.most - LENGTH.least);
  for (let happened = 0; happened < length; happened++) {
    passTime(world);
    happen(world);
  }
  comeToRest(world);
  for (const reader of world.readers.values()) reader.takeAll();
  world.witness.checkRest(world.sessions);
};

/** Mostly next to nothing; sometimes more than patience, than a lease, than a deadline. */
const passTime = (world: World): void => {
  const { random } = world;
  world.time += random.below(30);
  const leap = random.next();
  if (leap < 0.03) world.time += random.below(3_000);
  else if (leap < 0.035) world.time += random.below(20_000);
  else if (leap < 0.037) world.time += 3_600_000;
};

/** Nothing breaks any more; questions are answered, and whoever is on his way arrives. */
const comeToRest = (world: World): void => {
  world.note('calm');
  world.calm = true;
  for (const process of world.processes) process.frozenUntil = 0;
  startProcess(world);
  for (let happened = 0; !isAtRest(world); happened++) {
    must(happened < REST, 'something never comes to rest');
    world.time += world.random.below(40);
    stepProcess(world);
    stepRequester(world);
    if (happened % 10 === 0) attend(world);
  }
};

const isAtRest = ({ sessions, tables, requesters, processes }: World): boolean =>
  requesters.length === 0 &&
  sessions.every((ref) => tables.session(ref)?.active === null) &&
  processes.every(({ isIdle }) => isIdle);

/** Where all that is left is to wait for somebody, somebody comes, or time passes. */
const attend = (world: World): void => {
  if (world.requesters.length > 0 || !world.processes.every(({ isIdle }) => isIdle)) return;
  const waiting = world.sessions.flatMap(
    (ref) => activeRun(world.tables.session(ref) ?? { runs: [], active: null }) ?? [],
  );
  if (waiting.some(({ state }) => state !== 'waiting')) return;
  if (world.random.chance(0.4)) request(world, answer);
  else if (world.random.chance(0.5)) finishSomeChild(world);
  else world.time = Math.max(world.time, ...waiting.map(({ dueAt }) => world.timeOf(dueAt)));
};

/** What is wrong with a seed, and all that happened; for the eyes of a human. */
export const replay = (setting: Setting): string => {
  const lines: string[] = [];
  try {
    simulate({ ...setting, trace: (line) => lines.push(line) });
    return `seed ${setting.seed} breaks no rule`;
  } catch (error) {
    return [...lines, `seed ${setting.seed}: ${String(error)}`].join('\n');
  }
};
