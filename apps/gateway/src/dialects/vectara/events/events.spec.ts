import { CallId, durableFrameId, newId, PlatformError } from '@parley/core';
import { type FakeLog, type Script, type StreamedFrame } from '@parley/testing';
import { DEFAULT_TENANT } from '../../../config.js';
import { tryGateway, type TriedGateway } from '../../../try-gateway.contract.js';
import { EventIds } from '../ids.js';
import { folded } from './folded.contract.js';
import { type AgentEvent, type AgentResponse } from './wire.js';

const agentBody = {
  key: 'agent',
  name: 'Helper',
  tool_configurations: {},
  model: { name: 'simulator/sim-1-0' },
  first_step: { name: 'answer', instructions: [], output_parser: { type: 'default' } },
};
const words = (content: string, more: object = {}) => ({ messages: [{ type: 'text', content }], ...more });
const path = '/v2/agents/agent/sessions/session/events';

interface Refusal {
  messages: string[];
  field_errors: Record<string, string>;
  id?: string;
}

/** Thinks, says something, loses it, and says it anew. */
const restless: Script = async (turn) => {
  await turn.think('let me ', 'see');
  await turn.say('Once ', 'more, ');
  turn.restart();
  await turn.think('again');
  await turn.say('you ', 'said: ', turn.words);
  turn.reply();
  await turn.say('Anything ', 'else?');
  turn.reply();
};

describe('events', () => {
  let tried: TriedGateway;
  beforeEach(async () => {
    tried = await tryGateway();
    await tried.probe.ask('POST', '/v2/agents', { body: agentBody });
    await tried.probe.ask('POST', '/v2/agents/agent/sessions', { body: { key: 'session' } });
  });
  afterEach(async () => {
    expect(tried.errors).toEqual([]);
    await tried.close();
  });

  const play = (script: Script): void => {
    tried.platform.sessions.script = script;
  };
  const log = (): FakeLog => {
    const [first] = tried.platform.sessions.logs(DEFAULT_TENANT);
    if (!first) throw new Error('there is no session');
    return first;
  };
  const listed = async (query = 'limit=100'): Promise<AgentEvent[]> =>
    (await tried.probe.ask<{ events: AgentEvent[] }>('GET', `${path}?${query}`)).body.events;
  const say = (content: string, more: object = {}) =>
    tried.probe.ask<AgentResponse>('POST', path, { body: words(content, more) });
  const types = (events: { type: string }[]): string[] => events.map(({ type }) => type);
  const streamed = (frames: StreamedFrame[]): string[] => types(frames.map(({ event }) => event));
  const resumed = async (
    id: string | undefined,
    by: 'Last-Event-ID' | 'since' = 'Last-Event-ID',
  ): Promise<StreamedFrame[]> => {
    const frames: StreamedFrame[] = [];
    const request = by === 'since' || id === undefined ? {} : { headers: { 'last-event-id': id } };
    const query = by === 'since' ? `?since=${id}` : '';
    for await (const frame of tried.probe.frames('GET', path + query, request)) frames.push(frame);
    return frames;
  };

  describe('of a turn', () => {
    it('are answered when it has ended', async () => {
      const { status, body } = await say('hello');
      expect(status).toBe(201);
      expect(body).toMatchObject({
        session_key: 'session',
        events: [
          { type: 'input_message', session_key: 'session', messages: [{ type: 'text', content: 'hello' }] },
          { type: 'agent_output', session_key: 'session', content: 'You said: hello' },
        ],
      });
      expect(await listed()).toEqual(body.events);
    });

    it('are streamed as they are made', async () => {
      play(async (turn) => {
        await turn.think('let me ', 'see');
        await turn.say('You ', 'said: ', turn.words);
        turn.reply();
      });
      const frames = await tried.probe.stream(path, { body: words('hello') });
      expect(streamed(frames)).toEqual([
        'input_message',
        'streaming_thinking',
        'streaming_thinking',
        'streaming_thinking_end',
        'streaming_agent_output',
        'streaming_agent_output',
        'streaming_agent_output',
        'thinking',
        'streaming_agent_output_end',
        'context_consumed',
        'end',
      ]);
      expect(folded(frames)).toEqual(await listed());
    });

    it('are streamed with the headers that proxies need, from the moment they were accepted', async () => {
      let go = (): void => undefined;
      const gone = new Promise<void>((resolve) => (go = resolve));
      play(() => gone);
      const response = await tried.probe.send('POST', path, { body: words('x', { stream_response: true }) });
      expect(response.status).toBe(201);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-request-id': expect.stringMatching(/^req_/),
      });
      go();
      expect(await response.text()).toMatch(/^id: aev_\S+\ndata: \{.*\}\n\ndata: \{"type":"end"\}\n\n$/);
    });

    it('need one question to the platform, once its keys are known', async () => {
      await say('hello');
      const before = tried.platform.asked.length;
      await say('again');
      await tried.probe.stream(path, { body: words('and again') });
      expect(tried.platform.asked.slice(before)).toEqual(['rpc.run.admit', 'rpc.run.admit']);
    });

    it('are streamed in one chunk where the model did not stream', async () => {
      play(async (turn) => {
        turn.keep('all at once');
        turn.reply();
      });
      const frames = await tried.probe.stream(path, { body: words('hello') });
      expect(streamed(frames)).toEqual([
        'input_message',
        'streaming_agent_output',
        'streaming_agent_output_end',
        'context_consumed',
        'end',
      ]);
      expect(folded(frames)).toEqual(await listed());
    });

    it('that was lost half way are streamed anew, and whole in the end', async () => {
      play(restless);
      const frames = await tried.probe.stream(path, { body: words('hello') });
      expect(streamed(frames).slice(4)).toEqual([
        'streaming_agent_output',
        'streaming_agent_output',
        'streaming_restarted',
        'streaming_thinking',
        'streaming_thinking_end',
        'streaming_agent_output',
        'streaming_agent_output',
        'streaming_agent_output',
        'thinking',
        'streaming_agent_output_end',
        'agent_output',
        'context_consumed',
        'streaming_agent_output',
        'streaming_agent_output',
        'streaming_agent_output_end',
        'context_consumed',
        'end',
      ]);
      expect(folded(frames)).toEqual(await listed());
    });

    it('that failed end with an error, as 502 or in the stream', async () => {
      play(async (turn) => {
        await turn.pause();
        turn.fail('429 from the provider');
        turn.end('failed', 'model_failed');
      });
      const { status, body } = await tried.probe.ask<Refusal>('POST', path, { body: words('hello') });
      expect([status, body.messages]).toEqual([502, ['The model did not answer. 429 from the provider']]);
      const frames = await tried.probe.stream(path, { body: words('hello') });
      expect(streamed(frames)).toEqual(['input_message', 'error', 'end']);
      const all = await listed();
      expect(all.slice(2)).toEqual(frames.slice(0, 2).map(({ event }) => event));
      expect(types(all)).toEqual(['input_message', 'error', 'input_message', 'error']);
    });

    it.each([
      ['timed_out', null, ['The turn took longer than it may and was stopped.']],
      ['failed', 'rounds_exceeded', ['The turn reached its limit of model calls.']],
      ['failed', 'cost_exceeded', ['The turn reached its limit of costs.']],
      [
        'failed',
        'poison: its own process was killed by SIGABRT',
        ['The turn was stopped, because the process that acted it kept failing.'],
      ],
      ['failed', 'something_new', ['The turn failed.']],
    ] as const)('that ended %s(%s) hold an error', async (state, reason, messages) => {
      play(async (turn) => {
        await turn.pause();
        turn.end(state, reason);
      });
      const { status, body } = await say('hello');
      expect(status).toBe(201);
      expect(body.events).toMatchObject([{ type: 'input_message' }, { type: 'error', messages }]);
      expect(await listed()).toEqual(body.events);
    });

    it('go on when the client leaves', async () => {
      let leave: () => void = () => undefined;
      const left = new Promise<void>((resolve) => (leave = resolve));
      play(async (turn) => {
        await turn.say('half ');
        await left;
        await turn.say('whole');
        turn.reply();
      });
      const client = new AbortController();
      const frames = tried.probe.frames('POST', path, { body: words('hello'), signal: client.signal });
      await frames.next();
      await frames.next();
      client.abort();
      await expect(frames.next()).rejects.toThrow();
      leave();
      expect(streamed(await resumed(undefined)).at(-2)).toBe('context_consumed');
      expect(await listed()).toMatchObject([
        { type: 'input_message' },
        { type: 'agent_output', content: 'half whole' },
      ]);
    });
  });

  describe('for a client that comes back', () => {
    it.each(['Last-Event-ID', 'since'] as const)('go on behind any frame it has had, by %s', async (by) => {
      play(restless);
      const whole = await tried.probe.stream(path, { body: words('hello') });
      const restarted = streamed(whole).indexOf('streaming_restarted');
      for (const [index, { id }] of whole.entries()) {
        if (id === undefined) continue;
        const isVoid = index < restarted;
        expect(await resumed(id, by)).toEqual(whole.slice(isVoid ? restarted : index + 1));
      }
    });

    it('go on behind any frame it has had, while the turn is under way', async () => {
      const gates = [0, 1, 2, 3, 4].map(() => {
        let open = (): void => undefined;
        const passed = new Promise<void>((resolve) => (open = resolve));
        return { open, passed };
      });
      play(async (turn) => {
        await turn.think('let me ', 'see');
        await gates[0]?.passed;
        await turn.say('Once ', 'more, ');
        await gates[1]?.passed;
        turn.restart();
        await gates[2]?.passed;
        await turn.say('you ', 'said: ', turn.words);
        await gates[3]?.passed;
        turn.reply();
        await gates[4]?.passed;
      });
      const whole: StreamedFrame[] = [];
      const staying = (async () => {
        for await (const frame of tried.probe.frames('POST', path, { body: words('hello') })) whole.push(frame);
      })();
      const joined: { from: number; upTo: number; frames: Promise<StreamedFrame[]> }[] = [];
      // What the staying client has had last before each gate: who joins sees the same then.
      const arrived = ['see', 'more, ', 'streaming_restarted', 'hello', 'context_consumed'];
      for (const [index, { open }] of gates.entries()) {
        for (let last = whole.at(-1)?.event; ; last = whole.at(-1)?.event) {
          if (last?.['content'] === arrived[index] || last?.['type'] === arrived[index]) break;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        const tails = tried.platform.count('rpc.run.tail');
        const upTo = whole.length; // more may come while those join
        whole.forEach(({ id }, from) => joined.push({ from, upTo, frames: resumed(id) }));
        while (tried.platform.count('rpc.run.tail') < tails + upTo) {
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        open();
      }
      await staying;
      const restarted = streamed(whole).indexOf('streaming_restarted');
      for (const { from, upTo, frames } of joined) {
        const rest = whole.filter((_, index) => index > from && !(upTo > restarted && index < restarted));
        expect(await frames).toEqual(rest);
      }
      expect(joined.length).toBeGreaterThan(20);
      expect(folded(whole)).toEqual(await listed());
    });

    it('begin at the beginning where it names none, and end when nobody has the turn', async () => {
      await say('one');
      const second = await tried.probe.stream(path, { body: words('two') });
      const all = await resumed(undefined);
      expect(all.slice(-second.length)).toEqual(second);
      expect(folded(all)).toEqual(await listed());
      expect(await resumed('start', 'since')).toEqual(all);
    });

    it('follow the id that came last, not the address', async () => {
      const frames = await tried.probe.stream(path, { body: words('one') });
      const stream = tried.probe.frames('GET', `${path}?since=start`, {
        headers: { 'last-event-id': frames.at(-2)?.id ?? '' },
      });
      expect((await stream.next()).value).toMatchObject({ event: { type: 'end' } });
    });

    it('are a list, unless it asks for a stream', async () => {
      await say('one');
      const response = await tried.probe.send('GET', path, { headers: { accept: 'application/json' } });
      expect(response.headers.get('content-type')).toContain('application/json');
      const head = await fetch(tried.url + path, {
        method: 'HEAD',
        headers: { 'x-api-key': 'key-of-the-first-tenant', accept: 'text/event-stream' },
      });
      expect(head.status).toBe(200);
    });

    it.each(['aev_nonsense', 'begin', '17', 'aev_'])('are refused behind the id %j', async (id) => {
      const answer = await tried.probe.ask<Refusal>('GET', path, {
        headers: { accept: 'text/event-stream', 'last-event-id': id },
      });
      expect([answer.status, Object.keys(answer.body.field_errors)]).toEqual([400, ['Last-Event-ID']]);
    });
  });

  describe('of a busy session', () => {
    /** A turn that waits to be let go, and hears what it is told. */
    const waiting = async (): Promise<{ go: () => void; turn: ReturnType<typeof say>; first: string }> => {
      let go = (): void => undefined;
      play(async (turn) => {
        if (turn.words === 'first') await new Promise<void>((resolve) => (go = resolve));
        await turn.say(`heard ${turn.words} ${turn.hear()}`.trim());
        turn.reply();
      });
      const turn = say('first');
      await tried.platform.asks('rpc.run.admit');
      const [input] = await listed();
      return { go: () => go(), turn, first: input?.id ?? '' };
    };
    const texts = (events: AgentEvent[]): string[] =>
      events.map((event) =>
        event.type === 'agent_output'
          ? event.content
          : event.type === 'input_message'
            ? (event.messages[0]?.content ?? '')
            : event.type,
      );

    it('are refused to words that name no since', async () => {
      const { go, turn } = await waiting();
      const refused = await tried.probe.ask<Refusal>('POST', path, { body: words('second') });
      expect([refused.status, refused.body.messages]).toEqual([
        409,
        ["session 'session' has a turn under way: wait for its end, interrupt it, or send since"],
      ]);
      const behaved = await tried.probe.ask('POST', path, { body: words('second', { behavior: 'follow_up' }) });
      expect(behaved.status).toBe(409);
      go();
      expect((await turn).status).toBe(201);
    });

    it.each([undefined, 'follow_up'])('follow in a turn of their own (behavior %s)', async (behavior) => {
      const { go, turn, first } = await waiting();
      const follow = say('second', { since: first, ...(behavior ? { behavior } : {}) });
      const third = say('third', { since: 'start', behavior: 'follow_up' });
      await tried.platform.asks('rpc.run.admit');
      await tried.platform.asks('rpc.run.admit');
      go();
      expect(texts((await turn).body.events)).toEqual(['first', 'heard first']);
      expect(texts((await follow).body.events)).toEqual(['heard first', 'second', 'heard second']);
      expect(texts((await third).body.events)).toEqual([
        'first',
        'heard first',
        'second',
        'heard second',
        'third',
        'heard third',
      ]);
      expect(texts(await listed())).toEqual(texts((await third).body.events));
    });

    it('steer the turn that is under way', async () => {
      const { go, turn, first } = await waiting();
      const steer = tried.probe.stream(path, { body: words('sooner', { since: first, behavior: 'steer' }) });
      await tried.platform.asks('rpc.run.admit');
      go();
      expect(texts((await turn).body.events)).toEqual(['first', 'sooner', 'heard first sooner']);
      expect(texts(folded(await steer))).toEqual(['sooner', 'heard first sooner']);
    });

    it('that steered too late are a turn of their own', async () => {
      let go = (): void => undefined;
      play(async (turn) => {
        if (turn.words === 'first') await new Promise<void>((resolve) => (go = resolve));
        turn.keep(`heard ${turn.words}`);
        turn.reply();
      });
      const turn = say('first');
      await tried.platform.asks('rpc.run.admit');
      const steer = say('late', { since: 'start', behavior: 'steer' });
      await tried.platform.asks('rpc.run.admit');
      go();
      expect(texts((await turn).body.events)).toEqual(['first', 'heard first']);
      expect(texts((await steer).body.events)).toEqual(['first', 'heard first', 'late', 'heard late']);
    });

    it('begin a turn where since meets an idle session, behind the replay', async () => {
      const [input] = (await say('one')).body.events;
      const { body } = await say('two', { since: input?.id, behavior: 'steer' });
      expect(texts(body.events)).toEqual(['You said: one', 'two', 'You said: two']);
    });

    it('are refused behind an event that is not of this session', async () => {
      await tried.probe.ask('POST', '/v2/agents/agent/sessions', { body: { key: 'other' } });
      const other = await tried.probe.ask<AgentResponse>('POST', path.replace('sessions/session', 'sessions/other'), {
        body: words('x'),
      });
      await say('one');
      const mine = new EventIds(log().session);
      const stale = mine.of({ frame: durableFrameId(99), sub: 2, amid: { open: null, restarted: false } });
      for (const since of [other.body.events[0]?.id, stale, 'aev_x', 'aev_AAAAAAAAAAAAAAAAAAAA', 'begin', '']) {
        const answer = await tried.probe.ask<Refusal>('POST', path, { body: words('two', { since }) });
        expect([since, answer.status, Object.keys(answer.body.field_errors)]).toEqual([since, 400, ['since']]);
      }
      expect(await listed()).toHaveLength(2);
    });
  });

  describe('of an interrupt', () => {
    it('are none where nothing is under way', async () => {
      const { status, body } = await tried.probe.ask('POST', path, { body: { type: 'interrupt' } });
      expect([status, body]).toEqual([201, { events: [], session_key: 'session' }]);
      const frames = await tried.probe.stream(path, { body: { type: 'interrupt' } });
      expect(streamed(frames)).toEqual(['end']);
    });

    it('are the end of the turn, for everybody who reads it', async () => {
      play(async (turn) => {
        await turn.say('and so on ');
        await turn.pause(60_000);
      });
      const turn = tried.probe.stream(path, { body: words('hello') });
      await tried.platform.asks('rpc.run.admit');
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { status, body } = await tried.probe.ask<AgentResponse>('POST', path, { body: { type: 'interrupt' } });
      expect([status, types(body.events)]).toEqual([201, ['session_interrupted']]);
      const frames = await turn;
      expect(streamed(frames)).toEqual([
        'input_message',
        'streaming_agent_output',
        'streaming_restarted',
        'session_interrupted',
        'end',
      ]);
      expect(folded(frames)).toEqual(await listed());
    });
  });

  describe('under a time limit', () => {
    beforeEach(() => {
      play(async (turn) => {
        await turn.say('and so on ');
        await turn.pause(60_000);
      });
    });

    it('are not waited for any longer, and their turn is stopped', async () => {
      const headers = { 'Request-Timeout-Millis': '200', 'Request-Timeout': '5' };
      const answer = await tried.probe.ask<Refusal>('POST', path, { body: words('hello'), headers });
      expect([answer.status, answer.body.messages]).toEqual([
        504,
        ['Request-Timeout: the turn took longer than that, and was stopped'],
      ]);
      expect(types(await listed())).toEqual(['input_message', 'session_interrupted']);
    });

    it('are streamed until then', async () => {
      const headers = { 'Request-Timeout-Millis': '200' };
      const frames = await tried.probe.stream(path, { body: words('hello'), headers });
      expect(streamed(frames)).toEqual(['input_message', 'streaming_agent_output', 'error', 'end']);
      expect(frames.at(-2)?.id).toBeUndefined();
      expect(types(await listed())).toEqual(['input_message', 'session_interrupted']);
    });

    it.each([
      { 'Request-Timeout': '0' },
      { 'Request-Timeout': '-1' },
      { 'Request-Timeout': '1.5' },
      { 'Request-Timeout': 'soon' },
      { 'Request-Timeout-Millis': '' },
      { 'Request-Timeout': '5', 'Request-Timeout-Millis': '1e3' },
    ])('that is none are refused: %j', async (headers) => {
      const answer = await tried.probe.ask<Refusal>('POST', path, { body: words('hello'), headers });
      expect([answer.status, Object.values(answer.body.field_errors)]).toEqual([
        400,
        ['must be a whole number of at least 1'],
      ]);
    });

    it('may come from a slow platform on any path', async () => {
      tried.platform.failures.set('rpc.agent.list', [new PlatformError('timeout', 'late')]);
      const answer = await tried.probe.ask('GET', '/v2/agents', { headers: { 'Request-Timeout': '1' } });
      expect(answer.status).toBe(504);
    });
  });

  describe('in lists', () => {
    it('come in the order in which they happened, in pages that end anywhere', async () => {
      play(restless);
      await say('one');
      await say('two');
      const all = await listed();
      expect(types(all)).toEqual([
        ...['input_message', 'thinking', 'agent_output', 'agent_output'],
        ...['input_message', 'thinking', 'agent_output', 'agent_output'],
      ]);
      for (let limit = 1; limit <= 9; limit++) {
        const found: AgentEvent[] = [];
        for (let key = ''; ;) {
          const query = `${path}?limit=${limit}${key}`;
          const { body } = await tried.probe.ask<{ events: AgentEvent[]; metadata: { page_key?: string } }>(
            'GET',
            query,
          );
          expect(body.events.length).toBeLessThanOrEqual(limit);
          found.push(...body.events);
          if (body.metadata.page_key === undefined) break;
          key = `&page_key=${body.metadata.page_key}`;
        }
        expect(found).toEqual(all);
      }
    });

    it('leave out what is hidden, unless it is asked for', async () => {
      play(restless);
      await say('one');
      const all = await listed();
      log().hide(1, 0);
      log().hide(3, 0);
      expect(types(await listed())).toEqual(['agent_output', 'agent_output']);
      expect(await listed('limit=100&include_hidden=true')).toEqual(all);
      const page = await tried.probe.ask<{ metadata: { page_key: string } }>('GET', `${path}?limit=1`);
      const other = `${path}?limit=1&include_hidden=true&page_key=${page.body.metadata.page_key}`;
      expect((await tried.probe.ask('GET', other)).status).toBe(400);
    });

    it('leave out what was rewound, and what was erased', async () => {
      await say('one');
      const [input, output] = await listed();
      await say('two');
      log().rewind(3);
      expect(await listed()).toEqual([input, output]);
      await say('three');
      expect(types(await listed())).toEqual(['input_message', 'agent_output', 'input_message', 'agent_output']);
      log().erase(2, 0);
      expect(types(await listed())).toEqual(['input_message', 'input_message', 'agent_output']);
      expect((await tried.probe.ask('GET', `${path}/${output?.id}`)).status).toBe(404);
    });

    it.each([
      ['limit=0', 'limit'],
      ['include_hidden=1', 'include_hidden'],
      ['page_key=MS4y', 'page_key'],
      ['since=start', 'since'],
    ])('refuse %s by name', async (query, field) => {
      const answer = await tried.probe.ask<Refusal>('GET', `${path}?${query}`);
      expect([answer.status, Object.keys(answer.body.field_errors)]).toEqual([400, [field]]);
    });
  });

  describe('read one by one', () => {
    it('are the events of the list', async () => {
      play(restless);
      await say('one');
      play(async (turn) => {
        await turn.pause();
        turn.fail('no such model');
        turn.end('failed', 'model_failed');
      });
      await say('two');
      const all = await listed();
      expect(all.at(-1)).toMatchObject({ messages: [expect.any(String), 'no such model'] });
      for (const event of all) expect((await tried.probe.ask('GET', `${path}/${event.id}`)).body).toEqual(event);
    });

    it('are not there under the id of a frame that is only streamed, or of another session', async () => {
      const frames = await tried.probe.stream(path, { body: words('hello') });
      await tried.probe.ask('POST', '/v2/agents/agent/sessions', { body: { key: 'other' } });
      const passing = frames.filter(({ event }) => event.type.startsWith('streaming')).map(({ id }) => id);
      expect(passing.length).toBeGreaterThan(3);
      const [stored] = await listed();
      for (const id of [...passing, 'aev_x', 'x', '%00']) {
        const answer = await tried.probe.ask<Refusal>('GET', `${path}/${id}`);
        expect([answer.status, answer.body.id]).toEqual([404, decodeURIComponent(id ?? '')]);
      }
      const foreign = `${path.replace('sessions/session', 'sessions/other')}/${stored?.id}`;
      expect((await tried.probe.ask<Refusal>('GET', foreign)).body.id).toBe(stored?.id);
    });
  });

  describe('of tools that an agent of another API has', () => {
    it('are told with the name of the tool', async () => {
      const call = newId(CallId);
      play(async (turn) => {
        turn.call(call, 'search', '{"q":"x"}');
        turn.reply();
        turn.settle(call, 'result', '{"found":1}');
        turn.keep('found it');
        turn.reply();
      });
      const { body } = await say('hello');
      const use = { tool_call_id: call, tool_configuration_name: 'search', tool_name: 'search' };
      expect(body.events.slice(1, 3)).toMatchObject([
        { type: 'tool_input', ...use, tool_input: { q: 'x' } },
        { type: 'tool_output', ...use, tool_output: { found: 1 }, error: false },
      ]);
      expect(await listed()).toEqual(body.events);
    });
  });
});
