import { isTerminal, textOf, type Fact, type InputPart, type RunId, type SessionId, type TenantId } from '@parley/core';
import { type Tables } from '../../reference/tables.js';
import { type Admission, type Admitted, type Posted, type SessionRef } from '../../run-log.js';
import { must } from '../broken.js';

/** What a second answer may say after the first one: how far the run has come meanwhile, nothing else. */
const LATER: Partial<Record<Admitted['outcome'], Admitted['outcome'][]>> = {
  queued: ['queued'],
  deferred: ['deferred', 'queued'],
  steered: ['steered', 'deferred', 'queued'],
};

/** What callers were told, and whether it was kept once all has come to rest. */
export class Promises {
  private readonly answers = new Map<RunId, Admitted['outcome']>();
  private readonly runs: { tenant: TenantId; run: RunId }[] = [];
  /** Words that were accepted, each with the session that has to hear them. */
  private readonly words: { session: SessionId; text: string }[] = [];

  constructor(private readonly tables: Tables) {}

  admitted({ tenant, session, id, parts }: Admission, { outcome }: Admitted): void {
    const before = this.answers.get(id);
    must(before === undefined || LATER[before]?.includes(outcome) !== false, `${before} was answered, then ${outcome}`);
    this.answers.set(id, outcome);
    if (before !== undefined && before !== 'busy') return;
    if (outcome === 'queued' || outcome === 'deferred') this.runs.push({ tenant, run: id });
    if (outcome === 'queued' || outcome === 'deferred' || outcome === 'steered') this.promise(session, parts);
  }

  posted({ tenant, session }: SessionRef, { run, body }: Fact, { outcome }: Posted): void {
    if (outcome !== 'held' && outcome !== 'unheld') return;
    if (body.kind === 'cancel') this.runs.push({ tenant, run });
    if (body.kind === 'steer') this.promise(session, body.parts);
  }

  /** @throws Broken for a promise that was not kept. */
  check(heard: (session: SessionId) => ReadonlyMap<string, number>): void {
    for (const { tenant, run } of this.runs) {
      const row = this.tables.run(tenant, run);
      must(row !== undefined && isTerminal(row.state), `the run ${run} was accepted and never ended`);
    }
    for (const { session, text } of this.words) {
      const times = (heard(session).get(text) ?? 0) + this.unheard(session, text);
      must(times === 1, `'${text}' was accepted and heard ${times} times`);
    }
  }

  /** Runs that ended without having had the turn, with these words. */
  private unheard(session: SessionId, text: string): number {
    return [...this.tables.runs.values()].filter(
      (run) => run.session === session && run.firstSeq === null && run.parts.some((part) => textOf(part) === text),
    ).length;
  }

  private promise(session: SessionId, parts: InputPart[]): void {
    for (const text of parts.map(textOf)) {
      if (text !== null && !this.words.some((known) => known.text === text)) this.words.push({ session, text });
    }
  }
}
