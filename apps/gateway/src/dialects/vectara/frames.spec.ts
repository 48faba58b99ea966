import { durableFrameId, newId, RunId, SessionId, type Event, type EventBody, type Frame } from '@parley/core';
import { type EventSetting } from './events/map.js';
import { FROM_START, resumeAt, type Resumption, showFrame, type Shown, type StreamState } from './frames.js';
import { EventIds } from './ids.js';

const run = newId(RunId);
const setting: EventSetting = { sessionKey: 's', ids: new EventIds(newId(SessionId)), tools: new Map() };

const eventFrame = (seq: number, body: EventBody): Frame => {
  const event: Event = { seq, run, at: new Date(seq), body, live: null, hidden: [] };
  return { kind: 'event', id: durableFrameId(seq), run, event };
};

const input = eventFrame(1, { kind: 'input', parts: [{ type: 'text', text: 'Hi', origin: 'user' }] });
const restart = eventFrame(2, { kind: 'restarted', round: 1 });
const reply = eventFrame(3, {
  kind: 'model_replied',
  round: 1,
  parts: [{ type: 'text', text: 'Hello.', origin: 'model' }],
  usage: { input: 1, cachedInput: 0, output: 1, reasoning: 0, estimated: false },
  model: 'sim',
  finish: 'stop',
});
const halfMessage: Frame = {
  kind: 'delta',
  id: durableFrameId(1) + 1,
  run,
  part: 0,
  type: 'text',
  text: 'Hel',
};

const show = (frames: Frame[], { amid, skip }: Resumption = FROM_START): Shown[] => {
  let state: StreamState = { amid, before: null };
  return frames.flatMap((frame) => {
    const { shown, state: next } = showFrame(frame, state, setting);
    state = next;
    return shown.filter(({ place }) => frame.id !== skip?.frame || place.sub > skip.sub);
  });
};

describe('a stream in which text was void', () => {
  const replayed = show([input, restart, reply]);

  it('is, from the restart on, the same for who saw that text and for who did not', () => {
    const seen = show([input, halfMessage, restart, reply]);
    expect(seen[1]?.event).toMatchObject({ type: 'streaming_agent_output', content: 'Hel' });
    expect(seen.slice(2)).toEqual(replayed.slice(1));
  });

  it('goes on after the id of the restart', () => {
    const at = replayed.findIndex(({ event }) => event.type === 'streaming_restarted');
    const resumption = resumeAt(replayed[at]?.place ?? { frame: 0, sub: 0, amid: FROM_START.amid });
    expect(show([restart, reply], resumption)).toEqual(replayed.slice(at + 1));
  });
});
