import { type CallId, type CallPart, wellFormed } from '@parley/core';
import { ModelFault } from '../model-failure.js';
import { loose, text } from './chat-chunk.js';
import { type CallDelta, OpenCall } from './open-call.js';

/** More calls than any provider makes in one reply. */
const MAX_CALLS = 128;

/**
 * Puts tool calls together from their pieces. A piece belongs to the call with its id, else to the latest one with its
 * index, else to the latest one; providers leave out, repeat and move each of these (bug reports B01 to B04). A piece
 * that names a tool after the arguments were whole begins a new call, whatever its id and index say.
 */
export class CallAssembly {
  readonly #calls: OpenCall[] = [];

  get count(): number {
    return this.#calls.length;
  }

  /** UTF-16 units of what was said in calls. */
  get size(): number {
    return this.#calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
  }

  /** @throws ModelFault `bad_response` when the piece is none, `too_large` when there are too many calls. */
  take(piece: unknown): void {
    const delta = toDelta(piece);
    const call = this.#ownerOf(delta) ?? this.#open();
    call.take(delta);
  }

  /** The calls, in the order in which they began. */
  parts(callId: (index: number) => CallId): CallPart[] {
    return this.#calls.map((call, index) => ({
      type: 'call',
      id: callId(index),
      name: wellFormed(call.name),
      arguments: wellFormed(call.arguments.trim() === '' ? '{}' : call.arguments),
      origin: 'model',
    }));
  }

  #ownerOf(delta: CallDelta): OpenCall | undefined {
    const owner = this.#known(delta);
    return owner?.beginsAgain(delta) ? undefined : owner;
  }

  #known({ id, index, name }: CallDelta): OpenCall | undefined {
    const sameIndex = index === undefined ? undefined : this.#calls.findLast((call) => call.index === index);
    const last = this.#calls.at(-1);
    if (id === '') return sameIndex ?? (name !== '' && last?.id === '' && last.name !== '' ? undefined : last);
    const named = this.#calls.findLast((call) => call.id === id);
    const late = sameIndex ?? (index === undefined ? last : undefined);
    return named ?? (name === '' && late && (late.id === '' || !late.over) ? late : undefined);
  }

  #open(): OpenCall {
    if (this.#calls.length === MAX_CALLS)
      throw new ModelFault('too_large', `more than ${MAX_CALLS} calls in one reply`);
    const call = new OpenCall();
    this.#calls.push(call);
    return call;
  }
}

const toDelta = (piece: unknown): CallDelta => {
  const call = loose(piece);
  if (!call) throw new ModelFault('bad_response', 'the answer holds a tool call that is no object');
  const made = loose(call.function) ?? call;
  const given = made.arguments ?? '';
  return {
    id: typeof call.id === 'number' ? String(call.id) : text(call.id),
    index: indexIn(call.index),
    name: text(made.name),
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  };
};

/** Some proxies send numbers as text. */
const indexIn = (value: unknown): number | undefined => {
  const index = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof index === 'number' && Number.isInteger(index) ? index : undefined;
};
