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

export const append = (tables: Tables, held: Held, addition: Addition): Written => {
  const turn = fenced(tables, held, addition);
  return 'outcome' in turn ? turn : add(turn, addition);
};

export const park = (tables: Tables, held: Held, addition: Addition, parking: Parking): Written => {
  const turn = fenced(tables, held, addition);
  if ('outcome' in turn) return turn;
  const { session, run } = turn;
  const facts = unseen(session, addition);
  if (facts.length > 0) return { outcome: 'unread', facts };
  const cancel = makeRoom(turn, parking);
  if (cancel) return { outcome: 'unread', facts: [cancel] };
  const written = add(turn, addition);
  run.state = 'waiting';
  run.waitingFor = parking.waitingFor;
  run.dueAt = parking.dueAt;
  run.executor = null;
  return written;
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
  const written = add(turn, addition);
  queue(turn);
  return written;
};

export const takeOver = (tables: Tables, { epoch, end: finishing, ...write }: TakeOver): Written => {
  const now = tables.clock();
  const session = tables.session(write);
  const run = session && activeRun(session);
  if (run?.id !== write.run || run.epoch !== epoch || session === undefined) return { outcome: 'fenced' };
  if (session.head.seq !== write.seq) return { outcome: 'moved' };
  run.epoch += 1;
  return end({ tables, session, run, now }, write, finishing);
};

export const write = (tables: Tables, { run: id, then, ...write }: UnheldWrite): Written => {
  const now = tables.clock();
  const session = tables.session(write);
  const run = session && activeRun(session);
  if (session === undefined || (run?.id ?? null) !== id || run?.state === 'running') return { outcome: 'fenced' };
  if (session.head.seq !== write.seq) return { outcome: 'moved' };
  if (run === undefined) return appended({ session, run: null, now }, write);
  if (typeof then === 'object') return end({ tables, session, run, now }, write, then.end);
  const written = appended({ session, run: run.id, now }, write);
  if (then === 'queue') queue({ run, now });
  return written;
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

/** What a holder appends to a run that goes on. One that got further than to say that it starts again is no poison. */
const add = (turn: Turn, addition: Addition): Written => {
  if (addition.events.some(({ body }) => body.kind !== 'restarted')) turn.run.deaths = 0;
  return appended({ ...turn, run: turn.run.id }, addition);
};

const appended = (to: AppendTo, addition: Addition): Written => {
  appendAddition(to, addition);
  return { outcome: 'written', at: to.now, facts: unseen(to.session, addition), promoted: null };
};

const end = (turn: Turn, addition: Addition, finishing: Finishing): Written => {
  const { session, run, now } = turn;
  appendAddition({ session, run: run.id, now }, addition);
  return { outcome: 'written', at: now, facts: [], promoted: endRun(turn, finishing) };
};

const queue = ({ run, now }: Pick<Turn, 'run' | 'now'>): void => {
  run.state = 'queued';
  run.waitingFor = null;
  run.dueAt = now;
  run.executor = null;
};

/**
 * A run that is about to wait for somebody asks the next one in line what it thinks of that.
 * @returns the cancel that keeps the run from waiting.
 */
const makeRoom = ({ session, run, now }: Turn, { waitingFor }: Parking): Fact | undefined => {
  if (waitingFor !== 'person' && waitingFor !== 'client') return undefined;
  for (let next = nextInLine(session); next; next = nextInLine(session)) {
    if (next.whenWaiting === 'defer') return undefined;
    if (next.whenWaiting === 'supersede') {
      const cancel = cancelFor(next, run, 'superseded');
      putFact(session, run, { fact: cancel, at: now });
      return cancel;
    }
    next.state = 'failed';
    next.reason = 'session_waiting';
    next.endedAt = now;
  }
  return undefined;
};
