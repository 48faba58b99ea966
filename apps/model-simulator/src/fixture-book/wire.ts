import { type Step } from '../script/step.js';
import { type Expected, type Fixture, type Take } from './fixture.js';

/** The bytes that fixtures are made of, written by hand: nothing here shares code with the simulator's own answers. */

export const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

export const choices = (...list: unknown[]): object => ({
  ...{ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: list,
});

export const chunk = (delta: unknown, finish: string | null = null): string =>
  event(choices({ index: 0, delta, finish_reason: finish }));

export const role = chunk({ role: 'assistant', content: '' });
export const said = (content: string): string => chunk({ content });
export const called = (...calls: object[]): string => chunk({ tool_calls: calls });
export const finish = (reason: string): string => chunk({}, reason);
export const done = 'data: [DONE]\n\n';

/** A head of a call. */
export const opened = (id: string | undefined, name: string, args: unknown, index?: number): object => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  ...{ type: 'function', function: { name, arguments: args } },
});
/** A later piece of a call. */
export const more = (args: string, rest: object = {}): object => ({ ...rest, function: { arguments: args } });

export const wholeText = role + said('h') + said('i') + finish('stop') + done;
export const wholeCall =
  role +
  called(opened('call_1', 'look', '', 0)) +
  called(more('{"city":', { index: 0 })) +
  called(more('"Bern"}', { index: 0 })) +
  finish('tool_calls') +
  done;

export const hi: Expected = { text: 'hi', finish: 'stop' };
export const look: Expected = { calls: [['look', '{"city":"Bern"}']], finish: 'calls' };

/** Exactly these bytes, then the body's proper end. */
export const bytes = (raw: string): Step[] => [{ raw }, { end: 'close' }];

export const take = (raw: string, expected: Expected): Take => ({ answer: () => bytes(raw), expected });

/** A provider that says the usual things in its own frame. */
export const framed = (
  about: Pick<Fixture, 'name' | 'shows' | 'source'>,
  frame: (stream: string) => string,
): Fixture => ({ ...about, text: take(frame(wholeText), hi), tool: take(frame(wholeCall), look) });

/** A whole response, whatever was asked for. */
export const responds = (
  about: Pick<Fixture, 'name' | 'shows' | 'source'>,
  respond: () => Extract<Step, { respond: unknown }>['respond'],
  expected: Expected,
): Fixture => ({ ...about, text: { answer: () => [{ respond: respond() }], expected } });
