import { ModelTable } from './model-table.js';

describe('ModelTable', () => {
  const own = { window: 1 };
  const special = { window: 2, price: { input: 1, cachedInput: 0.5, output: 2 } };
  const table = new ModelTable({ 'gpt-4o': own, 'azure/gpt-4o': special, 'sim-20-0': own });

  test('knows common models with window and price', () => {
    expect(new ModelTable().find({ provider: 'openai', model: 'gpt-4o-mini' })).toEqual({
      window: 128_000,
      price: { input: 0.15, cachedInput: 0.075, output: 0.6 },
    });
  });

  test('knows a dated model by its undated name, and no other of a similar name', () => {
    const find = (model: string): number | undefined => table.find({ provider: 'openai', model })?.window;
    expect(['gpt-4o-2024-08-06', 'gpt-4o-20240806', 'gpt-4o-0613'].map(find)).toEqual([1, 1, 1]);
    expect(['gpt-4o-mini-2024-07-18', 'gpt-4o-audio', 'gpt-4', 'constructor'].map(find)).toEqual([
      128_000,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('puts what the operator says of one provider first', () => {
    expect(table.find({ provider: 'azure', model: 'gpt-4o' })).toBe(special);
    expect(table.find({ provider: 'azure', model: 'gpt-4o-2024-08-06' })).toBe(special);
    expect(table.find({ provider: 'openai', model: 'gpt-4o' })).toBe(own);
  });
});
