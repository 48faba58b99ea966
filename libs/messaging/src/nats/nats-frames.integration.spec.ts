import { TestNats } from '@parley/testing';
import { describeFrames } from '../frames.contract.js';
import { NatsFrames } from './nats-frames.js';
import { connectNats } from './nats-link.js';

describeFrames('NatsFrames', async () => {
  const nats = await TestNats.start();
  const link = connectNats({ url: nats.url(), name: 'frames' });
  await link.connected();
  const close = async (): Promise<void> => {
    await link.close();
    await nats.remove();
  };
  return { frames: new NatsFrames(link), close };
});
