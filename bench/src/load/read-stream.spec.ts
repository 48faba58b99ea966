import http from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import fc from 'fast-check';
import { EventSplitter } from './event-splitter.js';
import { generateLoad } from './generate-load.js';
import { type LoadPlan } from './load-plan.js';

describe('a stream of events', () => {
  it('is cut into the same events however its bytes come', () => {
    const events = ['id: 1\ndata: a', 'data: b', '', 'data: [DONE]'];
    const text = events.map((event) => `${event}\n\n`).join('');
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const seen: string[] = [];
        const splitter = new EventSplitter((event) => seen.push(event));
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        places.slice(1).forEach((end, index) => splitter.push(text.slice(places[index], end)));
        expect(seen).toEqual(events);
      }),
    );
  });
});

describe('the load generator', () => {
  const withModel = async (answers: string[], use: (plan: LoadPlan) => Promise<void>): Promise<void> => {
    let asked = 0;
    const server = http.createServer((request, response) => {
      request.resume().once('end', () => response.end(answers[asked++ % answers.length]));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const requests = [1, 2].map(() => ({ path: '/', headers: {}, body: '{}' }));
    try {
      await use({ kind: 'chat', origin, requests, parallel: 2, until: { runs: 6 } });
    } finally {
      server.close();
      server.closeAllConnections();
    }
  };
  const text = 'data: {"content":"hello"}\n\n';

  it('reads as many streams as it is told, and times each', async () => {
    await withModel([`${text}data: [DONE]\n\n`], async (plan) => {
      const { firstText, whole, faults } = await generateLoad(plan);
      expect([firstText.length, whole.length, faults]).toEqual([6, 6, {}]);
      expect(whole.every((ms, index) => ms >= (firstText[index] ?? Infinity))).toBe(true);
    });
  });

  it('counts no stream that lacks its end, its text, or tells of a failure', async () => {
    const bad = [text, 'data: [DONE]\n\n', `${text}data: {"error":{}}\n\ndata: [DONE]\n\n`];
    await withModel(bad, async (plan) => {
      const { whole, faults } = await generateLoad(plan);
      expect(whole).toEqual([]);
      expect(Object.values(faults)).toEqual([2, 2, 2]);
    });
  });
});
