import { setImmediate } from 'node:timers/promises';
import { newId, RunId, SessionId, TenantId, type FrameBatch } from '@parley/core';
import { describeFrames } from '../frames.contract.js';
import { InProcessFrames } from './in-process-frames.js';

describeFrames('InProcessFrames', async () => ({
  frames: new InProcessFrames(),
  settled: () => setImmediate(),
  close: async () => undefined,
}));

describe('InProcessFrames', () => {
  it('hands on the batch itself', async () => {
    const frames = new InProcessFrames();
    const here = { tenant: newId(TenantId), session: newId(SessionId) };
    const batch: FrameBatch = { ...here, run: newId(RunId), after: 0, frames: [] };
    const heard = new Promise((resolve) => frames.subscribe(here, resolve));
    frames.publish(batch);
    expect(await heard).toBe(batch);
  });
});
