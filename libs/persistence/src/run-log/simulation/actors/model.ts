import {
  CallId,
  InterruptId,
  messagesOf,
  type BodyOf,
  type CallPart,
  type EventBody,
  type ReplyPart,
  type TextPart,
} from '@parley/core';
import { checkConversation } from '../checks/conversation.js';
import { ASKS, TOOLS, type Tool } from './decide.js';
import { type Hand } from './hand.js';
import { place } from '@parley/core';
import { type Process } from './process.js';
import { append, bodies, finish, park, readInbox, type Result } from './writing.js';

const USAGE = { input: 5, cachedInput: 0, output: 2, reasoning: 0, estimated: false };
const PIECES = ['so ', 'it 😀 ', 'is', 'ä', '漢字 '];

type Step = Generator<void, Result, void>;

/** One round: the model is shown the history, its words are shown as they come, its reply is committed as one. */
export function* askModel(process: Process, hand: Hand): Step {
  const { random, calm } = hand.world;
  if (!(yield* process.isFresh(hand))) return 'over';
  checkConversation(messagesOf(hand.log, hand.head.spans));
  const texts = [yield* say(hand, 0), ...(random.chance(0.2) ? [yield* say(hand, 1)] : [])];
  if (process.stopping || place(hand.head, hand.facts).cancel) return 'resynced'; // what was shown is void
  if (!calm && random.chance(0.15)) return yield* fail(hand);
  const parts = texts.map((text): TextPart => ({ type: 'text', text, origin: 'model' }));
  const calls = calm || random.chance(0.4) ? [] : someCalls(hand);
  const question = !calm && random.chance(0.05);
  return yield* reply(hand, [...parts, ...calls], question);
}

/** Shows words piece by piece; hears of a cancel between two of them. */
function* say(hand: Hand, part: number): Generator<void, string, void> {
  const { random } = hand.world;
  let said = '';
  for (let count = 1 + random.below(3); count > 0; count--) {
    const piece = random.pick(PIECES);
    hand.show(part, piece);
    said += piece;
    yield;
    if (hand.nudged) yield* readInbox(hand);
  }
  return said;
}

function* reply(hand: Hand, parts: ReplyPart[], question: boolean): Step {
  const calls = parts.filter((part): part is CallPart => part.type === 'call');
  const replied: BodyOf<'model_replied'> = {
    kind: 'model_replied',
    round: (hand.head.run?.rounds ?? 0) + 1,
    parts,
    usage: USAGE,
    model: 'simulator/one',
    finish: calls.length > 0 ? 'calls' : 'stop',
  };
  const event = { body: replied, live: hand.live };
  const asked = asksFor(hand, calls, question);
  if (calls.length > 0 || question) return yield* append(hand, [event, ...bodies(asked)]);
  const result = yield* finish(hand, { state: 'succeeded', reason: null }, { last: [event] });
  return result === 'unread' ? yield* append(hand, [event]) : result; // the round is not run again
}

function* fail(hand: Hand): Step {
  const { world, head } = hand;
  const round = (head.run?.rounds ?? 0) + 1;
  const attempt = (head.run?.failures ?? 0) + 1;
  const failed: EventBody = { kind: 'model_failed', round, attempt, code: 'down', message: '', usage: null };
  const events = bodies([...hand.voiding, failed]);
  if (world.random.chance(0.5)) return yield* append(hand, events);
  const dueAt = new Date(world.now.getTime() + 1_000 + world.random.below(10_000));
  const result = yield* park(hand, events, { waitingFor: 'timer', dueAt });
  return result === 'unread' ? yield* append(hand, events) : result;
}

const someCalls = ({ world }: Hand): CallPart[] =>
  Array.from({ length: 1 + world.random.below(3) }, () => {
    const id = CallId.parse(world.uuid());
    return { type: 'call', id, name: world.random.pick(TOOLS), arguments: '{}', origin: 'model' };
  });

const asksFor = ({ world }: Hand, calls: CallPart[], question: boolean): EventBody[] => {
  const asked: EventBody[] = calls.flatMap(({ id, name }) => {
    const ask = ASKS[name as Tool];
    return ask ? [{ kind: 'asked', interrupt: InterruptId.parse(world.uuid()), ask, call: id }] : [];
  });
  if (question) asked.push({ kind: 'asked', interrupt: InterruptId.parse(world.uuid()), ask: 'question', call: null });
  return asked;
};
