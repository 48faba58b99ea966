import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from 'openai';
import { type ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Simulator, type Step, startSimulator } from './index.js';

/** The simulator as the real client sees it. */

let simulator: Simulator;
let client: OpenAI;
beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: simulator.url, apiKey: 'sk-any', maxRetries: 0 });
});
afterAll(() => simulator.stop());
beforeEach(() => simulator.setScripts({ rules: [] }));

const play = (...answer: Step[]) => simulator.setScripts({ rules: [{ answer }] });
const hello = { model: 'sim-20-0', messages: [{ role: 'user' as const, content: 'hello' }] };
const streamed = { ...hello, stream: true as const, stream_options: { include_usage: true } };

async function collected<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('the openai client', () => {
  it('streams text with usage at the end', async () => {
    const chunks = await collected(await client.chat.completions.create(streamed));
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
    expect(text).toMatch(/^I am Parley's built-in simulator, not a language model\./);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(20);
  });

  it('gets a whole completion', async () => {
    const completion = await client.chat.completions.create(hello);
    expect(completion.choices[0]?.message.content).toContain('You said: "hello"');
    expect(completion.usage?.total_tokens).toBe(26);
  });

  it('assembles tool calls, and takes their results back', async () => {
    simulator.setScripts({
      rules: [
        { match: { afterTool: 'look' }, answer: [{ say: 'It is sunny.' }] },
        {
          answer: [
            { call: 'look', arguments: { city: 'Zürich' }, pieces: 5 },
            { call: 'look', arguments: { city: 'Bern' } },
          ],
        },
      ],
    });
    const looked: string[] = [];
    const look = {
      type: 'function' as const,
      function: {
        name: 'look',
        parse: (text: string) => {
          const parsed: { city: string } = JSON.parse(text);
          return parsed;
        },
        function: ({ city }: { city: string }) => {
          looked.push(city);
          return 'sun';
        },
        parameters: { type: 'object' },
        description: 'weather of a city',
      },
    };
    const runner = client.chat.completions.runTools({ ...hello, stream: true, tools: [look] });
    expect(await runner.finalContent()).toBe('It is sunny.');
    expect(looked).toEqual(['Zürich', 'Bern']);
    expect(
      simulator
        .requests()
        .slice(-2)
        .map(({ status }) => status),
    ).toEqual([200, 200]);
  });

  it('lists models', async () => {
    const models = await collected(client.models.list());
    expect(models.map(({ id }) => id)).toContain('sim-20-0');
  });

  interface Failure {
    why: string;
    step?: Step;
    params?: Partial<ChatCompletionCreateParamsStreaming>;
    type: abstract new (...args: never[]) => APIError;
    error: object;
  }
  const slow = { status: 429, headers: { 'retry-after': '7' }, body: { error: { message: 'slow', code: 'rate' } } };

  it.each<Failure>([
    {
      why: 'an unknown model',
      params: { model: 'gpt-4o' },
      type: NotFoundError,
      error: { status: 404, code: 'model_not_found' },
    },
    {
      why: 'a bad request',
      params: { messages: [] },
      type: BadRequestError,
      error: { status: 400, param: 'messages', code: 'empty_array' },
    },
    { why: 'a rate limit', step: { respond: slow }, type: RateLimitError, error: { status: 429, code: 'rate' } },
    { why: 'a status without a body', step: { respond: { status: 503 } }, type: APIError, error: { status: 503 } },
  ])('throws its own error for $why', async ({ step, params, type, error: expected }) => {
    if (step) play(step);
    const error = await failure(client.chat.completions.create({ ...streamed, ...params }));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject(expected);
  });

  it('throws its own error for a wrong key', async () => {
    const locked = await startSimulator({ apiKey: 'sk-right' });
    const error = await failure(client.withOptions({ baseURL: locked.url }).models.list());
    expect(error).toBeInstanceOf(AuthenticationError);
    await locked.stop();
  });

  it('throws an error that comes in the middle of a stream', async () => {
    play({ say: 'half' }, { event: { error: { message: 'overloaded', code: 'busy' } } }, { end: 'close' });
    const stream = await client.chat.completions.create(streamed);
    expect(await failure(collected(stream))).toMatchObject({ code: 'busy', message: 'overloaded' });
  });

  it('throws when the connection is reset', async () => {
    play({ say: 'half' }, { end: 'reset' });
    const stream = await client.chat.completions.create(streamed);
    expect(await failure(collected(stream))).toMatchObject({ message: 'terminated' });
  });

  it('reaches us with its abort', async () => {
    const stream = await client.chat.completions.create({ ...streamed, model: 'sim-1000-5' });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) stream.controller.abort();
    const aborted = performance.now();
    const record = () => simulator.requests().at(-1);
    while (record()?.outcome === 'open' && performance.now() - aborted < 1000) await sleep(2);
    expect(record()).toMatchObject({ outcome: 'aborted' });
    expect(record()?.tokensSent).toBeLessThan(200);
  });
});
