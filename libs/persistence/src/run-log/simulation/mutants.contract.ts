import { FactId, type RunId } from '@parley/core';
import { activeRun, unread, type RunRow, type SessionRow, type Tables } from '../reference/tables.js';
import { verbsOn, type Verbs } from '../reference/verbs.js';
import { type Addition, type SessionRef } from '../run-log.js';

/** A store with one fault. */
export type Mutant = (tables: Tables) => Verbs;

/** The reference, with some verbs made otherwise. */
const but =
  (fault: (verbs: Verbs, at: Rows) => Partial<Verbs>): Mutant =>
  (tables) => {
    const verbs = verbsOn(tables);
    return { ...verbs, ...fault(verbs, new Rows(tables)) };
  };

/** Rows as a fault needs them. */
class Rows {
  constructor(readonly tables: Tables) {}

  session(ref: SessionRef): SessionRow {
    const session = this.tables.session(ref);
    if (!session) throw new Error('no such session');
    return session;
  }

  active(ref: SessionRef): RunRow | undefined {
    return activeRun(this.session(ref));
  }

  /** Says of every fact that the writer has seen it. */
  allSeen(ref: SessionRef, addition: Addition): Addition {
    return { ...addition, left: unread(this.session(ref)).map(({ id }) => id) };
  }

  drop(ref: SessionRef, kind: string): void {
    for (const row of this.session(ref).facts) if (row.fact.body.kind === kind) row.state = 'void';
  }

  forget(ref: SessionRef, id: RunId): void {
    const session = this.session(ref);
    session.runs = session.runs.filter((run) => run.id !== id);
    this.tables.runs.delete(`${ref.tenant}/${id}`);
  }

  /** Whatever brought the waiting run's time forward did not. */
  sleepOn(ref: SessionRef): void {
    const run = this.active(ref);
    if (run?.state === 'waiting') run.dueAt = run.restUntil;
  }

  /** Takes the last event back. */
  unsay(ref: SessionRef): void {
    const session = this.session(ref);
    const { seq } = session.log.pop() ?? session.head;
    session.head = { ...session.head, seq: seq - 1 };
  }
}

/** Takes back that the next run got the turn. */
const unpromote = (session: SessionRow, addition: Addition): void => {
  const run = activeRun(session);
  if (!run) return;
  session.log.pop();
  Object.assign(session, { head: addition.head, active: null });
  Object.assign(run, { state: 'deferred', firstSeq: null, dueAt: null });
};

/** Faults that a store must not have, each with the rule that it breaks. Some are faults that one had. */
export const MUTANTS: [name: string, rule: RegExp, store: Mutant][] = [
  [
    'loses a promotion',
    /idle while a run stands in line/,
    but((verbs, at) => ({
      finish: (held, addition, finishing) => {
        const written = verbs.finish(held, addition, finishing);
        if (written.outcome === 'written' && written.promoted) unpromote(at.session(held), addition);
        return written;
      },
    })),
  ],
  [
    'lets a stale executor append',
    /a stale executor was let write|moved on under its one writer/,
    but((verbs, at) => ({
      append: (held, addition) => {
        const { executor, epoch } = at.tables.run(held.tenant, held.run) ?? held;
        return verbs.append({ ...held, executor: executor ?? held.executor, epoch }, addition);
      },
    })),
  ],
  [
    'drops the steers that a run did not hear',
    /was accepted and heard 0 times/,
    but((verbs, at) => ({
      finish: (held, addition, finishing) => {
        at.drop(held, 'steer');
        return verbs.finish(held, addition, finishing);
      },
    })),
  ],
  [
    'drops a run that stands in line',
    /was accepted and never ended|was accepted and heard 0 times/,
    but((verbs, at) => ({
      admit: (admission) => {
        const answer = verbs.admit(admission);
        if (answer.outcome === 'deferred') at.forget(admission, admission.id);
        return answer;
      },
    })),
  ],
  [
    'lets a run wait though it was told something',
    /does not wake up/,
    but((verbs, at) => ({ park: (held, addition, parking) => verbs.park(held, at.allSeen(held, addition), parking) })),
  ],
  [
    'wakes nobody when a poster has died',
    /does not wake up/,
    but((verbs, at) => ({
      post: (ref, fact) => {
        const answer = verbs.post(ref, fact);
        at.sleepOn(ref);
        return answer;
      },
    })),
  ],
  [
    'puts a run to sleep again that another poster woke',
    /does not wake up/,
    but((verbs, at) => ({
      write: (unheld) => {
        const answer = verbs.write(unheld);
        if (answer.outcome === 'written' && unheld.then === 'leave') at.sleepOn(unheld);
        return answer;
      },
    })),
  ],
  [
    'gives a run that is held to another executor',
    /given to two executors/,
    but((verbs, at) => ({
      claim: (executor, slots) => {
        for (const run of at.tables.runs.values()) if (run.state === 'running') run.dueAt = run.startedAt;
        for (const run of at.tables.runs.values()) if (run.state === 'running') run.state = 'queued';
        return verbs.claim(executor, slots);
      },
    })),
  ],
  [
    'takes a run from the dead without a word to its readers',
    /shown other words|before the one before it/,
    but((verbs, at) => ({
      reclaim: (executor, scope) => {
        const reclaimed = verbs.reclaim(executor, scope);
        for (const ref of reclaimed) at.unsay(ref);
        return reclaimed;
      },
    })),
  ],
  [
    'lets a second run have the turn',
    /not exactly the active run has the turn|another had the turn/,
    but((verbs, at) => ({
      admit: (admission) => {
        const session = at.session(admission);
        if (admission.whenBusy === 'interrupt') session.active = null;
        return verbs.admit(admission);
      },
    })),
  ],
  [
    'forgets the head',
    /the head is not the fold/,
    but((verbs, at) => ({
      append: (held, addition) => verbs.append(held, { ...addition, head: at.session(held).head }),
    })),
  ],
  [
    'loses an event',
    /event \d+ is missing|the head is not the fold/,
    but((verbs) => ({
      append: (held, addition) => verbs.append(held, { ...addition, events: addition.events.slice(1) }),
    })),
  ],
  [
    'cancels a run that has ended',
    /that had ended as/,
    but((verbs, at) => ({
      post: (ref, fact) => {
        const run = at.tables.run(ref.tenant, fact.run);
        if (run?.endedAt && fact.body.kind === 'cancel') run.state = 'cancelled';
        return verbs.post(ref, fact);
      },
    })),
  ],
  [
    'hides a call and shows its result',
    /a result without its call|a call without its result/,
    but((verbs, at) => ({
      hide: (edit) => {
        const session = at.session(edit);
        for (const { seq, part } of edit.parts) {
          const event = session.log[seq - 1];
          if (event) session.log[seq - 1] = { ...event, hidden: [...event.hidden, part] };
        }
        return 'edited';
      },
    })),
  ],
  [
    'takes a repeated steer for a new one',
    /was accepted and heard 2 times/,
    but((verbs, at) => ({
      post: (ref, fact) => {
        const known = at.session(ref).facts.some((row) => row.fact.id === fact.id);
        const again = known && fact.body.kind === 'steer';
        return verbs.post(ref, again ? { ...fact, id: FactId.parse(at.tables.random()) } : fact);
      },
    })),
  ],
];
