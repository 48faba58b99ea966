import { jest } from '@jest/globals';
import { CrashAt } from './crash-at.js';
import { armCrashPoint, crashPoint } from './crash-point.js';

describe('a crash point', () => {
  afterEach(() => {
    armCrashPoint(undefined);
    jest.restoreAllMocks();
  });

  it('kills the process the n-th time it is passed, and only there', () => {
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    armCrashPoint({ point: 'finish.before', nth: 2 });
    crashPoint('finish.before');
    crashPoint('finish.after');
    expect(kill).not.toHaveBeenCalled();
    crashPoint('finish.before');
    expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL');
  });

  it('does nothing while none is armed', () => {
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    crashPoint('finish.before');
    expect(kill).not.toHaveBeenCalled();
  });
});

describe('CRASH_AT', () => {
  it('names a point and a count', () => {
    expect(CrashAt.parse('finish.before:12')).toEqual({ point: 'finish.before', nth: 12 });
  });

  it.each(['finish.before', 'finish.before:0', 'finish.before:x', 'nowhere:1', ''])('refuses %j', (text) => {
    expect(CrashAt.safeParse(text).success).toBe(false);
  });
});
