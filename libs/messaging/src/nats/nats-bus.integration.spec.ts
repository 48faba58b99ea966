import { TestNats } from '@parley/testing';
import { describeBus } from '../bus.contract.js';
import { NatsBus } from './nats-bus.js';
import { connectNats } from './nats-link.js';
import { NatsServer } from './nats-server.js';

describeBus('NatsBus', async () => {
  const nats = await TestNats.start();
  const [here, there] = [
    connectNats({ url: nats.url(), name: 'here' }),
    connectNats({ url: nats.url(), name: 'there' }),
  ];
  await Promise.all([here.connected(), there.connected()]);
  const settled = async (): Promise<void> => {
    await here.check();
    await there.check();
  };
  const close = async (): Promise<void> => {
    await Promise.all([here.close(), there.close()]);
    await nats.remove();
  };
  return { bus: new NatsBus(here), strategy: new NatsServer(there, 'probe'), settled, close };
});
