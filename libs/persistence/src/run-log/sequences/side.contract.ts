import { type Fact, type Head, type RunId, type TenantId } from '@parley/core';
import { type ClaimedRun, type Held, type SessionRef } from '../run-log.js';
import { type Fleet } from './fleet.contract.js';
import { sorted } from './normalised.contract.js';
import { sessionId, type Subject } from './subject.contract.js';

/** What an executor remembers of a run that it claimed, whether it still has it or not. */
export interface Holding {
  held: Held;
  head: Head;
  facts: Fact[];
  /** It gave the run back, ended it, or was told that it has it no longer. */
  over: boolean;
}

/** One store in a sequence, with what those who use it remember of its answers. */
export class Side {
  /** Latest first. */
  readonly holdings: Holding[] = [];
  /** Ids under which there may be a run. */
  readonly runs = new Set<RunId>();
  /** The sessions that a step was about. */
  private readonly touched = new Map<string, SessionRef>();

  constructor(
    readonly subject: Subject,
    readonly fleet: Fleet,
    readonly tenants: TenantId[],
  ) {}

  refOf(step: { tenant: number; session: number }): SessionRef {
    const ref = { tenant: this.tenantOf(step), session: sessionId(step.session + 1) };
    this.touched.set(`${ref.tenant} ${ref.session}`, ref);
    return ref;
  }

  tenantOf({ tenant: index }: { tenant: number }): TenantId {
    const tenant = this.tenants[index];
    if (tenant === undefined) throw new Error(`no tenant ${index}`);
    return tenant;
  }

  remember({ tenant, session, run, epoch, head, facts }: ClaimedRun, slot: number): void {
    this.holdings.unshift({
      held: { tenant, session, run, epoch, executor: this.fleet.at(slot) },
      head,
      facts,
      over: false,
    });
  }

  /** All that the store says of what a step was about. */
  async state(): Promise<unknown> {
    const { log } = this.subject;
    const refs = [...this.touched.values()];
    const tenants = new Set(refs.map(({ tenant }) => tenant));
    return Promise.all([
      ...refs.map((ref) => log.look(ref)),
      ...refs.map((ref) => log.read(ref, { after: 0, limit: 1_000 })),
      ...[...tenants].flatMap((tenant) => [...this.runs].map((run) => log.getRun(tenant, run))),
      ...[...tenants].map(async (tenant) => sorted((await log.deadLetters(tenant, { limit: 100 })).items)),
    ]);
  }
}
