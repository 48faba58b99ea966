import { Logger } from '@nestjs/common';
import { Secret } from '../config/secret.js';
import { createLogger, type LogLevel } from './create-logger.js';
import { NestLogger } from './nest-logger.js';
import { redacted } from './redacted.js';

const heard = (level: LogLevel = 'trace') => {
  const lines: string[] = [];
  const logger = createLogger({ app: 'probe', level, to: { write: (line: string) => void lines.push(line) } });
  return { logger, entries: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
};

describe('the logger of a process', () => {
  it('writes one JSON object a line, with app, time and level by name', () => {
    const { logger, entries } = heard();
    logger.info({ tenant: 't1', session: 's1', run: 'r1', request: 'q1' }, 'a run began');
    logger.warn('two\nlines');
    const [first, second] = entries();
    expect(first).toMatchObject({ level: 'info', app: 'probe', tenant: 't1', session: 's1', run: 'r1', request: 'q1' });
    expect(first).toMatchObject({ msg: 'a run began', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) });
    expect(second).toMatchObject({ level: 'warn', msg: 'two\nlines' });
  });

  it('masks secrets in fields, in text and in errors', () => {
    const { logger, entries } = heard();
    const error = new Error('401 for Bearer abcdef123456', { cause: { headers: { authorization: 'hunter2' } } });
    logger.error(
      { err: error, request: { headers: { Authorization: 'hunter2', cookie: 'hunter2' } } },
      'sk-hunter2abc',
    );
    logger.error({ url: 'postgres://parley:hunter2@db:5432/parley', key: new Secret('hunter2') });
    const text = JSON.stringify(entries());
    expect(text).not.toMatch(/hunter2|abcdef123456/);
    expect(text).toContain('postgres://parley:[secret]@db:5432/parley');
    expect(entries()[0]).toMatchObject({ err: { type: 'Error', cause: { headers: { authorization: '[secret]' } } } });
  });

  it('keeps back what is below its level', () => {
    const { logger, entries } = heard('warn');
    logger.info('quiet');
    new NestLogger(logger).log('quiet');
    expect(entries()).toEqual([]);
  });
});

describe('a redacted value', () => {
  it('is finite: circles, depth and long text are cut', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    let deep: unknown = 'end';
    for (let level = 0; level < 50; level++) deep = { deep };
    expect(redacted(circle)).toEqual({ self: '[circular]' });
    expect(JSON.stringify(redacted(deep))).toContain('[deeper]');
    expect(String(redacted('x'.repeat(100_000))).length).toBeLessThan(9_000);
  });

  it('shows a value that occurs twice, twice', () => {
    const one = { a: 1 };
    expect(redacted([one, one])).toEqual([{ a: 1 }, { a: 1 }]);
  });
});

describe('what Nest logs', () => {
  const logged = (use: (logger: Logger) => void): Record<string, unknown> | undefined => {
    const { logger, entries } = heard();
    Logger.overrideLogger(new NestLogger(logger));
    use(new Logger('CancelRun'));
    Logger.overrideLogger(false);
    return entries()[0];
  };

  it('keeps its context, fields and message', () => {
    expect(logged((logger) => logger.log('it began'))).toMatchObject({
      level: 'info',
      context: 'CancelRun',
      msg: 'it began',
    });
    expect(logged((logger) => logger.warn({ run: 'r1' }, 'it is slow'))).toMatchObject({
      level: 'warn',
      context: 'CancelRun',
      run: 'r1',
      msg: 'it is slow',
    });
  });

  it('keeps an error, given as such or with its stack beside the message', () => {
    expect(logged((logger) => logger.error(new Error('it broke')))).toMatchObject({
      context: 'CancelRun',
      msg: 'it broke',
      err: { message: 'it broke', stack: expect.stringContaining('logging.spec') },
    });
    expect(logged((logger) => logger.error('it broke', new Error('why').stack))).toMatchObject({
      context: 'CancelRun',
      msg: 'it broke',
      stack: expect.stringContaining('why'),
    });
    expect(logged((logger) => logger.error({ err: new Error('why'), run: 'r1' }, 'it broke'))).toMatchObject({
      msg: 'it broke',
      run: 'r1',
      err: { message: 'why' },
    });
  });
});
