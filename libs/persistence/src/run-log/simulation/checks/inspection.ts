import { hasTurn, isTerminal, messagesOf, place, type RunId, type SessionId } from '@parley/core';
import { isDeepStrictEqual } from 'node:util';
import { activeRun, unread, type RunRow, type SessionRow, type Tables } from '../../reference/tables.js';
import { type SessionRef } from '../../run-log.js';
import { must } from '../broken.js';
import { checkConversation } from './conversation.js';
import { LogRecord } from './log-record.js';
import { checkReplay } from './reader.js';

/** A fact is looked at within this time even when its poster dies. */
const LOOKED_AT_WITHIN_MS = 2_000;

/** What the rows of a session look like, whatever happened. */
export class Inspection {
  private readonly logs = new Map<SessionId, LogRecord>();
  private readonly endings = new Map<RunId, string>();

  constructor(private readonly tables: Tables) {}

  logOf(session: SessionId): LogRecord {
    const known = this.logs.get(session) ?? new LogRecord();
    this.logs.set(session, known);
    return known;
  }

  /** Right after every call that may have changed the session. */
  inspect(ref: SessionRef): void {
    const session = this.tables.session(ref);
    if (!session) return;
    const record = this.logOf(session.session);
    for (const event of session.log.slice(record.length)) record.add(event);
    must(session.log.length === record.length, 'the log became shorter');
    must(isDeepStrictEqual(session.head, record.head), 'the head is not the fold of the log');
    this.inspectTurn(session);
    for (const run of session.runs) this.inspectRun(run);
    this.inspectInbox(session);
  }

  /** Once all has come to rest. */
  inspectRest(ref: SessionRef): void {
    this.inspect(ref);
    const session = this.tables.session(ref);
    if (!session) return;
    must(session.active === null, 'a run still has the turn');
    must(unread(session).length === 0, 'a fact is still unread');
    checkConversation(messagesOf(session.log, session.head.spans));
    checkReplay(session.log);
  }

  private inspectTurn({ runs, active }: SessionRow): void {
    const inTurn = runs.filter(({ state }) => hasTurn(state));
    must(inTurn.length <= 1 && (inTurn[0]?.id ?? null) === active, 'not exactly the active run has the turn');
    const idle = active === null && runs.some(({ state }) => state === 'deferred');
    must(!idle, 'a session is idle while a run stands in line');
  }

  private inspectRun(run: RunRow): void {
    must((run.state === 'running') === (run.executor !== null), 'held and running are not the same');
    const ending = isTerminal(run.state) ? `${run.state} ${run.reason} ${run.lastSeq}` : undefined;
    const known = this.endings.get(run.id);
    must(known === undefined || known === ending, `a run that had ended as ${known} became ${ending ?? run.state}`);
    if (ending !== undefined) this.endings.set(run.id, ending);
  }

  /** A waiting run that could hear something will be looked at soon, though its poster may be dead. */
  private inspectInbox(session: SessionRow): void {
    const run = activeRun(session);
    if (run?.state !== 'waiting') return;
    if (place(session.head, unread(session)).taken.length === 0) return;
    const told = session.facts.filter(({ state }) => state === 'unread').map(({ at }) => at.getTime());
    const late = run.dueAt === null || run.dueAt.getTime() > Math.max(...told) + LOOKED_AT_WITHIN_MS;
    must(!late, 'a waiting run does not wake up for what it was told');
  }
}
