import { Circuit, type CircuitCall } from './circuit.js';
import { MODEL_FAILURES, type ModelFailureCode } from './model-failure.js';

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

  describe.each(
    (Object.keys(MODEL_FAILURES) as ModelFailureCode[]).filter(
      (code) => !['unreachable', 'timeout', 'rate_limited', 'overloaded', 'server_error'].includes(code),
    ),
  )('of a provider that ends a call by %s', (code) => {
    it('is not opened', () => {
      for (let n = 0; n < 9; n++) call(code);
      expect(circuit.pauseMs).toBe(0);
    });

    it('goes on counting', () => {
      for (let n = 0; n < 4; n++) call('server_error');
      call(code);
      expect(circuit.pauseMs).toBe(0);
      call('server_error');
      expect(circuit.pauseMs).toBe(2_000);
    });

    it('is neither closed nor opened for longer: the next call tries', () => {
      breakIt();
      now = 2_000;
      call(code);
      const trial = begin();
      expect(circuit.pauseMs).toBe(1_500);
      trial.ended('overloaded');
      expect(circuit.pauseMs).toBe(4_000);
    });
  });

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

  it('lets the others through with the first byte of the call that tries, which may last', () => {
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

  it('opens again, for longer, when the call that tries fails after its first byte', () => {
    breakIt();
    now = 2_000;
    const trial = begin();
    trial.answers();
    trial.ended('timeout');
    expect(circuit.pauseMs).toBe(4_000);
    trial.answers();
    expect(circuit.pauseMs).toBe(4_000);
  });

  it('is not closed by the bytes of calls that do not try it', () => {
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

  it('is neither opened for longer nor closed by calls that began before it opened', () => {
    const early = Array.from({ length: 10 }, begin);
    const last = begin();
    for (const one of early) one.ended('overloaded');
    expect(circuit.pauseMs).toBe(2_000);
    last.ended(undefined);
    expect(circuit.pauseMs).toBe(2_000);
  });

  it('is not opened again by calls that began before it closed, however many fail late', () => {
    const early = Array.from({ length: 20 }, begin);
    for (const one of early.splice(0, 5)) one.ended('overloaded');
    now = 2_000;
    const trial = begin();
    trial.answers();
    for (const one of early.splice(0, 7)) one.ended('timeout');
    expect(circuit.pauseMs).toBe(0);
    trial.ended(undefined);
    for (const one of early) one.ended('timeout');
    expect(circuit.pauseMs).toBe(0);
  });

  it('is open for the shortest time again once a call has succeeded, though others still fail', () => {
    breakIt();
    now = 2_000;
    const trial = begin();
    trial.answers();
    call('rate_limited');
    expect(circuit.pauseMs).toBe(4_000);
    trial.ended(undefined);
    expect(circuit.pauseMs).toBe(4_000);
    now = 6_000;
    call('rate_limited');
    expect(circuit.pauseMs).toBe(2_000);
  });
});
