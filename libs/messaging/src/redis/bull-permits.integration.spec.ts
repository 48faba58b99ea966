import { TestRedis } from '@parley/testing';
import { describePermits } from '../permits.contract.js';
import { BullPermits } from './bull-permits.js';
import { connectRedis } from './redis-link.js';

describePermits('BullPermits', async () => {
  const redis = await TestRedis.start();
  const link = connectRedis({ url: redis.url() });
  await link.connected();
  const permits = new BullPermits(link);
  const close = async (): Promise<void> => {
    await permits.close();
    await link.close();
    await redis.remove();
  };
  return { permits, close };
});
