import { setImmediate as nextTick } from 'node:timers/promises';
import { PlatformError } from '@parley/core';
import { Batcher } from './batcher.js';

interface Item {
  session: string;
  text: string;
}

/** A statement that is under way: its items, and how it ends. */
interface Sent {
  items: Item[];
  answer: (answers: (string | undefined)[]) => void;
  fail: (error: unknown) => void;
}

const databaseError = (code: string): Error => Object.assign(new Error('refused'), { code });

describe('Batcher', () => {
  let sent: Sent[];
  let batcher: Batcher<Item, string>;

  beforeEach(() => {
    sent = [];
    batcher = new Batcher(
      (items) => new Promise((answer, fail) => sent.push({ items, answer, fail })),
      ({ session }) => session,
    );
  });

  const submit = (session: string, text = session): Promise<string | undefined> => batcher.submit({ session, text });
  const textsOf = ({ items }: Sent): string[] => items.map(({ text }) => text);
  const echo = (one: Sent | undefined): void => one?.answer(textsOf(one));

  it('sends all that one tick brings in one statement, and gives each its own answer', async () => {
    const answers = Promise.all([submit('a'), submit('b'), submit('c')]);
    await nextTick();
    expect(sent.map(textsOf)).toEqual([['a', 'b', 'c']]);
    sent[0]?.answer(['for a', undefined, 'for c']);
    expect(await answers).toEqual(['for a', undefined, 'for c']);
  });

  it('sends no session twice in one statement, and what one session brings in its order', async () => {
    const answers = Promise.all([
      submit('a', 'first'),
      submit('b', 'other'),
      submit('a', 'second'),
      submit('a', 'third'),
    ]);
    await nextTick();
    await nextTick();
    echo(sent[0]);
    echo(sent[1]);
    await nextTick();
    await nextTick();
    echo(sent[2]);
    await answers;
    expect(sent.map(textsOf)).toEqual([['first', 'other'], ['second'], ['third']]);
  });

  it('puts at most 64 into one statement, and has at most two under way', async () => {
    const answers = Promise.all(Array.from({ length: 200 }, (_, index) => submit(`session ${index}`)));
    for (let tick = 0; tick < 5; tick++) await nextTick();
    expect(sent.map(({ items }) => items.length)).toEqual([64, 64]);
    echo(sent[0]);
    for (let tick = 0; tick < 5; tick++) await nextTick();
    expect(sent.map(({ items }) => items.length)).toEqual([64, 64, 64]);
    echo(sent[1]);
    echo(sent[2]);
    for (let tick = 0; tick < 5; tick++) await nextTick();
    echo(sent[3]);
    expect(await answers).toHaveLength(200);
  });

  it('does not fail an item for what the database refuses of its neighbour', async () => {
    const good = submit('good');
    const bad = submit('bad').catch((error: unknown) => error);
    await nextTick();
    sent[0]?.fail(databaseError('22P05'));
    await nextTick();
    echo(sent[1]);
    await nextTick();
    sent[2]?.fail(databaseError('22P05'));
    expect(await good).toBe('good');
    expect(await bad).toMatchObject({ code: 'internal' });
    expect(sent.map(textsOf)).toEqual([['good', 'bad'], ['good'], ['bad']]);
  });

  it.each(['40P01', '40001'])('sends a batch that had to give way (%s) again at once', async (code) => {
    const answer = submit('a');
    await nextTick();
    sent[0]?.fail(databaseError(code));
    await nextTick();
    echo(sent[1]);
    expect(await answer).toBe('a');
  });

  it('tells all of a batch that the database is away, and tries nothing by itself', async () => {
    const failures = Promise.all([submit('a'), submit('b')].map((one) => one.catch((error: unknown) => error)));
    await nextTick();
    sent[0]?.fail(databaseError('57P01'));
    for (const failure of await failures) {
      expect(failure).toBeInstanceOf(PlatformError);
      expect(failure).toMatchObject({ code: 'unavailable' });
    }
    expect(sent).toHaveLength(1);
  });
});
