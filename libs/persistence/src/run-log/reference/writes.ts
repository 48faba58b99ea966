import { type Fact } from '@parley/core';
import {
  type Addition,
  type Finishing,
  type Held,
  type Parking,
  type TakeOver,
  type UnheldWrite,
  type Written,
} from '../run-log.js';
import { appendAddition, type AppendTo } from './appending.js';
import { endRun, type Turn } from './ending.js';
import { cancelFor, putFact } from './inbox.js';
import { activeRun, nextInLine, unread, type SessionRow, type Tables } from './tables.js';

/** An executor that gets further than to say that it starts again is not dying of this run. */
export const append = (tables: Tables, held: Held, addition: Addition): Written => {
  const turn = fenced(tables, held, addition);
  if ('outcome' in turn) return turn;
  if (addition.events.some(({ body }) => body.kind !== 'restarted')) turn.run.deaths = 0;
  return add(turn, addition);
};

export const park = (tables: Tables, held: Held, addition: Addition, parking: Parking): Written => {
  const turn = fenced(tables, held, addition);
  if ('outcome' in turn) return turn;
  const { session, run } = turn;
  if (unseen(session, addition).length === 0) askNextInLine(turn, parking);
  const facts = unseen(session, addition);
  if (facts.length > 0) return { outcome: 'unread', facts };
  run.state = 'waiting';
  run.waitingFor = parking.waitingFor;
  run.dueAt = parking.dueAt;
  run.restUntil = parking.dueAt;
  run.executor = null;
  run.deaths = 0;
  return add(turn, addition);
};

export const finish = (tables: Tables, held: Held, addition: Addition, finishing: Finishing): Written => {
  const turn = fenced(tables, held, addition);
  if ('outcome' in turn) return turn;
  const facts = unseen(turn.session, addition);
  return facts.length > 0 ? { outcome: 'unread', facts } : end(turn, addition, finishing);
};

export const release = (tables: Tables, held: Held, addition: Addition): Written => {
  const turn = fenced(tables, held, addition);
  if ('outcome' in turn) return turn;
  queue(turn);
  return add(turn, addition);
};

export const takeOver = (tables: Tables, { epoch, end: finishing, ...write }: TakeOver): Written => {
  const now = tables.clock();
  const session = tables.session(write);
  const run = session && activeRun(session);
  if (session === undefined || run?.id !== write.run) return { outcome: 'fenced' };
  if (run.state !== 'running' || run.epoch !== epoch) return { outcome: 'fenced' };
  if (session.head.seq !== write.seq) return { outcome: 'moved' };
  run.epoch += 1;
  return end({ tables, session, run, now }, write, finishing);
};

export const write = (tables: Tables, { run: id, then, ...write }: UnheldWrite): Written => {
  const now = tables.clock();
  const session = tables.session(write);
  if (session === undefined) return { outcome: 'fenced' };
  const run = activeRun(session);
  if ((run?.id ?? null) !== id || run?.state === 'running' || session.head.seq !== write.seq) {
    return { outcome: 'moved' };
  }
  if (run === undefined) return appended({ session, run: null, now }, write);
  const turn = { tables, session, run, now };
  if (typeof then === 'object') return end(turn, write, then.end);
  if (then === 'queue') queue(turn);
  else if (run.state === 'waiting' && unseen(session, write).length === 0) run.dueAt = run.restUntil;
  return add(turn, write);
};

/** Lets only the holder of the run pass, and only with a log that it knows to its end. */
const fenced = (tables: Tables, held: Held, addition: Addition): Turn | Written => {
  const now = tables.clock();
  const session = tables.session(held);
  const run = session && activeRun(session);
  if (session === undefined || run?.id !== held.run || run.state !== 'running') return { outcome: 'fenced' };
  if (run.executor !== held.executor || run.epoch !== held.epoch) return { outcome: 'fenced' };
  return session.head.seq === addition.seq ? { tables, session, run, now } : { outcome: 'moved' };
};

const unseen = (session: SessionRow, { taken, left }: Addition): Fact[] =>
  unread(session).filter(({ id }) => !taken.includes(id) && !left.includes(id));

const add = ({ session, run, now }: Turn, addition: Addition): Written =>
  appended({ session, run: run.id, now }, addition);

const appended = (to: AppendTo, addition: Addition): Written & { outcome: 'written' } => {
  appendAddition(to, addition);
  return { outcome: 'written', at: to.now, facts: unseen(to.session, addition), promoted: null };
};

const end = (turn: Turn, addition: Addition, finishing: Finishing): Written => {
  const { session, run, now } = turn;
  const written = appended({ session, run: run.id, now }, addition);
  return { ...written, promoted: endRun(turn, finishing) };
};

/** To be taken by any executor; one that is queued keeps its place. */
const queue = ({ run, now }: Turn): void => {
  if (run.state !== 'queued') run.dueAt = now;
  run.state = 'queued';
  run.waitingFor = null;
  run.restUntil = null;
  run.executor = null;
};

/** A run that is about to wait for somebody asks the next one in line what it thinks of that. */
const askNextInLine = ({ session, run, now }: Turn, { waitingFor }: Parking): void => {
  if (waitingFor !== 'person' && waitingFor !== 'client') return;
  for (let next = nextInLine(session); next; next = nextInLine(session)) {
    if (next.whenWaiting === 'defer') return;
    if (next.whenWaiting === 'supersede') {
      putFact(session, run, { fact: cancelFor(next, run, 'superseded'), at: now });
      return;
    }
    next.state = 'failed';
    next.reason = 'session_waiting';
    next.endedAt = now;
  }
};
