import { type DeadLetter, type Fact, type Page, type Run, type RunId, type TenantId } from '@parley/core';
import { type Pool, type QueryConfig, type QueryResultRow } from 'pg';
import { deadLetterPage, deadLettersFrom } from '../dead-letter-page.js';
import {
  RunLog,
  type Addition,
  type Admission,
  type Admitted,
  type ClaimedRun,
  type Edited,
  type ExecutorId,
  type Finishing,
  type Heartbeat,
  type Held,
  type LogPage,
  type Parking,
  type PartEdit,
  type Posted,
  type Reclaimed,
  type SessionRef,
  type Situation,
  type Standing,
  type TakeOver,
  type UnheldWrite,
  type Written,
} from '../run-log.js';
import {
  toAdmitted,
  toClaimed,
  toHeartbeat,
  toPage,
  toReclaimed,
  toRun,
  toSituation,
  toWritten,
  type PageRow,
  type RunRow,
  type Wire,
} from './answers.js';
import { Batcher } from './batcher.js';
import { insisting, toPlatformError } from './database-error.js';
import { ExecutorLock } from './executor-lock.js';
import { createHotPool } from './hot-pool.js';
import { admitItem, commitItem, holder, postItem, type AdmitItem, type CommitItem, type PostItem } from './items.js';
import * as sql from './statements.js';

/** RunLog on Postgres: each verb is one call of a SQL function (see the migrations), batched per event-loop tick. */
export class PostgresRunLog extends RunLog {
  private readonly locks = new Map<ExecutorId, ExecutorLock>();
  private readonly admissions = this.batcher<AdmitItem, Wire<Admitted>>(sql.ADMIT);
  private readonly posts = this.batcher<PostItem, Posted>(sql.POST);
  private readonly commits = this.batcher<CommitItem, Wire<Written>>(sql.COMMIT);

  /**
   * @param pool connections with the settings of `createHotPool`.
   * @param databaseUrl where to open the connections that executors live by.
   */
  constructor(
    private readonly pool: Pool,
    private readonly databaseUrl: string,
  ) {
    super();
  }

  static connect(databaseUrl: string, applicationName = 'parley'): PostgresRunLog {
    return new PostgresRunLog(createHotPool(databaseUrl, `${applicationName}-run-log`), databaseUrl);
  }

  async admit(admission: Admission): Promise<Admitted> {
    const answer = await this.admissions.submit(admitItem(admission));
    return answer ? toAdmitted(answer) : { outcome: 'not_found', noun: 'session' };
  }

  async post(ref: SessionRef, fact: Fact): Promise<Posted> {
    return (await this.posts.submit(postItem(ref, fact))) ?? { outcome: 'not_found' };
  }

  async look(ref: SessionRef): Promise<Situation | undefined> {
    const answer = await this.one<{ answer: Wire<Situation> | null }>(sql.LOOK([ref.tenant, ref.session]));
    return answer?.answer ? toSituation(answer.answer) : undefined;
  }

  write({ then, run, ...write }: UnheldWrite): Promise<Written> {
    const end = typeof then === 'string' ? { state: then } : then.end;
    return this.commit(commitItem(write, write, { verb: 'write', run, ...end }));
  }

  takeOver({ end, run, epoch, ...write }: TakeOver): Promise<Written> {
    return this.commit(commitItem(write, write, { verb: 'take_over', run, epoch, ...end }));
  }

  append(held: Held, addition: Addition): Promise<Written> {
    return this.commit(commitItem(held, addition, { verb: 'append', ...holder(held) }));
  }

  park(held: Held, addition: Addition, { waitingFor, dueAt }: Parking): Promise<Written> {
    const rest = { waiting_for: waitingFor, due_at: dueAt };
    return this.commit(commitItem(held, addition, { verb: 'park', ...holder(held), ...rest }));
  }

  finish(held: Held, addition: Addition, finishing: Finishing): Promise<Written> {
    return this.commit(commitItem(held, addition, { verb: 'finish', ...holder(held), ...finishing }));
  }

  release(held: Held, addition: Addition): Promise<Written> {
    return this.commit(commitItem(held, addition, { verb: 'release', ...holder(held) }));
  }

  async read(ref: SessionRef, { after, limit }: { after: number; limit: number }): Promise<LogPage | undefined> {
    const row = await this.one<PageRow>(sql.READ([ref.tenant, ref.session, after, limit]));
    return row && toPage(row);
  }

  async getRun(tenant: TenantId, run: RunId): Promise<Run | undefined> {
    const row = await this.one<RunRow>(sql.GET_RUN([tenant, run]));
    return row && toRun(row);
  }

  standings(runs: { tenant: TenantId; run: RunId }[]): Promise<Standing[]> {
    return this.all<Standing & QueryResultRow>(sql.STANDINGS([JSON.stringify(runs)]));
  }

  async deadLetters(
    tenant: TenantId,
    { after, limit }: { after?: string | undefined; limit: number },
  ): Promise<Page<DeadLetter>> {
    const { at, id } = deadLettersFrom(tenant, after);
    const letters = await this.all<DeadLetter & QueryResultRow>(sql.DEAD_LETTERS([tenant, at, id, limit + 1]));
    return deadLetterPage(tenant, letters, limit);
  }

  hide(edit: PartEdit): Promise<Edited> {
    return this.edit('hide', edit);
  }

  unhide(edit: PartEdit): Promise<Edited> {
    return this.edit('unhide', edit);
  }

  erase(edit: PartEdit): Promise<Edited> {
    return this.edit('erase', edit);
  }

  async remove({ tenant, session }: SessionRef): Promise<'removed' | 'busy' | 'not_found'> {
    const row = await this.one<{ answer: 'removed' | 'busy' | 'not_found' }>(sql.REMOVE([tenant, session]));
    return row?.answer ?? 'not_found';
  }

  async sweepBlobs(olderThanMs: number): Promise<{ more: boolean }> {
    const row = await this.one<{ seen: number }>(sql.SWEEP_BLOBS([olderThanMs]));
    return { more: row?.seen === sql.MOST_SWEPT };
  }

  async register(): Promise<ExecutorId> {
    const lock = await ExecutorLock.take(this.databaseUrl).catch((error: unknown) => {
      throw toPlatformError(error);
    });
    this.locks.set(lock.executor, lock);
    return lock.executor;
  }

  lockLost(executor: ExecutorId): AbortSignal {
    return this.locks.get(executor)?.lost ?? AbortSignal.abort();
  }

  async claim(executor: ExecutorId, slots: number): Promise<ClaimedRun[]> {
    const rows = await this.all<{ answer: Wire<ClaimedRun> }>(sql.CLAIM([slots, executor]));
    return rows.map(({ answer }) => toClaimed(answer));
  }

  async heartbeat(executor: ExecutorId): Promise<Heartbeat> {
    const [row] = await this.all<{ answer: Wire<Heartbeat> }>(sql.HEARTBEAT([executor]));
    if (!row) throw toPlatformError(new Error('run_log_heartbeat gave no answer'));
    return toHeartbeat(row.answer);
  }

  async reclaim(executor: ExecutorId, scope: 'dead' | 'everyone'): Promise<Reclaimed[]> {
    const rows = await this.all<{ answer: Wire<Reclaimed> }>(sql.RECLAIM([executor, scope === 'everyone']));
    return rows.map(({ answer }) => toReclaimed(answer));
  }

  async retire(executor: ExecutorId): Promise<void> {
    await this.all(sql.RETIRE([executor]));
    await this.locks.get(executor)?.release();
    this.locks.delete(executor);
  }

  async close(): Promise<void> {
    await Promise.all([...this.locks.values()].map((lock) => lock.release()));
    this.locks.clear();
    await this.pool.end();
  }

  private async commit(item: CommitItem): Promise<Written> {
    const answer = await this.commits.submit(item);
    return answer ? toWritten(answer) : { outcome: 'fenced' };
  }

  private async edit(verb: 'hide' | 'unhide' | 'erase', { tenant, session, parts }: PartEdit): Promise<Edited> {
    const row = await this.one<{ answer: Edited }>(sql.EDIT([tenant, session, verb, JSON.stringify(parts)]));
    return row?.answer ?? 'not_found';
  }

  private batcher<Item extends { tenant: string; session: string }, Answer>(
    statement: (values: unknown[]) => QueryConfig,
  ): Batcher<Item, Answer> {
    const send = async (items: Item[]): Promise<(Answer | undefined)[]> => {
      const batch = JSON.stringify(items.map((item, n) => ({ n, ...item })));
      const { rows } = await this.pool.query<{ n: number; answer: Answer }>(statement([batch]));
      const answers = Array.from<Answer | undefined>({ length: items.length });
      for (const { n, answer } of rows) answers[n] = answer;
      return answers;
    };
    return new Batcher(send, ({ tenant, session }) => `${tenant} ${session}`);
  }

  private async one<Row extends QueryResultRow>(query: QueryConfig): Promise<Row | undefined> {
    return (await this.all<Row>(query))[0];
  }

  private async all<Row extends QueryResultRow>(query: QueryConfig): Promise<Row[]> {
    try {
      return (await insisting(() => this.pool.query<Row>(query))).rows;
    } catch (error) {
      throw toPlatformError(error);
    }
  }
}
