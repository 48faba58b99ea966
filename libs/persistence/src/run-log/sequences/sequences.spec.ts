import { ReferenceRunLog } from '../reference/reference-run-log.js';
import { activeRun } from '../reference/tables.js';
import { type Addition, type Finishing, type Held, type SessionRef } from '../run-log.js';
import { referenceSubject } from './reference-subject.contract.js';
import { Comparison } from './sequences.contract.js';

/** A store that takes the turn from nobody: what a single statement in the database did before it locked first. */
class LosesPromotions extends ReferenceRunLog {
  override async finish(held: Held, addition: Addition, finishing: Finishing) {
    const written = await super.finish(held, addition, finishing);
    if (written.outcome !== 'written' || !written.promoted) return written;
    this.strand(held);
    return { ...written, promoted: null };
  }

  private strand(ref: SessionRef): void {
    const session = this.tables.session(ref);
    const run = session && activeRun(session);
    if (run) run.dueAt = null;
  }
}

/** A store that lets an executor write that has lost its run. */
class IgnoresEpochs extends ReferenceRunLog {
  override async append(held: Held, addition: Addition) {
    const epoch = this.tables.run(held.tenant, held.run)?.epoch ?? held.epoch;
    return super.append({ ...held, epoch }, addition);
  }
}

describe('random sequences of verbs', () => {
  it('give equal answers on two references', async () => {
    await new Comparison([referenceSubject(), referenceSubject()]).run({ numRuns: 500 });
  });

  it.each([
    ['loses promotions', LosesPromotions],
    ['ignores epochs', IgnoresEpochs],
  ])('find out a store that %s', async (_, form) => {
    const comparison = new Comparison([referenceSubject(), referenceSubject(form)]);
    await expect(comparison.run({ numRuns: 3_000, endOnFailure: true })).rejects.toThrow('Property failed');
  });
});
