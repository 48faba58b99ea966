import { hasTurn, isTerminal, RunState, TerminalState } from './state.js';

describe('run states', () => {
  it.each(RunState.options)('%s is in line, has the turn, or has ended: one of the three', (state) => {
    const kinds = [state === 'deferred', hasTurn(state), isTerminal(state)];
    expect(kinds.filter(Boolean)).toHaveLength(1);
  });

  it('end in exactly these', () => {
    expect(RunState.options.filter(isTerminal)).toEqual(TerminalState.options);
  });

  it('have the turn in exactly these', () => {
    expect(RunState.options.filter(hasTurn)).toEqual(['queued', 'running', 'waiting']);
  });
});
