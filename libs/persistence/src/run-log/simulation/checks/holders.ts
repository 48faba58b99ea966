import { type CallId, type RunId } from '@parley/core';
import { type ClaimedRun, type ExecutorId, type Held } from '../../run-log.js';
import { must } from '../broken.js';

/** How an executor lost a run that it had not given back. */
export type Loss = 'lease' | 'connection' | 'takeover';

interface Holding {
  holder: { executor: ExecutorId; epoch: number } | null;
  epoch: number;
  loss: Loss | null;
}

/** Who holds which run, by the answers of the store alone: one writer at a time, and who lost a run acts no more. */
export class Holders {
  private readonly runs = new Map<RunId, Holding>();
  private readonly effects = new Map<CallId, number>();

  claimed({ run, epoch }: ClaimedRun, executor: ExecutorId): void {
    const before = this.of(run);
    must(before.holder === null, 'a run was given to two executors');
    must(epoch > before.epoch, 'a claim did not raise the epoch');
    this.runs.set(run, { holder: { executor, epoch }, epoch, loss: null });
  }

  /** The holder's write was accepted. */
  wrote({ run, executor, epoch }: Held): void {
    const { holder } = this.of(run);
    must(holder?.executor === executor && holder.epoch === epoch, 'a stale executor was let write');
  }

  /** A write by somebody who is no executor was accepted. */
  wroteUnheld(run: RunId): void {
    must(this.of(run).holder === null, 'a poster wrote while an executor held the run');
  }

  gaveBack(run: RunId): void {
    this.of(run).holder = null;
  }

  lost(run: RunId, loss: Loss): void {
    const holding = this.of(run);
    must(holding.holder !== null, 'a run was taken from nobody');
    holding.holder = null;
    holding.loss = loss;
  }

  /**
   * An executor makes a call. One that was taken for dead by its lease makes none, since it asks first; it may not know
   * yet that its connection broke or that a canceller was faster.
   */
  acts({ run, executor, epoch }: Held, { call, once }: { call: CallId; once: boolean }): void {
    const { holder, loss } = this.of(run);
    const holds = holder?.executor === executor && holder.epoch === epoch;
    must(holds || loss !== 'lease', 'an executor acted whose lease had run out');
    const times = (this.effects.get(call) ?? 0) + 1;
    this.effects.set(call, times);
    must(!once || times === 1, 'a call that must not be made twice was made twice');
  }

  private of(run: RunId): Holding {
    const known = this.runs.get(run) ?? { holder: null, epoch: 0, loss: null };
    this.runs.set(run, known);
    return known;
  }
}
