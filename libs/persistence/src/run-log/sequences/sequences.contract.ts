import { TenantId } from '@parley/core';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { Fleet } from './fleet.contract.js';
import { Normaliser } from './normalised.contract.js';
import { Player } from './player.contract.js';
import { Side } from './side.contract.js';
import { sequences, type Step } from './steps.contract.js';
import { SEEDS, type Subject } from './subject.contract.js';

/**
 * Runs random sequences of verbs on two RunLogs side by side: every answer is equal, and so is all that they store,
 * but for times and for ids that a store makes itself.
 */
export class Comparison {
  private readonly fleets: Fleet[];

  constructor(private readonly subjects: [Subject, Subject]) {
    this.fleets = subjects.map((subject) => new Fleet(subject));
  }

  /** @param options `numRuns`: how many sequences; `seed`, `path`: of a failure, to see it again. */
  async run(options: fc.Parameters<[Step[]]>): Promise<void> {
    await fc.assert(
      fc.asyncProperty(sequences, (steps) => this.play(steps)),
      options,
    );
  }

  private async play(steps: Step[]): Promise<void> {
    const tenants = [TenantId.parse(randomUUID()), TenantId.parse(randomUUID())].sort();
    const [left, right] = await Promise.all(this.subjects.map((subject, index) => this.open(subject, index, tenants)));
    if (!left || !right) throw new Error('a comparison is of two');
    try {
      for (const [index, step] of steps.entries()) {
        const answers = await Promise.all([left.perform(step), right.perform(step)]);
        expect({ index, step, answer: answers[1] }).toEqual({ index, step, answer: answers[0] });
      }
      const states = await Promise.all([left.state(), right.state()]);
      expect(states[1]).toEqual(states[0]);
    } finally {
      await Promise.all(this.subjects.flatMap((subject) => tenants.map((tenant) => subject.clear(tenant))));
      await Promise.all(this.fleets.map((fleet) => fleet.tidy()));
    }
  }

  private async open(subject: Subject, index: number, tenants: TenantId[]): Promise<Player> {
    const fleet = this.fleets[index];
    if (!fleet) throw new Error(`no fleet ${index}`);
    await fleet.ready();
    await Promise.all(tenants.map((tenant) => subject.furnish(tenant, SEEDS)));
    return new Player(new Side(subject, fleet, tenants), new Normaliser(fleet, tenants));
  }
}
