import { z } from 'zod';
import { CallId, FactId, InterruptId, type RunId } from '../ids.js';
import { TerminalState } from '../run/state.js';
import { Logprobs } from './logprobs.js';
import { InputPart, type Part, ReplyPart, TextPart } from './part/part.js';
import { Usage } from './usage.js';

const seq = z.number().int().positive();
const count = z.number().int().nonnegative();

/** How a call ended. `unknown_outcome`: it was dispatched at most once and nobody can tell what it did. */
export const CallOutcome = z.enum(['result', 'error', 'denied', 'cancelled', 'unknown_outcome']);
export type CallOutcome = z.infer<typeof CallOutcome>;

/** What an interrupt asks for: leave to make a call, words, or the result of a call that the client makes. */
export const InterruptKind = z.enum(['approval', 'question', 'client_tool']);
export type InterruptKind = z.infer<typeof InterruptKind>;

/** How an interrupt ended. */
export const AnswerOutcome = z.enum(['approved', 'denied', 'answered', 'expired', 'cancelled']);
export type AnswerOutcome = z.infer<typeof AnswerOutcome>;

/** Which sequence numbers are in force: from the first to the second, both included; `null`: to the end of the log. */
export const Span = z.tuple([seq, seq.nullable()]);
export type Span = z.infer<typeof Span>;

/** What a `rewound` event puts back: what the head said at its `to`. */
export const Restored = z.object({ spans: z.array(Span), usage: Usage.nullable() });
export type Restored = z.infer<typeof Restored>;

/**
 * What can happen in a session, one kind per fact that is committed at once (DESIGN §2). Payloads are never edited;
 * everything else (messages, status, context) is a fold over them.
 */
export const EventBody = z.discriminatedUnion('kind', [
  /** A run's own input, or words that reached a running run (`fact`: the steer that brought them). */
  z.object({ kind: z.literal('input'), parts: z.array(InputPart), fact: FactId.optional() }),
  z.object({
    kind: z.literal('model_replied'),
    /** 1 for the first answered model call of the run. */
    round: count,
    parts: z.array(ReplyPart),
    usage: Usage,
    /** The model that answered, as `provider/model`. */
    model: z.string(),
    /** Why the model stopped. `length`: it ran into its token limit. `filtered`: the provider withheld the rest. */
    finish: z.enum(['stop', 'calls', 'length', 'filtered']),
    /** The name of the agent's output format, of which its text is JSON; absent: it is text. */
    output: z.string().optional(),
    /** Absent where the agent does not ask for them, or the provider does not tell. */
    logprobs: Logprobs.optional(),
  }),
  /** Written before a call that must not be made twice. */
  z.object({ kind: z.literal('call_dispatched'), call: CallId }),
  z.object({ kind: z.literal('call_settled'), call: CallId, outcome: CallOutcome, parts: z.array(TextPart) }),
  z.object({ kind: z.literal('asked'), interrupt: InterruptId, ask: InterruptKind, call: CallId.nullable() }),
  z.object({
    kind: z.literal('answered'),
    interrupt: InterruptId,
    outcome: AnswerOutcome,
    parts: z.array(TextPart),
    fact: FactId.optional(),
  }),
  /** The history in force is the log up to `to`, then what follows. `to` 0 is the empty log. */
  z.object({ kind: z.literal('rewound'), to: count, restored: Restored }),
  /** A model call that failed; `attempt` counts from 1 within the round. */
  z.object({
    kind: z.literal('model_failed'),
    round: count,
    attempt: count,
    code: z.string(),
    message: z.string(),
    usage: Usage.nullable(),
    /** When the next attempt may begin, by the database's clock, in milliseconds since 1970; absent: there is none. */
    retryAt: count.optional(),
    /** A whole answer that is not of the form that it has to be: shown to the model once more, to be mended. */
    parts: z.array(ReplyPart).optional(),
  }),
  /** Live text of that round, shown before this event, is void. */
  z.object({ kind: z.literal('restarted'), round: count }),
  /** Always the last event of its run. `reason`: a word from a closed list where the state does not say enough. */
  z.object({ kind: z.literal('run_ended'), state: TerminalState, reason: z.string().nullable() }),
]);
export type EventBody = z.infer<typeof EventBody>;
/** The name of a kind of event. */
export type EventKind = EventBody['kind'];
/** The body of events of one kind. */
export type BodyOf<K extends EventKind> = Extract<EventBody, { kind: K }>;

/** The parts of an event, of whatever kind; their numbers are their addresses. */
export const partsOf = (body: EventBody): readonly Part[] => ('parts' in body ? (body.parts ?? []) : []);

/** An answer that was not of the form that it has to be: what the model said, and what was wrong with it. */
export type FaultyAnswer = Pick<BodyOf<'model_failed'>, 'message' | 'parts'>;

/**
 * How the text of an event was shown live: `after` is the sequence number whose frame the live frames followed; each
 * cut is [number of the live frame, part, length in UTF-16 units], in the order of the frames. From it replay makes
 * the same frames for ever (DESIGN §6).
 */
export const Live = z.object({ after: count, cuts: z.array(z.tuple([count, count, count])) });
export type Live = z.infer<typeof Live>;

/** An event of a session's log. (session, seq) is its address; its parts are numbered from 0. */
export interface Event<K extends EventKind = EventKind> {
  /** Gapless from 1 within the session. */
  seq: number;
  run: RunId | null;
  /** When it was committed, by the database's clock. */
  at: Date;
  body: BodyOf<K>;
  live: Live | null;
  /** Numbers of the parts that are hidden from lists and from the model. */
  hidden: number[];
}

/** An event that is about to be appended. */
export interface NewEvent {
  body: EventBody;
  live?: Live;
}
