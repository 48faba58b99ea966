import { z } from 'zod';

/**
 * One step of an answer: a strict object with one verb. Steps are data, so every fixture is a list of them.
 * The verbs from `say` to `call` are turned into well-formed chunks; `delta`, `event` and `raw` send what they hold.
 */

const Milliseconds = z.int().min(0).max(86_400_000);

/** A string is cut into tokens at its words; of an array each element is sent as one token, as it is. */
const Tokens = z.union([z.string(), z.array(z.string())], { error: 'must be a string or an array of strings' });
export type Tokens = z.infer<typeof Tokens>;

/** Any JSON; unlike `z.unknown()` alone, the key must be there. */
const Json = z.unknown().refine((value) => value !== undefined, { error: 'is missing' });

const Headers = z.record(z.string(), z.string());

/** The text of the answer, one chunk a token, `delayMs` between tokens. */
const Say = z.strictObject({ say: Tokens, delayMs: Milliseconds.optional() });

/** Reasoning text, in the key that this kind of provider uses (default `reasoning_content`). */
const Think = z.strictObject({
  think: Tokens,
  key: z.enum(['reasoning_content', 'reasoning']).optional(),
  delayMs: Milliseconds.optional(),
});

/** A refusal in the model's own words. */
const Refuse = z.strictObject({ refuse: Tokens, delayMs: Milliseconds.optional() });

/**
 * A call of the tool with this name. `arguments` that are a string are sent as they are (also if that is no JSON),
 * anything else as its JSON, in `pieces` deltas (default 1). The id is made from the request unless given.
 */
const Call = z.strictObject({
  call: z.string(),
  arguments: z.unknown().optional(),
  id: z.string().optional(),
  pieces: z.int().min(1).max(10_000).optional(),
  delayMs: Milliseconds.optional(),
});

const Wait = z.strictObject({ wait: Milliseconds });

/** One chunk whose only choice has exactly this delta. */
const Delta = z.strictObject({ delta: Json });

/** One server-sent event with exactly this JSON, under an event name if given: error events, odd chunks. */
const Event = z.strictObject({ event: Json, name: z.string().optional() });

/** These bytes of the body and nothing around them. */
const Raw = z.strictObject({ raw: z.string(), encoding: z.enum(['utf8', 'base64']).optional() });

/** The chunk with the finish reason, here and now, with this reason; null: an answer without one. */
const Finish = z.strictObject({ finish: z.string().nullable() });

/** The usage that is reported at the end instead of the counted one; null: none, though it was asked for. */
const Usage = z.strictObject({ usage: z.record(z.string(), z.unknown()).nullable() });

/** Status and headers of the response, sent at once. Without it: 200 and the usual ones, with the first byte. */
const Head = z.strictObject({
  head: z.strictObject({ status: z.int().min(200).max(599).optional(), headers: Headers.optional() }),
});

/** A whole response instead of a completion: an error before the stream, a body of another type, nothing. */
const Respond = z.strictObject({
  respond: z.strictObject({
    status: z.int().min(200).max(599),
    headers: Headers.optional(),
    body: z.unknown().optional(),
  }),
});

/**
 * Ends the answer here, without finish chunk, usage and `[DONE]`: `close` the body properly, `reset` the connection,
 * or `stall`: send no more until the client goes.
 */
const End = z.strictObject({ end: z.enum(['close', 'reset', 'stall']) });

/**
 * The whole answer of this name in the fixture book (`q07`): as a call of `look` with `tool`, or where the request has tools.
 * Of a script alone: it is played as the steps that it is made of.
 */
const PlayFixture = z.strictObject({ fixture: z.string(), tool: z.boolean().optional() });

export type Say = z.infer<typeof Say>;
export type Think = z.infer<typeof Think>;
export type Refuse = z.infer<typeof Refuse>;
export type Call = z.infer<typeof Call>;
export type Wait = z.infer<typeof Wait>;
export type Delta = z.infer<typeof Delta>;
export type Event = z.infer<typeof Event>;
export type Raw = z.infer<typeof Raw>;
export type Finish = z.infer<typeof Finish>;
export type Usage = z.infer<typeof Usage>;
export type Head = z.infer<typeof Head>;
export type Respond = z.infer<typeof Respond>;
export type End = z.infer<typeof End>;

const Step = z.union([Say, Think, Refuse, Call, Wait, Delta, Event, Raw, Finish, Usage, Head, Respond, End]);
export type Step = z.infer<typeof Step>;

/** A step as a script has it. */
export const ScriptStep = z.union([...Step.options, PlayFixture], {
  error:
    'must have one verb: say, think, refuse, call, wait, delta, event, raw, finish, usage, head, respond, end or fixture',
});
export type ScriptStep = z.infer<typeof ScriptStep>;

/** What plays steps: one method a verb. A new verb does not compile until every player has it. */
export interface StepPlayer<Result> {
  say(step: Say): Result;
  think(step: Think): Result;
  refuse(step: Refuse): Result;
  call(step: Call): Result;
  wait(step: Wait): Result;
  delta(step: Delta): Result;
  event(step: Event): Result;
  raw(step: Raw): Result;
  finish(step: Finish): Result;
  usage(step: Usage): Result;
  head(step: Head): Result;
  respond(step: Respond): Result;
  end(step: End): Result;
}

/** Plays one step. */
export function playStep<Result>(step: Step, player: StepPlayer<Result>): Result {
  if ('say' in step) return player.say(step);
  if ('think' in step) return player.think(step);
  if ('refuse' in step) return player.refuse(step);
  if ('call' in step) return player.call(step);
  if ('wait' in step) return player.wait(step);
  if ('delta' in step) return player.delta(step);
  if ('event' in step) return player.event(step);
  if ('raw' in step) return player.raw(step);
  if ('finish' in step) return player.finish(step);
  if ('usage' in step) return player.usage(step);
  if ('head' in step) return player.head(step);
  if ('respond' in step) return player.respond(step);
  return player.end(step);
}
