import { AgentId, newId, RunId, SessionId } from '../ids.js';
import { type InputPart } from '../log/part/part.js';
import { deadLetterOf } from './dead-letter.js';

const text = (words: string | null): InputPart => ({ type: 'text', text: words, origin: 'user' });
const dead = {
  id: newId(RunId),
  session: newId(SessionId),
  agent: newId(AgentId),
  state: 'failed' as const,
  reason: 'poison: its own process was killed by SIGABRT',
  endedAt: new Date('2026-01-02T03:04:05.678Z'),
  parts: [text('do it')],
};

describe('a dead letter', () => {
  it('is a run that failed as poison', () => {
    const { id: run, session, agent, reason, endedAt: at } = dead;
    expect(deadLetterOf(dead)).toEqual({ run, session, agent, reason, at, preview: 'do it' });
  });

  it.each([
    { state: 'failed' as const, reason: 'model_failed' },
    { state: 'failed' as const, reason: null },
    { state: 'cancelled' as const, reason: 'poison: it was said to be' },
    { state: 'running' as const, reason: null, endedAt: null },
  ])('is no run of %j', (end) => {
    expect(deadLetterOf({ ...dead, ...end })).toBeUndefined();
  });

  it('shows the beginning of its input in whole code points, a line for each part that is left', () => {
    expect(deadLetterOf({ ...dead, parts: [text('one'), text(null), text('two')] })?.preview).toBe('one\ntwo');
    expect(deadLetterOf({ ...dead, parts: [text('😀'.repeat(300))] })?.preview).toBe('😀'.repeat(200));
    expect(deadLetterOf({ ...dead, parts: [text(`a${'😀'.repeat(300)}`)] })?.preview).toBe(`a${'😀'.repeat(199)}`);
    expect(deadLetterOf({ ...dead, parts: [text(null)] })?.preview).toBe('');
  });
});
