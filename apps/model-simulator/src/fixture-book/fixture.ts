import { type Logprobs } from '@parley/core';
import { type Step } from '../script/step.js';
import { type Writes } from '../script/script.js';

/** What must become of one answer, in the words of the model adapter; only what is given is held against it. */
export type Expected =
  | {
      text?: string;
      reasoning?: string;
      /** Name and arguments of each call, in order; absent: none. */
      calls?: readonly (readonly [name: string, args: string])[];
      finish: 'stop' | 'calls' | 'length' | 'filtered';
      /** What the call cost; `estimated`: the provider did not say. */
      usage?: 'estimated' | { input: number; output: number };
      /** What the tokens were likely; null: nothing is kept of it. */
      logprobs?: Logprobs | null;
    }
  | {
      /** The code of the failure. */
      fails: string;
      /** A part of its message. */
      says?: string;
      /** Between which milliseconds lies the wait that the provider asks for; null: it asks for none. */
      waitMs?: readonly [least: number, most: number] | null;
    };

/** An answer and what must become of it. Made when it is played: some hold a date, one is 8 MB long. */
export interface Take {
  answer: () => Step[];
  expected: Expected;
}

/** One odd way in which providers answer, as a text and as a call of the tool `look`. */
export interface Fixture {
  /** Its model is `fixture-<name>`. */
  name: string;
  /** What it shows. */
  shows: string;
  /** The kind of bug reports that it stands for. */
  source: `B${string}`;
  text: Take;
  /** Absent where a tool changes nothing. */
  tool?: Take;
  /** Asked for with probabilities. */
  asksLogprobs?: true;
  /** The operator says of its model that answers begin inside of the thoughts. */
  thinkOpen?: boolean;
  /** How many answers in a row, since the user spoke, are this one; then `Done.` follows. Default 1. */
  turns?: number;
  /** Its own writes, for one that is about them or about time: no other cutting is asked of it. */
  writes?: Writes;
  /** The client's limit for silence, in milliseconds, where the answer is about it. */
  idleMs?: number;
}
