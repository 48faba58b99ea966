import { setTimeout as sleep } from 'node:timers/promises';
import { VectaraClient } from '../client/vectara-client.js';
import { DataFolder } from '../product/data-folder.js';
import { StandaloneProcess } from '../product/standalone-process.js';
import { HeldSlots } from './held-slots.js';
import { StubModel } from './stub-model.js';

const CROWD = 50;
/** Far fewer than runs. */
const SLOTS = '4';
const STORM_MS = 5_000;
/** A longer wait gives its slot up; the rest is for the call, the commits and a slow machine. */
const LONGEST_HELD_MS = 1_500;

/** Who had to wait for a slot of somebody who rests would wait so long. */
const SHORTEST_REST_MS = 2_000;

describe('a provider that answers 429 to fifty runs at once', () => {
  const folder = new DataFolder();
  const model = new StubModel();
  let parley: StandaloneProcess;
  let client: VectaraClient;

  beforeAll(async () => {
    model.refusal = 429;
    const env = {
      OPENAI_BASE_URL: await model.listen(),
      OPENAI_API_KEY: 'sk-odd',
      PARLEY_EXECUTOR_SLOTS: SLOTS,
    };
    parley = new StandaloneProcess({ dataFolder: folder.path, env });
    const { url, key } = await parley.listening();
    client = new VectaraClient(url, key);
    await client.makeAgent('crowd', 'openai/odd-1');
    await client.makeAgent('other', 'simulator/sim-3-0');
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    await model.close();
    folder.remove();
  });

  /** Turns of another provider, one after the other, for so long; @returns how long they took. */
  const otherTurns = async (name: string, forMs: number): Promise<{ median: number; slowest: number }> => {
    const session = await client.makeSession('other', name);
    const until = performance.now() + forMs;
    const took: number[] = [];
    while (performance.now() < until) {
      const before = performance.now();
      await (await client.say(session, 'Are you there?')).all();
      took.push(performance.now() - before);
      await sleep(50);
    }
    expect((await client.events(session)).filter(({ type }) => type === 'error')).toEqual([]);
    took.sort((a, b) => a - b);
    return { median: took[took.length >> 1] ?? Infinity, slowest: took.at(-1) ?? Infinity };
  };

  it.each([
    ['with', 2],
    ['without', 0],
  ])(
    '(%s Retry-After) holds no slot and harms no other provider, and everybody is answered',
    async (how, wait) => {
      const usual = await otherTurns(`${how}-calm`, 1_500);
      const names = Array.from({ length: CROWD }, (_, n) => `${how}-${n}`);
      const sessions = await Promise.all(names.map((name) => client.makeSession('crowd', name)));
      const slots = new HeldSlots(folder.path);
      await slots.watch();

      model.refuse = () => wait;
      const before = model.requests.length;
      const streams = await Promise.all(sessions.map((session) => client.say(session, 'Hello')));
      const inStorm = await otherTurns(`${how}-storm`, STORM_MS);
      await slots.end();
      const asked = model.requests.length - before;
      model.refuse = () => undefined;
      await Promise.all(streams.map((stream) => stream.all()));

      expect(asked).toBeGreaterThanOrEqual(5);
      expect(asked).toBeLessThan(CROWD / 2);
      expect(slots.longestMs).toBeLessThan(LONGEST_HELD_MS);
      expect(inStorm.median).toBeLessThan(3 * usual.median + 100);
      expect(inStorm.slowest).toBeLessThan(Math.max(SHORTEST_REST_MS, 3 * usual.slowest));
      for (const session of sessions) {
        expect((await client.events(session)).map(({ type }) => type)).toEqual(['input_message', 'agent_output']);
      }
      expect(parley.output).not.toMatch(/unhandled|uncaught/i);
      await client.makeSession('other', `${how}-still-there`);
    },
    90_000,
  );
});
