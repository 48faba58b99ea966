import { jest } from '@jest/globals';
import {
  AgentId,
  DEFAULT_BUDGET,
  fold,
  newId,
  RunId,
  SessionId,
  TenantId,
  type EventBody,
  type InputPart,
  type Message,
} from '@parley/core';
import { Transcript } from '@parley/engine';
import {
  PartBlobs,
  ReferenceBlobStore,
  ReferenceRunLog,
  Tables,
  type ClaimedRun,
  type SessionRef,
} from '@parley/persistence';
import { Transcripts } from './transcripts.js';

const input = (text: string): EventBody => ({ kind: 'input', parts: [{ type: 'text', text, origin: 'user' }] });

const newRef = (): SessionRef => ({ tenant: newId(TenantId), session: newId(SessionId) });

const words = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ parts }) => parts.map((part) => ('text' in part ? String(part.text) : part.type)));

describe('transcripts', () => {
  const run = newId(RunId);
  let tables: Tables;
  let log: ReferenceRunLog;
  let blobs: PartBlobs;
  let transcripts: Transcripts;

  beforeEach(() => {
    tables = new Tables(() => new Date());
    log = new ReferenceRunLog(tables);
    blobs = new PartBlobs(new ReferenceBlobStore());
    transcripts = new Transcripts(log, blobs);
  });

  /** A session with this log, and the claim of its run. */
  const claimOf = (bodies: EventBody[], edits = 0, ref: SessionRef = newRef()): ClaimedRun => {
    const now = new Date();
    const log = bodies.map((body, index) => ({ seq: index + 1, run, at: now, body, live: null, hidden: [] }));
    const head = fold(log);
    tables.insertSession({ ...ref, agent: null, enabled: true, head, active: run, edits, log, facts: [], runs: [] });
    const claim = { run, epoch: 1, agent: newId(AgentId), version: 1, budget: DEFAULT_BUDGET, facts: [], deaths: 0 };
    return { ...ref, ...claim, head, edits, parts: [], startedAt: now, now };
  };

  it('reads a log of many pages whole', async () => {
    const claimed = claimOf(Array.from({ length: 2_500 }, (_, n) => input(String(n))));
    const { messages, seq } = await transcripts.load(claimed);
    expect(words(messages)).toEqual(Array.from({ length: 2_500 }, (_, n) => String(n)));
    expect(seq).toBe(2_500);
  });

  it('reads words and images whole that stand in blobs', async () => {
    const parts: InputPart[] = [
      { type: 'text', text: 'ü'.repeat(100_000), origin: 'user' },
      {
        type: 'image',
        source: { kind: 'base64', mediaType: 'image/png', data: 'aGk='.repeat(30_000) },
        origin: 'user',
      },
    ];
    const ref = newRef();
    const stowed = await blobs.stow(ref, 'input', parts);
    expect(JSON.stringify(stowed).length).toBeLessThan(1_000);
    const { messages } = await transcripts.load(claimOf([{ kind: 'input', parts: stowed }], 0, ref));
    expect(messages).toEqual([{ role: 'user', parts }]);
  });

  it('reads only what is in force', async () => {
    const restored = { spans: [[1, null]] as [number, number | null][], usage: null };
    const rewound: EventBody = { kind: 'rewound', to: 1, restored };
    const claimed = claimOf([input('a'), input('b'), input('c'), rewound, input('d')]);
    const read = jest.spyOn(log, 'read');
    const { messages, seq } = await transcripts.load(claimed);
    expect(words(messages)).toEqual(['a', 'd']);
    expect(seq).toBe(5);
    expect(read.mock.calls.map(([, from]) => from)).toEqual([
      { after: 0, limit: 1 },
      { after: 4, limit: 1 },
    ]);
  });

  it('reads only what was added since it knew the session', async () => {
    const claimed = claimOf([input('a'), input('b'), input('c'), input('d')]);
    const known = new Transcript();
    known.add({ seq: 1, body: input('a'), hidden: [] });
    transcripts.keep(claimed, known, claimed);
    expect(transcripts.recall(claimed)).toBeUndefined();
    const read = jest.spyOn(log, 'read');
    expect(words((await transcripts.load(claimed)).messages)).toEqual(['a', 'b', 'c', 'd']);
    expect(read.mock.calls.map(([, from]) => from)).toEqual([{ after: 1, limit: 3 }]);
  });

  it.each<[string, Partial<ClaimedRun>]>([
    ['a part was hidden', { edits: 1 }],
    ['it was rewound', { head: { ...fold([]), seq: 1, spans: [[3, null]] } }],
  ])('does not trust what it knows after %s', (_, since) => {
    const claimed = claimOf([input('a')]);
    const known = new Transcript();
    known.add({ seq: 1, body: input('a'), hidden: [] });
    transcripts.keep(claimed, known, claimed);
    expect(transcripts.recall({ ...claimed, ...since })).toBeUndefined();
    expect(transcripts.recall(claimed)).toBe(known);
  });

  it('does not take the first input from the claim when the session was edited', () => {
    expect(transcripts.recall(claimOf([input('a')]))?.seq).toBe(1);
    expect(transcripts.recall(claimOf([input('a')], 1))).toBeUndefined();
  });

  it('forgets what was used least recently when it holds too much text', () => {
    const claims = Array.from({ length: 3 }, () => claimOf([input('a')]));
    for (const claimed of claims) {
      const large = new Transcript();
      large.add({ seq: 1, body: input('x'.repeat(3_000_000)), hidden: [] });
      transcripts.keep(claimed, large, claimed);
    }
    const known = claims.map((claimed) => (transcripts.recall(claimed)?.size ?? 0) > 1);
    expect(known).toEqual([false, true, true]);
  });
});
