import { type Tables } from '../../reference/tables.js';
import { type Verbs } from '../../reference/verbs.js';
import { type ClaimedRun, type ExecutorId, type Held, type SessionRef, type Written } from '../../run-log.js';
import { Holders } from './holders.js';
import { Inspection } from './inspection.js';
import { Promises } from './promises.js';

/**
 * Sees every call of a verb and what it did to the rows, and throws `Broken` when a promise of the design is not kept.
 * It goes by answers and rows alone: none of the store's code is believed.
 */
export class Witness {
  readonly holders = new Holders();
  private readonly inspection: Inspection;
  private readonly promises: Promises;

  constructor(private readonly tables: Tables) {
    this.inspection = new Inspection(tables);
    this.promises = new Promises(tables);
  }

  /** The same verbs, watched. */
  watched(verbs: Verbs): Verbs {
    return { ...verbs, ...this.watchedRequests(verbs), ...this.watchedWrites(verbs), ...this.watchedFleet(verbs) };
  }

  /** Once all has come to rest. */
  checkRest(sessions: readonly SessionRef[]): void {
    for (const ref of sessions) this.inspection.inspectRest(ref);
    this.promises.check((session) => this.inspection.logOf(session).heard);
  }

  private watchedRequests(verbs: Verbs): Pick<Verbs, 'admit' | 'post' | 'hide' | 'unhide' | 'erase' | 'write'> {
    return {
      admit: (admission) => {
        const answer = verbs.admit(admission);
        this.promises.admitted(admission, answer);
        if (answer.outcome === 'queued' && answer.claimed) this.claimed(answer.claimed, admission.executor);
        return this.inspected(admission, answer);
      },
      post: (ref, fact) => {
        const answer = verbs.post(ref, fact);
        this.promises.posted(ref, fact, answer);
        return this.inspected(ref, answer);
      },
      write: (unheld) => {
        const answer = verbs.write(unheld);
        if (answer.outcome === 'written' && unheld.run) this.holders.wroteUnheld(unheld.run);
        return this.inspected(unheld, answer);
      },
      hide: (edit) => this.inspected(edit, verbs.hide(edit)),
      unhide: (edit) => this.inspected(edit, verbs.unhide(edit)),
      erase: (edit) => this.inspected(edit, verbs.erase(edit)),
    };
  }

  private watchedWrites(verbs: Verbs): Pick<Verbs, 'append' | 'park' | 'finish' | 'release' | 'takeOver'> {
    return {
      append: (held, addition) => this.wrote(held, verbs.append(held, addition), 'keeps'),
      park: (held, addition, parking) => this.wrote(held, verbs.park(held, addition, parking), 'gives back'),
      finish: (held, addition, end) => this.wrote(held, verbs.finish(held, addition, end), 'gives back'),
      release: (held, addition) => this.wrote(held, verbs.release(held, addition), 'gives back'),
      takeOver: (taking) => {
        const answer = verbs.takeOver(taking);
        if (answer.outcome === 'written') this.holders.lost(taking.run, 'takeover');
        return this.inspected(taking, answer);
      },
    };
  }

  private watchedFleet(verbs: Verbs): Pick<Verbs, 'claim' | 'reclaim'> {
    return {
      claim: (executor, slots) => {
        const answer = verbs.claim(executor, slots);
        for (const run of answer) this.claimed(run, executor);
        for (const run of answer) this.inspection.inspect(run);
        return answer;
      },
      reclaim: (executor, scope) => {
        const broken = [...this.tables.executors.values()].filter(({ connection }) => connection.signal.aborted);
        const gone = new Set(broken.map(({ id }) => id));
        const holders = new Map([...this.tables.runs.values()].map((run) => [run.id, run.executor]));
        const answer = verbs.reclaim(executor, scope);
        for (const { run } of answer) {
          this.holders.lost(run, gone.has(holders.get(run) ?? 0) ? 'connection' : 'lease');
        }
        for (const reclaimed of answer) this.inspection.inspect(reclaimed);
        return answer;
      },
    };
  }

  private claimed(run: ClaimedRun, executor: ExecutorId | undefined): void {
    if (executor !== undefined) this.holders.claimed(run, executor);
  }

  private wrote(held: Held, answer: Written, then: 'keeps' | 'gives back'): Written {
    if (answer.outcome === 'written') {
      this.holders.wrote(held);
      if (then === 'gives back') this.holders.gaveBack(held.run);
    }
    return this.inspected(held, answer);
  }

  private inspected<Answer>(ref: SessionRef, answer: Answer): Answer {
    this.inspection.inspect(ref);
    return answer;
  }
}
