import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ReferenceRunLog, Tables } from '@parley/persistence';
import { BlobSweep } from './blob-sweep.js';

const HOUR_MS = 3_600_000;

/** A log with so many portions of old blobs; it can be away. */
class SweptLog extends ReferenceRunLog {
  readonly asked: number[] = [];
  isAway = false;

  constructor(public portions: number) {
    super(new Tables(() => new Date()));
  }

  override async sweepBlobs(olderThanMs = 0): Promise<{ more: boolean }> {
    this.asked.push(olderThanMs);
    if (this.isAway) throw new Error('the database is away');
    this.portions -= 1;
    return { more: this.portions > 0 };
  }
}

describe('the sweep of blobs', () => {
  const warned: unknown[] = [];

  beforeEach(() => {
    jest.useFakeTimers();
    warned.length = 0;
    const ignore = (): void => undefined;
    Logger.overrideLogger({ log: ignore, error: ignore, warn: (said: unknown) => void warned.push(said) });
  });
  afterEach(() => {
    jest.useRealTimers();
    Logger.overrideLogger(['error', 'warn']);
  });

  it('goes on until there is nothing more, and takes only what is older than a day', async () => {
    const log = new SweptLog(3);
    await new BlobSweep(log).sweep();
    expect(log.asked).toEqual([24 * HOUR_MS, 24 * HOUR_MS, 24 * HOUR_MS]);
  });

  it('comes every hour from the start of the process to its end', async () => {
    const log = new SweptLog(1);
    const sweep = new BlobSweep(log);
    sweep.onApplicationBootstrap();
    expect(log.asked).toHaveLength(0);
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(log.asked).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(log.asked).toHaveLength(2);
    sweep.onModuleDestroy();
    await jest.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(log.asked).toHaveLength(2);
  });

  it('outlives a database that is away, says so, and comes again', async () => {
    const log = new SweptLog(1);
    log.isAway = true;
    const sweep = new BlobSweep(log);
    sweep.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(warned).toHaveLength(1);
    log.isAway = false;
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(log.asked).toHaveLength(2);
    expect(warned).toHaveLength(1);
    sweep.onModuleDestroy();
  });
});
