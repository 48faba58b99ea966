import { type Step } from '../script/step.js';
import { type Expected, type Fixture } from './fixture.js';
import { bytes, called, done, hi, look, opened, role, said, wholeCall, wholeText } from './wire.js';

type About = Pick<Fixture, 'name' | 'shows' | 'source'>;

const halfText = role + said('half an');
const halfCall = role + called(opened('a', 'look', '{"city":', 0));

const broken = (about: About, end: Step[], expected: Expected): Fixture => ({
  ...about,
  text: { answer: () => [{ raw: halfText }, ...end], expected },
  tool: { answer: () => [{ raw: halfCall }, ...end], expected },
});

const whole = (about: About, end: Step): Fixture => ({
  ...about,
  text: { answer: () => [{ raw: wholeText.replace(done, '') }, end], expected: hi },
  tool: { answer: () => [{ raw: wholeCall.replace(done, '') }, end], expected: look },
});

/** Lets what was written leave before what follows. */
const soon: Step = { wait: 20 };
const incomplete: Expected = { fails: 'incomplete' };
const timeout: Expected = { fails: 'timeout' };

/** A comment each 100 ms, for 700. */
const comments = (): Step[] => Array.from({ length: 7 }, (): Step[] => [{ raw: ': wait\n\n' }, { wait: 100 }]).flat();

/** How answers end before their end, and how they do not end. */
export const endings: readonly Fixture[] = [
  broken(
    { name: 'q02', shows: 'a stream that is closed in the middle', source: 'B21' },
    [{ end: 'close' }],
    incomplete,
  ),
  whole({ name: 'q03', shows: 'no DONE', source: 'B21' }, { end: 'close' }),
  broken({ name: 'q49', shows: 'a reset in the middle', source: 'B21' }, [soon, { end: 'reset' }], incomplete),
  {
    ...{ name: 'q49-finished', shows: 'a reset after the finish reason', source: 'B21' },
    text: { answer: () => [{ raw: wholeText.replace(done, '') }, soon, { end: 'reset' }], expected: hi },
    tool: { answer: () => [{ raw: wholeCall.replace(done, '') }, soon, { end: 'reset' }], expected: look },
  },
  {
    ...{ name: 'q47', shows: 'twenty tokens, half a call, a reset', source: 'B25' },
    text: {
      answer: () => [{ raw: role + said('word ').repeat(20) + halfCall }, soon, { end: 'reset' }],
      expected: incomplete,
    },
  },
  {
    ...{ name: 'reset-at-once', shows: 'a connection that is reset before it answers', source: 'B21' },
    text: { answer: () => [{ end: 'reset' }], expected: incomplete },
  },
  {
    ...broken({ name: 'q48', shows: 'silence after a chunk', source: 'B22' }, [{ end: 'stall' }], timeout),
    idleMs: 150,
  },
  {
    ...{ name: 'q48-head', shows: 'silence before the head', source: 'B22' },
    text: { answer: () => [{ end: 'stall' }], expected: timeout },
    idleMs: 150,
  },
  {
    ...{ name: 'q48-drip', shows: 'a byte each five seconds', source: 'B22' },
    text: { answer: () => [{ raw: wholeText }, { end: 'close' }], expected: timeout },
    writes: { bytes: 1, pauseMs: 5_000 },
    idleMs: 150,
  },
  {
    ...{ name: 'q33-long', shows: 'nothing but comments for longer than the limit for silence', source: 'B22' },
    text: { answer: () => [...comments(), ...bytes(wholeText)], expected: hi },
    tool: { answer: () => [...comments(), ...bytes(wholeCall)], expected: look },
    idleMs: 500,
  },
];
