import { Circuits, Embedder, Providers, ProviderTable } from '@parley/effects';
import { Outbound } from '@parley/outbound';
import OpenAI, { BadRequestError, NotFoundError } from 'openai';
import { type Simulator, startSimulator } from '../start-simulator.js';

const cosine = (one: ArrayLike<number>, other: ArrayLike<number>): number =>
  Array.from(one).reduce((sum, number, at) => sum + number * (other[at] ?? NaN), 0);

let simulator: Simulator;
let client: OpenAI;
beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: simulator.url, apiKey: 'sk-any', maxRetries: 0 });
});
afterAll(() => simulator.stop());

describe('embeddings, as the openai client gets them', () => {
  const create = (over: Partial<OpenAI.EmbeddingCreateParams>) =>
    client.embeddings.create({ model: 'sim-embed-64', input: 'the cat sleeps', ...over });
  const vectorOf = async (input: string): Promise<number[]> => (await create({ input })).data[0]?.embedding ?? [];

  it('are the same unit vector for the same text', async () => {
    const { data, model, usage } = await create({ input: ['the cat sleeps', 'the cat sleeps'] });
    expect(data.map(({ index, embedding }) => [index, embedding.length])).toEqual([[0, 64], [1, 64]]); // prettier-ignore
    expect(data[1]?.embedding).toEqual(data[0]?.embedding);
    expect(cosine(data[0]?.embedding ?? [], data[0]?.embedding ?? [])).toBeCloseTo(1, 5);
    expect({ model, usage }).toEqual({ model: 'sim-embed-64', usage: { prompt_tokens: 8, total_tokens: 8 } });
  });

  it('are nearer for texts that share words', async () => {
    const cat = await vectorOf('the cat sleeps on the sofa');
    const near = cosine(cat, await vectorOf('a cat sleeps on a sofa'));
    const far = cosine(cat, await vectorOf('quarterly revenue grew strongly'));
    expect(near).toBeGreaterThan(far + 0.3);
  });

  it('are the same as numbers and as base64', async () => {
    const [float, base64] = [await create({ encoding_format: 'float' }), await create({ encoding_format: 'base64' })];
    const bytes = Buffer.from(String(base64.data[0]?.embedding), 'base64');
    const decoded = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
    expect(decoded).toEqual(float.data[0]?.embedding.map(Math.fround));
  });

  it('are shorter where they are to be', async () => {
    const short = (await create({ dimensions: 8 })).data[0]?.embedding ?? [];
    expect(short).toHaveLength(8);
    expect(cosine(short, short)).toBeCloseTo(1, 5);
  });

  it.each<[string, object, string]>([
    ['an empty text', { input: '' }, 'input'],
    ['an empty text among others', { input: ['a', ''] }, 'input[1]'],
    ['no texts', { input: [] }, 'input'],
    ['too many texts', { input: Array<string>(2_049).fill('a') }, 'input'],
    ['more numbers than the model makes', { dimensions: 65 }, 'dimensions'],
    ['a format that there is not', { encoding_format: 'hex' as 'float' }, 'encoding_format'],
    ['a field that there is not', { voice: 'x' }, 'voice'],
  ])('are refused for %s', async (_what, over, param) => {
    const refused: unknown = await create(over).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused).toMatchObject({ param });
  });

  it('are refused of a model that makes none', async () => {
    await expect(create({ model: 'sim-20-0' })).rejects.toBeInstanceOf(NotFoundError);
  });

  it('have their model in the list of models', async () => {
    const names = (await client.models.list()).data.map(({ id }) => id);
    expect(names).toContain('sim-embed-256');
  });
});

describe('the embedder of Parley', () => {
  const outbound = new Outbound();
  afterAll(() => outbound.close());

  it('gets from it what the openai client gets', async () => {
    const providers = { simulator: { baseUrl: simulator.url } };
    const table = ProviderTable.parse({ default: 'simulator', providers });
    const embedder = new Embedder(outbound, new Providers(table), new Circuits());
    const texts = Array.from({ length: 70 }, (_, at) => `text number ${at}`);
    const { signal } = new AbortController();
    const outcome = await embedder.embed({ handle: 'simulator/sim-embed-32', texts, signal });
    const { data } = await client.embeddings.create({ model: 'sim-embed-32', input: texts });
    expect(outcome.ok && outcome.embedded.vectors.map((vector) => [...vector])).toEqual(
      data.map(({ embedding }) => embedding.map(Math.fround)),
    );
    expect(outcome.ok && outcome.embedded).toMatchObject({
      model: 'simulator/sim-embed-32',
      usage: { estimated: false },
    });
  });
});
