import { PlatformError } from '@parley/core';
import { type RunLog } from '@parley/persistence';
import { HOLDER_VERBS, type Answer, type ChildVerb, type ToParent } from './messages.js';

interface Open {
  resolve: (value: unknown) => void;
  reject: (error: PlatformError) => void;
}

/** A child's end of the pipe to its parent. */
export class ParentLine {
  readonly #open = new Map<number, Open>();
  #asked = 0;

  /** @param send hands one message to the parent. */
  constructor(private readonly send: (message: ToParent) => void) {}

  tell(message: ToParent): void {
    this.send(message);
  }

  ask(verb: ChildVerb, args: unknown[]): Promise<unknown> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.send({ kind: 'ask', id, verb, args });
    });
  }

  hear(answer: Answer): void {
    const open = this.#open.get(answer.id);
    this.#open.delete(answer.id);
    if ('refusal' in answer) open?.reject(PlatformError.from(answer.refusal));
    else open?.resolve(answer.value);
  }

  /** The run log as far as the holder of one run needs it: the parent asks it, in its own name. */
  get log(): RunLog {
    const log = Object.fromEntries(HOLDER_VERBS.map((verb) => [verb, (...args: unknown[]) => this.ask(verb, args)]));
    if (!isLogOfHolder(log)) throw new Error('the run log of a child lacks a verb');
    return log;
  }
}

/** Of all verbs a child's code calls these alone: it claims nothing, and is told of no overdue run. */
const isLogOfHolder = (log: object): log is RunLog => HOLDER_VERBS.every((verb) => verb in log);
