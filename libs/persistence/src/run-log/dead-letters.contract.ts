import { DEFAULT_BUDGET, newId, POISON, TenantId, type DeadLetter, type InputPart } from '@parley/core';
import { agentId, runId, sessionId, type Subject } from './sequences/subject.contract.js';

const text = (words: string): InputPart => ({ type: 'text', text: words, origin: 'user' });

/** What every form of RunLog answers when it is asked for dead letters. */
export const describeDeadLetters = (open: () => Promise<Subject>): void => {
  let subject: Subject;
  let executor: number;
  let tenant: TenantId;
  let sessions: number;

  beforeAll(async () => {
    subject = await open();
    executor = await subject.log.register();
  });
  beforeEach(async () => {
    [tenant, sessions] = [newId(TenantId), 0];
    await subject.furnish(tenant, { agents: [{ id: agentId(1), version: 1, enabled: true }], sessions: [] });
  });

  /** A run of a new session that ends as failed, with this reason. */
  const fail = async (reason: string, parts = [text('do it')]): Promise<void> => {
    const n = ++sessions;
    const ref = { tenant, session: sessionId(n) };
    await subject.furnish(tenant, { agents: [], sessions: [{ id: ref.session, agent: agentId(1), enabled: true }] });
    const run = { id: runId(n), agent: agentId(1), version: 1, parts, budget: DEFAULT_BUDGET, executor };
    const admitted = await subject.log.admit({ ...ref, ...run, whenBusy: 'reject', whenWaiting: 'reject' });
    if (admitted.outcome !== 'queued' || !admitted.claimed) throw new Error(`it was not handed over: ${n}`);
    const { head, epoch } = admitted.claimed;
    const held = { ...ref, run: run.id, executor, epoch };
    const addition = { seq: head.seq, events: [], head, taken: [], left: [] };
    const written = await subject.log.finish(held, addition, { state: 'failed', reason });
    if (written.outcome !== 'written') throw new Error(`it did not end: ${written.outcome}`);
  };

  const all = async (limit: number): Promise<DeadLetter[][]> => {
    const pages: DeadLetter[][] = [];
    let after: string | undefined;
    do {
      const page = await subject.log.deadLetters(tenant, { limit, after });
      pages.push(page.items);
      after = page.next ?? undefined;
    } while (after !== undefined);
    return pages;
  };

  it('lists the runs that ended as poison, and no others', async () => {
    const before = Date.now();
    await fail(`${POISON}it was killed`);
    await fail('model_failed');
    await fail('poisonous words in a reason of another kind');
    const { items } = await subject.log.deadLetters(tenant, { limit: 10 });
    const letter = { run: runId(1), session: sessionId(1), agent: agentId(1), preview: 'do it' };
    expect(items).toEqual([{ ...letter, reason: 'poison: it was killed', at: expect.any(Date) }]);
    expect(Math.abs((items[0]?.at.getTime() ?? 0) - before)).toBeLessThan(60_000);
  });

  it('shows the beginning of the input, as what was erased leaves it', async () => {
    await fail(`${POISON}x`, [text('😀'.repeat(150)), text('b'.repeat(100))]);
    await fail(`${POISON}x`, [text('secret'), text('open')]);
    await subject.log.erase({ tenant, session: sessionId(2), parts: [{ seq: 1, part: 0 }] });
    const [pages] = await all(10);
    const previews = new Map(pages?.map(({ run, preview }) => [run, preview]));
    expect(previews.get(runId(1))).toBe(`${'😀'.repeat(150)}\n${'b'.repeat(49)}`);
    expect(previews.get(runId(2))).toBe('open');
  });

  it('comes in pages, the newest end first, without a gap or a repeat', async () => {
    for (let n = 0; n < 5; n++) await fail(`${POISON}${n}`);
    const pages = await all(2);
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    const letters = pages.flat();
    expect(new Set(letters.map(({ run }) => run)).size).toBe(5);
    const places = letters.map(({ at, run }) => `${at.toISOString()} ${run}`);
    expect(places).toEqual([...places].sort().reverse());
    expect(await all(5)).toEqual([letters]);
  });

  it('takes no cursor of another tenant', async () => {
    for (let n = 0; n < 2; n++) await fail(`${POISON}${n}`);
    const { next } = await subject.log.deadLetters(tenant, { limit: 1 });
    const foreign = newId(TenantId);
    expect(await subject.log.deadLetters(foreign, { limit: 1 })).toEqual({ items: [], next: null });
    await expect(subject.log.deadLetters(foreign, { limit: 1, after: next ?? '' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ path: 'after' }] },
    });
  });
};
