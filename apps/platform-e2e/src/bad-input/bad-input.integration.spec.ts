import { VectaraClient } from '../client/vectara-client.js';
import { type SessionKeys } from '../client/wire.js';
import { DataFolder } from '../product/data-folder.js';
import { residentBytes } from '../product/running-processes.js';
import { type Greeting, StandaloneProcess } from '../product/standalone-process.js';
import { hostileBodies, unreadableBodies } from './bad-bodies.js';
import { wrongCursors, wrongMethods, wrongPaths, wrongQueries, wrongTimeouts, wrongTypes } from './bad-requests.js';
import { type BadRequest, faultsOfAll } from './refusal.js';
import { allPaths, bodyRoutes, listPaths } from './routes.js';
import { wrongValues } from './wrong-values.js';

const there: SessionKeys = { agent: 'hello', session: 'hello' };
const routes = bodyRoutes(there);

/** Of a session that is there, and of one that was there under the name of another. */
const foreignIds: string[] = [];

const all = (): BadRequest[] => [
  ...routes.flatMap((route) => [...unreadableBodies(route), ...hostileBodies(route), ...wrongValues(route)]),
  ...wrongMethods(there),
  ...wrongTypes(there),
  ...wrongQueries(there),
  ...wrongCursors(there, foreignIds),
  ...wrongPaths(there),
  ...wrongTimeouts(there),
];

describe('bad input is refused at once, with a reason and a place', () => {
  let folder: DataFolder;
  let parley: StandaloneProcess;
  let greeting: Greeting;
  let client: VectaraClient;
  let before: string;

  /** Everything that bad input may not have changed. */
  const state = async (): Promise<string> =>
    JSON.stringify(await Promise.all(listPaths(there).map((path) => client.ask({ path }))));

  beforeAll(async () => {
    folder = new DataFolder();
    parley = new StandaloneProcess({ dataFolder: folder.path });
    greeting = await parley.listening();
    client = new VectaraClient(greeting.url, greeting.key);
    const other = await client.makeSession('hello', 'other');
    for (const [session, goes] of [
      [other, false],
      [there, true],
    ] as const) {
      await client.ask({ method: 'PATCH', path: '/v2/agents/hello', body: { model: { name: 'simulator/sim-5-0' } } });
      const frames = await (await client.say(session, 'Hello!')).all();
      foreignIds.push(...frames.flatMap(({ id }) => id ?? []).slice(0, 2));
      if (!goes) continue;
      await client.ask({ method: 'DELETE', path: '/v2/agents/hello/sessions/hello' });
      await client.makeSession('hello', 'hello');
    }
    before = await state();
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    folder.remove();
  });

  describe.each(routes)('$method $path', (route) => {
    it('that cannot be read', async () => {
      expect(await faultsOfAll(client, unreadableBodies(route))).toEqual([]);
    });

    it('that is nested or named as nothing may be, or unknown', async () => {
      expect(await faultsOfAll(client, hostileBodies(route))).toEqual([]);
    });

    it('of a wrong type, or that cannot be stored, in every field', async () => {
      expect(await faultsOfAll(client, wrongValues(route))).toEqual([]);
    });
  });

  it.each([
    ['methods', wrongMethods],
    ['types of bodies', wrongTypes],
    ['queries, limits, filters and page keys', wrongQueries],
    ['paths', wrongPaths],
    ['time limits', wrongTimeouts],
  ])('wrong %s', async (_what, requests) => {
    expect(await faultsOfAll(client, requests(there))).toEqual([]);
  });

  it('event ids of no session, of another one, and of one that is gone', async () => {
    expect(await faultsOfAll(client, wrongCursors(there, foreignIds))).toEqual([]);
  });

  it('page keys of another list, and of the same list with another filter', async () => {
    await client.makeAgent('second', 'simulator/sim-5-0');
    await client.makeSession('hello', 'third');
    const keys = await Promise.all(
      ['/v2/agents?limit=1', '/v2/agents/hello/sessions?limit=1'].map(async (path) => {
        const { metadata } = await client.ask<{ metadata: { page_key: string } }>({ path });
        return metadata.page_key;
      }),
    );
    const [ofAgents = '', ofSessions = ''] = keys.map((key) => encodeURIComponent(key));
    const bad = (path: string): BadRequest => ({
      what: 'a foreign cursor',
      status: 400,
      request: { path },
      field: 'page_key',
    });
    expect(
      await faultsOfAll(client, [
        bad(`/v2/agents?page_key=${ofSessions}`),
        bad(`/v2/agents?filter=e&page_key=${ofAgents}`),
        bad(`/v2/agents?page_key=${ofAgents.slice(0, -1)}`),
        bad(`/v2/agents/hello/sessions?page_key=${ofAgents}`),
        bad(`/v2/agents/second/sessions?page_key=${ofSessions}`),
        bad(`/v2/agents/hello/sessions/hello/events?page_key=${ofSessions}`),
      ]),
    ).toEqual([]);
    await client.ask({ method: 'DELETE', path: '/v2/agents/second' });
    await client.ask({ method: 'DELETE', path: '/v2/agents/hello/sessions/third' });
  });

  it.each<[string, Record<string, string>]>([
    ['no key', {}],
    ['a wrong key', { 'x-api-key': 'parley_wrong' }],
    ['an empty key', { 'x-api-key': '' }],
    ['a key of 8 KB', { 'x-api-key': 'k'.repeat(8_000) }],
    ['another scheme', { authorization: 'Basic cGFybGV5' }],
    ['no token', { authorization: 'Bearer ' }],
    ['both headers', { 'x-api-key': 'mine', authorization: 'Bearer mine' }],
  ])('whoever comes with %s', async (_what, headers) => {
    const mine = Object.entries(headers).map(([name, value]) => [name, value.replace('mine', greeting.key ?? '')]);
    const stranger = new VectaraClient(greeting.url, null);
    const requests = Object.entries(allPaths(there))
      .filter(([path]) => path.startsWith('/v2'))
      .flatMap(([path, methods]) =>
        methods.map((method): BadRequest => ({
          what: 'a stranger',
          status: 401,
          request: { method, path, headers: Object.fromEntries(mine) as Record<string, string> },
        })),
      );
    expect(await faultsOfAll(stranger, requests)).toEqual([]);
  });

  it('and none of it has changed or broken anything, grown the process, or made it say more than a line', async () => {
    expect(await state()).toBe(before);
    const megabytes: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      await faultsOfAll(client, all());
      megabytes.push(residentBytes(parley.pid) / 2 ** 20);
    }
    const [first, second, ...later] = megabytes;
    expect(Math.max(...later)).toBeLessThan(Math.max(first ?? 0, second ?? 0) + 64);
    expect(parley.log.filter((line) => !line.includes('"level":"info"'))).toEqual([]);
    expect((await client.send({ path: '/health/ready' })).status).toBe(200);
    expect((await (await client.say(there, 'Still there?')).all()).at(-1)?.event.type).toBe('end');
  }, 60_000);
});
