import { setImmediate } from 'node:timers/promises';
import { describeBus } from '../bus.contract.js';
import { InProcessBus } from './in-process-bus.js';
import { InProcessHub } from './in-process-hub.js';
import { InProcessServer } from './in-process-server.js';

describeBus('InProcessBus', async () => {
  const hub = new InProcessHub();
  return {
    bus: new InProcessBus(hub),
    strategy: new InProcessServer(hub),
    settled: () => setImmediate(),
    close: async () => undefined,
  };
});

describe('InProcessHub', () => {
  it('refuses a second service under one subject, and takes it once the first has gone', () => {
    const hub = new InProcessHub();
    const responder = async (): Promise<string> => '{}';
    hub.serve('rpc.probe.echo', responder);
    expect(() => hub.serve('rpc.probe.echo', responder)).toThrow('served twice');
    hub.withdraw('rpc.probe.echo');
    hub.serve('rpc.probe.echo', responder);
    expect(hub.responder('rpc.probe.echo')).toBe(responder);
  });
});
