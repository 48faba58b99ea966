import { type RunLog } from '../run-log.js';
import { admit } from './admit.js';
import { erase, hide, unhide } from './edits.js';
import { claim, heartbeat, reclaim, register, retire } from './executors.js';
import { look, post } from './inbox.js';
import { read } from './reading.js';
import { type Tables } from './tables.js';
import { append, finish, park, release, takeOver, write } from './writes.js';

type Verb =
  | 'admit'
  | 'post'
  | 'look'
  | 'write'
  | 'takeOver'
  | 'read'
  | 'hide'
  | 'unhide'
  | 'erase'
  | 'register'
  | 'claim'
  | 'append'
  | 'park'
  | 'finish'
  | 'release'
  | 'heartbeat'
  | 'reclaim'
  | 'retire';

/** The verbs of RunLog without waiting: each is over when it returns. */
export type Verbs = { [V in Verb]: (...args: Parameters<RunLog[V]>) => Awaited<ReturnType<RunLog[V]>> };

/** The verbs of the reference on these tables. */
export const verbsOn = (tables: Tables): Verbs => ({
  admit: (admission) => admit(tables, admission),
  post: (ref, fact) => post(tables, ref, fact),
  look: (ref) => look(tables, ref),
  write: (unheld) => write(tables, unheld),
  takeOver: (taking) => takeOver(tables, taking),
  read: (ref, from) => read(tables, ref, from),
  hide: (edit) => hide(tables, edit),
  unhide: (edit) => unhide(tables, edit),
  erase: (edit) => erase(tables, edit),
  register: () => register(tables),
  claim: (executor, slots) => claim(tables, executor, slots),
  append: (held, addition) => append(tables, held, addition),
  park: (held, addition, parking) => park(tables, held, addition, parking),
  finish: (held, addition, finishing) => finish(tables, held, addition, finishing),
  release: (held, addition) => release(tables, held, addition),
  heartbeat: (executor) => heartbeat(tables, executor),
  reclaim: (executor, scope) => reclaim(tables, executor, scope),
  retire: (executor) => retire(tables, executor),
});
