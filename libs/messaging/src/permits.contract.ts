import { type Permits } from './permits.js';

/** One form of the permits to claim. */
export interface PermitsForm {
  permits: Permits;
  close(): Promise<void>;
}

/** What every form of `Permits` does. Each test starts with none. */
export const describePermits = (name: string, makeForm: () => Promise<PermitsForm>): void => {
  describe(`${name} as Permits`, () => {
    let form: PermitsForm;
    const soon = (): AbortSignal => AbortSignal.timeout(2_000);

    beforeEach(async () => {
      form = await makeForm();
    });
    afterEach(async () => {
      await form.close();
    });

    it('gives at once what was added before, up to what is asked for', async () => {
      await form.permits.add(3);
      expect(await form.permits.take(2, soon())).toBe(2);
      expect(await form.permits.take(2, soon())).toBe(1);
    });

    it('wakes one who waits', async () => {
      const taken = form.permits.take(5, soon());
      await form.permits.add(1);
      expect(await taken).toBe(1);
    });

    it('gives all that came in one tick together', async () => {
      const taken = form.permits.take(8, soon());
      await Promise.all([form.permits.add(1), form.permits.add(1), form.permits.add(1)]);
      const first = await taken;
      const rest = first < 3 ? await form.permits.take(8, soon()) : 0;
      expect(first + rest).toBe(3);
    });

    it('gives each permit once, whoever waits', async () => {
      const waiters = [form.permits.take(1, soon()), form.permits.take(1, AbortSignal.timeout(150))];
      await form.permits.add(1);
      expect((await Promise.all(waiters)).sort()).toEqual([0, 1]);
    });

    it('holds a permit back until it is due', async () => {
      const dueAt = new Date(Date.now() + 150);
      await form.permits.add(1, dueAt);
      expect(await form.permits.take(1, AbortSignal.timeout(50))).toBe(0);
      expect(await form.permits.take(1, soon())).toBe(1);
      expect(Date.now()).toBeGreaterThanOrEqual(dueAt.getTime() - 2);
    });

    it('gives at once what was due in the past', async () => {
      await form.permits.add(1, new Date(Date.now() - 60_000));
      expect(await form.permits.take(1, soon())).toBe(1);
    });

    it('answers 0 when the wait is ended, and keeps what comes later', async () => {
      expect(await form.permits.take(1, AbortSignal.abort())).toBe(0);
      expect(await form.permits.take(1, AbortSignal.timeout(20))).toBe(0);
      await form.permits.add(1);
      expect(await form.permits.take(1, soon())).toBe(1);
    });
  });
};
