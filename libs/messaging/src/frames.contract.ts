import { Logger } from '@nestjs/common';
import { durableFrameId, type FrameBatch, newId, RunId, SessionId, TenantId } from '@parley/core';
import { type Frames } from './frames.js';

/** One form of the carrier of frames. */
export interface FramesForm {
  frames: Frames;
  /** Resolves when what was subscribed to is known, and what was sent is heard. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const address = () => ({ tenant: newId(TenantId), session: newId(SessionId) });

const batch = (to: { tenant: TenantId; session: SessionId }, number: number, run = newId(RunId)): FrameBatch => ({
  ...to,
  run,
  after: durableFrameId(1) + number - 1,
  frames: [{ kind: 'delta', id: durableFrameId(1) + number, run, part: 0, type: 'text', text: `word ${number}` }],
});

/** What every form of `Frames` does. */
export const describeFrames = (name: string, makeForm: () => Promise<FramesForm>): void => {
  describe(`${name} as Frames`, () => {
    let form: FramesForm;

    beforeAll(async () => {
      form = await makeForm();
    });
    afterAll(async () => {
      await form.close();
    });

    it('brings the batches of a session to every reader of it, in the order they were sent', async () => {
      const here = address();
      const readers: FrameBatch[][] = [[], []];
      const stops = readers.map((heard) => form.frames.subscribe(here, (one) => heard.push(one)));
      await form.settled();
      const sent = [1, 2, 3].map((number) => batch(here, number));
      sent.forEach((one) => form.frames.publish(one));
      await form.settled();
      stops.forEach((stop) => stop());
      for (const heard of readers) expect(heard).toEqual(sent);
    });

    it('keeps sessions and tenants apart', async () => {
      const here = address();
      const heard: FrameBatch[] = [];
      const stop = form.frames.subscribe(here, (one) => heard.push(one));
      await form.settled();
      form.frames.publish(batch({ ...here, session: newId(SessionId) }, 1));
      form.frames.publish(batch({ ...here, tenant: newId(TenantId) }, 2));
      await form.settled();
      stop();
      expect(heard).toEqual([]);
    });

    it('is silent after the end of a subscription', async () => {
      const here = address();
      const heard: FrameBatch[] = [];
      const stop = form.frames.subscribe(here, (one) => heard.push(one));
      await form.settled();
      stop();
      form.frames.publish(batch(here, 1));
      await form.settled();
      expect(heard).toEqual([]);
    });

    it('never runs a reader on the stack of the publisher, nor lets one that fails hinder the next', async () => {
      const here = address();
      const order: string[] = [];
      const logged: unknown[] = [];
      const keep = (...entry: unknown[]): void => void logged.push(entry);
      Logger.overrideLogger({ log: keep, error: keep, warn: keep });
      const stops = [
        form.frames.subscribe(here, () => {
          throw new Error('this reader fails');
        }),
        form.frames.subscribe(here, () => order.push('read')),
      ];
      await form.settled();
      form.frames.publish(batch(here, 1));
      order.push('published');
      await form.settled();
      stops.forEach((stop) => stop());
      Logger.overrideLogger(['error', 'warn']);
      expect(order).toEqual(['published', 'read']);
      expect(logged).toHaveLength(1);
    });

    it('lets a reader publish and subscribe while it reads', async () => {
      const here = address();
      const heard: number[] = [];
      const stop = form.frames.subscribe(here, (one) => {
        heard.push(one.after);
        if (heard.length === 1) form.frames.publish(batch(here, 2));
      });
      await form.settled();
      form.frames.publish(batch(here, 1));
      await form.settled();
      await form.settled();
      stop();
      expect(heard).toHaveLength(2);
    });
  });
};
