import { isDeepStrictEqual } from 'node:util';
import { fold, withoutVoid } from '../client/fold.js';
import { type Frame, type SessionKeys, type WireEvent, wordsOf } from '../client/wire.js';

/** What is known of a session in the end. */
export interface Evidence {
  session: SessionKeys;
  /** The list of events. */
  listed: WireEvent[];
  /** The frames of a stream from the start. */
  replay: Frame[];
  /** All that was said to it. */
  said: string[];
  /** What each of its clients has seen. */
  views: { name: string; received: Frame[] }[];
  /** Events that an answer has told of. */
  told: WireEvent[];
}

/** What is wrong; nothing, if all is well. */
export interface Verdict {
  lost: string[];
  doubled: string[];
  faults: string[];
}

/** All verdicts as one. */
export const merged = (verdicts: readonly Verdict[]): Verdict => ({
  lost: verdicts.flatMap(({ lost }) => lost),
  doubled: verdicts.flatMap(({ doubled }) => doubled),
  faults: verdicts.flatMap(({ faults }) => faults),
});

/** Judges a session that rests: nothing lost, nothing twice, and every client has seen what is there. */
export function judge({ session, listed, replay, said, views, told }: Evidence): Verdict {
  const shown = withoutVoid(replay);
  const faults = [...orderFaults(listed), ...difference('fold of the replay', fold(replay, session.session), listed)];
  for (const { name, received } of views) {
    faults.push(...difference(`frames of ${name}`, withoutVoid(received).map(wireOf), shown.map(wireOf)));
    faults.push(...difference(`fold of ${name}`, fold(received, session.session), listed));
    faults.push(...restartFaults(received).map((fault) => `${name}: ${fault}`));
  }
  for (const event of told) {
    if (!listed.some((one) => isDeepStrictEqual(one, event)))
      faults.push(`told and not there: ${JSON.stringify(event)}`);
  }
  const heard = listed.filter(({ type }) => type === 'input_message').flatMap(wordsOf);
  return {
    lost: said.filter((words) => !heard.includes(words)),
    doubled: [...heard.filter((words, at) => heard.indexOf(words) !== at), ...answeredTwice(listed)],
    faults: faults.map((fault) => `${session.session}: ${fault}`),
  };
}

const wireOf = ({ id, data }: Frame): string => `${id} ${data}`;

/** Every input is followed by what came of it: an answer that speaks of its words, or an interruption. */
function orderFaults(listed: readonly WireEvent[]): string[] {
  let open: string[] = [];
  const faults: string[] = [];
  for (const event of listed) {
    if (event.type === 'input_message') open = wordsOf(event);
    else if (event.type === 'agent_output') {
      const last = open.at(-1) ?? '(nothing)';
      if (!event.content?.includes(`"${last}"`)) faults.push(`not an answer to ${last}: ${event.content}`);
      open = [];
    } else if (event.type === 'session_interrupted') open = [];
    else faults.push(`unexpected: ${JSON.stringify(event)}`);
  }
  return open.length > 0 ? [...faults, `never answered: ${open.join(', ')}`] : faults;
}

const answeredTwice = (listed: readonly WireEvent[]): string[] =>
  listed
    .filter(({ type }, at) => type === 'agent_output' && listed[at - 1]?.type === 'agent_output')
    .map(({ content }) => content ?? '');

/**
 * After `streaming_restarted` come the text anew, its end, and the whole `agent_output`; unless it is void again. Words
 * that break in may come before the text.
 */
function restartFaults(received: readonly Frame[]): string[] {
  const events = received.map(({ event }) => event).filter(({ type }) => type !== 'end');
  return events.flatMap(({ type: restarted }, at) => {
    if (restarted !== 'streaming_restarted') return [];
    const after = events.slice(at + 1);
    const rest = after.slice(after.findIndex(({ type }) => type !== 'input_message'));
    const chunks = rest.slice(
      0,
      rest.findIndex(({ type }) => type !== 'streaming_agent_output'),
    );
    const [end, whole] = rest.slice(chunks.length);
    if (end === undefined || /^(streaming_restarted|session_interrupted)$/.test(end.type)) return [];
    const text = chunks.map(({ content }) => content).join('');
    const isRight =
      end.type === 'streaming_agent_output_end' &&
      whole?.type === 'agent_output' &&
      whole.id === end.event_id &&
      whole.content === text;
    return isRight ? [] : [`after a restart: ${JSON.stringify([text, end, whole])}`];
  });
}

function difference(what: string, actual: readonly unknown[], expected: readonly unknown[]): string[] {
  const at = Array.from({ length: Math.max(actual.length, expected.length) }).findIndex(
    (_, index) => !isDeepStrictEqual(actual[index], expected[index]),
  );
  if (at === -1) return [];
  return [`${what} differs at ${at}: ${JSON.stringify(actual[at])} instead of ${JSON.stringify(expected[at])}`];
}
