import { ERRORS, notFound, PlatformError, type ErrorCode } from './error.js';

const codes = Object.keys(ERRORS) as ErrorCode[];

describe('a platform error', () => {
  it.each(codes)('%s crosses a process boundary whole', (code) => {
    const details = { issues: [{ path: 'a.b', message: 'is required' }], retryAfterMs: 5 };
    const sent = new PlatformError(code, 'the field is missing', details);
    const received = PlatformError.from(JSON.parse(JSON.stringify(sent)));
    expect(received).toBeInstanceOf(PlatformError);
    expect(received.toJSON()).toEqual({ code, message: 'the field is missing', details });
  });

  it.each(codes)('%s has a status that says whose fault it is, and a title', (code) => {
    const { status, retryable, title } = ERRORS[code];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(title).not.toBe('');
    if (status < 500) expect(retryable).toBe(status === 429);
  });

  it('stays the same object where it did not cross anything', () => {
    const error = notFound('session', 'x');
    expect(PlatformError.from(error)).toBe(error);
    expect(error.toJSON()).toEqual({
      code: 'not_found',
      message: "session 'x' does not exist",
      details: { noun: 'session', id: 'x' },
    });
  });

  it.each([
    new TypeError('x is not a function'),
    { code: 'toString', message: 'a code that is no code' },
    { code: 'not_found' },
    { code: 404, message: 'a number' },
    'text',
    null,
    undefined,
  ])('is internal, and tells nothing, where %p came in', (value) => {
    const error = PlatformError.from(value);
    expect(error.toJSON()).toEqual({ code: 'internal', message: 'unexpected failure', details: {} });
    expect(error.cause).toBe(value);
  });
});
