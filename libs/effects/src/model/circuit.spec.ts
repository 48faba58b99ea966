import { Circuit, type CircuitCall } from './circuit.js';
import { type ModelFailureCode } from './model-failure.js';

describe('a circuit', () => {
  let now = 0;
  let circuit: Circuit;
  beforeEach(() => {
    now = 0;
    circuit = new Circuit(() => now);
  });

  const begin = (): CircuitCall => {
    const call = circuit.begin();
    if (!call) throw new Error('it lets nothing through');
    return call;
  };
  const call = (code?: ModelFailureCode, retryAfterMs?: number): void => begin().ended(code, retryAfterMs);
  const breakIt = (): void => {
    for (let n = 0; n < 5; n++) call('server_error');
  };

  it('opens after five failures in a row, for 2 s', () => {
    for (let n = 0; n < 4; n++) call('server_error');
    expect(circuit.pauseMs).toBe(0);
    call('rate_limited');
    expect(circuit.pauseMs).toBe(2_000);
    expect(circuit.begin()).toBeUndefined();
    now = 1_999;
    expect(circuit.pauseMs).toBe(1);
    now = 2_000;
    expect(circuit.pauseMs).toBe(0);
  });

  it('begins to count anew with each success', () => {
    for (let n = 0; n < 20; n++) call(n % 5 === 4 ? undefined : 'timeout');
    expect(circuit.pauseMs).toBe(0);
  });

  it.each<ModelFailureCode>(['bad_request', 'auth', 'context_length', 'quota', 'empty', 'aborted'])(
    'does not blame the provider for %s',
    (code) => {
      for (let n = 0; n < 9; n++) call(code);
      expect(circuit.pauseMs).toBe(0);
    },
  );

  it('lets one call try when the time is over, and others look again soon', () => {
    breakIt();
    now = 2_000;
    const trial = begin();
    expect(circuit.begin()).toBeUndefined();
    expect(circuit.pauseMs).toBe(1_500);
    trial.ended(undefined);
    expect(circuit.pauseMs).toBe(0);
    call('server_error');
    expect(circuit.pauseMs).toBe(0);
  });

  it('lets the others through with the first word of the call that tries, which may last', () => {
    breakIt();
    now = 2_000;
    const trial = begin();
    trial.answers();
    trial.answers();
    expect(circuit.pauseMs).toBe(0);
    const other = begin();
    trial.ended(undefined);
    other.ended('server_error');
    expect(circuit.pauseMs).toBe(0);
  });

  it('opens again, for longer, when the call that tries breaks off after its first word', () => {
    breakIt();
    now = 2_000;
    const trial = begin();
    trial.answers();
    trial.ended('timeout');
    expect(circuit.pauseMs).toBe(4_000);
    trial.answers();
    expect(circuit.pauseMs).toBe(4_000);
  });

  it('is not closed by the words of calls that do not try it', () => {
    const early = begin();
    breakIt();
    early.answers();
    expect(circuit.pauseMs).toBe(2_000);
  });

  it('stays open twice as long each time a trial fails, at most a minute', () => {
    breakIt();
    const pauses = Array.from({ length: 7 }, () => {
      now += circuit.pauseMs;
      call('unreachable');
      return circuit.pauseMs;
    });
    expect(pauses).toEqual([4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('stays open as long as the provider asks, at most a minute', () => {
    for (let n = 0; n < 4; n++) call('rate_limited', 7_000);
    call('rate_limited', 7_000);
    expect(circuit.pauseMs).toBe(7_000);
    now = 7_000;
    call('rate_limited', 700_000);
    expect(circuit.pauseMs).toBe(60_000);
  });

  it('lets the next one try when a trial was given up', () => {
    breakIt();
    now = 2_000;
    call('aborted');
    expect(circuit.pauseMs).toBe(0);
    call(undefined);
    expect(circuit.pauseMs).toBe(0);
  });

  it('is not opened for longer by calls that began before it opened, but closed by one that succeeds', () => {
    const early = Array.from({ length: 10 }, begin);
    const last = begin();
    for (const one of early) one.ended('overloaded');
    expect(circuit.pauseMs).toBe(2_000);
    last.ended(undefined);
    expect(circuit.pauseMs).toBe(0);
  });
});
