import {
  apply,
  BlobId,
  CallId,
  FactId,
  newId,
  TenantId,
  type EventBody,
  type Head,
  type InputPart,
} from '@parley/core';
import { DEFAULT_BUDGET } from '@parley/core';
import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { referenceSubject } from '../sequences/reference-subject.contract.js';
import { agentId, runId, SEEDS, sessionId, type Subject } from '../sequences/subject.contract.js';
import { PostgresSubject } from './postgres-subject.contract.js';

const forms = ['reference', ...postgresServers.map(({ name }) => name)];
const words = (text: string) => [{ type: 'text' as const, text, origin: 'user' as const }];

/** What is hidden, shown and erased, and what goes with it. */
describe.each(forms)('edits of a log on %s', (form) => {
  let database: TestDatabase | undefined;
  let subject: Subject & { close?: () => Promise<void> };
  const call = newId(CallId);
  const bodies: EventBody[] = [
    {
      kind: 'model_replied',
      round: 1,
      parts: [
        { type: 'text', text: 'let me look', origin: 'model' },
        { type: 'call', id: call, name: 'look', arguments: '{"at":"it"}', origin: 'model' },
      ],
      usage: { input: 1, cachedInput: 0, output: 1, reasoning: 0, estimated: false },
      model: 'simulator/sim-1-0',
      finish: 'calls',
    },
    { kind: 'call_settled', call, outcome: 'result', parts: [{ type: 'text', text: 'seen', origin: 'tool' }] },
  ];

  beforeAll(async () => {
    const server = postgresServers.find(({ name }) => name === form);
    database = server && (await createTestDatabase(server, { migrated: true }));
    subject = database ? await PostgresSubject.open(database.url) : referenceSubject();
  });

  afterAll(async () => {
    await subject.close?.();
    await database?.drop();
  });

  /** A session whose run, still held, has made a call and, with `settled`, has its result. */
  const open = async (settled: boolean, parts: InputPart[] = words('hello')) => {
    const tenant = newId(TenantId);
    await subject.furnish(tenant, SEEDS);
    const ref = { tenant, session: sessionId(1) };
    const { log } = subject;
    const executor = await log.register();
    const policy = { whenBusy: 'steer' as const, whenWaiting: 'reject' as const };
    const admission = { ...ref, agent: agentId(1), version: 3, budget: DEFAULT_BUDGET, ...policy };
    await log.admit({ ...admission, id: runId(1), parts, executor });
    const held = { ...ref, run: runId(1), executor, epoch: 1 };
    const head = (await log.look(ref))?.head;
    if (!head) throw new Error('no head');
    const events = settled ? bodies : bodies.slice(0, 1);
    const folded = events.reduce<Head>((now, body) => apply(now, { seq: now.seq + 1, run: runId(1), body }), head);
    const addition = { seq: 1, events: events.map((body) => ({ body })), head: folded, taken: [], left: [] };
    await log.append(held, addition);
    const read = async () => (await log.read(ref, { after: 0, limit: 10 }))?.events ?? [];
    return { log, ref, held, head: folded, admission, read };
  };

  it('hide a call with its result, and show both again', async () => {
    const { log, ref, read } = await open(true);
    expect(await log.hide({ ...ref, parts: [{ seq: 2, part: 1 }] })).toBe('edited');
    expect((await read()).map(({ hidden }) => hidden)).toEqual([[], [1], [0]]);
    expect(await log.unhide({ ...ref, parts: [{ seq: 3, part: 0 }] })).toBe('edited');
    expect((await read()).map(({ hidden }) => hidden)).toEqual([[], [], []]);
  });

  it('erase a result with its call, and leave the rest', async () => {
    const { log, ref, read } = await open(true);
    expect(await log.erase({ ...ref, parts: [{ seq: 3, part: 0 }] })).toBe('edited');
    const [input, reply, result] = await read();
    expect(input?.body).toMatchObject({ parts: words('hello') });
    expect(reply?.body).toMatchObject({ parts: [{ text: 'let me look' }, { name: 'look', arguments: null }] });
    expect(result?.body).toMatchObject({ outcome: 'result', parts: [{ text: null }] });
  });

  it('erase an input from the run’s row too', async () => {
    const { log, ref, read } = await open(true);
    await log.erase({ ...ref, parts: [{ seq: 1, part: 0 }] });
    expect((await read())[0]?.body).toMatchObject({ parts: [{ text: null }] });
    expect((await log.getRun(ref.tenant, runId(1)))?.parts).toEqual([{ ...words('')[0], text: null }]);
  });

  it('erase an image whole: its address and its bytes, in the log and on the run’s row', async () => {
    const blob = { id: newId(BlobId), size: 100_000 };
    const { log, ref, read } = await open(true, [
      ...words('look'),
      { type: 'image', source: { kind: 'url', url: 'https://secret.example/a.png' }, origin: 'user' },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'c2VjcmV0' }, origin: 'user' },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: '' }, blob, origin: 'user' },
    ]);
    const spots = [1, 2, 3].map((part) => ({ seq: 1, part }));
    expect(await log.erase({ ...ref, parts: spots })).toBe('edited');
    const left = [...words('look'), ...spots.map(() => ({ type: 'image', source: null, origin: 'user' }))];
    expect((await read())[0]?.body).toMatchObject({ parts: left });
    expect((await log.getRun(ref.tenant, runId(1)))?.parts).toEqual(left);
    if (subject instanceof PostgresSubject) {
      expect(await subject.everything(ref.tenant)).not.toMatch(/secret\.example|c2VjcmV0/);
    }
  });

  it('leave a call alone whose result is not there yet', async () => {
    const { log, ref, read } = await open(false);
    expect(await log.erase({ ...ref, parts: [{ seq: 2, part: 1 }] })).toBe('open_call');
    expect(
      await log.hide({
        ...ref,
        parts: [
          { seq: 1, part: 0 },
          { seq: 2, part: 1 },
        ],
      }),
    ).toBe('open_call');
    expect((await read()).map(({ hidden }) => hidden)).toEqual([[], []]);
  });

  it('tell the holder, whose next write hears of it', async () => {
    const { log, ref, held, head } = await open(true);
    await log.hide({ ...ref, parts: [{ seq: 1, part: 0 }] });
    const written = await log.append(held, { seq: head.seq, events: [], head, taken: [], left: [] });
    expect(written).toMatchObject({ outcome: 'written', facts: [{ run: runId(1), body: { kind: 'patch' } }] });
  });

  it('know no part that is not there', async () => {
    const { log, ref } = await open(true);
    for (const spot of [
      { seq: 9, part: 0 },
      { seq: 1, part: 1 },
      { seq: 1, part: -1 },
    ]) {
      expect(await log.hide({ ...ref, parts: [spot] })).toBe('not_found');
    }
  });

  it('leave no words of a steer behind in the inbox', async () => {
    const { log, ref, held, head, admission } = await open(true);
    await log.admit({ ...admission, id: runId(2), parts: words('and quickly') });
    const steer: EventBody = { kind: 'input', parts: words('and quickly'), fact: FactId.parse(runId(2)) };
    const folded = apply(head, { seq: head.seq + 1, run: runId(1), body: steer });
    const taken = [FactId.parse(runId(2))];
    await log.append(held, { seq: head.seq, events: [{ body: steer }], head: folded, taken, left: [] });
    await log.erase({ ...ref, parts: [{ seq: 4, part: 0 }] });
    if (subject instanceof PostgresSubject) expect(await subject.everything(ref.tenant)).not.toContain('quickly');
  });

  it('erase an answer that was of the wrong form like any other', async () => {
    const { log, ref, held, head, read } = await open(true);
    const parts = [{ type: 'text' as const, text: 'Oslo', origin: 'model' as const }];
    const told = { code: 'invalid_output', message: 'it is not JSON', usage: null };
    const failed: EventBody = { kind: 'model_failed', round: 2, attempt: 1, ...told, parts };
    const folded = apply(head, { seq: head.seq + 1, run: runId(1), body: failed });
    await log.append(held, { seq: head.seq, events: [{ body: failed }], head: folded, taken: [], left: [] });
    expect((await read())[3]?.body).toEqual(failed);
    expect(await log.erase({ ...ref, parts: [{ seq: 4, part: 0 }] })).toBe('edited');
    expect((await read())[3]?.body).toEqual({ ...failed, parts: [{ ...parts[0], text: null }] });
  });
});
