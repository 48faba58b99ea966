import { type Fact, type RunId, type TenantId } from '@parley/core';
import {
  RunLog,
  type Addition,
  type Admission,
  type ExecutorId,
  type Finishing,
  type Held,
  type Parking,
  type PartEdit,
  type SessionRef,
  type TakeOver,
  type UnheldWrite,
} from '../run-log.js';
import { admit } from './admit.js';
import { erase, hide, unhide } from './edits.js';
import { claim, heartbeat, lockLost, reclaim, register, retire } from './executors.js';
import { look, post } from './inbox.js';
import { deadLetters, getRun, read, remove, standings } from './reading.js';
import { type Tables } from './tables.js';
import { append, finish, park, release, takeOver, write } from './writes.js';

/**
 * The RunLog in memory: what every verb means, with nothing of how a database does it. One verb runs at a time and
 * none can fail half-way, so it is the form that the others are compared with.
 */
export class ReferenceRunLog extends RunLog {
  constructor(readonly tables: Tables) {
    super();
  }

  async admit(admission: Admission) {
    return admit(this.tables, admission);
  }
  async post(ref: SessionRef, fact: Fact) {
    return post(this.tables, ref, fact);
  }
  async look(ref: SessionRef) {
    return look(this.tables, ref);
  }
  async write(unheld: UnheldWrite) {
    return write(this.tables, unheld);
  }
  async takeOver(taking: TakeOver) {
    return takeOver(this.tables, taking);
  }
  async read(ref: SessionRef, from: { after: number; limit: number }) {
    return read(this.tables, ref, from);
  }
  async getRun(tenant: TenantId, run: RunId) {
    return getRun(this.tables, tenant, run);
  }
  async standings(runs: { tenant: TenantId; run: RunId }[]) {
    return standings(this.tables, runs);
  }
  async deadLetters(tenant: TenantId, from: { after?: string | undefined; limit: number }) {
    return deadLetters(this.tables, tenant, from);
  }
  async hide(edit: PartEdit) {
    return hide(this.tables, edit);
  }
  async unhide(edit: PartEdit) {
    return unhide(this.tables, edit);
  }
  async erase(edit: PartEdit) {
    return erase(this.tables, edit);
  }
  async remove(ref: SessionRef) {
    return remove(this.tables, ref);
  }

  /** It keeps no blobs: those of `ReferenceBlobStore` are not told what the log names. */
  async sweepBlobs(): Promise<{ more: boolean }> {
    return { more: false };
  }

  async register() {
    return register(this.tables);
  }
  lockLost(executor: ExecutorId) {
    return lockLost(this.tables, executor);
  }
  async claim(executor: ExecutorId, slots: number) {
    return claim(this.tables, executor, slots);
  }
  async append(held: Held, addition: Addition) {
    return append(this.tables, held, addition);
  }
  async park(held: Held, addition: Addition, parking: Parking) {
    return park(this.tables, held, addition, parking);
  }
  async finish(held: Held, addition: Addition, finishing: Finishing) {
    return finish(this.tables, held, addition, finishing);
  }
  async release(held: Held, addition: Addition) {
    return release(this.tables, held, addition);
  }
  async heartbeat(executor: ExecutorId) {
    return heartbeat(this.tables, executor);
  }
  async reclaim(executor: ExecutorId, scope: 'dead' | 'everyone') {
    return reclaim(this.tables, executor, scope);
  }
  async retire(executor: ExecutorId) {
    retire(this.tables, executor);
  }
  async close() {
    this.tables.executors.clear();
  }
}
