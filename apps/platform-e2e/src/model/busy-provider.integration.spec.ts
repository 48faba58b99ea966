import { setTimeout as sleep } from 'node:timers/promises';
import { VectaraClient } from '../client/vectara-client.js';
import { type SessionKeys } from '../client/wire.js';
import { DataFolder } from '../product/data-folder.js';
import { StandaloneProcess } from '../product/standalone-process.js';
import { StubModel } from './stub-model.js';

const CROWD = 50;
/** Far fewer than runs. */
const SLOTS = '4';

describe('a provider that refuses everybody for a while', () => {
  const folder = new DataFolder();
  const model = new StubModel();
  let parley: StandaloneProcess;
  let client: VectaraClient;
  let modelUrl: string;

  const start = async (): Promise<void> => {
    const env = { OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: 'sk-odd', PARLEY_EXECUTOR_SLOTS: SLOTS };
    parley = new StandaloneProcess({ dataFolder: folder.path, env });
    const { url, key } = await parley.listening();
    client = new VectaraClient(url, key);
  };

  beforeAll(async () => {
    modelUrl = await model.listen();
    await start();
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    await model.close();
    folder.remove();
  });

  it('holds no slot, harms no other provider, and answers everybody when it is back, after a kill too', async () => {
    await client.makeAgent('crowd', 'openai/odd-1');
    await client.makeAgent('other', 'simulator/sim-3-0');
    const sessions = await Promise.all(
      Array.from({ length: CROWD }, (_, n): Promise<SessionKeys> => client.makeSession('crowd', `s${n}`)),
    );
    model.refuse = () => 1;
    const streams = await Promise.all(sessions.map((session) => client.say(session, `Hello from ${session.session}`)));
    await sleep(1_500);

    const other = await client.makeSession('other', 'undisturbed');
    const before = performance.now();
    await (await client.say(other, 'Are you there?')).all();
    expect(performance.now() - before).toBeLessThan(1_500);

    for (const stream of streams) stream.leave();
    await parley.kill('SIGKILL');
    await start();
    const asked = model.requests.length;
    await sleep(1_000);
    model.refuse = () => undefined;
    // Left alone, it is not asked by every run again and again.
    expect(model.requests.length - asked).toBeLessThan(CROWD / 2);

    const ends = await Promise.all(sessions.map(async (session) => (await client.listen(session)).all()));
    expect(ends).toHaveLength(CROWD);
    for (const session of sessions) {
      const listed = await client.events(session);
      expect(listed.map(({ type }) => type)).toEqual(['input_message', 'agent_output']);
    }
  }, 90_000);
});
