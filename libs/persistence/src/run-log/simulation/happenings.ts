import { Process } from './actors/process.js';
import { admitRun, answer, cancel, edit, finishChild, rewind, steer } from './actors/requests.js';
import { type SessionRef } from '../run-log.js';
import { type Actor, type World } from './world.js';

/** One thing that may happen, and how often it does among all others. */
type Happening = [weight: number, happen: (world: World) => void];

const HAPPENINGS: Happening[] = [
  [600, stepProcess],
  [220, stepRequester],
  [60, (world) => world.random.pick([...world.readers.values()]).takeNext()],
  [30, (world) => request(world, admitRun)],
  [25, (world) => request(world, answer)],
  [14, (world) => request(world, steer)],
  [10, (world) => request(world, cancel)],
  [10, (world) => request(world, edit)],
  [5, (world) => request(world, rewind)],
  [14, finishSomeChild],
  [6, loseRequester],
  [8, (world) => killSome(world, 'seen')],
  [3, (world) => killSome(world, 'unseen')],
  [8, freezeSome],
  [4, disconnectSome],
  [3, stopSome],
  [1, restartAll],
];

const TOTAL = HAPPENINGS.reduce((sum, [weight]) => sum + weight, 0);

/** Lets one thing happen. */
export const happen = (world: World): void => {
  let left = world.random.below(TOTAL);
  for (const [weight, happening] of HAPPENINGS) {
    left -= weight;
    if (left < 0) return happening(world);
  }
};

export const startProcess = (world: World): Process => {
  const process = new Process(world);
  world.processes.push(process);
  return process;
};

export function stepProcess(world: World): void {
  world.random.pickOrNone(world.processes.filter(({ frozenUntil }) => frozenUntil <= world.time))?.step();
}

export function stepRequester(world: World): void {
  const requester = world.random.pickOrNone(world.requesters);
  if (requester?.next().done) world.requesters = world.requesters.filter((other) => other !== requester);
}

/** Somebody comes and wants something of a session. */
export function request(world: World, want: (world: World, ref: SessionRef) => Actor): void {
  world.requesters.push(want(world, world.random.pick(world.sessions)));
}

/** A child run is over; whoever runs it tells its parent, for sure. */
export function finishSomeChild(world: World): void {
  const call = world.random.pickOrNone([...world.children].filter(([, { told }]) => !told).map(([id]) => id));
  if (call !== undefined) world.requesters.push(finishChild(world, call));
}

/** A gateway or session process dies between two things that it does. */
function loseRequester(world: World): void {
  const lost = world.random.pickOrNone(world.requesters);
  if (lost) world.note('a requester is gone');
  world.requesters = world.requesters.filter((other) => other !== lost);
}

/** A process dies. `unseen`: its host vanished, so that the database still has its connection. */
function killSome(world: World, how: 'seen' | 'unseen'): void {
  const process = world.random.pickOrNone(world.processes);
  if (!process) return;
  world.note(`${process.name} dies, ${how}`);
  if (how === 'seen') disconnect(world, process);
  world.processes = world.processes.filter((other) => other !== process);
  startProcess(world);
}

/** A process is stopped for a while, and goes on as if nothing had been. */
function freezeSome(world: World): void {
  const process = world.random.pickOrNone(world.processes);
  if (!process) return;
  process.frozenUntil = world.time + world.random.below(25_000);
  world.note(`${process.name} stops for ${process.frozenUntil - world.time} ms`);
}

/** The connection that shows a process alive breaks, the process lives. */
function disconnectSome(world: World): void {
  const process = world.random.pickOrNone(world.processes);
  if (!process) return;
  world.note(`${process.name} loses its lock`);
  disconnect(world, process);
}

function disconnect({ tables }: World, { executor }: Process): void {
  if (executor !== null) tables.executors.get(executor)?.connection.abort();
}

/** A rolling upgrade: one process gives back what it holds and goes, another one comes. */
function stopSome(world: World): void {
  const process = world.random.pickOrNone(world.processes);
  if (!process || process.stopping) return;
  world.note(`${process.name} is told to go`);
  process.stopping = true;
  startProcess(world);
}

/** Everything dies; the first process that comes back knows that no other one lives. */
function restartAll(world: World): void {
  world.note('everything dies');
  for (const process of world.processes) disconnect(world, process);
  world.processes = [];
  world.requesters = [];
  startProcess(world).beginAlone();
}
