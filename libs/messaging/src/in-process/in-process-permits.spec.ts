import { describePermits } from '../permits.contract.js';
import { InProcessPermits } from './in-process-permits.js';

describePermits('InProcessPermits', async () => ({ permits: new InProcessPermits(), close: async () => undefined }));

describe('InProcessPermits', () => {
  it('gives the permits of one tick to one claim', async () => {
    const permits = new InProcessPermits();
    const taken = permits.take(8, AbortSignal.timeout(2_000));
    void permits.add(1);
    void permits.add(1);
    await permits.add(1);
    expect(await taken).toBe(3);
  });
});
